//! Solving.

use std::path::PathBuf;

use idpas::{History, Solve, SolveControl, SolveEvent};
use idpas_search::Method;
use idpas_solver::Interrupt;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attended::attend;
use crate::errors::solve_error;
use crate::guide::Guide;
use crate::model::Model;

/// What a solve found.
#[pyclass(frozen, module = "idpas")]
pub(crate) struct Solved {
    solved: idpas::Solved,
    solver: String,
    threads: usize,
    seed: u32,
    has_start: bool,
}

#[pymethods]
impl Solved {
    #[getter]
    fn status(&self) -> &'static str {
        self.solved.outcome.status.as_str()
    }

    #[getter]
    fn objective(&self) -> Option<f64> {
        Some(self.solved.outcome.solution.as_ref()?.objective)
    }

    #[getter]
    fn bound(&self) -> Option<f64> {
        self.solved.outcome.bound
    }

    #[getter]
    fn gap(&self) -> Option<f64> {
        self.solved.outcome.gap
    }

    #[getter]
    fn time(&self) -> f64 {
        self.solved.outcome.time
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.solved.settings.method.as_str()
    }

    /// The values by column; a new array each time.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let solution = self.solved.outcome.solution.as_ref()?;
        Some(PyArray1::from_slice(py, &solution.values))
    }

    /// Time, objective, bound and stage of each improvement.
    #[getter]
    fn trajectory(&self) -> Vec<(f64, f64, Option<f64>, String)> {
        let points = self.solved.outcome.trajectory.iter();
        points
            .map(|at| (at.time, at.objective, at.bound, at.stage.to_string()))
            .collect()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.solved.warnings.clone()
    }

    /// The score up to which the search began by holding variables at zero.
    #[getter]
    fn first_band(&self) -> Option<f32> {
        match self.solved.settings.method {
            Method::Idpas => self.solved.settings.staged.bands.first().copied(),
            _ => None,
        }
    }

    /// Everything that `idpas solve --format json` prints, as JSON.
    fn report(&self) -> PyResult<String> {
        let solver = idpas_solver::by_name(&self.solver).map_err(solve_error)?;
        let report = self.solved.report(&idpas::ReportDetails {
            solver: &*solver,
            time: self.solved.outcome.time,
            solution: None,
            model: None,
            threads: u16::try_from(self.threads).unwrap_or(u16::MAX),
            seed: self.seed,
            has_start: self.has_start,
        });
        serde_json::to_string(&report).map_err(solve_error)
    }
}

impl Solved {
    /// A solve with this solver, so many threads and this seed.
    pub(crate) fn new(
        solved: idpas::Solved,
        solver: &str,
        threads: usize,
        seed: u32,
        has_start: bool,
    ) -> Self {
        Solved {
            solved,
            solver: solver.to_owned(),
            threads,
            seed,
            has_start,
        }
    }
}

/// What a solve tells while it runs.
pub(crate) enum Told {
    Incumbent {
        time: f64,
        objective: f64,
        bound: Option<f64>,
        stage: String,
        values: Vec<f64>,
    },
    Progress {
        time: f64,
        objective: Option<f64>,
        bound: Option<f64>,
    },
    Warning(String),
    Log(String),
}

impl Told {
    /// What Python is told of an event; `None` for those that it is not told.
    pub(crate) fn of(event: SolveEvent<'_>) -> Option<Self> {
        Some(match event {
            SolveEvent::Incumbent {
                time,
                objective,
                bound,
                stage,
                values,
            } => Told::Incumbent {
                time,
                objective,
                bound,
                stage: stage.to_string(),
                values: values.to_vec(),
            },
            SolveEvent::Progress {
                time,
                objective,
                bound,
                ..
            } => Told::Progress {
                time,
                objective,
                bound,
            },
            SolveEvent::Warning(text) => Told::Warning(text.to_owned()),
            SolveEvent::Log(text) => Told::Log(text.to_owned()),
            _ => return None,
        })
    }

    /// Calls `listener(kind, contents)`.
    pub(crate) fn tell(self, listener: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = listener.py();
        let contents = PyDict::new(py);
        let kind = match self {
            Told::Incumbent {
                time,
                objective,
                bound,
                stage,
                values,
            } => {
                contents.set_item("time", time)?;
                contents.set_item("objective", objective)?;
                contents.set_item("bound", bound)?;
                contents.set_item("stage", stage)?;
                contents.set_item("values", PyArray1::from_vec(py, values))?;
                "incumbent"
            }
            Told::Progress {
                time,
                objective,
                bound,
            } => {
                contents.set_item("time", time)?;
                contents.set_item("objective", objective)?;
                contents.set_item("bound", bound)?;
                "progress"
            }
            Told::Warning(text) => {
                contents.set_item("text", text)?;
                "warning"
            }
            Told::Log(text) => {
                contents.set_item("text", text)?;
                "log"
            }
        };
        listener.call1((kind, contents))?;
        Ok(())
    }
}

/// What Python says about a solve; what it leaves out is as by default.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SolveSettings {
    #[serde(default)]
    method: Option<Method>,
    #[serde(default)]
    time_limit: Option<f64>,
    #[serde(default)]
    gap: Option<f64>,
    #[serde(default)]
    threads: Option<usize>,
    #[serde(default)]
    seed: Option<u32>,
    #[serde(default)]
    node_limit: Option<u64>,
    #[serde(default)]
    history: Option<PathBuf>,
    #[serde(default)]
    solver: Option<String>,
    #[serde(default)]
    solver_options: Vec<(String, String)>,
}

impl SolveSettings {
    fn options(self) -> Solve {
        let usual = Solve::default();
        Solve {
            method: self.method,
            time_limit: self.time_limit,
            gap: self.gap.unwrap_or(usual.gap),
            threads: self.threads.unwrap_or(usual.threads),
            seed: self.seed.unwrap_or(usual.seed),
            node_limit: self.node_limit,
            history: self.history.map(History::Folder),
            solver: self.solver.unwrap_or(usual.solver),
            solver_options: self.solver_options,
            ..usual
        }
    }
}

/// Solves a model. Ctrl-C ends it with the best solution so far; an exception of the listener ends it and is raised.
#[pyfunction]
#[pyo3(signature = (model, guide, *, settings, starts, listener))]
pub(crate) fn solve(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    guide: Option<&Bound<'_, Guide>>,
    settings: &str,
    starts: Vec<PyReadonlyArray1<'_, f64>>,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<Solved> {
    let settings: SolveSettings = serde_json::from_str(settings).map_err(solve_error)?;
    let mut options = settings.options();
    let columns = model.get().model.num_columns();
    for start in &starts {
        let values: Vec<f64> = start.as_array().iter().copied().collect();
        if values.len() != columns {
            let found = values.len();
            return Err(solve_error(format!(
                "a start has {found} values; expected {columns}"
            )));
        }
        options.starts.push(values);
    }
    let model = model.get().model.clone();
    let guide = guide.map(|guide| guide.get().guide.clone());
    let interrupt = Interrupt::new();
    let tell = |told: Told| match &listener {
        Some(listener) => told.tell(listener),
        None => Ok(()),
    };
    let attended = attend(
        py,
        || interrupt.raise(),
        tell,
        |events| {
            let mut observer = |event: SolveEvent<'_>| {
                if let Some(told) = Told::of(event) {
                    // Who does not listen any more has been told enough.
                    let _ = events.send(told);
                }
            };
            let mut control = SolveControl {
                interrupt: interrupt.clone(),
                observer: Some(&mut observer),
                ..SolveControl::default()
            };
            idpas::solve_shared(&model, guide.as_ref(), &options, &mut control)
        },
    )?;
    let solved = attended.or_raised(py)?.map_err(solve_error)?;
    let has_start = !options.starts.is_empty();
    Ok(Solved::new(
        solved,
        &options.solver,
        options.threads,
        options.seed,
        has_start,
    ))
}

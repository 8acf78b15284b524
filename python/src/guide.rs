//! Guides: trained models with the settings that were tuned for them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use idpas::{PredictionRequest, TuneEvent, TuneOverrides, TuneRequest};
use idpas_search::tuned::{Grid, TunedSettings, sidecar};
use idpas_search::{Method, SearchSettings};
use idpas_solver::HardStop;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::attended::attend;
use crate::command::commands;
use crate::errors::{family_error, study_error};
use crate::model::Model;

/// What was learned from a family.
#[pyclass(frozen, module = "idpas")]
#[derive(Clone)]
pub(crate) struct Guide {
    pub(crate) guide: idpas::Guide,
}

#[pymethods]
impl Guide {
    /// Reads a trained model, and what was tuned for it from the file beside it.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let guide = py
            .detach(|| idpas::Guide::read(&path))
            .map_err(family_error)?;
        Ok(Guide { guide })
    }

    /// Writes the trained model, and what was tuned for it into the file beside it.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| -> Result<(), String> {
            let text = |error: &dyn std::fmt::Display| error.to_string();
            self.guide.write(&path).map_err(|e| text(&e))?;
            let beside = sidecar(&path);
            match self.guide.tuned() {
                Some(settings) => self
                    .tuned_settings(settings, &path)
                    .write(&beside)
                    .map_err(|e| text(&e)),
                // What lies there was tuned for another model.
                None => match std::fs::remove_file(&beside) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(text(&e)),
                    _ => Ok(()),
                },
            }
        });
        written.map_err(family_error)
    }

    /// The bytes of the trained model's file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.guide.trained().to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(family_error)?))
    }

    /// The guide with these settings, as JSON, in the place of those that were tuned.
    fn with_settings(&self, settings: &str) -> PyResult<Self> {
        let settings: SearchSettings = serde_json::from_str(settings).map_err(study_error)?;
        settings.validate().map_err(study_error)?;
        Ok(Guide {
            guide: self.guide.clone().with_settings(settings),
        })
    }

    /// The settings that were tuned, as JSON.
    #[getter]
    fn settings(&self) -> PyResult<Option<String>> {
        let tuned = self.guide.tuned().map(serde_json::to_string);
        tuned.transpose().map_err(study_error)
    }

    /// What was learned: `gnn`, `prop`, `zero-frequency` or `nearest`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.guide.trained().predictor.kind().as_str()
    }

    /// SHA-256 of the model's file.
    #[getter]
    fn sha256(&self) -> &str {
        self.guide.sha256()
    }

    /// What was odd about the files that it was read from.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.guide.warnings().to_vec()
    }

    /// How many instances it was trained on and validated with.
    #[getter]
    fn instances(&self) -> (usize, usize) {
        let training = &self.guide.trained().training;
        (training.training_instances, training.validation_instances)
    }

    /// For each column the predicted probability that it is not zero, NaN where nothing is predicted; and warnings.
    #[pyo3(signature = (model, *, solver, threads, time_limit))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        model: &Bound<'py, Model>,
        solver: &str,
        threads: usize,
        time_limit: Option<f64>,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Vec<String>)> {
        let model = model.get().model.clone();
        let method = self.guide.trained().paper_method();
        let request = request(method, solver, threads, time_limit);
        let predicted = py.detach(|| self.guide.predict(&model, &request));
        let predicted = predicted.map_err(family_error)?;
        let scores = predicted.scores;
        let scores = scores.unwrap_or_else(|| vec![f32::NAN; model.num_columns()]);
        Ok((PyArray1::from_vec(py, scores), predicted.warnings))
    }

    /// What is known without solving anything: sets of scores by their origin, the best first, and past solutions to start
    /// from.
    fn known<'py>(
        &self,
        py: Python<'py>,
        model: &Bound<'py, Model>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = model.get().model.clone();
        let request = request(Method::Idpas, "highs", 1, None);
        let known = py.detach(|| self.guide.initial_guidance(&model, &request));
        let known = known.map_err(family_error)?;
        let sets = PyDict::new(py);
        for set in known.sets {
            sets.set_item(set.origin.as_str(), PyArray1::from_vec(py, set.scores))?;
        }
        let starts = PyList::empty(py);
        for start in known.starts {
            starts.append(PyArray1::from_vec(py, start))?;
        }
        let answer = PyDict::new(py);
        answer.set_item("scores", sets)?;
        answer.set_item("starts", starts)?;
        answer.set_item("warnings", known.warnings)?;
        Ok(answer)
    }
}

impl Guide {
    /// The settings in the form of the file beside a model.
    fn tuned_settings(&self, settings: &SearchSettings, path: &std::path::Path) -> TunedSettings {
        TunedSettings {
            program: idpas_base::PROGRAM.into(),
            model: path.display().to_string(),
            model_sha256: self.guide.sha256().to_owned(),
            method: settings.method,
            settings: settings.clone(),
            grid: Grid::default(),
            time_limit: 0.0,
            threads: 1,
            seed: 0,
            seconds: 0.0,
            paper_grid_seconds: 0.0,
            candidate: 0,
            cost: None,
            instances: Vec::new(),
            rungs: Vec::new(),
            evaluations: Vec::new(),
            candidates: Vec::new(),
        }
    }
}

fn request(
    method: Method,
    solver: &str,
    threads: usize,
    time_limit: Option<f64>,
) -> PredictionRequest {
    PredictionRequest {
        method,
        solver: solver.into(),
        threads,
        stop: HardStop::after(Instant::now(), time_limit),
    }
}

/// What a tuning tells.
enum Told {
    Planned(f64),
    Evaluated(f64),
}

/// Chooses settings for the model at `path` on the validation instances of a folder, and gives them as JSON.
#[pyfunction]
#[pyo3(signature = (path, instances, *, program, settings, on_event))]
pub(crate) fn tune(
    py: Python<'_>,
    path: PathBuf,
    instances: PathBuf,
    program: Vec<OsString>,
    settings: &str,
    on_event: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let given: TuneSettings = serde_json::from_str(settings).map_err(study_error)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let commands = commands(&program, &interrupted)?;
    let settings = given.overrides()?;
    let request = TuneRequest {
        model: &path,
        instances: &instances,
        settings,
        out: None,
        commands: &commands,
        deadline: Default::default(),
    };
    let tell = |told: Told| {
        let Some(on_event) = &on_event else {
            return Ok(());
        };
        match told {
            Told::Planned(seconds) => on_event.call1(("planned", seconds))?,
            Told::Evaluated(seconds) => on_event.call1(("evaluated", seconds))?,
        };
        Ok(())
    };
    let stop = || interrupted.store(true, Ordering::Relaxed);
    let attended = attend(py, stop, tell, |events| {
        let send = |told: Told| {
            // Who does not listen any more has been told enough.
            let _ = events.send(told);
        };
        idpas::tune(&request, &|event| match event {
            TuneEvent::Planned {
                plan, candidates, ..
            } => send(Told::Planned(plan.seconds(*candidates))),
            TuneEvent::Evaluated { time_limit, .. } => send(Told::Evaluated(*time_limit)),
            _ => {}
        })
    })?;
    let tuning = attended.or_stopped()?.map_err(study_error)?;
    serde_json::to_string(&tuning.tuned.settings).map_err(study_error)
}

/// What Python says about a tuning; what it leaves out is as by default.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TuneSettings {
    time_limit: f64,
    #[serde(default)]
    count: Option<usize>,
    #[serde(default)]
    budget: Option<f64>,
    #[serde(default)]
    grid: Option<Grid>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    workers: Option<u16>,
    #[serde(default)]
    threads: Option<u16>,
    #[serde(default)]
    seed: Option<u32>,
    #[serde(default)]
    solver: Option<String>,
}

impl TuneSettings {
    fn overrides(self) -> PyResult<TuneOverrides> {
        let method = self.method.map(|name| name.parse::<Method>());
        Ok(TuneOverrides {
            grid: self.grid,
            time_limit: Some(self.time_limit),
            count: self.count,
            budget: self.budget,
            method: method.transpose().map_err(study_error)?,
            jobs: self.workers,
            threads: self.threads,
            seed: self.seed,
            solver: self.solver,
        })
    }
}

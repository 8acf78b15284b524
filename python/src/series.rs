//! Series: instances solved in the order in which they come, each learned from.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use idpas::{SeriesControl, SeriesEvent, SeriesOptions};
use idpas_evaluate::series::SeriesSummary;
use idpas_solver::Interrupt;
use pyo3::prelude::*;

use crate::attended::attend;
use crate::errors::solve_error;
use crate::guide::Guide;
use crate::model::Model;
use crate::solve::{Solved, Told};

/// A series in its folder. One thread at a time can use it.
#[pyclass(frozen, module = "idpas")]
pub(crate) struct Series {
    series: Mutex<idpas::Series>,
    options: SeriesOptions,
}

#[pymethods]
impl Series {
    /// Begins a series in a new folder, or goes on with the one that is there.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf, options: &str) -> PyResult<Self> {
        let options: SeriesOptions = serde_json::from_str(options).map_err(solve_error)?;
        let opened = py.detach(|| idpas::Series::open(&folder, options.clone()));
        Ok(Series {
            series: Mutex::new(opened.map_err(solve_error)?),
            options,
        })
    }

    /// Solves the next instance and learns from it. Gives the result, the record as JSON, whether it was recorded, and the
    /// file of the solution.
    #[pyo3(signature = (model, name, *, listener))]
    fn solve(
        &self,
        py: Python<'_>,
        model: &Bound<'_, Model>,
        name: &str,
        listener: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Solved, String, bool, Option<PathBuf>)> {
        let model = model.get().model.clone();
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
                let mut observer = |event: SeriesEvent<'_>| {
                    let told = match event {
                        SeriesEvent::Solve(event) => Told::of(event),
                        SeriesEvent::Note(text) => Some(Told::Warning(text.to_owned())),
                        _ => None,
                    };
                    if let Some(told) = told {
                        // Who does not listen any more has been told enough.
                        let _ = events.send(told);
                    }
                };
                let mut control = SeriesControl {
                    interrupt: interrupt.clone(),
                    observer: Some(&mut observer),
                };
                let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
                series.solve(name, &model, &mut control)
            },
        )?;
        let solved = attended.or_raised(py)?.map_err(solve_error)?;
        let record = serde_json::to_string(&solved.record).map_err(solve_error)?;
        let options = &self.options;
        let (threads, seed) = (options.threads, options.seed);
        let result = Solved::new(solved.solved, &options.solver, threads, seed, false);
        Ok((result, record, solved.is_recorded, solved.solution))
    }

    /// Waits for a network that is being trained beside; Ctrl-C ends the waiting.
    fn finish_training(&self, py: Python<'_>) -> PyResult<()> {
        let interrupt = Interrupt::new();
        let nothing = |()| Ok(());
        let attended = attend(
            py,
            || interrupt.raise(),
            nothing,
            |_events| {
                let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
                series.finish_training(&interrupt);
            },
        )?;
        attended.or_stopped()
    }

    /// The records of all instances so far, as JSON.
    fn records(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |series| serde_json::to_string(series.records()))
    }

    /// Scores and their means over batches, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |series| {
            serde_json::to_string(&SeriesSummary::new(series.records()))
        })
    }

    /// The guide that was learned so far; `None` before there is a solution.
    fn guide(&self, py: Python<'_>) -> PyResult<Option<Guide>> {
        self.read(py, |series| {
            let guide = series.guide().cloned();
            Ok(guide.map(|guide| Guide { guide }))
        })
    }
}

impl Series {
    /// Looks at the series, when no solve is under way.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&idpas::Series) -> serde_json::Result<T> + Send,
    ) -> PyResult<T> {
        let seen = py.detach(|| {
            let series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
            look(&series)
        });
        seen.map_err(solve_error)
    }
}

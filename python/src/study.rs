//! Studies and their reports.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use idpas::analysis::Clock;
use idpas::{EvaluateError, StudyRequest, run_study};
use idpas_evaluate::run::{StudyEvent, StudyOutcome};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::attended::attend;
use crate::command::commands;
use crate::errors::study_error;

/// Runs a study, or what is missing of it, and gives its numbers as JSON.
#[pyfunction]
#[pyo3(signature = (study, out, *, program, instances, only, workers, quiet, listener))]
#[allow(clippy::too_many_arguments)] // Python names each
pub(crate) fn evaluate(
    py: Python<'_>,
    study: PathBuf,
    out: PathBuf,
    program: Vec<OsString>,
    instances: Option<PathBuf>,
    only: Vec<String>,
    workers: Option<usize>,
    quiet: bool,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let commands = commands(&program, &interrupted)?;
    let options: Vec<OsString> = if quiet {
        vec!["--quiet".into()]
    } else {
        Vec::new()
    };
    let request = StudyRequest {
        instances: instances.as_deref(),
        only: &only,
        jobs: workers,
        command_options: &options,
        ..StudyRequest::read(&study, &out, &commands).map_err(study_error)?
    };
    let tell = |text: String| match &listener {
        Some(listener) => listener.call1((text,)).map(drop),
        None => Ok(()),
    };
    let stop = || interrupted.store(true, Ordering::Relaxed);
    let attended = attend(py, stop, tell, |events| {
        run_study(&request, &|event| {
            if let Some(text) = words(event) {
                // Who does not listen any more has been told enough.
                let _ = events.send(text);
            }
        })
    })?;
    match attended.or_raised(py)? {
        Ok(StudyOutcome::Ran(runs)) => serde_json::to_string(&runs.analysis).map_err(study_error),
        Ok(_) => Ok("null".into()),
        Err(EvaluateError::Interrupted) => {
            let words = "interrupted; the same call goes on where it stopped";
            Err(PyKeyboardInterrupt::new_err(words))
        }
        Err(error) => Err(study_error(error)),
    }
}

/// What Python is told of an event.
fn words(event: &StudyEvent<'_>) -> Option<String> {
    Some(match event {
        StudyEvent::RunDone { record, .. } => {
            let (label, instance) = (&record.label, &record.instance);
            match record.objective {
                Some(objective) => format!("{instance}, {label}: {objective}"),
                None => format!("{instance}, {label}: no solution"),
            }
        }
        StudyEvent::BenchmarkFailed { benchmark, error } => format!("{benchmark}: {error}"),
        _ => return None,
    })
}

/// Writes the report of a folder of results as one page, and gives its numbers as JSON.
#[pyfunction]
#[pyo3(signature = (results, out, *, solver_clock))]
pub(crate) fn report(
    py: Python<'_>,
    results: PathBuf,
    out: Option<PathBuf>,
    solver_clock: bool,
) -> PyResult<String> {
    let clock = match solver_clock {
        true => Clock::Solver,
        false => Clock::EndToEnd,
    };
    let analysis = py.detach(|| idpas::report::write(&results, out.as_deref(), clock));
    serde_json::to_string(&analysis.map_err(study_error)?).map_err(study_error)
}

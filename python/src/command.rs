//! The program `idpas` inside the package.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use idpas::{Commands, WorkerCommand};
use pyo3::prelude::*;

use crate::errors::study_error;

/// Runs a command of `idpas` and gives its exit code. `program` is how this package's program is started, for the workers
/// that commands start themselves. The caller ends the process: the command has taken its signals.
#[pyfunction]
pub(crate) fn main(
    py: Python<'_>,
    arguments: Vec<OsString>,
    program: Vec<OsString>,
) -> PyResult<u8> {
    let program = self::program(&program)?;
    Ok(py.detach(|| idpas_cli::main_as(program, arguments)))
}

/// How this package's program is started from Python: `[sys.executable, "-m", "idpas"]`.
pub(crate) fn program(words: &[OsString]) -> PyResult<WorkerCommand> {
    let (program, args) = words
        .split_first()
        .ok_or_else(|| study_error("the program: expected at least one word"))?;
    Ok(WorkerCommand {
        program: program.into(),
        args: args.to_vec(),
    })
}

/// Commands of this package's program that end when `interrupted` is set.
pub(crate) fn commands(words: &[OsString], interrupted: &Arc<AtomicBool>) -> PyResult<Commands> {
    Ok(Commands {
        program: program(words)?,
        interrupted: interrupted.clone(),
        terminated: Arc::default(),
    })
}

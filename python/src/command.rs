//! The program `idpas` inside the package.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::guide::program;

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

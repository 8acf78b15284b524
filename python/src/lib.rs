//! The native part of the Python package `idpas`: models from arrays, guides, families, solves, series and
//! studies.
//!
//! Work that takes long runs on a thread of its own, while the calling thread lets other Python threads run, looks for
//! Ctrl-C and calls back ([`attended`]). No signal handler is installed: signals are Python's.

mod attended;
mod command;
mod errors;
mod family;
mod features;
mod guide;
mod gurobi;
mod model;
mod series;
mod solve;
mod study;
mod table;

use std::path::PathBuf;

use pyo3::prelude::*;

/// What `idpas/__init__.py` and its neighbours build on.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    module.add_class::<model::Model>()?;
    module.add_class::<guide::Guide>()?;
    module.add_class::<series::Series>()?;
    module.add_class::<solve::Solved>()?;
    module.add_class::<table::Table>()?;
    for function in [
        wrap_pyfunction!(command::main, module)?,
        wrap_pyfunction!(family::add, module)?,
        wrap_pyfunction!(family::collect, module)?,
        wrap_pyfunction!(family::status, module)?,
        wrap_pyfunction!(family::train, module)?,
        wrap_pyfunction!(features::features, module)?,
        wrap_pyfunction!(guide::tune, module)?,
        wrap_pyfunction!(gurobi::conformance, module)?,
        wrap_pyfunction!(gurobi::solutions, module)?,
        wrap_pyfunction!(solve::solve, module)?,
        wrap_pyfunction!(study::evaluate, module)?,
        wrap_pyfunction!(study::report, module)?,
    ] {
        module.add_function(function)?;
    }
    gurobi::register();
    look_in_packages(module.py())
}

/// Makes solvers be looked for where this Python has its packages.
fn look_in_packages(py: Python<'_>) -> PyResult<()> {
    let mut folders = Vec::new();
    for entry in py.import("sys")?.getattr("path")?.try_iter()? {
        // Whatever else is there is no folder.
        if let Ok(folder) = entry?.extract::<PathBuf>() {
            folders.push(folder);
        }
    }
    // An empty text is the working folder, and Python's own modules are no packages.
    folders.retain(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        folder.is_absolute() && !name.starts_with("python3") && name != "lib-dynload"
    });
    idpas_solver::look_in_packages(folders);
    Ok(())
}

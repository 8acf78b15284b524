//! HiGHS's own file reader, as a second opinion on ours: used in tests and benchmarks, never for the program's input.

use std::ffi::CString;
use std::path::Path;

use idpas_mip::{ModelBuilder, Sense, VarKind};

use super::failed;
use super::ffi::Handle;
use crate::SolverError;

/// A file as HiGHS reads it.
#[derive(Debug)]
pub struct PeerModel {
    /// The model, with HiGHS's names; absent if it is quadratic or semi-continuous, or has names that are not unique.
    pub model: Option<idpas_mip::Model>,
    /// Whether HiGHS warned, which can mean that it dropped something.
    pub warned: bool,
    /// Rows and columns.
    pub size: (usize, usize),
}

/// Reads a file with HiGHS's reader. `copy` asks for the model itself, not only its size.
pub fn read_file(path: &Path, copy: bool) -> Result<PeerModel, SolverError> {
    let mut handle = Handle::new();
    let text = path.to_string_lossy().into_owned();
    let name = CString::new(text).map_err(|_| failed("read the file", "its path holds a NUL"))?;
    let status = handle.read_file(&name);
    if status == highs_sys::kHighsStatusError {
        return Err(failed("read the file", path.display().to_string()));
    }
    Ok(PeerModel {
        model: if copy { copy_out(&handle) } else { None },
        warned: status == highs_sys::kHighsStatusWarning,
        size: (handle.num_rows(), handle.num_columns()),
    })
}

fn copy_out(handle: &Handle) -> Option<idpas_mip::Model> {
    if handle.num_hessian_nonzeros() > 0 {
        return None;
    }
    let a = handle.model();
    let maximize = a.sense == highs_sys::kHighsObjSenseMaximize;
    let mut builder = ModelBuilder::new(
        "",
        if maximize {
            Sense::Maximize
        } else {
            Sense::Minimize
        },
    );
    builder.objective("obj", a.constant);
    for i in 0..a.row_lower.len() {
        builder
            .row(&handle.row_name(i), a.row_lower[i], a.row_upper[i], [])
            .ok()?;
    }
    for j in 0..a.cost.len() {
        let kind = match a.integrality[j] {
            highs_sys::kHighsVarTypeContinuous => VarKind::Continuous,
            highs_sys::kHighsVarTypeInteger => VarKind::Integer,
            _ => return None,
        };
        builder
            .column(
                &handle.column_name(j),
                kind,
                a.lower[j],
                a.upper[j],
                a.cost[j],
            )
            .ok()?;
        for k in a.starts[j] as usize..a.starts[j + 1] as usize {
            builder.entry(a.indices[k] as usize, j, a.values[k]).ok()?;
        }
    }
    builder.build().ok()
}

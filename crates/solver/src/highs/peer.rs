//! HiGHS's own file reader, to compare ours with: used in tests and benchmarks, never to read the program's input.

use std::path::Path;

use idpas_mip::{ModelBuilder, Sense, VarKind};

use super::failed;
use super::ffi::{Handle, TextModel};
use crate::SolverError;

/// The content of a file, as HiGHS reads it.
#[derive(Debug)]
pub struct PeerModel {
    /// The model with HiGHS's names; `None` if it is quadratic or semi-continuous, if names are not unique, or if no
    /// copy was asked for.
    pub model: Option<idpas_mip::Model>,
    /// Whether HiGHS warned, which may mean that it dropped something.
    pub warned: bool,
    /// Number of rows and of columns.
    pub size: (usize, usize),
}

/// Reads a file with HiGHS's reader. With `copy` the result has the model itself and not only its size; the file must
/// then be uncompressed.
pub fn read_file(path: &Path, copy: bool) -> Result<PeerModel, SolverError> {
    let refused =
        |why: std::io::Error| failed("read the file", format!("{}: {why}", path.display()));
    if !copy {
        let mut handle = Handle::new();
        let status = handle.read_file(path).map_err(refused)?;
        return peer(path, status, &handle, None);
    }
    with_model(path, &TextModel::read(path).map_err(refused)?)
}

/// [`read_file`] with a copy of the model, from the content of a file and the ending of its name: `mps` or `lp`.
pub fn read_text(text: &[u8], extension: &str) -> Result<PeerModel, SolverError> {
    let refused = |why: std::io::Error| failed("read the text", why.to_string());
    let read = TextModel::of_text(text, extension).map_err(refused)?;
    with_model(Path::new(extension), &read)
}

fn with_model(path: &Path, read: &TextModel) -> Result<PeerModel, SolverError> {
    let model = match read.status {
        highs_sys::kHighsStatusError => None,
        _ => copy_out(read),
    };
    peer(path, read.status, &read.handle, model)
}

/// Converts what HiGHS's reader has read.
fn peer(
    path: &Path,
    status: i32,
    handle: &Handle,
    model: Option<idpas_mip::Model>,
) -> Result<PeerModel, SolverError> {
    if status == highs_sys::kHighsStatusError {
        return Err(failed("read the file", path.display().to_string()));
    }
    Ok(PeerModel {
        model,
        warned: status == highs_sys::kHighsStatusWarning,
        size: (handle.num_rows(), handle.num_columns()),
    })
}

fn copy_out(read: &TextModel) -> Option<idpas_mip::Model> {
    let handle = &read.handle;
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
    let mut names = read.names();
    for i in 0..a.row_lower.len() {
        builder
            .row(&names.row(i), a.row_lower[i], a.row_upper[i], [])
            .ok()?;
    }
    for j in 0..a.cost.len() {
        let kind = match a.integrality[j] {
            highs_sys::kHighsVarTypeContinuous => VarKind::Continuous,
            highs_sys::kHighsVarTypeInteger => VarKind::Integer,
            _ => return None,
        };
        builder
            .column(&names.column(j), kind, a.lower[j], a.upper[j], a.cost[j])
            .ok()?;
        for k in a.starts[j] as usize..a.starts[j + 1] as usize {
            builder.entry(a.indices[k] as usize, j, a.values[k]).ok()?;
        }
    }
    builder.build().ok()
}

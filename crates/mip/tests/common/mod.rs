//! What the tests of the MPS reader share.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // helpers of tests are tests too

use std::fmt::Write;

use idpas_mip::files::{Input, read_model_from};
use idpas_mip::{Model, Parsed};

/// What is read from a file called `test.mps`.
pub fn parsed(bytes: impl AsRef<[u8]>) -> Parsed {
    let bytes = bytes.as_ref();
    read_model_from(&Input::bytes("test.mps", bytes))
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(bytes)))
}

/// The warnings as `line: message`.
pub fn warnings(parsed: &Parsed) -> Vec<String> {
    let line = |w: &idpas_mip::Warning| w.line.map_or("-".into(), |line| line.to_string());
    let text = |w| format!("{}: {}", line(w), w.message);
    parsed.warnings.iter().map(text).collect()
}

/// The model in a line: `min obj +1: r [0, 5] x 2 y 3; | x [0, inf] 1; y int [0, 1] 0;`.
pub fn dump(model: &Model) -> String {
    let (sense, columns, rows) = (&model.sense.as_str()[..3], &model.columns, &model.rows);
    let by_rows = model.matrix.transposed(model.num_rows());
    let mut out = format!("{sense} {}", model.objective_name);
    if model.objective_constant != 0.0 {
        write!(out, " {:+}", model.objective_constant).unwrap();
    }
    out.push(':');
    for i in 0..model.num_rows() {
        let (lower, upper) = (rows.lower[i], rows.upper[i]);
        write!(out, " {} [{lower}, {upper}]", rows.names.get(i)).unwrap();
        for (j, value) in by_rows.entries(i) {
            write!(out, " {} {value}", columns.names.get(j)).unwrap();
        }
        out.push(';');
    }
    out.push_str(" |");
    for j in 0..model.num_columns() {
        let kind = if model.is_integer(j) { "int " } else { "" };
        let (lower, upper, cost) = (columns.lower[j], columns.upper[j], columns.cost[j]);
        let name = columns.names.get(j);
        write!(out, " {name} {kind}[{lower}, {upper}] {cost};").unwrap();
    }
    out
}

/// Why a file called `test.mps` is refused.
pub fn error(bytes: impl AsRef<[u8]>) -> String {
    match read_model_from(&Input::bytes("test.mps", bytes.as_ref())) {
        Ok(parsed) => panic!(
            "{}\nis read as\n{:#?}",
            String::from_utf8_lossy(bytes.as_ref()),
            parsed.model
        ),
        Err(error) => error.to_string(),
    }
}

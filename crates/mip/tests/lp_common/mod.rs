//! What the tests of the LP reader share.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // helpers of tests are tests too

use std::fmt::Write;
use std::path::{Path, PathBuf};

use idpas_mip::files::Input;
use idpas_mip::{Model, Parsed, ReadError, lp};

/// The end of the message for a part of a file that is not linear.
pub const UNSUPPORTED: &str =
    "is not supported: only linear models with continuous and integer variables are";

/// A file of this folder's `data/lp`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/lp")
        .join(name)
}

/// What is read from a file called `m.lp`.
pub fn read(text: &str) -> Result<Parsed, ReadError> {
    lp::read(&Input::bytes("m.lp", text.as_bytes()))
}

/// The model in a file that can be read.
pub fn model(text: &str) -> Model {
    let model = read(text).unwrap_or_else(|e| panic!("{e}\n{text}")).model;
    model.validate().unwrap();
    model
}

/// Why a file called `m.lp` is refused.
pub fn error(text: &str) -> String {
    match read(text) {
        Ok(parsed) => panic!("read {text:?} as\n{}", dump(&parsed.model)),
        Err(error) => error.to_string(),
    }
}

/// The model as text, a line for each column and row, that is quick to compare by eye.
pub fn dump(model: &Model) -> String {
    let mut out = String::new();
    let (name, sense, objective) = (&model.name, model.sense.as_str(), &model.objective_name);
    writeln!(
        out,
        "{name}: {sense} {objective} {:+}",
        model.objective_constant
    )
    .unwrap();
    let columns = &model.columns;
    for j in 0..model.num_columns() {
        let kind = if model.is_integer(j) { " int" } else { "" };
        let (lower, upper) = (columns.lower[j], columns.upper[j]);
        writeln!(
            out,
            "{}{kind} [{lower}, {upper}] {:+}",
            columns.names.get(j),
            columns.cost[j]
        )
        .unwrap();
    }
    let by_row = model.matrix.transposed(model.num_rows());
    for i in 0..model.num_rows() {
        let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
        write!(out, "{}: [{lower}, {upper}]", model.rows.names.get(i)).unwrap();
        for (j, value) in by_row.entries(i) {
            write!(out, " {value:+} {}", columns.names.get(j)).unwrap();
        }
        out.push('\n');
    }
    out
}

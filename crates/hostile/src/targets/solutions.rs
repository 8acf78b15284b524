//! Solutions of a small model with odd names.

use std::sync::LazyLock;

use idpas_mip::files::Input;
use idpas_mip::solution::{self, SolutionFormat};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};

use crate::limits::frugal;

/// A model with names that a solution file could mistake for something else.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let mut b = ModelBuilder::new("small", Sense::Minimize);
    let names = [
        "x",
        "y",
        "z[1,2]",
        "=obj=",
        "objective",
        "Columns",
        "1",
        "#",
        "ä",
        "inf",
    ];
    for (j, name) in names.iter().enumerate() {
        let kind = [VarKind::Integer, VarKind::Continuous][j % 2];
        b.column(name, kind, -10.0, 1e9, j as f64 - 3.0)
            .expect("names differ");
    }
    let entries = |step: usize| (0..names.len()).step_by(step).map(|j| (j, 1.5));
    b.row("r", -1.0, 5.0, entries(1)).expect("a row");
    b.row("Rows", 0.0, f64::INFINITY, entries(3))
        .expect("a row");
    b.build().expect("a model")
});

pub(super) fn solution(bytes: &[u8]) {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let model = &*MODEL;
    let input = Input::bytes("a.sol", bytes);
    let listed = frugal(bytes, || solution::read_partial(&input, model));
    let read = frugal(bytes, || solution::read(&input, model));
    assert_eq!(read.is_ok(), listed.is_ok(), "one reader refuses it");
    let Ok(read) = read else {
        return;
    };
    assert_eq!(read.solution.values.len(), model.num_columns());
    let all = [
        SolutionFormat::Highs,
        SolutionFormat::Scip,
        SolutionFormat::Miplib,
        SolutionFormat::Gurobi,
    ];
    for format in all {
        let mut text = Vec::new();
        if solution::write(model, &read.solution, format, "a.sol", &mut text).is_err() {
            continue;
        }
        let again = solution::read(&Input::bytes("a.sol", text.clone()), model);
        let again = again.unwrap_or_else(|error| {
            panic!(
                "{error}: what was written cannot be read: {}",
                String::from_utf8_lossy(&text)
            )
        });
        assert_eq!(again.solution.values, read.solution.values, "{format:?}");
    }
}

//! Models that MPS can hold only in part, and how they are written.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod common;

use common::parsed;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, mps};

fn written(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    mps::write(model, "m.mps", &mut out).unwrap();
    out
}

fn read_back(model: &Model) -> Model {
    parsed(written(model)).model
}

#[test]
fn names_that_cannot_be_written_are_refused() {
    for (row, column, expected) in [
        (
            "r 1",
            "x",
            "row name `r 1` cannot be written in MPS format: it holds a blank",
        ),
        (
            "r",
            "x\n",
            "column name `x\n` cannot be written in MPS format: it holds a blank",
        ),
        (
            "r",
            "x\u{a0}y",
            "column name `x\u{a0}y` cannot be written in MPS format: it holds a blank",
        ),
        (
            "r",
            "x\0",
            "column name `x\0` cannot be written in MPS format: it holds a NUL",
        ),
        (
            "'MARKER'",
            "x",
            "row name `'MARKER'` cannot be written in MPS format: it marks integer columns",
        ),
    ] {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        b.column(column, VarKind::Integer, 0.0, 1.0, 1.0).unwrap();
        b.row(row, 0.0, 1.0, [(0, 1.0)]).unwrap();
        let error = mps::write(&b.build().unwrap(), "m.mps", &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn titles_and_objectives_that_cannot_be_written_are_changed() {
    for (title, objective, read_title, read_objective) in [
        (" a\nROWS\tb ", "total cost", "a ROWS\tb", "total_cost"),
        ("", "", "", "obj"),
        ("\0", "'MARKER'", "", "'MARKER'_"),
        ("m", "r", "m", "r_"),
    ] {
        let mut b = ModelBuilder::new(title, Sense::Minimize);
        b.objective(objective, 0.0);
        b.column("x", VarKind::Continuous, 0.0, 1.0, 1.0).unwrap();
        b.row("r", 0.0, 1.0, [(0, 1.0)]).unwrap();
        let model = b.build().unwrap();
        let back = read_back(&model);
        assert_eq!(
            (back.name.as_str(), back.objective_name.as_str()),
            (read_title, read_objective)
        );
        assert_eq!((back.rows, back.columns), (model.rows, model.columns));
    }
}

#[test]
fn sides_that_no_range_says_exactly() {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for (i, (lower, upper)) in [
        (-0.1, 0.3),
        (-0.001, 1_048_575.999_99),
        (-1_048_575.999_99, 0.001),
        (-5e-324, 1.0),
    ]
    .into_iter()
    .enumerate()
    {
        b.row(&format!("r{i}"), lower, upper, []).unwrap();
    }
    let model = b.build().unwrap();
    assert!(
        String::from_utf8(written(&model))
            .unwrap()
            .contains("*sides ")
    );
    assert_eq!(read_back(&model), model);
}

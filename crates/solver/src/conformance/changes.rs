//! Cases on changing a loaded model between solves.

use idpas_mip::{Sense, VarKind};

use super::models::{INF, load, three_products};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{
    BoundChange, Control, LoadedModel, NewColumn, NewRow, Params, Solver, SolverError, Termination,
};

fn optimum(loaded: &mut dyn LoadedModel) -> Result<f64, String> {
    let result = loaded
        .solve(&Params::default(), None, &mut Control::default())
        .or_else(fail)?;
    expect("termination", result.termination, Termination::Optimal)?;
    Ok(result.best.ok_or("no solution")?.objective)
}

fn bounds(index: usize, lower: f64, upper: f64) -> BoundChange {
    BoundChange {
        index,
        lower,
        upper,
    }
}

pub(super) fn column_bounds(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    expect_close("before", optimum(&mut *loaded)?, 13.0)?;
    // The order does not matter; of two changes to one column the last counts.
    let changes = [
        bounds(2, 0.0, 9.0),
        bounds(0, 0.0, 1.0),
        bounds(2, 0.0, 0.0),
    ];
    loaded.set_column_bounds(&changes).or_else(fail)?;
    expect_close("restricted", optimum(&mut *loaded)?, 9.0)?;
    loaded
        .set_column_bounds(&[bounds(0, 0.0, 9.0), bounds(2, 0.0, 9.0)])
        .or_else(fail)?;
    expect_close("and back", optimum(&mut *loaded)?, 13.0)
}

pub(super) fn row_bounds(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    loaded
        .set_row_bounds(&[bounds(0, -INF, 2.0)])
        .or_else(fail)?;
    expect_close("with a tighter row", optimum(&mut *loaded)?, 6.0)?;
    loaded
        .set_row_bounds(&[bounds(0, -INF, 5.0)])
        .or_else(fail)?;
    expect_close("and back", optimum(&mut *loaded)?, 13.0)
}

pub(super) fn objective(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    loaded.set_costs(&[(1, 100.0)]).or_else(fail)?;
    expect_close("with another cost", optimum(&mut *loaded)?, 106.0)?;
    loaded.set_objective(Sense::Minimize, 7.0).or_else(fail)?;
    expect_close("minimised, with a constant", optimum(&mut *loaded)?, 7.0)
}

pub(super) fn rows(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    let row = |upper, entries: &[(usize, f64)]| NewRow {
        lower: -INF,
        upper,
        entries: entries.to_vec(),
    };
    let added = loaded
        .add_rows(&[row(1.0, &[(0, 1.0)]), row(0.0, &[(2, 1.0)])])
        .or_else(fail)?;
    expect("the new rows", added.clone(), 3..5)?;
    expect("the number of rows", loaded.num_rows(), 5)?;
    expect_close("with both rows", optimum(&mut *loaded)?, 9.0)?;
    loaded.delete_rows(3..4).or_else(fail)?;
    expect_close("with the second row only", optimum(&mut *loaded)?, 10.0)?;
    loaded.delete_rows(3..4).or_else(fail)?;
    expect_close("and back", optimum(&mut *loaded)?, 13.0)
}

pub(super) fn columns(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    let column = NewColumn {
        kind: VarKind::Integer,
        lower: 0.0,
        upper: 3.5,
        cost: 10.0,
    };
    let added = loaded.add_columns(&[column]).or_else(fail)?;
    expect("the new column", added, 3..4)?;
    expect_close(
        "integer, at its rounded bound",
        optimum(&mut *loaded)?,
        43.0,
    )?;
    let row = NewRow {
        lower: -INF,
        upper: 4.0,
        entries: vec![(0, 2.0), (3, 2.0)],
    };
    loaded.add_rows(&[row]).or_else(fail)?;
    // With two of the new column, none of the first fit; four of the third are then best: 20 + 12.
    expect_close("in a new row", optimum(&mut *loaded)?, 32.0)
}

pub(super) fn out_of_range(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    let refused = [
        loaded.set_column_bounds(&[bounds(3, 0.0, 1.0)]),
        loaded.set_row_bounds(&[bounds(3, 0.0, 1.0)]),
        loaded.set_costs(&[(3, 1.0)]),
        loaded.delete_rows(2..4),
        loaded
            .add_rows(&[NewRow {
                lower: 0.0,
                upper: 1.0,
                entries: vec![(3, 1.0)],
            }])
            .map(|_| ()),
    ];
    for answer in refused {
        ensure(
            matches!(answer, Err(SolverError::NoSuchIndex { .. })),
            format!("a change out of range got {answer:?}"),
        )?;
    }
    expect_close("unharmed", optimum(&mut *loaded)?, 13.0)
}

pub(super) fn column_twice(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    let twice = NewRow {
        lower: -INF,
        upper: 1.0,
        entries: vec![(0, 1.0), (1, 1.0), (0, 1.0)],
    };
    let answer = loaded.add_rows(&[twice]);
    ensure(answer.is_err(), "a row with a column twice was accepted")?;
    expect("the number of rows", loaded.num_rows(), 3)?;
    expect_close("unharmed", optimum(&mut *loaded)?, 13.0)
}

pub(super) fn fractional_bounds(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    // An upper bound of one and a half means one for an integer; three less a rounding error means three.
    let change = |lower, upper| [bounds(0, -0.5, 1.5), bounds(2, lower, upper)];
    let almost = 3.0 - 1e-10;
    loaded
        .set_column_bounds(&change(almost, almost))
        .or_else(fail)?;
    let mut same = load(solver, &three_products()?)?;
    let whole = [bounds(0, 0.0, 1.0), bounds(2, 3.0, 3.0)];
    same.set_column_bounds(&whole).or_else(fail)?;
    expect_close("rounded", optimum(&mut *loaded)?, optimum(&mut *same)?)?;
    let column = NewColumn {
        kind: VarKind::Integer,
        lower: 0.2,
        upper: 0.8,
        cost: 1.0,
    };
    let added = loaded.add_columns(&[column]).or_else(fail)?;
    let mut empty = |what| {
        let result = loaded
            .solve(&Params::default(), None, &mut Control::default())
            .or_else(fail)?;
        expect(what, result.termination, Termination::Infeasible)
    };
    empty("a new column without an integer")?;
    let change = [
        bounds(added.start, 0.0, 1.0),
        bounds(1, 1.0 + 1e-6, 2.0 - 1e-6),
    ];
    loaded.set_column_bounds(&change).or_else(fail)?;
    let mut empty = |what| {
        let result = loaded
            .solve_relaxation(&Params::default(), &mut Control::default())
            .or_else(fail)?;
        expect(what, result.termination, Termination::Infeasible)
    };
    empty("an old column without an integer")?;
    loaded
        .set_column_bounds(&[
            bounds(0, 0.0, 9.0),
            bounds(1, 0.0, 9.0),
            bounds(2, 0.0, 9.0),
        ])
        .or_else(fail)?;
    expect_close("and back", optimum(&mut *loaded)?, 14.0)
}

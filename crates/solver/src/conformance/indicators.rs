//! Cases on rows that hold only where a binary column has a value. A solver without this ability says so.

use idpas_mip::{Model, Sense, VarKind};

use super::models::{INF, Spec, load};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{
    BoundChange, Control, Indicator, LoadedModel, NewRow, Params, Solver, Start, Termination,
};

/// max x + y − 10z with x, y up to `upper` and z binary: without indicators, z is zero and the others are as large as can
/// be.
fn model(upper: f64) -> Result<Model, String> {
    Spec {
        sense: Sense::Maximize,
        constant: 0.0,
        columns: &[
            (VarKind::Integer, 0.0, upper, 1.0),
            (VarKind::Continuous, -5.0, 20.0, 1.0),
            (VarKind::Integer, 0.0, 1.0, -10.0),
        ],
        rows: &[(-INF, 30.0, &[(0, 1.0), (1, 1.0)])],
    }
    .build()
}

/// A row that holds where the third column is one, or zero.
fn indicator(at_one: bool, lower: f64, upper: f64, entries: &[(usize, f64)]) -> Indicator {
    Indicator {
        column: 2,
        at_one,
        row: NewRow {
            lower,
            upper,
            entries: entries.to_vec(),
        },
    }
}

fn solve(loaded: &mut dyn LoadedModel, start: Option<&Start>) -> Result<(f64, Vec<f64>), String> {
    let params = Params {
        relative_gap: 0.0,
        ..Params::default()
    };
    let result = loaded
        .solve(&params, start, &mut Control::default())
        .or_else(fail)?;
    expect("termination", result.termination, Termination::Optimal)?;
    let best = result.best.ok_or("no solution")?;
    expect_close("the bound", result.bound, best.objective)?;
    Ok((best.objective, best.values))
}

pub(super) fn at_one_and_zero(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &model(10.0)?)?;
    let zero = indicator(false, -INF, 4.0, &[(0, 1.0), (1, 1.0)]);
    if !loaded.add_indicators(&[zero]).or_else(fail)? {
        return expect("the ability", solver.abilities().indicators, false);
    }
    expect("the ability", solver.abilities().indicators, true)?;
    // With z = 0 at most 4; with z = 1 up to 30, less 10.
    expect_close("at zero", solve(&mut *loaded, None)?.0, 20.0)?;
    let one = indicator(true, 3.0, 3.0, &[(0, 1.0)]);
    loaded.add_indicators(&[one]).or_else(fail)?;
    let (objective, values) = solve(&mut *loaded, None)?;
    expect_close("and at one", objective, 13.0)?;
    expect_close("the column", values[0], 3.0)?;
    expect("rows", loaded.num_rows(), 1)?;
    // A start that breaks an indicator is none.
    let start = Start::Complete(vec![10.0, 10.0, 0.0]);
    expect_close("from a start", solve(&mut *loaded, Some(&start))?.0, 13.0)
}

pub(super) fn without_bounds(solver: &dyn Solver) -> Verdict {
    let mut model = model(INF)?;
    model.rows.upper[0] = 1e7;
    let mut loaded = load(solver, &model)?;
    let zero = indicator(false, 0.0, 0.0, &[(0, 1.0)]);
    if !loaded.add_indicators(&[zero]).or_else(fail)? {
        return Ok(());
    }
    let (objective, values) = solve(&mut *loaded, None)?;
    expect_close("the optimum", objective, 1e7 - 10.0)?;
    expect_close("the binary", values[2], 1.0)?;
    // Where it costs more than the column brings, the column is zero.
    loaded.set_costs(&[(2, -1e8)]).or_else(fail)?;
    let (objective, values) = solve(&mut *loaded, None)?;
    expect_close("without the column", objective, 20.0)?;
    expect_close("the column", values[0], 0.0)
}

/// Some solvers refuse an indicator whose column is fixed.
pub(super) fn of_a_fixed_column(solver: &dyn Solver) -> Verdict {
    // At one, the row of the one holds; at zero, that of the other.
    for (value, expected) in [(1.0, 13.0), (0.0, 4.0)] {
        let mut loaded = load(solver, &model(10.0)?)?;
        let rows = [
            indicator(true, 3.0, 3.0, &[(0, 1.0)]),
            indicator(false, -INF, 4.0, &[(0, 1.0), (1, 1.0)]),
        ];
        if !loaded.add_indicators(&rows).or_else(fail)? {
            return Ok(());
        }
        loaded
            .set_column_bounds(&[BoundChange::fixed(2, value)])
            .or_else(fail)?;
        let (objective, values) = solve(&mut *loaded, None)?;
        expect_close("the optimum", objective, expected)?;
        expect_close("the column", values[2], value)?;
    }
    Ok(())
}

/// A row that can never hold switches its column off.
pub(super) fn sides_that_cross(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &model(10.0)?)?;
    let never = indicator(false, 3.0, 2.0, &[(0, 1.0)]);
    if !loaded.add_indicators(&[never]).or_else(fail)? {
        return Ok(());
    }
    let (objective, values) = solve(&mut *loaded, None)?;
    expect_close("the column", values[2], 1.0)?;
    expect_close("the optimum", objective, 20.0)
}

pub(super) fn only_of_binaries(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &model(10.0)?)?;
    let of = |column| Indicator {
        column,
        ..indicator(true, 0.0, 1.0, &[(1, 1.0)])
    };
    if !loaded.add_indicators(&[]).or_else(fail)? {
        return Ok(());
    }
    for column in [0, 1, 3] {
        let answer = loaded.add_indicators(&[of(column)]);
        ensure(
            answer.is_err(),
            format!("an indicator of column {column} was accepted"),
        )?;
    }
    expect_close("unharmed", solve(&mut *loaded, None)?.0, 30.0)
}

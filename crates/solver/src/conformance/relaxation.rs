//! Cases on the linear relaxation.

use idpas_mip::{BasisStatus, Relaxation, RowSides, Sense, VarKind};

use super::models::{INF, Spec, load, three_products};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{Control, LpResult, Params, Solver, Termination};

fn relax(solver: &dyn Solver, model: &idpas_mip::Model) -> Result<LpResult, String> {
    load(solver, model)?
        .solve_relaxation(&Params::default(), &mut Control::default())
        .or_else(fail)
}

fn optimal(result: LpResult) -> Result<Relaxation, String> {
    expect("termination", result.termination, Termination::Optimal)?;
    result
        .solution
        .ok_or_else(|| "optimal, but without a solution".to_owned())
}

/// min or max 2x + 3y with x + y ≥ 4 (or ≤ 4), x ≤ 3.
fn two_columns(sense: Sense) -> Result<idpas_mip::Model, String> {
    let (lower, upper) = if sense == Sense::Minimize {
        (4.0, INF)
    } else {
        (-INF, 4.0)
    };
    Spec {
        sense,
        constant: 1.0,
        columns: &[
            (VarKind::Continuous, 0.0, 3.0, 2.0),
            (VarKind::Continuous, 0.0, INF, 3.0),
        ],
        rows: &[(lower, upper, &[(0, 1.0), (1, 1.0)])],
    }
    .build()
}

pub(super) fn minimise(solver: &dyn Solver) -> Verdict {
    let lp = optimal(relax(solver, &two_columns(Sense::Minimize)?)?)?;
    expect_close("the objective", lp.objective, 10.0)?;
    expect_close("x", lp.values[0], 3.0)?;
    expect_close("y", lp.values[1], 1.0)?;
    expect_close("the activity", lp.activities[0], 4.0)?;
    expect_close("the dual", lp.duals[0], 3.0)?;
    expect_close("the reduced cost of x", lp.reduced_costs[0], -1.0)?;
    expect_close("the reduced cost of y", lp.reduced_costs[1], 0.0)?;
    expect(
        "the basis of the columns",
        lp.column_basis,
        vec![BasisStatus::Upper, BasisStatus::Basic],
    )?;
    expect(
        "the basis of the row",
        lp.row_basis,
        vec![BasisStatus::Lower],
    )?;
    let at_lower = RowSides {
        lower: true,
        upper: false,
    };
    expect("the sides of the row", lp.row_sides, vec![at_lower])
}

pub(super) fn maximise(solver: &dyn Solver) -> Verdict {
    let lp = optimal(relax(solver, &two_columns(Sense::Maximize)?)?)?;
    expect_close("the objective", lp.objective, 13.0)?;
    expect_close("the dual", lp.duals[0], 3.0)?;
    expect_close("the reduced cost of x", lp.reduced_costs[0], -1.0)
}

/// max or min x + y with 2 ≤ x + 2y ≤ 6: the row is at its upper side for the one and at its lower side for the other.
pub(super) fn two_sides(solver: &dyn Solver) -> Verdict {
    for (sense, side, basis) in [
        (Sense::Minimize, 2.0, BasisStatus::Lower),
        (Sense::Maximize, 6.0, BasisStatus::Upper),
    ] {
        // To be maximised, the first column is held at zero: it would have the whole row otherwise.
        let x_upper = match sense {
            Sense::Minimize => INF,
            Sense::Maximize => 0.0,
        };
        let model = Spec {
            sense,
            constant: 0.0,
            columns: &[
                (VarKind::Continuous, 0.0, x_upper, 1.0),
                (VarKind::Continuous, 0.0, INF, 1.0),
            ],
            rows: &[(2.0, 6.0, &[(0, 1.0), (1, 2.0)])],
        }
        .build()?;
        let lp = optimal(relax(solver, &model)?)?;
        expect_close("the objective", lp.objective, side / 2.0)?;
        expect_close("the activity", lp.activities[0], side)?;
        expect_close("the dual", lp.duals[0], 0.5)?;
        expect("the basis of the row", lp.row_basis, vec![basis])?;
        let expected = RowSides {
            lower: sense == Sense::Minimize,
            upper: sense == Sense::Maximize,
        };
        expect("the sides of the row", lp.row_sides, vec![expected])?;
    }
    Ok(())
}

pub(super) fn of_integers(solver: &dyn Solver) -> Verdict {
    let mut model = three_products()?;
    // With an odd right-hand side the relaxation is better than any integer solution.
    model.rows.upper[0] = 4.5;
    let mut loaded = load(solver, &model)?;
    let control = &mut Control::default();
    let lp = optimal(
        loaded
            .solve_relaxation(&Params::default(), control)
            .or_else(fail)?,
    )?;
    let integers = loaded
        .solve(&Params::default(), None, control)
        .or_else(fail)?;
    let best = integers.best.ok_or("no solution")?;
    ensure(
        lp.objective > best.objective + 0.1,
        "the relaxation kept the integers",
    )?;
    let fraction = |x: &f64| (x - x.round()).abs();
    ensure(
        best.values.iter().all(|x| fraction(x) < 1e-6),
        "the integers were lost by the relaxation",
    )
}

pub(super) fn no_columns(solver: &dyn Solver) -> Verdict {
    let spec = |rows| Spec {
        sense: Sense::Minimize,
        constant: 5.0,
        columns: &[],
        rows,
    };
    let lp = optimal(relax(solver, &spec(&[(-1.0, 1.0, &[])]).build()?)?)?;
    expect_close("the objective", lp.objective, 5.0)?;
    expect("the activities", lp.activities, vec![0.0])?;
    let result = relax(solver, &spec(&[(1.0, 2.0, &[])]).build()?)?;
    expect("infeasible", result.termination, Termination::Infeasible)
}

pub(super) fn no_solution(solver: &dyn Solver) -> Verdict {
    let mut model = two_columns(Sense::Minimize)?;
    model.columns.upper[1] = 0.5;
    expect(
        "infeasible",
        relax(solver, &model)?.termination,
        Termination::Infeasible,
    )?;
    let mut model = two_columns(Sense::Minimize)?;
    model.columns.cost[1] = -1.0;
    let result = relax(solver, &model)?;
    expect("unbounded", result.termination, Termination::Unbounded)?;
    ensure(
        result.solution.is_none(),
        "a solution of an unbounded relaxation",
    )
}

//! Cases on the answer of a solve that has enough time.

use idpas_mip::check::{Tolerances, check};
use idpas_mip::{Sense, VarKind};

use super::models::{INF, Spec, close_worths, knapsack, load, solve, three_products};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{BoundChange, Control, Event, Params, PoolSearch, SolveResult, Solver, Termination};

fn expect_optimal(result: &SolveResult, objective: f64) -> Result<&[f64], String> {
    expect("termination", &result.termination, &Termination::Optimal)?;
    let best = result
        .best
        .as_ref()
        .ok_or("optimal, but without a solution")?;
    expect_close("the objective", best.objective, objective)?;
    expect_close("the bound", result.bound, objective)?;
    Ok(&best.values)
}

/// Parameters with which a solve must close the gap completely.
fn exact() -> Params {
    Params {
        relative_gap: 0.0,
        ..Params::default()
    }
}

pub(super) fn minimise(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Minimize,
        constant: 0.0,
        columns: &[
            (VarKind::Integer, 0.0, 10.0, 3.0),
            (VarKind::Continuous, 0.0, 10.0, 2.0),
        ],
        rows: &[(7.5, INF, &[(0, 2.0), (1, 1.0)])],
    }
    .build()?;
    let result = solve(solver, &model, &exact())?;
    let values = expect_optimal(&result, 12.0)?;
    expect_close("x0", values[0], 4.0)?;
    expect_close("the gap", result.gap().unwrap_or(INF), 0.0)
}

pub(super) fn maximise(solver: &dyn Solver) -> Verdict {
    let mut model = three_products()?;
    model.objective_constant = 100.0;
    let result = solve(solver, &model, &exact())?;
    let values = expect_optimal(&result, 113.0)?;
    for (j, expected) in [2.0, 0.0, 1.0].into_iter().enumerate() {
        expect_close("a value", values[j], expected)?;
    }
    Ok(())
}

/// Two solutions whose objective values differ by less than a solver's own idea of a difference that matters.
pub(super) fn nothing_better_is_left(solver: &dyn Solver) -> Verdict {
    let params = Params {
        relative_gap: 0.0,
        absolute_gap: 0.0,
        ..Params::default()
    };
    for columns in [14, 16] {
        let model = close_worths(columns)?;
        let room = model.rows.upper[0];
        let weight = |j: usize| model.matrix.entries(j).map(|entry| entry.1).sum::<f64>();
        let weights: Vec<f64> = (0..columns).map(weight).collect();
        let sum = |taken: u32, of: &[f64]| -> f64 {
            let is_taken = |&j: &usize| taken & (1 << j) != 0;
            (0..columns).filter(is_taken).map(|j| of[j]).sum()
        };
        let fitting = (0..1_u32 << columns).filter(|&taken| sum(taken, &weights) <= room);
        let best = fitting
            .map(|taken| sum(taken, &model.columns.cost))
            .fold(-INF, f64::max);
        let result = solve(solver, &model, &params)?;
        let values = expect_optimal(&result, best)?;
        let found = model.objective(values);
        ensure(
            found >= best - 1e-6,
            format!("{found} was called optimal, {best} is better"),
        )?;
    }
    Ok(())
}

pub(super) fn free_and_fixed(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Minimize,
        constant: 0.0,
        columns: &[
            (VarKind::Continuous, -INF, INF, 1.0),
            (VarKind::Integer, 3.0, 3.0, 1.0),
            (VarKind::Integer, -INF, -2.0, -1.0),
        ],
        rows: &[
            (-10.5, INF, &[(0, 1.0), (1, 1.0)]),
            (-6.5, INF, &[(2, 1.0)]),
        ],
    }
    .build()?;
    let result = solve(solver, &model, &exact())?;
    let values = expect_optimal(&result, -13.5 + 3.0 + 2.0)?;
    expect_close("the free column", values[0], -13.5)?;
    expect_close("the column without a lower bound", values[2], -2.0)
}

pub(super) fn empty_rows(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Minimize,
        constant: 1.0,
        columns: &[
            (VarKind::Integer, 2.0, 5.0, 1.0),
            (VarKind::Continuous, 0.0, 1.0, 0.0),
        ],
        rows: &[(-1.0, 1.0, &[]), (-INF, INF, &[(0, 1.0)])],
    }
    .build()?;
    let result = solve(solver, &model, &exact())?;
    expect_optimal(&result, 3.0).map(|_| ())
}

pub(super) fn integer_bounds(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Maximize,
        constant: 0.0,
        columns: &[
            (VarKind::Integer, 0.3, 4.7, 1.0),
            (VarKind::Integer, -2.5, -0.5, -1.0),
        ],
        rows: &[(-INF, 100.0, &[(0, 1.0), (1, 1.0)])],
    }
    .build()?;
    let result = solve(solver, &model, &exact())?;
    let values = expect_optimal(&result, 6.0)?;
    expect_close("x0", values[0], 4.0)?;
    expect_close("x1", values[1], -2.0)
}

pub(super) fn continuous_only(solver: &dyn Solver) -> Verdict {
    let mut model = three_products()?;
    model.columns.kind.fill(VarKind::Continuous);
    let result = solve(solver, &model, &exact())?;
    expect_optimal(&result, 13.0).map(|_| ())
}

pub(super) fn no_columns(solver: &dyn Solver) -> Verdict {
    let spec = |rows| Spec {
        sense: Sense::Minimize,
        constant: 5.0,
        columns: &[],
        rows,
    };
    let result = solve(solver, &spec(&[(-1.0, 1.0, &[])]).build()?, &exact())?;
    expect_optimal(&result, 5.0)?;
    let result = solve(solver, &spec(&[(1.0, 2.0, &[])]).build()?, &exact())?;
    expect("termination", result.termination, Termination::Infeasible)
}

fn expect_infeasible(result: &SolveResult, sense: Sense) -> Verdict {
    expect("termination", &result.termination, &Termination::Infeasible)?;
    ensure(result.best.is_none(), "infeasible, but with a solution")?;
    expect("the bound", result.bound, sense.worst())
}

pub(super) fn infeasible(solver: &dyn Solver) -> Verdict {
    let mut model = three_products()?;
    model.rows.lower[0] = 4.0;
    model.rows.upper[2] = 3.0;
    model.rows.lower[1] = 10.0;
    expect_infeasible(&solve(solver, &model, &exact())?, Sense::Maximize)
}

pub(super) fn infeasible_by_integrality(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Minimize,
        constant: 0.0,
        columns: &[
            (VarKind::Integer, 0.0, 50.0, 1.0),
            (VarKind::Integer, 0.0, 50.0, 1.0),
        ],
        rows: &[(7.0, 7.0, &[(0, 4.0), (1, 2.0)])],
    }
    .build()?;
    expect_infeasible(&solve(solver, &model, &exact())?, Sense::Minimize)
}

pub(super) fn infeasible_empty_row(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Minimize,
        constant: 0.0,
        columns: &[(VarKind::Integer, 0.0, 5.0, 1.0)],
        rows: &[(1.0, 2.0, &[])],
    }
    .build()?;
    expect_infeasible(&solve(solver, &model, &exact())?, Sense::Minimize)
}

/// A direction in which the objective improves for ever, from a point that there is not.
pub(super) fn infeasible_with_a_ray(solver: &dyn Solver) -> Verdict {
    let model = Spec {
        sense: Sense::Maximize,
        constant: 0.0,
        columns: &[
            (VarKind::Integer, 0.0, INF, 1.0),
            (VarKind::Integer, 0.0, 9.0, 0.0),
            (VarKind::Integer, 0.0, 9.0, 0.0),
        ],
        rows: &[(-INF, 0.0, &[(0, -1.0)]), (7.0, 7.0, &[(1, 4.0), (2, 2.0)])],
    }
    .build()?;
    expect_infeasible(&solve(solver, &model, &exact())?, Sense::Maximize)
}

/// Bounds that cross are an error for some solvers; here they make a model infeasible.
pub(super) fn infeasible_by_crossed_sides(solver: &dyn Solver) -> Verdict {
    let crossed = |index| BoundChange {
        index,
        lower: 4.0,
        upper: 3.0,
    };
    let model = three_products()?;
    let mut loaded = load(solver, &model)?;
    loaded.set_row_bounds(&[crossed(1)]).or_else(fail)?;
    let control = &mut Control::default();
    let result = loaded.solve(&exact(), None, control).or_else(fail)?;
    expect_infeasible(&result, Sense::Maximize)?;
    let lp = loaded.solve_relaxation(&exact(), control).or_else(fail)?;
    expect("the relaxation", lp.termination, Termination::Infeasible)?;
    let mut continuous = three_products()?;
    continuous.columns.kind[1] = VarKind::Continuous;
    let mut loaded = load(solver, &continuous)?;
    loaded.set_column_bounds(&[crossed(1)]).or_else(fail)?;
    let result = loaded.solve(&exact(), None, control).or_else(fail)?;
    expect_infeasible(&result, Sense::Maximize)
}

/// A lower side above its upper one by a rounding error, as tightening of bounds leaves it.
pub(super) fn sides_that_almost_cross(solver: &dyn Solver) -> Verdict {
    let mut model = three_products()?;
    model.columns.kind[1] = VarKind::Continuous;
    let mut loaded = load(solver, &model)?;
    let almost = BoundChange {
        index: 1,
        lower: 1.0 + 1e-12,
        upper: 1.0,
    };
    loaded.set_column_bounds(&[almost]).or_else(fail)?;
    let result = loaded
        .solve(&exact(), None, &mut Control::default())
        .or_else(fail)?;
    expect_optimal(&result, 10.0).map(drop)
}

pub(super) fn unbounded(solver: &dyn Solver) -> Verdict {
    for sense in [Sense::Minimize, Sense::Maximize] {
        let cost = if sense == Sense::Minimize { -1.0 } else { 1.0 };
        let model = Spec {
            sense,
            constant: 0.0,
            columns: &[
                (VarKind::Integer, 0.0, INF, cost),
                (VarKind::Integer, 0.0, INF, 0.0),
            ],
            rows: &[(-INF, 2.0, &[(0, 1.0), (1, -1.0)])],
        }
        .build()?;
        let result = solve(solver, &model, &exact())?;
        expect("termination", result.termination, Termination::Unbounded)?;
        expect("the bound", result.bound, -sense.worst())?;
    }
    Ok(())
}

pub(super) fn reproducible(solver: &dyn Solver) -> Verdict {
    let model = knapsack(40)?;
    let params = Params {
        seed: 17,
        ..exact()
    };
    let first = solve(solver, &model, &params)?;
    // Once more through one loaded model: an earlier solve must not change the result.
    let mut loaded = load(solver, &model)?;
    for _ in 0..2 {
        let again = loaded
            .solve(&params, None, &mut Control::default())
            .or_else(fail)?;
        expect("the number of nodes", again.nodes, first.nodes)?;
        let values = |r: &SolveResult| -> Vec<Vec<f64>> {
            r.solutions.iter().map(|s| s.values.clone()).collect()
        };
        ensure(
            values(&again) == values(&first),
            "other solutions with the same seed",
        )?;
    }
    Ok(())
}

pub(super) fn events(solver: &dyn Solver) -> Verdict {
    let model = knapsack(40)?;
    let mut seen: Vec<(f64, f64, f64, Vec<f64>)> = Vec::new();
    let mut log_lines = 0;
    let mut observer = |event: Event<'_>| match event {
        Event::Incumbent {
            time,
            objective,
            bound,
            values,
        } => {
            seen.push((time, objective, bound, values.to_vec()));
        }
        Event::Log(_) => log_lines += 1,
        _ => {}
    };
    let mut control = Control {
        observer: Some(&mut observer),
        ..Control::default()
    };
    let result = load(solver, &model)?
        .solve(&exact(), None, &mut control)
        .or_else(fail)?;
    drop(control);
    let best = result.best.ok_or("no solution")?;
    ensure(log_lines > 0, "the log sink got nothing")?;
    ensure(!seen.is_empty(), "no incumbent event")?;
    ensure(
        seen.is_sorted_by(|a, b| a.0 <= b.0),
        "events out of order in time",
    )?;
    ensure(
        seen.is_sorted_by(|a, b| a.1 < b.1),
        "an incumbent that is not better than the one before",
    )?;
    for (_, objective, bound, values) in &seen {
        expect_close(
            "an incumbent's objective",
            model.objective(values),
            *objective,
        )?;
        ensure(
            *bound >= best.objective - 1e-6,
            format!("the bound {bound} cuts off the optimum"),
        )?;
    }
    let last = seen.last().map_or(f64::NAN, |s| s.1);
    expect_close("the last incumbent", last, best.objective)
}

/// A solver that fills a pool in one solve finds the best solutions, and not those that it comes across.
pub(super) fn pool_in_one_solve(solver: &dyn Solver) -> Verdict {
    const WANTED: usize = 8;
    if !solver.abilities().pools {
        return Ok(());
    }
    let model = three_products()?;
    let mut objectives: Vec<f64> = Vec::new();
    for k in 0..1000 {
        let values = [k / 100, k / 10 % 10, k % 10].map(f64::from);
        let report = check(&model, &values, &Tolerances::default()).map_err(|e| e.to_string())?;
        if report.feasible {
            objectives.push(report.objective);
        }
    }
    objectives.sort_by(|a, b| b.total_cmp(a));
    let params = Params {
        pool: Some(PoolSearch {
            solutions: WANTED,
            gap: 1.0,
        }),
        ..exact()
    };
    let result = solve(solver, &model, &params)?;
    expect_optimal(&result, 13.0)?;
    ensure(
        result.solutions.len() >= WANTED,
        format!("{} solutions, not {WANTED}", result.solutions.len()),
    )?;
    for (found, expected) in result.solutions.iter().zip(&objectives).take(WANTED) {
        expect_close("the next best", found.objective, *expected)?;
    }
    Ok(())
}

pub(super) fn distinct_solutions(solver: &dyn Solver) -> Verdict {
    let model = knapsack(60)?;
    let result = solve(
        solver,
        &model,
        &Params {
            keep_solutions: 5,
            ..exact()
        },
    )?;
    ensure(
        !result.solutions.is_empty() && result.solutions.len() <= 5,
        "not between 1 and 5 solutions",
    )?;
    ensure(
        result.best.as_ref() == result.solutions.first(),
        "the best is not the first",
    )?;
    ensure(
        result
            .solutions
            .is_sorted_by(|a, b| a.objective >= b.objective),
        "not best first",
    )?;
    for (i, solution) in result.solutions.iter().enumerate() {
        let report =
            check(&model, &solution.values, &Tolerances::default()).map_err(|e| e.to_string())?;
        ensure(report.feasible, "an infeasible solution")?;
        let same = |other: &crate::FoundSolution| {
            other
                .values
                .iter()
                .zip(&solution.values)
                .all(|(a, b)| a.round() == b.round())
        };
        ensure(!result.solutions[..i].iter().any(same), "a solution twice")?;
    }
    Ok(())
}

//! Models with tiny and huge numbers that HiGHS, left alone, answers wrongly: each file in `scales` is one that random tests
//! have found, with the optimum that exact arithmetic gives.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use idpas_mip::files::read_model;
use idpas_mip::{Model, ModelBuilder, Relaxation, Sense, VarKind};
use idpas_solver::highs::Highs;
use idpas_solver::judge::{Judge, JudgeOptions};
use idpas_solver::{
    BoundChange, Control, LoadedModel, NewRow, Params, SolveResult, Solver, Start, StartOutcome,
    Termination,
};

const INF: f64 = f64::INFINITY;

fn solve(loaded: &mut dyn LoadedModel) -> SolveResult {
    let params = Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(60.0)
    };
    loaded
        .solve(&params, None, &mut Control::default())
        .unwrap()
}

fn solve_file(name: &str) -> SolveResult {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scales");
    let model = read_model(folder.join(name)).unwrap().model;
    solve(&mut *Highs.load(&model).unwrap())
}

#[test]
fn optima_are_optima() {
    for (name, optimum) in [
        // HiGHS alone: 715, −∞, 26, −1.25 and 7.5.
        ("tiny-row.mps", 771.0),
        ("row-below-1e-9.mps", -31.25105),
        ("huge-rows.mps", 32.8),
        ("huge-row-with-side-zero.mps", 10.75),
        ("huge-coefficient.mps", 1.5),
    ] {
        let result = solve_file(name);
        assert_eq!(result.termination, Termination::Optimal, "{name}");
        let found = result.best.unwrap().objective;
        assert!((found - optimum).abs() < 1e-5, "{name}: {found}");
        assert!(
            (result.bound - optimum).abs() < 1e-5,
            "{name}: {}",
            result.bound
        );
    }
}

/// What HiGHS still answers wrongly, so that it is noticed when it no longer does: the first model has the optimum −12, the
/// second about −60.25, and the third is unbounded.
#[test]
fn what_is_still_wrong() {
    for (name, wrong) in [
        (
            "still-wrong/coefficient-of-1e-18.mps",
            Termination::Unbounded,
        ),
        (
            "still-wrong/presolve-infeasible.mps",
            Termination::Infeasible,
        ),
        (
            "still-wrong/cost-of-1e-5-beside-1e6.mps",
            Termination::Optimal,
        ),
    ] {
        assert_eq!(solve_file(name).termination, wrong, "{name}");
    }
}

/// HiGHS alone: optimal, since it takes the cost of the column without a bound for zero.
#[test]
fn a_faint_cost_is_a_cost() {
    let end = solve_file("faint-cost.mps").termination;
    let expected = [Termination::Unbounded, Termination::InfeasibleOrUnbounded];
    assert!(expected.contains(&end), "{end:?}");
}

/// min x + y with 2e-7·x + 1e-7·y ≥ 6e-7, x up to 2: 4 at (2, 2), with a dual of 1e7.
fn tiny() -> Model {
    let mut b = ModelBuilder::new("tiny", Sense::Minimize);
    let x = b.column("x", VarKind::Continuous, 0.0, 2.0, 1.0).unwrap();
    let y = b.column("y", VarKind::Continuous, 0.0, INF, 1.0).unwrap();
    b.row("free", -INF, INF, [(x, 1.0)]).unwrap();
    b.row("tiny", 6e-7, INF, [(x, 2e-7), (y, 1e-7)]).unwrap();
    b.build().unwrap()
}

fn relax(loaded: &mut dyn LoadedModel) -> Relaxation {
    let params = Params::with_time_limit(60.0);
    let result = loaded.solve_relaxation(&params, &mut Control::default());
    result.unwrap().solution.unwrap()
}

fn is_near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-9 * expected.abs().max(1e-6)
}

/// A start whose values HiGHS takes for infinite is no start, and no error either.
#[test]
fn a_start_beyond_everything_is_rejected() {
    let mut b = ModelBuilder::new("one", Sense::Minimize);
    b.column("x", VarKind::Integer, 3.0, INF, 1.0).unwrap();
    b.column("y", VarKind::Continuous, 0.0, INF, 1.0).unwrap();
    let model = b.build().unwrap();
    let (params, start) = (Params::default(), Start::Complete(vec![1e300, 0.0]));
    let mut loaded = Highs.load(&model).unwrap();
    let result = loaded.solve(&params, Some(&start), &mut Control::default());
    let result = result.unwrap();
    assert_eq!(result.best.unwrap().objective, 3.0);
    assert_eq!(result.start, Some(StartOutcome::Rejected));
    let mut judge = Judge::new(&model, JudgeOptions::default());
    let polished = judge.polish(&Highs, &[1e300, 0.0], None, &mut Control::default());
    assert_eq!(polished.unwrap(), None);
}

#[test]
fn activities_and_duals_are_those_of_the_model() {
    let lp = relax(&mut *Highs.load(&tiny()).unwrap());
    assert!(is_near(lp.objective, 4.0), "{}", lp.objective);
    assert!(is_near(lp.activities[1], 6e-7), "{:?}", lp.activities);
    assert!(is_near(lp.duals[1], 1e7), "{:?}", lp.duals);
    assert!(is_near(lp.reduced_costs[0], -1.0), "{:?}", lp.reduced_costs);
}

#[test]
fn changes_are_in_the_units_of_the_model() {
    let mut loaded = Highs.load(&tiny()).unwrap();
    let side = |index, lower| BoundChange {
        index,
        lower,
        upper: INF,
    };
    loaded.set_row_bounds(&[side(1, 7e-7)]).unwrap();
    assert!(is_near(relax(&mut *loaded).objective, 5.0));
    let added = loaded
        .add_rows(&[NewRow {
            lower: 8e-8,
            upper: INF,
            entries: vec![(1, 1e-8)],
        }])
        .unwrap();
    let lp = relax(&mut *loaded);
    assert!(is_near(lp.objective, 8.0), "{}", lp.objective);
    assert!(is_near(lp.duals[2], 1e8), "{:?}", lp.duals);
    // The factors of the rows behind those that are deleted move up with them.
    loaded.delete_rows(0..1).unwrap();
    loaded
        .set_row_bounds(&[side(added.start - 1, 9e-8)])
        .unwrap();
    let lp = relax(&mut *loaded);
    assert!(is_near(lp.objective, 9.0), "{}", lp.objective);
    // A side that would become infinite is refused.
    assert!(loaded.set_row_bounds(&[side(0, 1e19)]).is_err());
}

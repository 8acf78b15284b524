//! What is left of the time limit, and the interrupt, hold for everything that a plain solve does.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::scripted::ScriptedSolver;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    Method, SearchControl, SearchEvent, SearchOutcome, SearchProblem, SearchSettings, search,
};
use idpas_solver::Params;

/// A solver with a solution of [`model`] whose continuous column is `y`: 0.5 is feasible, 0.4 is not. Its relaxation is
/// feasible.
fn scripted(y: f64) -> ScriptedSolver {
    ScriptedSolver {
        incumbent: Some(vec![1.0, y]),
        relaxed: Some(vec![1.0, 0.5]),
        objective: 1.0,
        incumbent_bound: 0.0,
        final_bound: 0.0,
        ..ScriptedSolver::default()
    }
}

/// A solver whose solution fails the check; it has it after 0.1 s and reports it after 0.2 s.
fn failing() -> ScriptedSolver {
    ScriptedSolver {
        before: 0.2,
        found: Some(0.1),
        ..scripted(0.4)
    }
}

/// Solves [`model`] with the plain strategy.
fn plain(
    solver: &ScriptedSolver,
    params: &Params,
    control: &mut SearchControl<'_>,
) -> SearchOutcome {
    let model = model();
    let problem = SearchProblem::new(solver, &model);
    search(
        &problem,
        &SearchSettings::of(Method::Solver),
        params,
        control,
    )
    .unwrap()
}

/// min x, 0.5 ≤ x·0 + y, with x binary and y continuous.
fn model() -> Model {
    let mut b = ModelBuilder::new("small", Sense::Minimize);
    b.column("x", VarKind::Integer, 0.0, 1.0, 1.0).unwrap();
    let y = b.column("y", VarKind::Continuous, 0.0, 1.0, 0.0).unwrap();
    b.row("r", 0.5, f64::INFINITY, [(y, 1.0)]).unwrap();
    b.build().unwrap()
}

#[test]
fn a_solution_is_mended_in_what_is_left_of_the_time() {
    let solver = failing();
    let params = Params::with_time_limit(5.0);
    let outcome = plain(&solver, &params, &mut SearchControl::default());
    assert_eq!(outcome.solution.unwrap().values, [1.0, 0.5]);
    let rejected: usize = outcome.stages.iter().map(|stage| stage.rejected).sum();
    assert_eq!((rejected, outcome.trajectory.len()), (1, 1));
    let limits = solver.relaxation_limits();
    assert_eq!(limits.len(), 1);
    let limit = limits[0].unwrap();
    assert!(limit > 0.0 && limit <= 4.8, "{limit} s of 4.8 s");
}

#[test]
fn without_a_time_limit_it_is_a_minute_at_most() {
    let solver = failing();
    let outcome = plain(&solver, &Params::default(), &mut SearchControl::default());
    assert!(outcome.solution.is_some());
    assert_eq!(solver.relaxation_limits(), [Some(60.0)]);
}

#[test]
fn after_an_interrupt_nothing_is_mended() {
    let mut control = SearchControl::default();
    let solver = ScriptedSolver {
        raise: Some(control.interrupt.clone()),
        ..failing()
    };
    let began = Instant::now();
    let outcome = plain(&solver, &Params::default(), &mut control);
    assert!(outcome.solution.is_none());
    assert_eq!(solver.relaxation_limits(), []);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn after_the_time_limit_nothing_is_mended() {
    let solver = failing();
    let params = Params::with_time_limit(0.1);
    let outcome = plain(&solver, &params, &mut SearchControl::default());
    assert!(outcome.solution.is_none() && outcome.trajectory.is_empty());
    assert_eq!(solver.relaxation_limits(), []);
}

#[test]
fn what_is_found_after_the_time_limit_does_not_count() {
    for (found, counts) in [(0.25, false), (0.05, true)] {
        let solver = ScriptedSolver {
            before: 0.3,
            found: Some(found),
            ..scripted(0.5)
        };
        let params = Params::with_time_limit(0.2);
        let mut seen = 0;
        let mut observer = |event: SearchEvent<'_>| {
            seen += usize::from(matches!(event, SearchEvent::Incumbent { .. }));
        };
        let mut control = SearchControl {
            observer: Some(&mut observer),
            ..SearchControl::default()
        };
        let outcome = plain(&solver, &params, &mut control);
        assert_eq!(outcome.solution.is_some(), counts);
        assert_eq!(outcome.trajectory.len(), usize::from(counts));
        assert!(outcome.trajectory.iter().all(|point| point.time <= 0.2));
        assert_eq!(seen, usize::from(counts));
    }
}

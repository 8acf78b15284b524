//! The plain solver as a strategy: one stage, the solver's status and bound, checked solutions.
#![allow(clippy::unwrap_used)]

mod common;

use common::direct::solve_directly;
use common::scripted::ScriptedSolver;
use common::{INTEGER_BOUNDS, Random, model as random_model};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    Method, SearchControl, SearchEvent, SearchOutcome, SearchProblem, SearchSettings, SearchStatus,
    StageEnd, StageKind, search,
};
use idpas_solver::highs::Highs;
use idpas_solver::{Params, Solver, StartOutcome, Termination};

/// max 3x + 4y + z, 2x + 4y ≤ 5, z ≤ 0.5, with x and y binary and z continuous.
fn knapsack() -> Model {
    let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
    let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0).unwrap();
    let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0).unwrap();
    let z = b.column("z", VarKind::Continuous, 0.0, 1.0, 1.0).unwrap();
    b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])
        .unwrap();
    b.row("half", f64::NEG_INFINITY, 0.5, [(z, 1.0)]).unwrap();
    b.build().unwrap()
}

fn plain(
    solver: &dyn Solver,
    model: &Model,
    starts: &[Vec<f64>],
    params: &Params,
) -> SearchOutcome {
    let problem = SearchProblem {
        starts,
        ..SearchProblem::new(solver, model)
    };
    let settings = SearchSettings::of(Method::Solver);
    search(&problem, &settings, params, &mut SearchControl::default()).unwrap()
}

#[test]
fn an_optimal_solution_in_one_stage() {
    let model = knapsack();
    let outcome = plain(&Highs, &model, &[], &Params::with_time_limit(20.0));
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.solution.unwrap().values, [0.0, 1.0, 0.5]);
    assert_eq!((outcome.bound, outcome.gap), (Some(4.5), Some(0.0)));
    assert_eq!(outcome.start, None);
    assert_eq!(outcome.stages.len(), 1);
    assert_eq!(outcome.stages[0].kind, StageKind::Full);
    assert_eq!(outcome.stages[0].outcome, StageEnd::Exhausted);
    assert_eq!(outcome.trajectory.last().unwrap().objective, 4.5);
}

#[test]
fn an_infeasible_model_is_called_so() {
    let mut model = knapsack();
    model.rows.upper[0] = -1.0;
    let outcome = plain(&Highs, &model, &[], &Params::with_time_limit(20.0));
    assert_eq!(outcome.status, SearchStatus::Infeasible);
    assert!(outcome.solution.is_none() && outcome.trajectory.is_empty());
    assert_eq!(outcome.stages[0].outcome, StageEnd::Infeasible);
}

#[test]
fn the_solver_says_what_became_of_the_start() {
    let model = knapsack();
    let unknown = f64::NAN;
    for (start, expected) in [
        (vec![1.0, 0.0, 0.0], StartOutcome::Accepted),
        (vec![1.0, unknown, unknown], StartOutcome::Accepted),
        (vec![1.0, 1.0, 0.0], StartOutcome::Rejected),
        (vec![1.0, 1.0, unknown], StartOutcome::Rejected),
        // Of another model.
        (vec![1.0], StartOutcome::Rejected),
    ] {
        let starts = [start];
        let outcome = plain(&Highs, &model, &starts, &Params::with_time_limit(20.0));
        assert_eq!(outcome.start, Some(expected), "{starts:?}");
        assert_eq!(outcome.status, SearchStatus::Optimal);
        assert_eq!(outcome.stages.len(), 1, "no stage for the start, no probe");
    }
}

#[test]
fn it_agrees_with_a_direct_solve() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let model = random_model(&mut random, true, &INTEGER_BOUNDS);
        let params = Params::with_time_limit(20.0);
        let direct = solve_directly(&model, &params);
        let outcome = plain(&Highs, &model, &[], &params);
        assert_eq!(
            outcome.status.as_str(),
            direct.result.termination.as_str(),
            "{seed}"
        );
        assert_eq!(outcome.gap, direct.gap(), "{seed}");
        assert_eq!(outcome.solution, direct.solution, "{seed}");
        let bound = Some(direct.result.bound).filter(|bound| bound.is_finite());
        assert_eq!(outcome.bound, bound, "{seed}");
        let points = outcome.trajectory.iter().map(|p| (p.objective, p.bound));
        let points: Vec<(f64, Option<f64>)> = points.collect();
        // A bound that is beyond the solution by rounding is shown as the solution's objective.
        let clipped = |&(objective, bound): &(f64, Option<f64>)| {
            let is_beyond = |bound: &f64| model.sense.is_better(objective, *bound);
            (
                objective,
                bound.map(|b| if is_beyond(&b) { objective } else { b }),
            )
        };
        let expected: Vec<_> = direct.improvements.iter().map(clipped).collect();
        assert_eq!(points, expected, "{seed}");
        let stage = &outcome.stages[0];
        assert_eq!(stage.nodes, direct.result.nodes, "{seed}");
        assert_eq!(stage.lp_iterations, direct.result.lp_iterations, "{seed}");
        assert_eq!(stage.rejected, direct.rejected, "{seed}");
    }
}

/// A solver that claims the optimum of the knapsack.
fn scripted() -> ScriptedSolver {
    ScriptedSolver {
        objective: 4.5,
        incumbent_bound: 4.5,
        final_bound: 4.5,
        ..ScriptedSolver::default()
    }
}

/// Breaks the row of z.
const BROKEN: [f64; 3] = [0.0, 1.0, 0.75];

#[test]
fn an_incumbent_that_fails_the_check_is_mended_or_left_out() {
    let model = knapsack();
    let solver = ScriptedSolver {
        incumbent: Some(BROKEN.to_vec()),
        relaxed: Some(vec![0.0, 1.0, 0.5]),
        termination: Termination::Optimal,
        ..scripted()
    };
    let params = Params::with_time_limit(20.0);
    let outcome = plain(&solver, &model, &[], &params);
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.solution.unwrap().values, [0.0, 1.0, 0.5]);
    let stage = &outcome.stages[0];
    assert_eq!((stage.rejected, stage.incumbents), (1, 1));
    assert_eq!(stage.nodes, ScriptedSolver::NODES);
    assert_eq!(stage.lp_iterations, ScriptedSolver::LP_ITERATIONS);

    let hopeless = ScriptedSolver {
        relaxed: Some(BROKEN.to_vec()),
        ..solver
    };
    let outcome = plain(&hopeless, &model, &[], &params);
    assert_eq!(outcome.status, SearchStatus::Trouble);
    assert_eq!(
        outcome.trouble.as_deref(),
        Some("no solution of the solver passed the check")
    );
    assert!(outcome.solution.is_none() && outcome.trajectory.is_empty());
    assert_eq!(outcome.stages[0].rejected, 1);
}

#[test]
fn a_checked_solution_contradicts_a_solver_that_is_wrong() {
    let model = knapsack();
    let params = Params::with_time_limit(20.0);
    let optimum = Some(vec![0.0, 1.0, 0.5]);
    // Infeasible, with a solution.
    let solver = ScriptedSolver {
        incumbent: optimum.clone(),
        termination: Termination::Infeasible,
        ..scripted()
    };
    let outcome = plain(&solver, &model, &[], &params);
    assert_eq!(outcome.status, SearchStatus::Trouble);
    assert_eq!(outcome.solution.unwrap().objective, 4.5);
    // Optimal, though only something worse passed the check.
    let solver = ScriptedSolver {
        incumbent: Some(BROKEN.to_vec()),
        relaxed: Some(vec![1.0, 0.0, 0.5]),
        termination: Termination::Optimal,
        ..scripted()
    };
    let outcome = plain(&solver, &model, &[], &params);
    assert_eq!(outcome.status, SearchStatus::Trouble);
    assert_eq!(
        (outcome.solution.unwrap().objective, outcome.bound),
        (3.5, Some(4.5))
    );
    // A bound that a solution without any violation is beyond.
    let solver = ScriptedSolver {
        incumbent: optimum,
        incumbent_bound: 3.0,
        final_bound: 3.0,
        termination: Termination::Optimal,
        ..scripted()
    };
    let outcome = plain(&solver, &model, &[], &params);
    assert_eq!(
        (outcome.status, outcome.bound),
        (SearchStatus::Trouble, None)
    );
    assert_eq!(outcome.trajectory[0].bound, None);
    assert_eq!(outcome.solution.unwrap().objective, 4.5);
}

#[test]
fn neither_a_bound_nor_unbounded_is_believed_beside_the_other() {
    let model = knapsack();
    let solver = ScriptedSolver {
        termination: Termination::Unbounded,
        final_bound: f64::INFINITY,
        incumbent_bound: f64::INFINITY,
        ..scripted()
    };
    let problem = SearchProblem {
        // Of a relaxation that a solver took for bounded.
        bound: Some(5.0),
        ..SearchProblem::new(&solver, &model)
    };
    for method in [Method::Solver, Method::Pas] {
        let settings = SearchSettings::of(method);
        let params = Params::with_time_limit(20.0);
        let outcome = search(&problem, &settings, &params, &mut SearchControl::default()).unwrap();
        assert_eq!(outcome.status, SearchStatus::Trouble, "{method}");
        assert!(
            outcome
                .trouble
                .is_some_and(|words| words.contains("unbounded"))
        );
        assert_eq!((outcome.bound, outcome.gap), (None, None), "{method}");
    }
}

#[test]
fn at_the_time_limit_the_best_so_far_is_the_answer() {
    let model = knapsack();
    let solver = ScriptedSolver {
        incumbent: Some(vec![1.0, 0.0, 0.5]),
        termination: Termination::TimeLimit,
        after: 0.3,
        ..scripted()
    };
    let mut seen = Vec::new();
    let mut observer = |event: SearchEvent<'_>| {
        if let SearchEvent::Incumbent { objective, .. } = event {
            seen.push(objective);
        }
    };
    let mut control = SearchControl {
        observer: Some(&mut observer),
        ..SearchControl::default()
    };
    let problem = SearchProblem::new(&solver, &model);
    let settings = SearchSettings::of(Method::Solver);
    let params = Params::with_time_limit(0.2);
    let outcome = search(&problem, &settings, &params, &mut control).unwrap();
    assert_eq!(outcome.status, SearchStatus::TimeLimit);
    assert_eq!(outcome.solution.unwrap().objective, 3.5);
    assert_eq!(outcome.bound, Some(4.5));
    assert!(outcome.time >= 0.2);
    assert_eq!(seen, [3.5]);
}

#[test]
fn an_outcome_survives_json() {
    let model = knapsack();
    let starts = [vec![1.0, 0.0, 0.0]];
    let mut outcome = plain(&Highs, &model, &starts, &Params::with_time_limit(20.0));
    // Times have more digits than a test of the format needs, and the check is not written.
    outcome.time = 0.5;
    for point in &mut outcome.trajectory {
        point.time = 0.25;
    }
    for stage in &mut outcome.stages {
        (stage.began, stage.handed, stage.seconds) = (0.125, 0.25, 0.5);
    }
    outcome.solution.as_mut().unwrap().check = Default::default();
    let text = serde_json::to_string(&outcome).unwrap();
    let read: SearchOutcome = serde_json::from_str(&text).unwrap();
    assert_eq!(read, outcome);
    assert!(text.contains(r#""start":"accepted""#), "{text}");
}

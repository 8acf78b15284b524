//! What a solver finds after the time limit does not count, whatever the method.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::scripted::ScriptedSolver;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    Amount, Method, SearchControl, SearchProblem, SearchSettings, SearchStatus, Source, search,
};
use idpas_solver::Params;

/// min Σ x, Σ x ≥ 1 over six binaries and an integer.
fn model() -> Model {
    let mut b = ModelBuilder::new("small", Sense::Minimize);
    let mut entries = Vec::new();
    for j in 0..6 {
        let column = b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0);
        entries.push((column.unwrap(), 1.0));
    }
    let y = b.column("y", VarKind::Integer, 0.0, 9.0, 1.0);
    entries.push((y.unwrap(), 1.0));
    b.row("some", 1.0, f64::INFINITY, entries).unwrap();
    b.build().unwrap()
}

#[test]
fn what_is_found_after_the_limit_does_not_count() {
    const LIMIT: f64 = 0.2;
    let model = model();
    let scores = vec![0.05; model.num_columns()];
    let mut faithful = SearchSettings::of(Method::PasPlus);
    faithful.completion = false;
    faithful.selection.k0_binaries = Amount::Percent(50.0);
    // First solutions need no solver.
    let mut idpas = SearchSettings::of(Method::Idpas);
    idpas.staged.without = vec![Source::First];
    let all = [
        (SearchSettings::of(Method::Solver), false, 1),
        (SearchSettings::of(Method::PasPlus), true, 1),
        (faithful, true, 1),
        (idpas.clone(), false, 1),
        (idpas.clone(), true, 1),
        (idpas, true, 2),
    ];
    for (settings, scored, threads) in all {
        let mut control = SearchControl::default();
        let over = control.started + Duration::from_secs_f64(LIMIT);
        // It finds a solution, with a proof, a moment after the time is over.
        let objective = model.num_columns() as f64;
        let solver = ScriptedSolver {
            objective,
            incumbent_bound: objective,
            // A backend's result holds no bound from after its stop; the conformance suite says so.
            final_bound: f64::NEG_INFINITY,
            silent_until: Some(over + Duration::from_millis(50)),
            ..ScriptedSolver::default()
        };
        let problem = SearchProblem {
            scores: scored.then_some(&scores),
            ..SearchProblem::new(&solver, &model)
        };
        let params = Params {
            threads,
            ..Params::with_time_limit(LIMIT)
        };
        let outcome = search(&problem, &settings, &params, &mut control).unwrap();
        let context = format!("{}, {threads} threads: {outcome:#?}", settings.method);
        assert_eq!(outcome.status, SearchStatus::TimeLimit, "{context}");
        assert!(outcome.solution.is_none(), "{context}");
        assert!(outcome.trajectory.is_empty(), "{context}");
        assert_eq!(outcome.bound, None, "{context}");
        let improved = outcome.stages.iter().any(|stage| stage.incumbents > 0);
        assert!(!improved, "{context}");
    }
}

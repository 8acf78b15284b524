//! First solutions: always checked, whatever scores and starts say, and within the limit.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Instant;

use common::{INTEGER_BOUNDS, Random, model};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{FirstSolution, FirstSolutionRequest, first_solution};
use idpas_solver::highs::Highs;
use idpas_solver::{HardStop, Interrupt, Params, Solver};

/// The same result on a busy machine: tries are what ends these, not the clock.
const LIMIT: f64 = 20.0;

fn find(model: &Model, request: &FirstSolutionRequest<'_>) -> Option<FirstSolution> {
    let found = first_solution(model, &Highs, request);
    if let Some(first) = &found {
        let report = check(model, &first.solution.values, &Tolerances::default()).unwrap();
        assert!(report.feasible, "{:?}", report.worst_row);
        assert_eq!(report.objective, first.solution.objective);
    }
    found
}

fn is_feasible(model: &Model) -> bool {
    let mut loaded = Highs.load(model).unwrap();
    let params = Params::with_time_limit(10.0);
    let result = loaded.solve(&params, None, &mut Default::default());
    result.unwrap().best.is_some()
}

#[test]
fn what_is_found_is_feasible_and_most_is_found() {
    let mut random = Random(7);
    let (mut feasible, mut found) = (0, 0);
    for round in 0..300 {
        let model = model(&mut random, round % 2 == 0, &INTEGER_BOUNDS);
        let request = FirstSolutionRequest {
            limit: 0.1,
            ..Default::default()
        };
        let first = find(&model, &request);
        let exists = is_feasible(&model);
        feasible += usize::from(exists);
        found += usize::from(first.is_some() && exists);
    }
    assert!(feasible > 150, "{feasible}");
    assert!(found * 100 >= feasible * 95, "{found} of {feasible}");
}

#[test]
fn wrong_scores_and_starts_do_no_harm() {
    let mut random = Random(11);
    for round in 0..60 {
        let model = model(&mut random, round % 2 == 0, &INTEGER_BOUNDS);
        if !is_feasible(&model) {
            continue;
        }
        let n = model.num_columns();
        let scores: Vec<f32> = (0..n)
            .map(|_| random.one_of(&[f32::NAN, 0.0, 1.0, f32::INFINITY, -3.0]))
            .collect();
        let start: Vec<f64> = (0..n)
            .map(|_| random.one_of(&[f64::NAN, f64::INFINITY, -1e9, 0.4, 1.0, 1e15]))
            .collect();
        let request = FirstSolutionRequest {
            scores: Some(&scores),
            start: Some(&start),
            limit: 0.1,
            ..Default::default()
        };
        find(&model, &request);
    }
}

/// Bounds between which there is no integer, and one without any.
#[test]
fn odd_bounds_do_no_harm() {
    let inf = f64::INFINITY;
    for ((lower, upper), exists) in [((0.2, 0.8), false), ((0.2, 1.8), true), ((-inf, inf), true)] {
        let mut b = ModelBuilder::new("odd", Sense::Minimize);
        let x = b.column("x", VarKind::Integer, lower, upper, 0.0).unwrap();
        let y = b.column("y", VarKind::Integer, -inf, inf, 0.0).unwrap();
        b.row("equal", 0.0, 0.0, [(x, 2.0), (y, -1.0)]).unwrap();
        let model = b.build().unwrap();
        let start = [f64::NAN, 1e12];
        let request = FirstSolutionRequest {
            start: Some(&start),
            limit: 0.3,
            ..Default::default()
        };
        assert_eq!(find(&model, &request).is_some(), exists);
    }
}

/// n workers, n jobs, and the cost of each pair through a counter.
fn assignment(n: usize) -> Model {
    let mut b = ModelBuilder::new("assignment", Sense::Minimize);
    for i in 0..n {
        for j in 0..n {
            b.column(&format!("x[{i},{j}]"), VarKind::Integer, 0.0, 1.0, 0.0)
                .unwrap();
        }
    }
    let total = b.column("total", VarKind::Integer, 0.0, f64::INFINITY, 1.0);
    let mut cost = vec![(total.unwrap(), -1.0)];
    for i in 0..n {
        let row = (0..n).map(|j| (i * n + j, 1.0));
        b.row(&format!("worker[{i}]"), 1.0, 1.0, row).unwrap();
        let column = (0..n).map(|j| (j * n + i, 1.0));
        b.row(&format!("job[{i}]"), 1.0, 1.0, column).unwrap();
        cost.extend((0..n).map(|j| (i * n + j, ((i * 7 + j * 3) % 11) as f64)));
    }
    b.row("cost", 0.0, 0.0, cost).unwrap();
    b.build().unwrap()
}

#[test]
fn partial_starts_are_completed() {
    let n = 12;
    let model = assignment(n);
    let mut start = vec![f64::NAN; n * n + 1];
    for i in 0..n - 3 {
        start[i * n + (i + 5) % n] = 1.0;
    }
    // Contradicts the first one.
    start[6] = 1.0;
    let request = FirstSolutionRequest {
        start: Some(&start),
        limit: LIMIT,
        ..Default::default()
    };
    let first = find(&model, &request).unwrap();
    let kept = (0..n - 3).filter(|&i| first.solution.values[i * n + (i + 5) % n] == 1.0);
    assert_eq!(kept.count(), n - 3);
}

#[test]
fn the_same_seed_finds_the_same() {
    let model = assignment(15);
    let found = |seed: u64| {
        let request = FirstSolutionRequest {
            seed,
            limit: LIMIT,
            ..Default::default()
        };
        find(&model, &request).unwrap().solution
    };
    assert_eq!(found(3), found(3));
}

/// A circulation on a ring with shortcuts: what each node needs comes from far away.
#[test]
fn flows_are_mended_by_chains() {
    let n = 200;
    let mut b = ModelBuilder::new("ring", Sense::Minimize);
    for i in 0..n {
        let lower = f64::from(u8::from(i % 17 == 0)) * 3.0;
        b.column(&format!("arc[{i}]"), VarKind::Integer, lower, 9.0, 1.0)
            .unwrap();
    }
    for i in 0..n {
        b.column(&format!("cut[{i}]"), VarKind::Integer, 0.0, 2.0, 5.0)
            .unwrap();
    }
    for i in 0..n {
        let before = (i + n - 1) % n;
        let cut = n + (i + n - 40) % n;
        let entries = [(i, 1.0), (n + i, 1.0), (before, -1.0), (cut, -1.0)];
        b.row(&format!("node[{i}]"), 0.0, 0.0, entries).unwrap();
    }
    let model = b.build().unwrap();
    let request = FirstSolutionRequest {
        limit: LIMIT,
        ..Default::default()
    };
    assert!(find(&model, &request).is_some());
}

/// Pigeons in too few holes, which propagation does not see: there is nothing to find, and the limit ends it.
#[test]
fn limit_and_stop_are_obeyed() {
    let mut b = ModelBuilder::new("pigeons", Sense::Minimize);
    let (pigeons, holes) = (40, 39);
    for p in 0..pigeons {
        for h in 0..holes {
            b.column(&format!("x[{p},{h}]"), VarKind::Integer, 0.0, 1.0, 0.0)
                .unwrap();
        }
        let row = (0..holes).map(|h| (p * holes + h, 1.0));
        b.row(&format!("pigeon[{p}]"), 1.0, 1.0, row).unwrap();
    }
    for h in 0..holes {
        let row = (0..pigeons).map(|p| (p * holes + h, 1.0));
        b.row(&format!("hole[{h}]"), f64::NEG_INFINITY, 1.0, row)
            .unwrap();
    }
    let model = b.build().unwrap();
    let started = Instant::now();
    let request = FirstSolutionRequest {
        limit: 0.3,
        ..Default::default()
    };
    assert_eq!(find(&model, &request), None);
    let interrupt = Interrupt::new();
    interrupt.raise();
    let request = FirstSolutionRequest {
        limit: 1e6,
        stop: HardStop {
            at: None,
            interrupt,
        },
        ..Default::default()
    };
    assert_eq!(find(&model, &request), None);
    // Far from what it would take otherwise, and far from what a busy machine adds.
    assert!(started.elapsed().as_secs_f64() < 60.0);
}

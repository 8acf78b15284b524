//! Races with made-up costs.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use common::Random;
use idpas_search::tune::{
    Cost, Plan, Trial, default_candidates, grid_paper, race, race_in_batches,
};
use idpas_search::{Amount, Method, SearchSettings};

/// A cost with a minimum at 70 % of binaries, 50 % of integers and Δ = 1 %, noisy, more so at short times, and on a
/// different scale for each instance, as primal integrals are.
fn cost(trial: &Trial<'_>) -> f64 {
    let percent = |amount| match amount {
        Amount::Percent(percent) => percent / 100.0,
        Amount::Count(_) => 0.0,
    };
    let s = &trial.settings.selection;
    let truth = 1.0
        + (percent(s.k0_binaries) - 0.7).powi(2)
        + (percent(s.k0_integers) - 0.5).powi(2)
        + 5.0 * (percent(s.delta) - 0.01).abs();
    let mut random =
        Random((trial.candidate * 1000 + trial.instance) as u64 * 31 + trial.time_limit as u64);
    let noise = 0.1 * (random.unit() - 0.5) * (1.0 + 10.0 / trial.time_limit);
    let scale = 1.0 + (trial.instance % 5) as f64;
    scale * (truth + noise)
}

#[test]
fn a_race_finds_the_grids_choice_for_a_tenth_of_its_time() {
    let grid = grid_paper(Method::IdPasPlus);
    let mut evaluate = |trial: &Trial<'_>| {
        let seconds = trial.time_limit;
        Ok::<_, ()>(Cost {
            cost: cost(trial),
            seconds,
        })
    };
    let exhaustive = Plan::exhaustive(30, 100.0);
    let by_grid = race(&grid, &exhaustive, &mut evaluate).unwrap().unwrap();
    assert_eq!(by_grid.evaluations.len(), 108 * 30);
    let plan = Plan::halving(grid.len(), 30, 100.0, 0.1);
    let by_race = race(&grid, &plan, &mut evaluate).unwrap().unwrap();
    assert!(by_race.seconds <= 0.1 * by_grid.seconds);
    let mean = |candidate: usize| {
        let standings = &by_grid.rungs[0].standings;
        standings
            .iter()
            .find(|s| s.candidate == candidate)
            .unwrap()
            .mean
    };
    assert!(mean(by_race.candidate) <= 1.05 * mean(by_grid.candidate));
    // The evidence is complete and consistent.
    let total: f64 = by_race.evaluations.iter().map(|e| e.seconds).sum();
    assert_eq!(total, by_race.seconds);
    for (rung, report) in by_race.rungs.iter().enumerate() {
        let kept = report.standings.iter().filter(|s| s.kept).count();
        assert_eq!(kept, report.rung.keep);
        for standing in &report.standings {
            let made = by_race.evaluations.iter();
            let costs: Vec<f64> = made
                .filter(|e| e.rung == rung && e.candidate == standing.candidate)
                .map(|e| e.cost)
                .collect();
            assert_eq!(costs.len(), standing.instances);
            let mean = costs.iter().sum::<f64>() / costs.len() as f64;
            assert!((mean - standing.mean).abs() < 1e-12);
        }
    }
    assert!(
        serde_json::to_string(&by_race)
            .unwrap()
            .contains("evaluations")
    );
}

#[test]
fn a_race_resumes_from_what_the_caller_remembers() {
    let candidates = default_candidates(Method::IdPasPlus);
    let plan = Plan::halving(candidates.len(), 12, 50.0, 0.2);
    let mut remembered: HashMap<(usize, usize, u64), Cost> = HashMap::new();
    let mut attempts = 0;
    // Breaks off after every 40 new evaluations.
    let choice = loop {
        attempts += 1;
        let mut new = 0;
        let result = race(&candidates, &plan, |trial| {
            let key = (trial.candidate, trial.instance, trial.time_limit.to_bits());
            if let Some(&known) = remembered.get(&key) {
                return Ok(known);
            }
            if new == 40 {
                return Err("interrupted");
            }
            new += 1;
            let made = Cost {
                cost: cost(trial),
                seconds: 1.0,
            };
            remembered.insert(key, made);
            Ok(made)
        });
        if let Ok(choice) = result {
            break choice.unwrap();
        }
    };
    let at_once = race(&candidates, &plan, |trial| {
        Ok::<_, ()>(Cost {
            cost: cost(trial),
            seconds: 1.0,
        })
    });
    assert!(attempts > 2);
    assert_eq!(at_once, Ok(Some(choice)));
}

#[test]
fn races_of_few_or_hopeless_candidates_end() {
    let nothing = |_: &Trial<'_>| -> Result<Cost, ()> { unreachable!() };
    let plan = Plan::halving(0, 5, 1.0, 0.1);
    assert_eq!(race(&[], &plan, nothing), Ok(None));
    let one = [SearchSettings::default()];
    let choice = race(&one, &Plan::halving(1, 5, 1.0, 0.1), nothing)
        .unwrap()
        .unwrap();
    assert_eq!((choice.candidate, choice.seconds), (0, 0.0));
    let candidates = default_candidates(Method::Pas);
    let plan = Plan::halving(candidates.len(), 5, 1.0, 0.1);
    let choice = race(&candidates, &plan, |_| {
        Ok::<_, ()>(Cost {
            cost: f64::NAN,
            seconds: 0.0,
        })
    });
    assert_eq!(choice.unwrap().unwrap().candidate, 0);
}

#[test]
fn batches_are_as_large_as_nothing_depends_on() {
    let candidates = default_candidates(Method::IdPasPlus);
    let sizes = |plan: &Plan| {
        let mut sizes = Vec::new();
        let choice = race_in_batches(&candidates, plan, |trials| {
            let mut instances: Vec<usize> = trials.iter().map(|trial| trial.instance).collect();
            instances.dedup();
            sizes.push((instances.len(), trials.len()));
            let made = trials.iter().map(|trial| Cost {
                cost: cost(trial),
                seconds: 1.0,
            });
            Ok::<_, ()>(made.collect())
        });
        let one_by_one = race(&candidates, plan, |trial| {
            Ok::<_, ()>(Cost {
                cost: cost(trial),
                seconds: 1.0,
            })
        });
        assert_eq!(choice, one_by_one);
        sizes
    };
    let all = candidates.len();
    assert_eq!(sizes(&Plan::exhaustive(12, 50.0)), [(12, 12 * all)]);
    let race = sizes(&Plan::halving(all, 12, 50.0, 0.5));
    // Nobody is left out before there are three instances to go by.
    assert_eq!(race[0], (3, 3 * all));
    assert_eq!(race[1].0, 1);
}

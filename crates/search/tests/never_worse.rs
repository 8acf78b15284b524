//! However wrong the scores, the search finds what the solver alone finds, and proves nothing that is not true.
#![allow(clippy::unwrap_used)]

mod common;

use common::direct::{DirectSolve, solve_directly};
use common::{INTEGER_BOUNDS, Random};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::{Model, Sense};
use idpas_search::{
    Amount, Band, LateScores, Method, Schedule, ScoreOrigin, ScoreSet, SearchControl,
    SearchOutcome, SearchProblem, SearchSettings, SearchStatus, SelectionSettings, Source,
    StageEnd, StageKind, StagedSettings, oracle_scores, search,
};
use idpas_solver::highs::Highs;
use idpas_solver::{Params, Termination};

const SEEDS: std::ops::Range<u64> = 0..300;

fn params() -> Params {
    Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(20.0)
    }
}

/// Scores of one kind of wrongness.
fn scores(kind: usize, model: &Model, truth: &DirectSolve, random: &mut Random) -> Vec<f32> {
    let n = model.num_columns();
    let best = truth
        .solution
        .as_ref()
        .map(|s| oracle_scores(model, &s.values));
    let best = best.unwrap_or_else(|| vec![0.5; n]);
    match kind {
        0 => (0..n).map(|_| random.unit() as f32).collect(),
        1 => best.iter().map(|score| 1.0 - score).collect(),
        2 => vec![0.5; n],
        3 => vec![f32::NAN; n],
        4 => (0..n)
            .map(|j| if j % 2 == 0 { f32::NAN } else { 0.0 })
            .collect(),
        _ => best,
    }
}

fn settings(method: Method, random: &mut Random) -> SearchSettings {
    let mut percent = |choices: &[f64]| Amount::Percent(random.one_of(choices));
    let selection = SelectionSettings {
        k0_binaries: percent(&[0.0, 50.0, 90.0, 100.0]),
        k0_integers: percent(&[0.0, 50.0, 90.0, 100.0]),
        k1_binaries: percent(&[0.0, 30.0, 50.0]),
        delta: percent(&[0.0, 20.0, 40.0]),
        max_score: None,
    };
    let band = |keep, delta| Band { keep, delta };
    let bands = match random.between(0, 2) {
        0 => Schedule::default().bands,
        1 => vec![band(1.0, 1.0), band(0.5, 0.0)],
        _ => vec![band(0.8, 0.0), band(1.0, 2.0), band(0.3, 0.5)],
    };
    SearchSettings {
        method,
        selection,
        completion: true,
        schedule: Schedule {
            bands,
            repair: random.between(0, 1) == 0,
            // A probe solves models as small as these; without it, the other stages have something to do.
            probe_share: random.one_of(&[0.0, 0.0, 0.0, 0.03]),
            ..Schedule::default()
        },
        staged: staged(random),
    }
}

/// Settings under which every part of the staged search has something to do, now and then.
fn staged(random: &mut Random) -> StagedSettings {
    let defaults = StagedSettings::default();
    // The whole model, as small as it is, is solved at once; without that, the others have something to do.
    let mut without = Vec::new();
    for source in [Source::Whole, Source::Neighbourhoods, Source::Crossing] {
        if random.between(0, 2) == 0 {
            without.push(source);
        }
    }
    let mut yes = || random.between(0, 3) > 0;
    StagedSettings {
        without,
        adaptive: yes(),
        guided: yes(),
        remember: yes(),
        reduced_costs: yes(),
        bands: if yes() {
            defaults.bands
        } else {
            vec![0.9, 0.0]
        },
        window: random.between(0, 2) as u32,
        whole_least: random.one_of(&[0.0, 0.2, 1.0]),
        ..StagedSettings::default()
    }
}

fn assert_true(model: &Model, truth: &DirectSolve, outcome: &SearchOutcome, context: &str) {
    let context = format!("{context}\n{outcome:#?}");
    match truth.result.termination {
        Termination::Optimal => {
            assert_eq!(outcome.status, SearchStatus::Optimal, "{context}");
            let best = truth.solution.as_ref().unwrap().objective;
            let found = outcome.solution.as_ref().unwrap();
            let report = check(model, &found.values, &Tolerances::default()).unwrap();
            assert!(report.feasible, "{context}");
            assert_eq!(report.objective, found.objective, "{context}");
            let close = 1e-5 * best.abs().max(1.0);
            assert!((found.objective - best).abs() <= close, "{best}: {context}");
            let bound = outcome.bound.unwrap();
            let cut = match model.sense {
                Sense::Minimize => bound - best,
                Sense::Maximize => best - bound,
            };
            assert!(cut <= close, "the bound cuts the optimum {best}: {context}");
            let last = outcome.trajectory.last().unwrap();
            assert_eq!(last.objective, found.objective, "{context}");
            let improves = |pair: &[_]| {
                let [a, b]: &[idpas_search::TrajectoryPoint; 2] = pair.try_into().unwrap();
                a.time <= b.time && model.sense.is_better(b.objective, a.objective)
            };
            assert!(outcome.trajectory.windows(2).all(improves), "{context}");
        }
        Termination::Infeasible => {
            assert_eq!(outcome.status, SearchStatus::Infeasible, "{context}");
            assert!(outcome.solution.is_none(), "{context}");
        }
        Termination::Unbounded => assert_eq!(outcome.status, SearchStatus::Unbounded, "{context}"),
        ref other => panic!("{other:?} for a tiny model: {context}"),
    }
}

/// Whether the solver alone is right, where enumeration can tell.
fn assert_enumerated(model: &Model, truth: &DirectSolve, seed: u64) {
    let bounds = model.columns.lower.iter().chain(&model.columns.upper);
    if model.shape().continuous > 0 || !bounds.clone().all(|bound| bound.is_finite()) {
        return;
    }
    let values = common::solutions(model, 4.0).into_iter();
    let objectives = values.map(|x| model.objective(&x));
    let best = objectives.reduce(|a, b| if model.sense.is_better(a, b) { a } else { b });
    let found = truth.solution.as_ref().map(|s| s.objective);
    assert_eq!(found, best, "seed {seed}");
}

#[test]
fn wrong_scores_cost_time_and_not_the_answer() {
    let (mut optimal, mut infeasible, mut regions) = (0, 0, 0);
    for seed in SEEDS {
        let mut random = Random(seed * 7919);
        let model = common::model(&mut random, seed % 4 != 0, &INTEGER_BOUNDS);
        let truth = solve_directly(&model, &params());
        assert_enumerated(&model, &truth, seed);
        optimal += usize::from(truth.result.termination == Termination::Optimal);
        infeasible += usize::from(truth.result.termination == Termination::Infeasible);
        for turn in 0..4 {
            let kind = (seed as usize + turn) % 6;
            let method = Method::ALL[(seed as usize + 3 * turn) % Method::ALL.len()];
            let settings = settings(method, &mut random);
            let scores = scores(kind, &model, &truth, &mut random);
            // A start that is feasible now and then.
            let start: Vec<f64> = match (&truth.solution, random.between(0, 3)) {
                (Some(solution), 0) => solution.values.clone(),
                _ => (0..model.num_columns())
                    .map(|_| random.between(0, 2) as f64)
                    .collect(),
            };
            let starts = if method == Method::Nearest {
                vec![start]
            } else {
                vec![]
            };
            let problem = SearchProblem {
                scores: Some(&scores),
                starts: &starts,
                ..SearchProblem::new(&Highs, &model)
            };
            let outcome = search(
                &problem,
                &settings,
                &params(),
                &mut SearchControl::default(),
            )
            .unwrap();
            let context = format!("seed {seed}, {method}, scores of kind {kind}, {settings:?}");
            assert_true(&model, &truth, &outcome, &context);
            regions += outcome
                .stages
                .iter()
                .filter(|s| s.kind != StageKind::Full)
                .count();
        }
    }
    assert!(
        optimal > 120 && infeasible > 10 && regions > 400,
        "{optimal} {infeasible} {regions}"
    );
}

#[test]
fn the_staged_search_is_right_with_any_scores_and_without() {
    let (mut bands, mut neighbourhoods, mut beside, mut starts) = (0, 0, 0, 0);
    let mut crossings = 0;
    for seed in SEEDS {
        let mut random = Random(seed * 104_729 + 1);
        let model = common::model(&mut random, seed % 4 != 0, &INTEGER_BOUNDS);
        let truth = solve_directly(&model, &params());
        for turn in 0..2 {
            let kind = (seed as usize + turn) % 7;
            let settings = settings(Method::Idpas, &mut random);
            let scores = (kind < 6).then(|| scores(kind, &model, &truth, &mut random));
            let start: Vec<f64> = (0..model.num_columns())
                .map(|_| random.between(-1, 2) as f64)
                .collect();
            let start = if turn == 0 { vec![start] } else { vec![] };
            // Now and then the scores come later than others that are as good or as bad.
            let others = (0..model.num_columns()).map(|_| random.between(0, 10) as f32 / 10.0);
            let others: Vec<f32> = others.collect();
            let others = [ScoreSet::new(ScoreOrigin::ZeroFrequency, others)];
            let later = || LateScores {
                sets: (scores.iter())
                    .map(|scores| ScoreSet::new(ScoreOrigin::Network, scores.clone()))
                    .collect(),
                ..LateScores::default()
            };
            let is_late = seed % 3 == 0;
            let problem = SearchProblem {
                sets: if is_late { &others } else { &[] },
                late: is_late.then_some(&later),
                scores: scores.as_deref().filter(|_| !is_late),
                starts: &start,
                ..SearchProblem::new(&Highs, &model)
            };
            // Neighbourhoods follow a ray of an unbounded model as long as they may.
            let params = Params {
                threads: 1 + turn,
                time_limit: Some(3.0),
                ..params()
            };
            let mut control = SearchControl::default();
            let outcome = search(&problem, &settings, &params, &mut control).unwrap();
            let context = format!("seed {seed}, scores of kind {kind}, {settings:?}");
            assert_true(&model, &truth, &outcome, &context);
            for stage in &outcome.stages {
                bands += usize::from(matches!(stage.kind, StageKind::Band { .. }));
                crossings += usize::from(stage.kind == StageKind::Crossing);
                neighbourhoods += usize::from(stage.kind == StageKind::Neighbourhoods);
                starts += usize::from(stage.kind == StageKind::Start && stage.incumbents > 0);
            }
            let is_on = !settings.staged.without.contains(&Source::Whole);
            beside += usize::from(turn == 1 && is_on);
        }
    }
    assert!(
        bands > 100 && neighbourhoods > 50 && beside > 100 && starts > 20 && crossings > 20,
        "{bands} {neighbourhoods} {beside} {starts} {crossings}"
    );
}

#[test]
fn without_completion_nothing_is_claimed_about_the_model() {
    let mut exhausted = 0;
    for seed in 0..60 {
        let mut random = Random(seed + 5000);
        let model = common::model(&mut random, true, &INTEGER_BOUNDS);
        let truth = solve_directly(&model, &params());
        let scores = scores((seed % 3) as usize, &model, &truth, &mut random);
        let selection = settings(Method::Pas, &mut random).selection;
        let settings =
            SearchSettings::faithful(random.one_of(&[Method::Pas, Method::IdPasPlus]), selection);
        let problem = SearchProblem {
            scores: Some(&scores),
            ..SearchProblem::new(&Highs, &model)
        };
        let outcome = search(
            &problem,
            &settings,
            &params(),
            &mut SearchControl::default(),
        )
        .unwrap();
        assert_eq!(outcome.stages.len(), 1, "{outcome:#?}");
        let stage = &outcome.stages[0];
        if stage.kind == StageKind::Full {
            assert_true(&model, &truth, &outcome, "the whole model");
            continue;
        }
        assert_eq!(outcome.bound, None);
        match stage.outcome {
            StageEnd::Exhausted => assert_eq!(outcome.status, SearchStatus::RegionExhausted),
            StageEnd::Infeasible => assert_eq!(outcome.status, SearchStatus::RegionInfeasible),
            StageEnd::Unbounded => assert_eq!(truth.result.termination, Termination::Unbounded),
            ref other => panic!("{other:?}"),
        }
        exhausted += usize::from(outcome.status == SearchStatus::RegionExhausted);
        if let Some(found) = &outcome.solution {
            assert!(
                check(&model, &found.values, &Tolerances::default())
                    .unwrap()
                    .feasible
            );
        }
    }
    assert!(exhausted > 10);
}

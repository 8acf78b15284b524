//! Stages, clocks, starts, events and interrupts of the search.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::Random;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    Amount, LateScores, Method, Schedule, ScoreOrigin, ScoreSet, SearchControl, SearchError,
    SearchEvent, SearchOutcome, SearchProblem, SearchSettings, SearchStatus, SelectionSettings,
    Source, StageEnd, StageKind, search,
};
use idpas_solver::highs::Highs;
use idpas_solver::{Interrupt, Params};

/// The stage that fixes all of the selection.
const FIX: StageKind = StageKind::Fix { keep: 1.0 };

/// Ten groups of which one member each must be chosen, the first being the cheapest.
fn groups() -> Model {
    let mut b = ModelBuilder::new("groups", Sense::Minimize);
    for g in 0..10 {
        let members: Vec<(usize, f64)> = (0..5)
            .map(|k| {
                let (name, cost) = (format!("x{g}_{k}"), f64::from(k + 1));
                let column = b.column(&name, VarKind::Integer, 0.0, 1.0, cost);
                (column.unwrap(), 1.0)
            })
            .collect();
        b.row(&format!("one{g}"), 1.0, 1.0, members).unwrap();
    }
    b.build().unwrap()
}

/// A market split problem, easy to find solutions of and far too hard to solve: least sum of deviations.
fn hard() -> Model {
    let mut random = Random(1);
    let mut b = ModelBuilder::new("market split", Sense::Minimize);
    let columns: Vec<usize> = (0..50)
        .map(|j| {
            b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 0.0)
                .unwrap()
        })
        .collect();
    for i in 0..6 {
        let mut entries: Vec<(usize, f64)> = columns
            .iter()
            .map(|&j| (j, random.between(0, 99) as f64))
            .collect();
        let half = (entries.iter().map(|e| e.1).sum::<f64>() / 2.0).floor();
        for (name, sign) in [("over", -1.0), ("under", 1.0)] {
            let name = format!("{name}{i}");
            let slack = b.column(&name, VarKind::Continuous, 0.0, f64::INFINITY, 1.0);
            entries.push((slack.unwrap(), sign));
        }
        b.row(&format!("market{i}"), half, half, entries).unwrap();
    }
    b.build().unwrap()
}

/// The default settings without a limit on scores.
fn by_amounts(method: Method) -> SearchSettings {
    let mut settings = SearchSettings::of(method);
    settings.selection.max_score = None;
    settings
}

fn run(model: &Model, scores: &[f32], settings: &SearchSettings, limit: f64) -> SearchOutcome {
    let problem = SearchProblem {
        scores: Some(scores),
        ..SearchProblem::new(&Highs, model)
    };
    let params = Params::with_time_limit(limit);
    search(&problem, settings, &params, &mut SearchControl::default()).unwrap()
}

fn names(outcome: &SearchOutcome) -> Vec<String> {
    let kinds = outcome.stages.iter().map(|stage| stage.kind);
    kinds.map(|kind| kind.to_string()).collect()
}

#[test]
fn a_good_prediction_is_searched_by_bounds_then_wider_then_in_full() {
    let model = groups();
    let scores: Vec<f32> = (0..50)
        .map(|j| if j % 5 == 0 { 0.9 } else { 0.1 })
        .collect();
    let mut settings = by_amounts(Method::IdPasPlus);
    settings.selection.k0_binaries = Amount::Percent(80.0);
    settings.selection.delta = Amount::Percent(5.0);
    settings.schedule.probe_share = 0.0;
    let outcome = run(&model, &scores, &settings, 20.0);
    assert_eq!(names(&outcome), ["fix", "region", "region 70%", "full"]);
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.solution.as_ref().unwrap().objective, 10.0);
    assert_eq!(outcome.bound, Some(10.0));
    let [fix, region, wider, full] = &outcome.stages[..] else {
        unreachable!()
    };
    assert_eq!((fix.delta, fix.fixed_binaries, fix.rows), (0, 40, 10));
    assert_eq!(
        (region.delta, region.fixed_binaries, region.rows),
        (2, 40, 11)
    );
    assert_eq!((wider.delta, wider.fixed_binaries), (2, 28));
    assert_eq!(
        (full.delta, full.fixed_binaries, full.incumbents),
        (0, 0, 0)
    );
    assert!(
        outcome
            .stages
            .iter()
            .all(|s| s.outcome == StageEnd::Exhausted)
    );
    assert_eq!(outcome.trajectory.last().unwrap().stage, FIX);
    let explain = &outcome.explain;
    assert_eq!((explain.flipped, explain.released), (0, 0));
    assert!((explain.expected_wrong - 4.0).abs() < 1e-5);
    assert_eq!(explain.reduction.columns_left, 10);
    assert_eq!(
        (explain.reduction.rows, explain.reduction.rows_left),
        (10, 10)
    );
    assert_eq!(explain.zero_binaries.scores, Some([0.1; 5]));
}

#[test]
fn rows_without_a_way_out_get_one_back() {
    let model = groups();
    // Everything is predicted to be zero, the third of each group with the least confidence.
    let scores: Vec<f32> = (0..50)
        .map(|j| if j % 5 == 2 { 0.3 } else { 0.1 })
        .collect();
    let mut settings = by_amounts(Method::IdPasPlus);
    settings.selection.k0_binaries = Amount::Percent(100.0);
    settings.selection.delta = Amount::Count(1);
    settings.schedule.probe_share = 0.0;
    let outcome = run(&model, &scores, &settings, 20.0);
    assert_eq!(outcome.explain.released, 10);
    assert_eq!(outcome.explain.zero_binaries.selected, 40);
    let fix = &outcome.stages[0];
    assert_eq!((fix.kind, fix.best), (FIX, Some(30.0)));
    assert_eq!(outcome.stages[1].best, Some(28.0));

    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.solution.unwrap().objective, 10.0);
    assert_eq!(outcome.explain.flipped, 10);
    assert_eq!(outcome.explain.surprises.len(), 10);
    assert_eq!(outcome.explain.surprises[0].value, 1.0);

    settings.schedule.repair = false;
    let outcome = run(&model, &scores, &settings, 20.0);
    assert_eq!(outcome.stages[0].outcome, StageEnd::Infeasible);
    assert_eq!(outcome.status, SearchStatus::Optimal);

    settings.completion = false;
    let outcome = run(&model, &scores, &settings, 20.0);
    assert_eq!(names(&outcome), ["region"]);
    assert_eq!(outcome.status, SearchStatus::RegionInfeasible);
    assert_eq!((outcome.solution, outcome.bound), (None, None));
}

#[test]
fn a_start_and_a_bound_that_meet_need_no_solver() {
    let model = groups();
    let best: Vec<f64> = (0..50).map(|j| f64::from(j % 5 == 0)).collect();
    let starts = [
        vec![1.0; 50],
        vec![0.0; 3],
        vec![f64::NAN; 50],
        best.clone(),
    ];
    let problem = SearchProblem {
        starts: &starts,
        bound: Some(10.0),
        ..SearchProblem::new(&Highs, &model)
    };
    let outcome = search(
        &problem,
        &SearchSettings::of(Method::Nearest),
        &Params::with_time_limit(20.0),
        &mut SearchControl::default(),
    )
    .unwrap();
    assert_eq!(names(&outcome), ["start"]);
    assert_eq!(
        (outcome.stages[0].incumbents, outcome.stages[0].rejected),
        (1, 3)
    );
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.solution.unwrap().values, best);
}

#[test]
fn a_start_with_unknown_values_is_completed() {
    let model = groups();
    let known = |j: usize| {
        if j < 25 {
            f64::from(j.is_multiple_of(5))
        } else {
            f64::NAN
        }
    };
    let starts = [(0..50).map(known).collect()];
    let problem = SearchProblem {
        starts: &starts,
        ..SearchProblem::new(&Highs, &model)
    };
    let outcome = search(
        &problem,
        &SearchSettings::of(Method::Nearest),
        &Params::with_time_limit(20.0),
        &mut SearchControl::default(),
    )
    .unwrap();
    assert_eq!(outcome.stages[0].kind, StageKind::Start);
    assert_eq!(outcome.stages[0].incumbents, 1);
    assert_eq!(outcome.stages[0].best, Some(10.0));
    assert_eq!(outcome.status, SearchStatus::Optimal);
}

#[test]
fn a_start_outside_the_region_is_a_cut_off() {
    let model = groups();
    // The selection forbids the best members; the start has them all, so nothing in the region is better.
    let scores: Vec<f32> = (0..50)
        .map(|j| if j % 5 == 0 { 0.1 } else { 0.9 })
        .collect();
    let best: Vec<f64> = (0..50).map(|j| f64::from(j % 5 == 0)).collect();
    let mut settings = by_amounts(Method::Nearest);
    settings.selection.k0_binaries = Amount::Percent(20.0);
    let problem = SearchProblem {
        starts: &[best],
        scores: Some(&scores),
        ..SearchProblem::new(&Highs, &model)
    };
    let params = Params::with_time_limit(20.0);
    let outcome = search(&problem, &settings, &params, &mut SearchControl::default()).unwrap();
    let fix = &outcome.stages[1];
    assert_eq!((fix.kind, fix.rows), (FIX, 11));
    assert_eq!((fix.outcome, fix.incumbents), (StageEnd::Exhausted, 0));
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.explain.flipped, 10);
}

#[test]
fn a_stage_that_brings_nothing_more_is_left() {
    let model = hard();
    let scores = vec![0.5; model.num_columns()];
    let settings = SearchSettings {
        selection: SelectionSettings {
            k0_binaries: Amount::Percent(10.0),
            ..by_amounts(Method::IdPasPlus).selection
        },
        schedule: Schedule {
            stall_share: 0.1,
            restricted_share: 0.7,
            ..Schedule::default()
        },
        ..SearchSettings::of(Method::IdPasPlus)
    };
    let outcome = run(&model, &scores, &settings, 4.0);
    assert_eq!(outcome.stages[0].kind, FIX);
    assert!(
        outcome
            .stages
            .iter()
            .any(|s| s.outcome == StageEnd::Stalled),
        "{outcome:#?}"
    );
    assert_eq!(outcome.stages[1].kind, StageKind::Probe);
    assert_eq!(outcome.stages[1].outcome, StageEnd::FirstSolution);
    assert_eq!(outcome.stages.last().unwrap().kind, StageKind::Full);
    assert_eq!(outcome.status, SearchStatus::TimeLimit);
    assert!(outcome.solution.is_some() && outcome.bound.is_some());
}

#[test]
fn an_interrupt_returns_the_best_from_any_stage() {
    let model = hard();
    let scores = vec![0.5; model.num_columns()];
    for kind in [FIX, StageKind::Full] {
        let interrupt = Interrupt::new();
        let raise = interrupt.clone();
        let mut reached = false;
        let (mut started, mut ended) = (0, 0);
        let mut observer = |event: SearchEvent<'_>| match event {
            SearchEvent::StageStarted { stage, .. } => {
                started += 1;
                reached |= stage.kind == kind;
            }
            SearchEvent::StageEnded { .. } => ended += 1,
            SearchEvent::Incumbent { .. } | SearchEvent::Progress { .. } if reached => {
                raise.raise()
            }
            _ => {}
        };
        let mut control = SearchControl {
            interrupt,
            observer: Some(&mut observer),
            ..SearchControl::default()
        };
        let mut settings = by_amounts(Method::IdPasPlus);
        settings.selection.k0_binaries = Amount::Percent(10.0);
        settings.schedule.stall_share = 0.002;
        let problem = SearchProblem {
            scores: Some(&scores),
            ..SearchProblem::new(&Highs, &model)
        };
        let params = Params::with_time_limit(100.0);
        let outcome = search(&problem, &settings, &params, &mut control).unwrap();
        assert_eq!(outcome.status, SearchStatus::Interrupted);
        assert_eq!(outcome.stages.last().unwrap().kind, kind);
        assert_eq!(
            outcome.stages.last().unwrap().outcome,
            StageEnd::Interrupted
        );
        assert_eq!(
            (started, ended),
            (outcome.stages.len(), outcome.stages.len())
        );
    }
}

#[test]
fn the_clock_starts_where_the_caller_says() {
    let model = groups();
    let mut control = SearchControl {
        started: Instant::now().checked_sub(Duration::from_secs(30)).unwrap(),
        ..SearchControl::default()
    };
    let problem = SearchProblem::new(&Highs, &model);
    let settings = SearchSettings::of(Method::Solver);
    let params = Params::with_time_limit(20.0);
    let outcome = search(&problem, &settings, &params, &mut control).unwrap();
    assert_eq!(
        (outcome.status, outcome.stages.len()),
        (SearchStatus::TimeLimit, 0)
    );
    assert!(outcome.time >= 30.0);
    let params = Params::with_time_limit(60.0);
    let outcome = search(&problem, &settings, &params, &mut control).unwrap();
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert!(outcome.trajectory[0].time >= 30.0);
}

#[test]
fn a_first_solution_does_not_wait_for_the_better_scores() {
    let model = groups();
    // The first of each group is right; in the past it was the second.
    let score = |right: usize| (0..50).map(move |j| if j % 5 == right { 0.9 } else { 0.01 });
    let (past, better): (Vec<f32>, Vec<f32>) = (score(1).collect(), score(0).collect());
    let asked = std::cell::Cell::new(0);
    let ask = || {
        asked.set(asked.get() + 1);
        LateScores {
            sets: vec![ScoreSet::new(ScoreOrigin::Network, better.clone())],
            bound: Some(10.0),
            ..LateScores::default()
        }
    };
    let past = [ScoreSet::new(ScoreOrigin::ZeroFrequency, past)];
    let problem = SearchProblem {
        sets: &past,
        late: Some(&ask),
        ..SearchProblem::new(&Highs, &model)
    };
    let params = Params::with_time_limit(30.0);
    // These solve the model in no time.
    let mut settings = SearchSettings::of(Method::Idpas);
    settings.staged.without = vec![Source::Whole, Source::First, Source::Neighbourhoods];
    let mut control = SearchControl::default();
    let outcome = search(&problem, &settings, &params, &mut control).unwrap();
    assert_eq!(asked.get(), 1);
    assert_eq!(outcome.status, SearchStatus::Optimal);
    assert_eq!(outcome.trajectory[0].objective, 20.0);
    let band = |origin| StageKind::Band { origin, most: 0.5 };
    let first = band(ScoreOrigin::ZeroFrequency);
    assert_eq!(outcome.trajectory[0].stage, first);
    let best = outcome.trajectory.last().unwrap();
    assert_eq!(
        (best.objective, best.stage),
        (10.0, band(ScoreOrigin::Network))
    );
    let tries = |source| {
        let report = outcome
            .sources
            .iter()
            .find(|report| report.source == source);
        report.map(|report| (report.tries, report.improved))
    };
    assert_eq!(tries(Source::Prediction), Some((1, 0)));
    let network = Source::Bands(ScoreOrigin::Network);
    assert_eq!(tries(network), Some((1, 1)));

    // Whoever is asked may not know.
    let silent = SearchProblem {
        sets: &past,
        late: Some(&LateScores::default),
        ..SearchProblem::new(&Highs, &model)
    };
    let mut control = SearchControl::default();
    let outcome = search(
        &silent,
        &SearchSettings::of(Method::Idpas),
        &params,
        &mut control,
    )
    .unwrap();
    assert_eq!(outcome.solution.unwrap().objective, 10.0);
}

#[test]
fn settings_and_scores_that_mean_nothing_are_refused() {
    let model = groups();
    let mut control = SearchControl::default();
    let problem = SearchProblem {
        scores: Some(&[0.5; 3]),
        ..SearchProblem::new(&Highs, &model)
    };
    let params = Params::default();
    let refused = search(&problem, &SearchSettings::default(), &params, &mut control);
    assert!(matches!(
        refused,
        Err(SearchError::Scores {
            found: 3,
            expected: 50
        })
    ));
    let mut stall = by_amounts(Method::IdPasPlus);
    stall.schedule.stall_share = f64::NAN;
    let mut least = by_amounts(Method::IdPasPlus);
    least.staged.sub_least = -1.0;
    for (settings, wrong) in [(stall, "stall_share"), (least, "sub_least")] {
        let problem = SearchProblem::new(&Highs, &model);
        let refused = search(&problem, &settings, &params, &mut control);
        assert!(matches!(refused, Err(SearchError::Setting { name, .. }) if name == wrong));
    }
}

#[test]
fn settings_and_outcomes_have_a_json_form() {
    let settings = SearchSettings::of(Method::ZeroFrequency);
    let text = serde_json::to_string(&settings).unwrap();
    assert!(
        text.contains(r#""method":"zero-frequency""#) && text.contains(r#""delta":"1%""#),
        "{text}"
    );
    assert_eq!(
        serde_json::from_str::<SearchSettings>(&text).unwrap(),
        settings
    );
    let some: SearchSettings =
        serde_json::from_str(r#"{"selection": {"k0_binaries": "n12"}}"#).unwrap();
    assert_eq!(some.selection.k0_binaries, Amount::Count(12));
    assert!(serde_json::from_str::<SearchSettings>(r#"{"selections": {}}"#).is_err());

    let model = groups();
    let outcome = run(&model, &[0.5; 50], &settings, 20.0);
    let json = serde_json::to_value(&outcome).unwrap();
    assert_eq!(json["status"], "optimal");
    assert_eq!(
        json["stages"][0]["name"],
        outcome.stages[0].kind.to_string()
    );
    assert_eq!(json["stages"][0]["outcome"], "exhausted");
    assert_eq!(
        json["trajectory"][0]["stage"],
        outcome.trajectory[0].stage.to_string()
    );
    assert!(json["explain"]["reduction"]["columns"].is_number());
}

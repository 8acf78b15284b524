//! A solver that panics, fails, never returns, is deaf or gives back nonsense: no wrong answer leaves, no search outlives its
//! limit, and what was found before is kept.
//!
//! With `IDPAS_FAULTS=long` there are many more searches, and their counts are printed.
#![allow(clippy::unwrap_used)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Instant;

use common::direct::{DirectSolve, solve_directly};
use common::faulty::{Fault, FaultPlan, FaultySolver};
use common::scripted::ScriptedSolver;
use common::{INTEGER_BOUNDS, Random};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::{Model, Sense};
use idpas_search::{
    LateScores, Method, ScoreOrigin, ScoreSet, SearchControl, SearchError, SearchEvent,
    SearchOutcome, SearchProblem, SearchSettings, SearchStatus, Source, oracle_scores, search,
};
use idpas_solver::highs::Highs;
use idpas_solver::{Params, Solver, Termination};

/// Seconds that a search may take after its limit: on a busy machine a thread waits for its turn.
const LATE: f64 = 5.0;

/// The first number as a rule, the second one in the long campaign.
fn so_many(short: u64, long: u64) -> u64 {
    match std::env::var_os("IDPAS_FAULTS").is_some_and(|length| length == "long") {
        true => long,
        false => short,
    }
}

/// Keeps panics that were wanted off the screen.
fn be_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let words = info.payload().downcast_ref::<&str>();
            if !words.is_some_and(|words| words.starts_with("injected")) {
                usual(info);
            }
        }));
    });
}

fn params(limit: f64, threads: usize) -> Params {
    Params {
        relative_gap: 0.0,
        threads,
        ..Params::with_time_limit(limit)
    }
}

/// A model, what is true of it, and a method with everything that it may use.
struct Case {
    model: Model,
    truth: DirectSolve,
    method: Method,
    settings: SearchSettings,
    scores: Vec<f32>,
    starts: Vec<Vec<f64>>,
    threads: usize,
    pauses: bool,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed * 7919 + 17);
        let model = common::model(&mut random, !seed.is_multiple_of(4), &INTEGER_BOUNDS);
        let truth = solve_directly(&model, &params(20.0, 1));
        let method = Method::ALL[(seed % Method::ALL.len() as u64) as usize];
        let mut settings = SearchSettings::of(method);
        // The whole model is solved at once; without it the others have something to do.
        if random.between(0, 2) == 0 {
            settings.staged.without.push(Source::Whole);
        }
        let best = truth.solution.as_ref();
        let best = best.map(|best| oracle_scores(&model, &best.values));
        let columns = model.num_columns();
        let scores = match (best, random.between(0, 1)) {
            (Some(best), 0) => best,
            _ => (0..columns).map(|_| random.unit() as f32).collect(),
        };
        let start = (0..columns).map(|_| random.between(0, 2) as f64).collect();
        Case {
            starts: match random.between(0, 1) {
                0 => vec![start],
                _ => Vec::new(),
            },
            threads: random.between(1, 2) as usize,
            pauses: random.between(0, 1) == 0,
            model,
            truth,
            method,
            settings,
            scores,
        }
    }

    /// Searches with a backend that has these faults, and expects that it ends in time.
    fn search(
        &self,
        plan: &std::sync::Arc<FaultPlan>,
        limit: f64,
    ) -> Result<SearchOutcome, SearchError> {
        be_quiet();
        let (pausing, other) = (
            FaultySolver::<true>(plan.clone()),
            FaultySolver::<false>(plan.clone()),
        );
        let solver: &dyn Solver = if self.pauses { &pausing } else { &other };
        let set = |origin| ScoreSet::new(origin, self.scores.clone());
        let sets = [set(ScoreOrigin::ZeroFrequency)];
        let late = || LateScores {
            sets: vec![set(ScoreOrigin::Network)],
            ..LateScores::default()
        };
        let problem = SearchProblem {
            scores: Some(&self.scores),
            sets: &sets,
            starts: &self.starts,
            late: Some(&late),
            ..SearchProblem::new(solver, &self.model)
        };
        let clock = Instant::now();
        let params = params(limit, self.threads);
        let done = search(
            &problem,
            &self.settings,
            &params,
            &mut SearchControl::default(),
        );
        let seconds = clock.elapsed().as_secs_f64();
        plan.end();
        assert!(seconds < limit + LATE, "{seconds} s: {plan:?} {done:#?}");
        done
    }

    /// Whatever the solver said: the solution is one, and nothing that is said contradicts it.
    fn is_honest(&self, outcome: &SearchOutcome, context: &str) {
        let context = format!("{context}\n{outcome:#?}");
        let sense = self.model.sense;
        if let Some(found) = &outcome.solution {
            let report = check(&self.model, &found.values, &Tolerances::default()).unwrap();
            assert!(report.feasible, "{context}");
            assert_eq!(report.objective, found.objective, "{context}");
            assert_ne!(outcome.status, SearchStatus::Infeasible, "{context}");
            let last = outcome.trajectory.last().unwrap();
            assert_eq!(last.objective, found.objective, "{context}");
            let close = 1e-3 * found.objective.abs().max(1.0);
            let is_beyond = |bound: f64| match sense {
                Sense::Minimize => bound > found.objective + close,
                Sense::Maximize => bound < found.objective - close,
            };
            assert!(!outcome.bound.is_some_and(is_beyond), "{context}");
        }
        assert!(outcome.bound.is_none_or(f64::is_finite), "{context}");
        assert!(outcome.gap.is_none_or(f64::is_finite), "{context}");
        let improves = |pair: &[idpas_search::TrajectoryPoint]| {
            pair[0].time <= pair[1].time && sense.is_better(pair[1].objective, pair[0].objective)
        };
        assert!(outcome.trajectory.windows(2).all(improves), "{context}");
        if outcome.status == SearchStatus::Optimal {
            let found = outcome.solution.as_ref().unwrap().objective;
            let by = (found - outcome.bound.expect(&context)).abs();
            assert!(by <= 1e-3 * found.abs().max(1.0), "{context}");
        }
        if outcome.status == SearchStatus::Unbounded {
            assert_eq!(outcome.bound, None, "{context}");
        }
        // What is shown to others can be read again.
        let text = serde_json::to_string(outcome).unwrap();
        assert!(serde_json::from_str::<SearchOutcome>(&text).is_ok());
    }

    /// What is claimed of the model is true.
    fn is_true(&self, outcome: &SearchOutcome, context: &str) {
        self.is_honest(outcome, context);
        let context = format!("{context}\n{:?}\n{outcome:#?}", self.truth.result);
        let termination = &self.truth.result.termination;
        let best = self.truth.solution.as_ref().map(|best| best.objective);
        match outcome.status {
            SearchStatus::Optimal => {
                let (found, best) = (outcome.solution.as_ref().unwrap().objective, best.unwrap());
                let close = 1e-5 * best.abs().max(1.0);
                assert!((found - best).abs() <= close, "{context}");
            }
            SearchStatus::Infeasible => {
                assert_eq!(*termination, Termination::Infeasible, "{context}");
            }
            SearchStatus::Unbounded => {
                assert_eq!(*termination, Termination::Unbounded, "{context}");
            }
            _ => {}
        }
        if let (Some(best), Some(bound), Termination::Optimal) = (best, outcome.bound, termination)
        {
            let cut = match self.model.sense {
                Sense::Minimize => bound - best,
                Sense::Maximize => best - bound,
            };
            assert!(cut <= 1e-5 * best.abs().max(1.0), "{context}");
        }
    }
}

/// Counts of a campaign.
#[derive(Debug, Default)]
struct Counts {
    searches: usize,
    faults: usize,
    optimal: usize,
    with_solution: usize,
    errors: usize,
}

impl Counts {
    fn add(&mut self, plan: &FaultPlan, done: &Result<SearchOutcome, SearchError>) {
        self.searches += 1;
        self.faults += plan.struck();
        match done {
            Ok(outcome) => {
                self.optimal += usize::from(outcome.status == SearchStatus::Optimal);
                self.with_solution += usize::from(outcome.solution.is_some());
            }
            Err(_) => self.errors += 1,
        }
    }

    #[allow(clippy::print_stdout)] // cargo shows it with --nocapture
    fn tell(&self, what: &str) {
        println!("faults: {what}: {self:?}");
    }
}

/// The limit of a search: short where a run lasts as long as it may.
fn limit(faults: &[Fault]) -> f64 {
    match faults.iter().any(|fault| fault.is_slow()) {
        true => 0.4,
        false => 5.0,
    }
}

/// An error of the solver is one of those that were injected.
fn is_injected(error: &SearchError) -> bool {
    let words = error.to_string();
    ["injected", "panicked", "its thread ended", "gave no reason"]
        .iter()
        .any(|known| words.contains(known))
}

#[test]
fn what_is_claimed_is_true_whatever_breaks_down() {
    let mut counts = Counts::default();
    for seed in 0..so_many(300, 2_000) {
        let case = Case::new(seed);
        // One kind of fault, or all but those that take their time.
        let one = [Fault::BREAKDOWNS[(seed / 10) as usize % Fault::BREAKDOWNS.len()]];
        let quick = Fault::BREAKDOWNS.map(|fault| match fault.is_slow() {
            true => Fault::PanicAtEnd,
            false => fault,
        });
        let faults = if seed % 3 == 0 { &quick[..] } else { &one };
        let plan = FaultPlan::often(faults, seed);
        let done = case.search(&plan, limit(faults));
        let context = format!("seed {seed}, {}, {plan:?}", case.method);
        match &done {
            Ok(outcome) => case.is_true(outcome, &context),
            Err(error) => assert!(is_injected(error), "{error}: {context}"),
        }
        counts.add(&plan, &done);
    }
    counts.tell("breakdowns");
    assert!(counts.faults > counts.searches / 4, "{counts:?}");
    assert!(counts.with_solution > counts.searches / 3, "{counts:?}");
}

#[test]
fn a_solver_that_lies_spoils_no_solution() {
    let mut counts = Counts::default();
    for seed in 0..so_many(300, 2_000) {
        let case = Case::new(seed + 100_000);
        let one = [Fault::LIES[(seed / 10) as usize % Fault::LIES.len()]];
        let faults = if seed % 3 == 0 {
            &Fault::LIES[..]
        } else {
            &one
        };
        let plan = FaultPlan::often(faults, seed);
        let done = case.search(&plan, 2.0);
        let context = format!("seed {seed}, {}, {plan:?}", case.method);
        match &done {
            Ok(outcome) => case.is_honest(outcome, &context),
            Err(error) => panic!("{error}: {context}"),
        }
        counts.add(&plan, &done);
    }
    counts.tell("lies");
    assert!(counts.faults > counts.searches / 4, "{counts:?}");
}

/// Where one run of several breaks down, the others find what there is to find.
#[test]
fn one_breakdown_does_not_cost_the_answer() {
    let mut counts = Counts::default();
    for seed in 0..so_many(300, 2_000) {
        let mut case = Case::new(10 * seed + 200_000 + 5);
        assert_eq!(case.method, Method::Idpas);
        case.settings.staged.without.clear();
        // Without integers there is one run only.
        if case.truth.result.termination != Termination::Optimal || !case.model.has_integers() {
            continue;
        }
        let quick = Fault::BREAKDOWNS.iter().filter(|fault| !fault.is_slow());
        let quick: Vec<Fault> = quick.copied().collect();
        let fault = quick[seed as usize % quick.len()];
        let plan = FaultPlan::once(fault, (seed / 17) as usize % 3);
        let done = case.search(&plan, 5.0);
        let context = format!("seed {seed}, {plan:?}");
        match &done {
            Ok(outcome) => {
                case.is_true(outcome, &context);
                assert!(outcome.solution.is_some(), "{context} {outcome:#?}");
            }
            Err(error) => panic!("{error}: {context}"),
        }
        counts.add(&plan, &done);
    }
    counts.tell("one breakdown");
}

/// Backends that callers bring need not be engines: nothing looked at what they give back before.
#[test]
fn vectors_of_other_lengths_are_no_solutions() {
    let mut random = Random(3);
    let model = common::model(&mut random, true, &[(0.0, 1.0)]);
    let columns = model.num_columns();
    let vectors = [
        vec![],
        vec![1.0; columns - 1],
        vec![1.0; columns + 1],
        vec![f64::NAN; columns],
        vec![f64::INFINITY; columns],
    ];
    for method in Method::ALL {
        for vector in &vectors {
            let solver = ScriptedSolver {
                incumbent: Some(vector.clone()),
                relaxed: Some(vector.clone()),
                found: Some(f64::NAN),
                final_bound: f64::NAN,
                termination: Termination::Optimal,
                ..ScriptedSolver::default()
            };
            let scores = vec![0.2; columns];
            let problem = SearchProblem {
                scores: Some(&scores),
                ..SearchProblem::new(&solver, &model)
            };
            let settings = SearchSettings::of(method);
            let mut control = SearchControl::default();
            let done = search(&problem, &settings, &params(0.3, 1), &mut control);
            let outcome = done.unwrap();
            assert_eq!(outcome.bound, None, "{method} {vector:?}");
            assert_ne!(outcome.status, SearchStatus::Optimal, "{method} {vector:?}");
        }
    }
}

/// The observer is the caller's: its panic is not taken for one of the solver.
#[test]
fn a_panic_of_the_observer_reaches_the_caller() {
    be_quiet();
    let case = Case::new(4);
    let problem = SearchProblem::new(&Highs, &case.model);
    for method in [Method::Solver, Method::Idpas, Method::Pas] {
        let mut observer = |event: SearchEvent<'_>| {
            if let SearchEvent::Incumbent { .. } = event {
                panic!("injected: by the observer");
            }
        };
        let mut control = SearchControl {
            observer: Some(&mut observer),
            ..SearchControl::default()
        };
        let settings = SearchSettings::of(method);
        let searched = AssertUnwindSafe(|| {
            search(&problem, &settings, &params(5.0, 1), &mut control).map(drop)
        });
        let panic = catch_unwind(searched).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&"injected: by the observer"));
    }
}

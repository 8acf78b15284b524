//! Many models, each with advice of several kinds by several methods, on all processors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use idpas::write_model;
use idpas_base::random::Random;

use super::alone::solver_is_wrong;
use super::claims::{Claim, faults};
use super::guides::Guides;
use super::lies::Lie;
use super::models::{Case, case};
use super::runs::{Ran, Way, by_facade, by_search, ways};
use super::tally::Tally;

/// Runs of each model: by the search with scores and starts, and by the facade with model files and histories.
const SEARCHES: u64 = 6;
const FACADES: u64 = 2;
/// No run has more than two seconds; one that takes this many is a fault, however busy the machine is.
const TOO_LONG: f64 = 120.0;

/// What a campaign throws.
pub struct Campaign<'a> {
    pub seed: u64,
    /// Number of the first model.
    pub first: u64,
    pub models: u64,
    pub guides: &'a [Guides],
    /// Where models are written with which something went wrong.
    pub out: PathBuf,
}

/// One run of a model.
enum Throw {
    Search(Way, Lie),
    Facade(Way),
}

impl Campaign<'_> {
    pub fn run(&self) -> Tally {
        let (next, tally) = (AtomicU64::new(self.first), Mutex::new(Tally::default()));
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    let mut own = Tally::default();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.first + self.models {
                            break;
                        }
                        self.model(number, &mut own);
                    }
                    tally.lock().expect("no thread panics").add(own);
                });
            }
        });
        tally.into_inner().expect("no thread panics")
    }

    /// All runs of model number `number`.
    fn model(&self, number: u64, tally: &mut Tally) {
        let case = case(self.seed, number);
        tally.count_model(case.class, &case.truth);
        for run in 0..SEARCHES + FACADES {
            self.throw(&case, number, run, tally);
        }
    }

    /// Methods, advice and threads take turns, so that each combination comes up equally often.
    fn throw(&self, case: &Case, number: u64, run: u64, tally: &mut Tally) {
        let ways = ways();
        let turn = |count: u64, at: u64, of: usize| {
            let turn = (number * count + at) as usize;
            (turn % of, turn / of)
        };
        let (throw, threads) = match run.checked_sub(SEARCHES) {
            None => {
                let (way, rest) = turn(SEARCHES, run, ways.len());
                let lie = Lie::ALL[rest % Lie::ALL.len()];
                (Throw::Search(ways[way], lie), 1 + rest / Lie::ALL.len() % 2)
            }
            Some(at) => {
                let (way, rest) = turn(FACADES, at, ways.len());
                (Throw::Facade(ways[way]), 1 + rest % 2)
            }
        };
        let mut random = Random::new(self.seed, "advice", number * (SEARCHES + FACADES) + run);
        let clock = Instant::now();
        let ran = catch_unwind(AssertUnwindSafe(|| match &throw {
            Throw::Search(way, lie) => by_search(case, *way, *lie, threads, &mut random),
            Throw::Facade(way) => by_facade(case, *way, self.guides, threads, &mut random),
        }));
        let (way, advice) = match throw {
            Throw::Search(way, lie) => (way, format!("{lie:?}")),
            Throw::Facade(way) => (way, "ModelFile".to_owned()),
        };
        let mut wrong = Vec::new();
        if clock.elapsed().as_secs_f64() > TOO_LONG {
            wrong.push(format!("it took {} s", clock.elapsed().as_secs()));
        }
        let ran: Ran = ran.unwrap_or_else(|_| {
            wrong.push("it panicked".to_owned());
            Err("it panicked".to_owned())
        });
        if let Ok(outcome) = &ran {
            wrong.extend(faults(case, &Claim::of(outcome)));
        }
        let method = match way.is_paper {
            true => format!("{} (paper)", way.method),
            false => way.method.to_string(),
        };
        if !wrong.is_empty() {
            let place = format!("{}-{number}", self.seed);
            let path = self.out.join(format!("{place}.mps"));
            keep(case, &path);
            let is_solvers = tally.is_solvers(number, || solver_is_wrong(case));
            let faults = match is_solvers {
                true => &mut tally.faults_of_solver,
                false => &mut tally.faults,
            };
            faults.push(format!(
                "seed {}, model {number} ({:?}), run {run}: {method}, {advice}, {threads} threads: {} ({})",
                self.seed,
                case.class,
                wrong.join("; "),
                words_of(&ran)
            ));
        }
        let name = format!("model {number}, run {run}");
        tally.count_run((method, advice, threads), name, &case.truth, &ran);
    }
}

/// How a run ended, with its stages.
fn words_of(ran: &Ran) -> String {
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error) => return error.clone(),
    };
    let stages = outcome.stages.iter();
    let stages: Vec<String> = stages
        .map(|s| format!("{:?} {:?} with bound {:?}", s.kind, s.outcome, s.bound))
        .collect();
    format!("{}: {}", outcome.status.as_str(), stages.join(", "))
}

/// Writes the model beside others; a campaign goes on without.
fn keep(case: &Case, path: &Path) {
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = write_model(&case.model, path);
}

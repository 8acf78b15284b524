//! From a folder of instances to a guide with evidence, in one call: collect, train, tune, judge.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idpas_base::process::Commands;
use idpas_evaluate::judgement::{JudgedRun, Judgement, Verdict};
use idpas_evaluate::tune::{TuneEvent, TuneOverrides};
use idpas_evaluate::{EvaluateError, JudgeRequest, TuneRequest, judge, tune};
use idpas_learn::train::{Begin, Stopped, TrainControl, TrainProgress, is_unfinished};
use idpas_learn::{Examples, LearnError, Learned, Recipe, Train, TrainedModel};
use idpas_pools::PoolError;
use idpas_pools::collect::{CollectOptions, CollectProgress, CollectStop, CollectSummary, collect};
use idpas_pools::manifest::SplitRule;
use idpas_pools::split::{Part, Proportions};
use idpas_search::sidecar;
use idpas_search::tuned::TunedSettings;

use crate::Guide;

/// The shares of the time that the steps get.
const COLLECT: f64 = 0.55;
const TRAIN: f64 = 0.15;
const TUNE: f64 = 0.1;
const JUDGE: f64 = 0.2;
/// Validation instances that settings are chosen on, at most; the guide is judged on others where there are enough.
const TUNED_ON: usize = 3;
/// Instances that a guide is judged on, at most.
const JUDGED_ON: usize = 12;
/// Seconds of a solve for which the guide is made, if the user does not say: within these.
const SOLVE: (f64, f64) = (1.0, 60.0);
/// How often an interrupt is looked for while pools are collected.
const POLL: Duration = Duration::from_millis(50);

/// How a family is learned.
#[derive(Clone, Debug)]
pub struct Learn<'a> {
    /// A folder of instances, or a list of them.
    pub instances: PathBuf,
    /// The file of the guide; what was tuned for it and how it was judged are kept beside it.
    pub out: PathBuf,
    /// How pools are collected, and where: they stay, and are gone on with when the family is learned again. Solver, worker and
    /// number of workers are those of all steps; the budget is taken from the one below.
    pub collect: CollectOptions,
    /// Seconds for everything, by the clock on the wall.
    pub budget: f64,
    /// Seconds of the solves for which the guide is made; chosen by the budget if not given.
    pub time_limit: Option<f64>,
    /// What is trained.
    pub recipe: Recipe,
    /// How the solves of tuning and judging are started, and what interrupts everything.
    pub commands: &'a Commands,
}

/// The steps of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LearnStep {
    /// Good solutions of every instance.
    Collect,
    /// What they have in common.
    Train,
    /// How to search with it.
    Tune,
    /// What to expect of it, against the plain solver.
    Judge,
}

impl LearnStep {
    /// All steps in their order.
    pub const ALL: [LearnStep; 4] = [
        LearnStep::Collect,
        LearnStep::Train,
        LearnStep::Tune,
        LearnStep::Judge,
    ];

    /// One word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            LearnStep::Collect => "collecting",
            LearnStep::Train => "training",
            LearnStep::Tune => "tuning",
            LearnStep::Judge => "judging",
        }
    }
}

/// What happens while a family is learned.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum LearnEvent<'a> {
    /// A step begins, which will take about this many seconds at most.
    Step(LearnStep, f64),
    /// An event of collecting.
    Collect(&'a CollectProgress),
    /// An event of training.
    Train(&'a TrainProgress<'a>),
    /// An event of tuning.
    Tune(&'a TuneEvent<'a>),
    /// A run of the judgement is over.
    Judged {
        /// The run.
        run: &'a JudgedRun,
        /// How many there are.
        done: usize,
        /// How many there will be.
        total: usize,
    },
    /// Something worth knowing.
    Notice(&'a str),
}

/// Who watches, from several threads.
pub type LearnObserver<'a> = dyn Fn(&LearnEvent<'_>) + Sync + 'a;

/// A family that was learned.
#[derive(Clone)]
pub struct LearnedFamily {
    /// What collecting did.
    pub collected: CollectSummary,
    /// The guide, with its tuned settings.
    pub guide: Guide,
    /// Training instances, and validation instances, with a pool.
    pub instances: (usize, usize),
    /// Seconds of the solves for which the guide was made.
    pub time_limit: f64,
    /// What to expect of it; `None` if there is no validation instance.
    pub verdict: Option<Verdict>,
}

/// A family that could not be learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnFamilyError {
    /// It was interrupted; called again, it goes on.
    #[error("interrupted")]
    Interrupted,
    /// The time is none.
    #[error("budget: {0}; expected seconds above 0")]
    Budget(f64),
    /// Collecting failed.
    #[error(transparent)]
    Collect(#[from] PoolError),
    /// No instance of the training set has a solution.
    #[error("no instance has a solution to learn from{}; more time may find one", first(.0))]
    NothingCollected(Box<CollectSummary>),
    /// Training failed.
    #[error(transparent)]
    Train(LearnError),
    /// Tuning or judging failed.
    #[error(transparent)]
    Evaluate(EvaluateError),
}

fn first(summary: &CollectSummary) -> String {
    match summary.failed.first() {
        Some(failure) => format!(" ({}: {})", failure.name, failure.reason),
        None => String::new(),
    }
}

impl From<LearnError> for LearnFamilyError {
    fn from(error: LearnError) -> Self {
        match error {
            LearnError::Interrupted => LearnFamilyError::Interrupted,
            other => LearnFamilyError::Train(other),
        }
    }
}

impl From<EvaluateError> for LearnFamilyError {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Interrupted => LearnFamilyError::Interrupted,
            other => LearnFamilyError::Evaluate(other),
        }
    }
}

impl Learn<'_> {
    /// How the instances are divided: most to learn from, the rest to choose and judge by.
    pub const SPLIT: Proportions = Proportions {
        train: 4,
        validation: 1,
        test: 0,
    };

    /// Where pools are by default: `guide.safetensors` has `guide.pools` beside it.
    pub fn pools_beside(out: &Path) -> PathBuf {
        out.with_extension("pools")
    }

    /// Does all steps that are not done yet.
    pub fn run(&self, observer: &LearnObserver<'_>) -> Result<LearnedFamily, LearnFamilyError> {
        if !(self.budget > 0.0 && self.budget.is_finite()) {
            return Err(LearnFamilyError::Budget(self.budget));
        }
        let collected = self.collect(observer)?;
        let examples = Examples::open(&self.collect.out);
        let Ok(examples) = examples else {
            return Err(LearnFamilyError::NothingCollected(Box::new(collected)));
        };
        let instances = [Part::Train, Part::Validation].map(|part| examples.names(part).len());
        let instances = (instances[0], instances[1]);
        if instances.0 == 0 {
            return Err(LearnFamilyError::NothingCollected(Box::new(collected)));
        }
        self.train(&examples, observer)?;
        let time_limit = self.solve_seconds(instances.1);
        let verdict = match instances.1 {
            0 => {
                let words = "too few instances to keep some back: settings are the usual ones, and nothing is judged";
                observer(&LearnEvent::Notice(words));
                None
            }
            count => {
                self.tune(time_limit, observer)?;
                self.judge(time_limit, count, observer)?
            }
        };
        Ok(LearnedFamily {
            collected,
            guide: Guide::read(&self.out)?,
            instances,
            time_limit,
            verdict,
        })
    }

    /// The seconds of a solve that the budget allows to judge by, unless the user has said them.
    fn solve_seconds(&self, validation: usize) -> f64 {
        self.time_limit.unwrap_or_else(|| {
            let runs = 2.0 * validation.clamp(1, JUDGED_ON) as f64;
            let each = JUDGE * self.budget * self.jobs() / runs;
            each.clamp(SOLVE.0, SOLVE.1).round()
        })
    }

    fn jobs(&self) -> f64 {
        self.collect.jobs.max(1) as f64
    }

    fn collect(&self, observer: &LearnObserver<'_>) -> Result<CollectSummary, LearnFamilyError> {
        let seconds = COLLECT * self.budget;
        observer(&LearnEvent::Step(LearnStep::Collect, seconds));
        let options = CollectOptions {
            budget: Some(seconds),
            split: SplitRule {
                proportions: Self::SPLIT,
                seed: self.collect.settings.seed,
            },
            ..self.collect.clone()
        };
        let stop = CollectStop::default();
        let ended = AtomicBool::new(false);
        let summary = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    if self.commands.is_interrupted() {
                        stop.abandon();
                    }
                    std::thread::sleep(POLL);
                }
            });
            let summary = collect(&self.instances, &options, &stop, &mut |event| {
                observer(&LearnEvent::Collect(&event));
            });
            ended.store(true, Ordering::Relaxed);
            summary
        })?;
        match summary.interrupted {
            true => Err(LearnFamilyError::Interrupted),
            false => Ok(summary),
        }
    }

    /// Trains, unless the guide that is there was trained on these pools.
    fn train(
        &self,
        examples: &Examples,
        observer: &LearnObserver<'_>,
    ) -> Result<(), LearnFamilyError> {
        let data = examples.fingerprint()?;
        let trained = TrainedModel::read(&self.out).ok();
        let is_trained = trained.is_some_and(|model| model.training.pools_sha256 == data);
        if is_trained && !is_unfinished(&self.out) {
            return Ok(());
        }
        let seconds = TRAIN * self.budget;
        observer(&LearnEvent::Step(LearnStep::Train, seconds));
        let learned = match self.train_from(Begin::Resume, seconds, examples, observer) {
            // The pools have grown since it was begun.
            Err(LearnError::File {
                what: "checkpoint", ..
            }) => self.train_from(Begin::Restart, seconds, examples, observer),
            learned => learned,
        }?;
        match learned.stopped {
            Some(Stopped::Interrupted) => Err(LearnFamilyError::Interrupted),
            _ => Ok(()),
        }
    }

    fn train_from(
        &self,
        begin: Begin,
        seconds: f64,
        examples: &Examples,
        observer: &LearnObserver<'_>,
    ) -> Result<Learned, LearnError> {
        let train = Train {
            recipe: self.recipe.clone(),
            out: Some(self.out.clone()),
            begin,
            time_limit: Some(seconds),
            threads: None,
        };
        let mut show = |event: &TrainProgress<'_>| observer(&LearnEvent::Train(event));
        let mut control = TrainControl {
            interrupt: Some(&self.commands.interrupted),
            observer: Some(&mut show),
        };
        train.run(examples, &mut control)
    }

    /// Chooses how to search, unless that was done for this guide.
    fn tune(&self, time_limit: f64, observer: &LearnObserver<'_>) -> Result<(), LearnFamilyError> {
        let seconds = TUNE * self.budget;
        let out = sidecar(&self.out);
        let model = idpas_pools::instance_hash(&self.out)?;
        let tuned = TunedSettings::read(&out).ok().flatten();
        if tuned.is_some_and(|tuned| tuned.model_sha256 == model) {
            return Ok(());
        }
        observer(&LearnEvent::Step(LearnStep::Tune, seconds));
        let settings = TuneOverrides {
            time_limit: Some(time_limit.min(seconds * self.jobs() / (2 * TUNED_ON) as f64)),
            count: Some(TUNED_ON),
            budget: Some(seconds * self.jobs()),
            jobs: u16::try_from(self.collect.jobs).ok(),
            solver: Some(self.collect.settings.solver.clone()),
            ..TuneOverrides::default()
        };
        let request = TuneRequest {
            model: &self.out,
            instances: &self.collect.out,
            settings,
            out: Some(&out),
            commands: self.commands,
            deadline: Default::default(),
        };
        tune(&request, &|event| observer(&LearnEvent::Tune(event)))?;
        Ok(())
    }

    fn judge(
        &self,
        time_limit: f64,
        validation: usize,
        observer: &LearnObserver<'_>,
    ) -> Result<Option<Verdict>, LearnFamilyError> {
        // Not on those that settings were chosen on, if enough others are left.
        let fresh = validation.saturating_sub(TUNED_ON);
        let count = match fresh >= TUNED_ON {
            true => fresh.min(JUDGED_ON),
            false => validation,
        };
        let jobs = self.jobs();
        let seconds = 2.0 * count as f64 * time_limit / jobs;
        observer(&LearnEvent::Step(LearnStep::Judge, seconds));
        let request = JudgeRequest {
            model: &self.out,
            instances: &self.collect.out,
            count,
            time_limit,
            solver: &self.collect.settings.solver,
            jobs: Some(self.collect.jobs),
            out: &Judgement::beside(&self.out),
            commands: self.commands,
        };
        let judgement = judge(&request, &|run, done, total| {
            observer(&LearnEvent::Judged { run, done, total });
        })?;
        Ok(judgement.verdict())
    }
}

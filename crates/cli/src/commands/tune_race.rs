//! A race whose evaluations are remembered, and shared with other processes that run the same race: each makes those
//! that nobody else is making, all see all results, and so all come to the same choice.

use idpas_base::claim::Backoff;
use idpas_base::threads;
use idpas_search::SearchSettings;
use idpas_search::measure::integral;
use idpas_search::tune::{Cost, Evaluation, Plan, RungReport, Trial, race_in_batches};
use serde::Serialize;

use super::tune_batch::{Batch, Next};
use super::tune_display::TuneDisplay;
use super::tune_instances::Instances;
use super::tune_record::{Key, Made, Record};
use super::tune_run::Runner;
use crate::failure::Failure;

/// Why a race ended without a choice.
pub(super) enum Stopped {
    Interrupted,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failed(failure)
    }
}

/// The choice and its evidence. Costs are mean primal gaps over the time, to the best values known at the end.
#[derive(Serialize)]
pub(super) struct Chosen {
    pub(super) candidate: usize,
    /// Its mean cost in the last rung.
    pub(super) cost: Option<f64>,
    pub(super) instances: Vec<Reference>,
    pub(super) rungs: Vec<RungReport>,
    pub(super) evaluations: Vec<Evaluation>,
    #[serde(skip)]
    pub(super) settings: SearchSettings,
    /// Seconds of all evaluations.
    #[serde(skip)]
    pub(super) solving: f64,
}

/// An instance and the value that costs are measured by.
#[derive(Serialize)]
pub(super) struct Reference {
    name: String,
    sha256: String,
    best_known: Option<f64>,
}

/// All that a race needs.
pub(super) struct Race<'a> {
    pub(super) record: Record,
    pub(super) runner: Runner<'a>,
    pub(super) instances: &'a Instances,
    pub(super) model_sha256: &'a str,
    pub(super) jobs: usize,
    pub(super) display: &'a TuneDisplay,
}

impl Race<'_> {
    pub(super) fn run(
        &self,
        candidates: &[SearchSettings],
        plan: &Plan,
    ) -> Result<Chosen, Stopped> {
        let list = &self.instances.list;
        let mut references: Vec<Option<f64>> = list.iter().map(|i| i.best_known).collect();
        self.display.plan(plan, candidates.len(), self.jobs);
        let choice = race_in_batches(candidates, plan, |trials| {
            let made = self.evaluate(trials)?;
            // Only what this race has seen so far counts, so that it takes the same way when it is resumed.
            for (trial, made) in trials.iter().zip(&made) {
                improve(
                    &mut references[trial.instance],
                    made,
                    self.sense(trial.instance),
                );
            }
            let costs = trials.iter().zip(&made).map(|(trial, made)| Cost {
                cost: cost(made, trial.time_limit, references[trial.instance]),
                seconds: made.seconds,
            });
            Ok::<_, Stopped>(costs.collect())
        })?;
        let Some(mut choice) = choice else {
            let why = "there is nothing to choose from";
            return Err(Failure::Internal(why.into()).into());
        };
        for evaluation in &mut choice.evaluations {
            let settings = &candidates[evaluation.candidate];
            let key = self.key(settings, evaluation.instance, evaluation.time_limit);
            if let Some(made) = &self.record.get(&key) {
                let reference = references[evaluation.instance];
                evaluation.cost = cost(made, evaluation.time_limit, reference);
            }
        }
        let (candidate, cost) = settle(&mut choice.rungs, &choice.evaluations)
            .map_or((choice.candidate, None), |(best, cost)| (best, Some(cost)));
        let references = list.iter().zip(references);
        Ok(Chosen {
            candidate,
            cost,
            instances: references
                .map(|(instance, best_known)| Reference {
                    name: instance.name.clone(),
                    sha256: instance.sha256.clone(),
                    best_known,
                })
                .collect(),
            rungs: choice.rungs,
            evaluations: choice.evaluations,
            settings: candidates[candidate].clone(),
            solving: choice.seconds,
        })
    }

    fn sense(&self, instance: usize) -> idpas_mip::Sense {
        self.instances.list[instance].sense
    }

    fn key(&self, settings: &SearchSettings, instance: usize, time_limit: f64) -> Key {
        let instance = &self.instances.list[instance];
        Key {
            model_sha256: self.model_sha256.to_owned(),
            instance: instance.name.clone(),
            instance_sha256: instance.sha256.clone(),
            settings: settings.clone(),
            time_limit,
            threads: self.runner.threads,
            seed: self.runner.seed,
        }
    }

    /// Makes the evaluations that nobody has made, several at a time, and gives all.
    fn evaluate(&self, trials: &[Trial<'_>]) -> Result<Vec<Made>, Stopped> {
        let keys: Vec<Key> = trials
            .iter()
            .map(|trial| self.key(trial.settings, trial.instance, trial.time_limit))
            .collect();
        let batch = Batch::new(&self.record, &keys, self.display)?;
        let work = || -> Result<(), Stopped> {
            let mut pause = Backoff::default();
            loop {
                if self.runner.is_interrupted() {
                    return Err(Stopped::Interrupted);
                }
                match batch.next()? {
                    Next::Make(at, claim) => {
                        let instance = &self.instances.list[trials[at].instance];
                        let made = self.runner.run(keys[at].clone(), &instance.path);
                        // The others need not begin anything new.
                        let made = made.inspect_err(|_| batch.give_up())?;
                        batch.add(at, &made)?;
                        drop(claim);
                        pause = Backoff::default();
                    }
                    Next::Wait => pause.sleep(),
                    Next::Done => return Ok(()),
                }
            }
        };
        std::thread::scope(|scope| {
            let jobs = self.jobs.min(batch.open());
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            threads::join(workers)
        })?;
        let made = keys.iter().filter_map(|key| self.record.get(key));
        Ok(made.collect())
    }
}

fn improve(reference: &mut Option<f64>, made: &Made, sense: idpas_mip::Sense) {
    for &(_, objective) in &made.trajectory {
        if reference.is_none_or(|old| sense.is_better(objective, old)) {
            *reference = Some(objective);
        }
    }
}

/// The mean primal gap over the time; 1 where nobody found a solution.
fn cost(made: &Made, time_limit: f64, reference: Option<f64>) -> f64 {
    let Some(reference) = reference else {
        return 1.0;
    };
    integral(made.trajectory.iter().copied(), time_limit, reference) / time_limit
}

/// Computes the means of all standings anew, and gives the best of those that went through the whole last rung.
fn settle(rungs: &mut [RungReport], evaluations: &[Evaluation]) -> Option<(usize, f64)> {
    for (at, report) in rungs.iter_mut().enumerate() {
        for standing in &mut report.standings {
            let costs: Vec<f64> = evaluations
                .iter()
                .filter(|e| e.rung == at && e.candidate == standing.candidate)
                .map(|e| e.cost)
                .collect();
            standing.mean = costs.iter().sum::<f64>() / costs.len().max(1) as f64;
        }
    }
    let last = &rungs.last()?.standings;
    let most = last.iter().map(|standing| standing.instances).max()?;
    last.iter()
        .filter(|standing| standing.instances == most)
        .map(|standing| (standing.candidate, standing.mean))
        .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
}

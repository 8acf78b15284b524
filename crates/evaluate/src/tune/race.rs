//! A race whose evaluations are remembered, and shared with other processes that run the same race: each makes those
//! that nobody else is making, all see all results, and so all come to the same choice.

use idpas_base::claim::Backoff;
use idpas_base::deadline::Deadline;
use idpas_base::threads;
use idpas_search::measure::integral;
use idpas_search::tune::{Cost, Evaluation, Plan, RungReport, Trial, paired_lead, race_in_batches};
use idpas_search::tuned::TuningInstance;
use idpas_search::{SearchSettings, SourceReport};

use super::batch::{EvaluationBatch, NextEvaluation};
use super::evaluation::AROUND_A_SEARCH;
use super::evaluation::SearchRunner;
use super::instances::ValidationSet;
use super::record::{EvaluationFile, EvaluationKey, EvaluationRecord};
use super::{TuneEvent, TuneObserver};
use crate::EvaluateError;
use crate::error::TuningProblem;

/// Seconds that an evaluation takes, about, with its process and the reading of its model.
fn most_seconds(key: &EvaluationKey) -> f64 {
    key.time_limit + AROUND_A_SEARCH
}

/// The choice and its evidence. Costs are mean primal gaps over the time, to the best values known at the end.
pub(super) struct RaceResult {
    /// The place of the chosen settings among the candidates.
    pub(super) candidate: usize,
    /// The mean cost of the chosen settings in the last rung.
    pub(super) cost: Option<f64>,
    pub(super) instances: Vec<TuningInstance>,
    pub(super) rungs: Vec<RungReport>,
    pub(super) evaluations: Vec<Evaluation>,
    /// What the sources of the chosen staged search brought, in each of its searches with the most time.
    pub(super) sources: Vec<Vec<SourceReport>>,
    /// Seconds of solving that all evaluations took.
    pub(super) seconds: f64,
}

/// All that a race needs.
pub(super) struct Race<'a> {
    pub(super) record: EvaluationFile,
    pub(super) runner: SearchRunner<'a>,
    pub(super) instances: &'a ValidationSet,
    pub(super) model_sha256: &'a str,
    /// Searches at a time.
    pub(super) jobs: usize,
    /// When this process has to be done.
    pub(super) deadline: Deadline,
    /// The first candidate is taken unless another is better by so many standard errors, pair by pair: few instances decide
    /// by chance otherwise. Without it the best on average is taken.
    pub(super) lead: Option<f64>,
    pub(super) observer: &'a TuneObserver<'a>,
}

impl Race<'_> {
    /// Runs the race to its choice.
    pub(super) fn run(
        &self,
        candidates: &[SearchSettings],
        plan: &Plan,
    ) -> Result<RaceResult, EvaluateError> {
        let list = &self.instances.list;
        let mut references: Vec<Option<f64>> = list.iter().map(|i| i.best_known).collect();
        (self.observer)(&TuneEvent::Planned {
            plan,
            candidates: candidates.len(),
            jobs: self.jobs,
        });
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
            Ok::<_, EvaluateError>(costs.collect())
        })?;
        let Some(mut choice) = choice else {
            return Err(TuningProblem::NoCandidates.into());
        };
        for evaluation in &mut choice.evaluations {
            let settings = &candidates[evaluation.candidate];
            let key = self.key(settings, evaluation.instance, evaluation.time_limit);
            if let Some(made) = &self.record.get(&key) {
                let reference = references[evaluation.instance];
                evaluation.cost = cost(made, evaluation.time_limit, reference);
            }
        }
        let (candidate, cost) = settle(&mut choice.rungs, &choice.evaluations, self.lead)
            .map_or((choice.candidate, None), |(best, cost)| (best, Some(cost)));
        let sources = self.sources(&candidates[candidate], candidate, &choice.evaluations);
        let references = list.iter().zip(references);
        Ok(RaceResult {
            sources,
            candidate,
            cost,
            instances: references
                .map(|(instance, best_known)| TuningInstance {
                    name: instance.name.clone(),
                    sha256: instance.sha256.clone(),
                    best_known,
                })
                .collect(),
            rungs: choice.rungs,
            evaluations: choice.evaluations,
            seconds: choice.seconds,
        })
    }

    /// What the sources of a candidate brought, in each of its searches with the most time.
    fn sources(
        &self,
        settings: &SearchSettings,
        candidate: usize,
        evaluations: &[Evaluation],
    ) -> Vec<Vec<SourceReport>> {
        let own = || evaluations.iter().filter(|e| e.candidate == candidate);
        let longest = own().map(|e| e.time_limit).fold(0.0, f64::max);
        own()
            .filter(|e| e.time_limit == longest)
            .filter_map(|e| self.record.get(&self.key(settings, e.instance, longest)))
            .map(|made| made.sources)
            .collect()
    }

    fn sense(&self, instance: usize) -> idpas_mip::Sense {
        self.instances.list[instance].sense
    }

    fn key(&self, settings: &SearchSettings, instance: usize, time_limit: f64) -> EvaluationKey {
        let instance = &self.instances.list[instance];
        EvaluationKey {
            model_sha256: self.model_sha256.to_owned(),
            instance: instance.name.clone(),
            instance_sha256: instance.sha256.clone(),
            settings: settings.clone(),
            time_limit,
            threads: self.runner.threads,
            seed: self.runner.seed,
            solver: self.runner.solver.to_owned(),
        }
    }

    /// Makes the evaluations that nobody has made, several at a time, and gives all.
    fn evaluate(&self, trials: &[Trial<'_>]) -> Result<Vec<EvaluationRecord>, EvaluateError> {
        let keys: Vec<EvaluationKey> = trials
            .iter()
            .map(|trial| self.key(trial.settings, trial.instance, trial.time_limit))
            .collect();
        let batch = EvaluationBatch::new(&self.record, &keys, self.observer)?;
        let work = || -> Result<(), EvaluateError> {
            let mut pause = Backoff::default();
            loop {
                if self.runner.is_interrupted() {
                    return Err(EvaluateError::Interrupted);
                }
                match batch.next()? {
                    NextEvaluation::Make(at, _)
                        if !self.deadline.allows(most_seconds(&keys[at])) =>
                    {
                        batch.give_up();
                        return Err(EvaluateError::TimeOver);
                    }
                    NextEvaluation::Wait if self.deadline.is_over() => {
                        return Err(EvaluateError::TimeOver);
                    }
                    NextEvaluation::Make(at, claim) => {
                        let instance = &self.instances.list[trials[at].instance];
                        let made = self.runner.run(keys[at].clone(), &instance.path);
                        // The others need not begin anything new.
                        let made = made.inspect_err(|_| batch.give_up())?;
                        batch.add(at, &made)?;
                        drop(claim);
                        pause = Backoff::default();
                    }
                    NextEvaluation::Wait => pause
                        .sleep_unless(|| self.runner.is_interrupted() || self.deadline.is_over()),
                    NextEvaluation::Done => return Ok(()),
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

/// Raises the best value known of an instance to the best of an evaluation.
fn improve(reference: &mut Option<f64>, made: &EvaluationRecord, sense: idpas_mip::Sense) {
    for &(_, objective) in &made.trajectory {
        if reference.is_none_or(|old| sense.is_better(objective, old)) {
            *reference = Some(objective);
        }
    }
}

/// The mean primal gap over the time; 1 where nobody found a solution.
fn cost(made: &EvaluationRecord, time_limit: f64, reference: Option<f64>) -> f64 {
    let Some(reference) = reference else {
        return 1.0;
    };
    integral(made.trajectory.iter().copied(), time_limit, reference) / time_limit
}

/// The place of the usual settings.
const USUAL: usize = 0;

/// Computes the means of all standings anew, and gives the best of those that went through the whole last rung; the usual
/// settings, if they did, unless the best is better by `lead` standard errors.
fn settle(
    rungs: &mut [RungReport],
    evaluations: &[Evaluation],
    lead: Option<f64>,
) -> Option<(usize, f64)> {
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
    let at = rungs.len() - 1;
    let last = &rungs.last()?.standings;
    let most = last.iter().map(|standing| standing.instances).max()?;
    let finalists = || last.iter().filter(|standing| standing.instances == most);
    let best = finalists()
        .map(|standing| (standing.candidate, standing.mean))
        .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))?;
    let costs = |candidate: usize| -> Vec<f64> {
        let own = |e: &&Evaluation| e.rung == at && e.candidate == candidate;
        evaluations.iter().filter(own).map(|e| e.cost).collect()
    };
    let usual = finalists().find(|standing| standing.candidate == USUAL);
    Some(match (usual, lead) {
        (Some(usual), Some(lead)) if !is_clear(&costs(USUAL), &costs(best.0), lead) => {
            (USUAL, usual.mean)
        }
        _ => best,
    })
}

/// Whether the second costs are smaller than the first, pair by pair, by so many standard errors on average. What a single
/// pair says is worth one.
fn is_clear(usual: &[f64], best: &[f64], errors: f64) -> bool {
    match paired_lead(best, usual) {
        Some((mean, error)) => mean > errors * error,
        None => errors <= 1.0 && best.iter().zip(usual).any(|(best, usual)| best < usual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_clear_by_its_standard_error() {
        let usual = [1.0, 1.0, 1.0];
        // A mean lead of 0.2 with a standard error of 0.115: clear by one, not by two.
        let (ahead, level) = ([0.6, 1.0, 0.8], [1.0, 1.0, 1.0]);
        assert!(is_clear(&usual, &ahead, 1.0) && !is_clear(&usual, &ahead, 2.0));
        assert!(is_clear(&usual, &[0.8, 0.8, 0.79], 2.0));
        assert!(!is_clear(&usual, &level, 1.0));
        assert!(is_clear(&[1.0], &[0.5], 1.0) && !is_clear(&[1.0], &[0.5], 2.0));
    }
}

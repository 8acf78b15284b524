//! Which run is made next, by which process: each begins with its own part and goes on with those of others.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::jobs::{RunPhase, WantedRun};
use super::shards::Shards;
use crate::EvaluateError;
use crate::results::{Record, Results};
use idpas_base::claim::{Claim, Claims};
use idpas_base::deadline::Deadline;

/// The runs of a benchmark.
pub(super) struct RunBoard<'a> {
    /// In the order to take them: this shard's own first.
    jobs: Vec<WantedRun<'a>>,
    /// How many of them are this shard's own.
    own: usize,
    shards: &'a Shards,
    /// How many instances the benchmark has.
    instances: usize,
    claims: Claims,
    /// When this process has to be done.
    deadline: Deadline,
    states: Mutex<Vec<RunState>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunState {
    Open,
    /// A thread of this process makes it.
    Ours,
    /// Its record is there, or it failed since this process began.
    Settled,
}

/// What a thread is to do.
pub(super) enum NextRun<'b, 'a> {
    /// Make this run, and keep the claim until its record is written.
    Make(ClaimedRun<'b, 'a>),
    /// Look again: what is left is with others, or comes after what they do.
    Wait,
    /// End: nothing that is left would be done in time.
    TimeOver,
    /// End: nothing is left, or other threads make it.
    Done,
}

/// A run that the calling thread is to make.
pub(super) struct ClaimedRun<'b, 'a> {
    pub(super) job: &'b WantedRun<'a>,
    /// Whether it is of this shard's own part.
    pub(super) own: bool,
    /// Its place on the board.
    index: usize,
    _claim: Claim,
}

/// Knows the runs that need not be made.
pub(super) trait KnownRuns<'a> {
    /// The record of a run that need not be made.
    fn record(&self, job: &WantedRun<'a>) -> Result<Option<Record>, EvaluateError>;
    /// Called for each such run of this shard's own part.
    fn seen(&self, job: &WantedRun<'a>, record: &Record);
}

/// Who makes runs of a benchmark, and who replaces its best solutions.
pub(super) fn claims(results: &Results, benchmark: &str) -> Claims {
    Claims::new(results.benchmark(benchmark).join("claims"))
}

impl<'a> RunBoard<'a> {
    /// `own` and `others` are to be made, in this order.
    pub(super) fn new(
        own: Vec<WantedRun<'a>>,
        others: Vec<WantedRun<'a>>,
        instances: usize,
        claims: Claims,
        shards: &'a Shards,
        deadline: Deadline,
    ) -> Self {
        let count = own.len();
        let jobs: Vec<WantedRun<'a>> = own.into_iter().chain(others).collect();
        RunBoard {
            states: Mutex::new(vec![RunState::Open; jobs.len()]),
            jobs,
            own: count,
            shards,
            instances,
            claims,
            deadline,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RunState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next run to make: of this shard's own part, or, when nothing of that is left to begin, of the others that
    /// have begun.
    pub(super) fn next(
        &self,
        known: &impl KnownRuns<'a>,
    ) -> Result<NextRun<'_, 'a>, EvaluateError> {
        let mut states = self.lock();
        let own: Vec<usize> = (0..self.own).collect();
        if let Some(claimed) = self.pick(&mut states, &own, known)? {
            return Ok(NextRun::Make(claimed));
        }
        let begun = self.shards.others(self.instances);
        let others: Vec<usize> = (self.own..self.jobs.len())
            .filter(|&k| begun.contains(&self.jobs[k].at))
            .collect();
        if let Some(claimed) = self.pick(&mut states, &others, known)? {
            return Ok(NextRun::Make(claimed));
        }
        let open = || {
            let ours = own.iter().chain(&others);
            ours.filter(|&&k| states[k] == RunState::Open)
        };
        let fits = |k: &usize| self.deadline.allows(self.jobs[*k].most_seconds());
        Ok(match open().count() {
            0 => NextRun::Done,
            _ if open().any(fits) => NextRun::Wait,
            _ => NextRun::TimeOver,
        })
    }

    /// The first of some runs that is neither there nor claimed by others.
    fn pick(
        &self,
        states: &mut [RunState],
        runs: &[usize],
        known: &impl KnownRuns<'a>,
    ) -> Result<Option<ClaimedRun<'_, 'a>>, EvaluateError> {
        for &index in runs {
            let job = &self.jobs[index];
            let fits = self.deadline.allows(job.most_seconds());
            if states[index] != RunState::Open || !fits || !self.is_possible(states, job) {
                continue;
            }
            let mut record = known.record(job)?;
            if record.is_none() {
                let Some(claim) = self.claim(job)? else {
                    continue;
                };
                // Its owner before us may have written it since we looked.
                record = known.record(job)?;
                if record.is_none() {
                    states[index] = RunState::Ours;
                    return Ok(Some(ClaimedRun {
                        job,
                        own: index < self.own,
                        index,
                        _claim: claim,
                    }));
                }
            }
            states[index] = RunState::Settled;
            if let Some(record) = record.filter(|_| index < self.own) {
                known.seen(job, &record);
            }
        }
        Ok(None)
    }

    fn claim(&self, job: &WantedRun<'_>) -> Result<Option<Claim>, EvaluateError> {
        let claim = self.claims.take(&job.name());
        claim.map_err(|e| EvaluateError::Input(format!("{}: cannot claim a run: {e}", job.name())))
    }

    /// Whether all runs of the same instance in earlier phases are settled.
    fn is_possible(&self, states: &[RunState], job: &WantedRun<'_>) -> bool {
        let before = |other: &WantedRun<'_>| {
            other.instance.name == job.instance.name && other.phase < job.phase
        };
        job.phase == RunPhase::Methods
            || !self
                .jobs
                .iter()
                .zip(states)
                .any(|(other, &state)| before(other) && state != RunState::Settled)
    }

    /// Notes that the record of a run is written.
    pub(super) fn settle(&self, claimed: &ClaimedRun<'_, '_>) {
        self.lock()[claimed.index] = RunState::Settled;
    }

    /// Lets all threads end without beginning anything new.
    pub(super) fn give_up(&self) {
        self.lock().fill(RunState::Settled);
    }
}

//! Which run is made next, by which process: each begins with its own part and goes on with those of others.

use std::sync::{Mutex, MutexGuard, PoisonError};

use idpas_base::claim::{Claim, Claims};
use idpas_evaluate::results::{Record, Results};

use super::Stop;
use super::jobs::{Job, Phase};
use super::shards::Shards;
use crate::failure::Failure;

/// The runs of a benchmark.
pub(super) struct Board<'a> {
    /// In the order to take them: this shard's own first.
    jobs: Vec<Job<'a>>,
    /// How many of them are this shard's own.
    own: usize,
    shards: &'a Shards,
    /// How many instances the benchmark has.
    instances: usize,
    claims: Claims,
    states: Mutex<Vec<State>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// A thread of this process makes it.
    Ours,
    /// It is there, or failed since this process began.
    Settled,
}

/// What a thread is to do.
pub(super) enum Next<'b, 'a> {
    /// Make this run, and keep the claim until its record is written.
    Make(Turn<'b, 'a>),
    /// Look again: what is left is with others, or comes after what they do.
    Wait,
    /// End: nothing is left, or other threads make it.
    Done,
}

/// A run that is this thread's to make.
pub(super) struct Turn<'b, 'a> {
    pub(super) job: &'b Job<'a>,
    /// Whether it is of this shard's own part.
    pub(super) own: bool,
    /// Its place on the board.
    index: usize,
    _claim: Claim,
}

/// Where a board looks for runs that need not be made.
pub(super) trait Look<'a> {
    /// The record of a run that need not be made.
    fn record(&self, job: &Job<'a>) -> Result<Option<Record>, Stop>;
    /// Such a run of this shard's own part was met.
    fn seen(&self, job: &Job<'a>, record: &Record);
}

/// Who makes runs of a benchmark, and who replaces its best solutions.
pub(super) fn claims(results: &Results, benchmark: &str) -> Claims {
    Claims::new(results.benchmark(benchmark).join("claims"))
}

impl<'a> Board<'a> {
    /// `own` and `others` are to be made, in this order.
    pub(super) fn new(
        own: Vec<Job<'a>>,
        others: Vec<Job<'a>>,
        instances: usize,
        claims: Claims,
        shards: &'a Shards,
    ) -> Self {
        let count = own.len();
        let jobs: Vec<Job<'a>> = own.into_iter().chain(others).collect();
        Board {
            states: Mutex::new(vec![State::Open; jobs.len()]),
            jobs,
            own: count,
            shards,
            instances,
            claims,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next run to make: of this shard's own part, or, when nothing of that is left to begin, of the others that
    /// have begun.
    pub(super) fn next(&self, look: &impl Look<'a>) -> Result<Next<'_, 'a>, Stop> {
        let mut states = self.lock();
        let own: Vec<usize> = (0..self.own).collect();
        if let Some(turn) = self.pick(&mut states, &own, look)? {
            return Ok(Next::Make(turn));
        }
        let begun = self.shards.others(self.instances);
        let others: Vec<usize> = (self.own..self.jobs.len())
            .filter(|&k| begun.contains(&self.jobs[k].at))
            .collect();
        if let Some(turn) = self.pick(&mut states, &others, look)? {
            return Ok(Next::Make(turn));
        }
        let open = own.iter().chain(&others).any(|&k| states[k] == State::Open);
        Ok(if open { Next::Wait } else { Next::Done })
    }

    /// The first of some runs that is neither there nor claimed by others.
    fn pick(
        &self,
        states: &mut [State],
        runs: &[usize],
        look: &impl Look<'a>,
    ) -> Result<Option<Turn<'_, 'a>>, Stop> {
        for &index in runs {
            let job = &self.jobs[index];
            if states[index] != State::Open || !self.is_possible(states, job) {
                continue;
            }
            let mut record = look.record(job)?;
            if record.is_none() {
                let Some(claim) = self.claim(job)? else {
                    continue;
                };
                // Its owner before us may have written it since we looked.
                record = look.record(job)?;
                if record.is_none() {
                    states[index] = State::Ours;
                    return Ok(Some(Turn {
                        job,
                        own: index < self.own,
                        index,
                        _claim: claim,
                    }));
                }
            }
            states[index] = State::Settled;
            if let Some(record) = record.filter(|_| index < self.own) {
                look.seen(job, &record);
            }
        }
        Ok(None)
    }

    fn claim(&self, job: &Job<'_>) -> Result<Option<Claim>, Failure> {
        let claim = self.claims.take(&job.name());
        claim.map_err(|e| Failure::Usage(format!("{}: cannot claim a run: {e}", job.name())))
    }

    /// Whether all runs of the same instance in earlier phases are settled.
    fn is_possible(&self, states: &[State], job: &Job<'_>) -> bool {
        let before =
            |other: &Job<'_>| other.instance.name == job.instance.name && other.phase < job.phase;
        job.phase == Phase::Methods
            || !self
                .jobs
                .iter()
                .zip(states)
                .any(|(other, &state)| before(other) && state != State::Settled)
    }

    /// Notes that the record of a run is written.
    pub(super) fn settle(&self, turn: &Turn<'_, '_>) {
        self.lock()[turn.index] = State::Settled;
    }

    /// Lets all threads end without beginning anything new.
    pub(super) fn give_up(&self) {
        self.lock().fill(State::Settled);
    }
}

//! Which run is made next, by which process: each begins with its own part and goes on with those of others.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::jobs::{RunPhase, WantedRun};
use super::shards::Shards;
use crate::EvaluateError;
use crate::results::{Record, Results};
use idpas_base::claim::{Claim, Claims, look_anew};
use idpas_base::deadline::Deadline;

/// Where nothing else is left, runs that others have claimed are tried to be taken over, and records of others' runs are
/// read to see whether they are what is wanted: so many at a look of each shard, but [`LEAST_TRIES`] of each kind. What a
/// dead process left is found soon, since all that wait look, each at others.
const TRIES: usize = 1024;
/// See [`TRIES`].
const LEAST_TRIES: usize = 8;
/// With more runs of others than this, their folders are looked at before their records.
const FEW: usize = 16;

/// The runs of a benchmark.
pub(super) struct RunBoard<'a> {
    benchmark: &'a str,
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
    /// Whether the other shards can see that this one's part is settled.
    noted: AtomicBool,
    /// Which of the runs that others have claimed is tried next.
    tried: AtomicUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunState {
    Open,
    /// A thread of this process makes it.
    Ours,
    /// Its record is there, or it failed since this process began.
    Settled,
    /// It is not to be made any more.
    Left,
}

/// What one look for the next run has found out of runs that others have claimed.
#[derive(Default)]
struct Look {
    /// Names of all claims, once one could not be had: so that the others need not be tried one by one.
    claimed: Option<BTreeSet<String>>,
    /// Runs that were not tried because of that.
    passed: Vec<usize>,
    /// Records that are there, whether they are what is wanted or not, if their folders were looked at.
    written: Option<BTreeSet<PathBuf>>,
    /// Runs whose records were not read because of that.
    unread: Vec<usize>,
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
    /// The path of the record of a run.
    fn path(&self, job: &WantedRun<'a>) -> PathBuf;
    /// The paths of all records that are there, whatever they say.
    fn written(&self) -> BTreeSet<PathBuf>;
    /// Called for each such run of this shard's own part.
    fn seen(&self, job: &WantedRun<'a>, record: &Record);
}

/// Who makes runs of a benchmark, and who replaces its best solutions.
pub(super) fn claims(results: &Results, benchmark: &str) -> Claims {
    Claims::new(results.benchmark(benchmark).join("claims"))
}

/// Removes what processes that died have claimed of a benchmark, its collecting included: one that was killed after all others
/// had collected leaves a claim that nobody has a reason to take over.
pub(super) fn tidy_claims(results: &Results, benchmark: &str) {
    claims(results, benchmark).tidy();
    idpas_pools::collect::claims(&results.benchmark(benchmark).join("pools")).tidy();
}

impl<'a> RunBoard<'a> {
    /// `own` and `others` are to be made, in this order.
    pub(super) fn new(
        benchmark: &'a str,
        own: Vec<WantedRun<'a>>,
        mut others: Vec<WantedRun<'a>>,
        instances: usize,
        claims: Claims,
        shards: &'a Shards,
        deadline: Deadline,
    ) -> Self {
        let count = own.len();
        // Each begins elsewhere, so that processes do not try to claim the same runs, one after the other.
        let begin = shards.place(others.len());
        others.rotate_left(begin);
        let jobs: Vec<WantedRun<'a>> = own.into_iter().chain(others).collect();
        RunBoard {
            benchmark,
            states: Mutex::new(vec![RunState::Open; jobs.len()]),
            noted: AtomicBool::new(false),
            tried: AtomicUsize::new(shards.place(jobs.len())),
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
        let mut look = Look::default();
        let own: Vec<usize> = (0..self.own).collect();
        if let Some(claimed) = self.pick(&mut states, &own, known, &mut look)? {
            return Ok(NextRun::Make(claimed));
        }
        if self.is_settled(&states) && !self.noted.swap(true, Ordering::Relaxed) {
            self.shards.settle(self.benchmark);
        }
        let begun = self.shards.others(self.instances, self.benchmark);
        let others: Vec<usize> = (self.own..self.jobs.len())
            .filter(|&k| begun.contains(&self.jobs[k].at))
            .collect();
        let is_open = |states: &[RunState], k: &usize| states[*k] == RunState::Open;
        if others.iter().filter(|k| is_open(&states, k)).count() > FEW {
            look.written = Some(known.written());
        }
        if let Some(claimed) = self.pick(&mut states, &others, known, &mut look)? {
            return Ok(NextRun::Make(claimed));
        }
        // Owners may be dead, and records may be of other configurations.
        let most = LEAST_TRIES.max(TRIES / self.shards.count());
        for runs in [look.passed, look.unread] {
            let tries = most.min(runs.len());
            let first = self.tried.fetch_add(tries, Ordering::Relaxed);
            let tries = (first..first + tries).map(|k| runs[k % runs.len()]);
            let tries: Vec<usize> = tries.collect();
            // Nothing is passed over any more.
            let mut look = Look {
                claimed: Some(BTreeSet::new()),
                ..Look::default()
            };
            if let Some(claimed) = self.pick(&mut states, &tries, known, &mut look)? {
                return Ok(NextRun::Make(claimed));
            }
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
        look: &mut Look,
    ) -> Result<Option<ClaimedRun<'_, 'a>>, EvaluateError> {
        for &index in runs {
            let job = &self.jobs[index];
            let fits = self.deadline.allows(job.most_seconds());
            if states[index] != RunState::Open || !fits || !self.is_possible(states, job) {
                continue;
            }
            let is_claimed = |names: &BTreeSet<String>| names.contains(&job.name());
            if look.claimed.as_ref().is_some_and(is_claimed) {
                look.passed.push(index);
                continue;
            }
            let is_written = |paths: &BTreeSet<PathBuf>| paths.contains(&known.path(job));
            if look.written.as_ref().is_some_and(is_written) {
                look.unread.push(index);
                continue;
            }
            let mut record = known.record(job)?;
            if record.is_none() {
                let Some(claim) = self.claim(job)? else {
                    let names = || self.claims.names().into_iter().collect();
                    look.claimed.get_or_insert_with(names);
                    continue;
                };
                // Its owner before us may have written it since we looked.
                known.path(job).parent().map(look_anew);
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

    /// Whether all runs of this shard's own part are there.
    fn is_settled(&self, states: &[RunState]) -> bool {
        let mut own = states[..self.own].iter();
        own.all(|&state| state == RunState::Settled)
    }

    /// Whether all runs of the same instance in earlier phases are settled.
    fn is_possible(&self, states: &[RunState], job: &WantedRun<'_>) -> bool {
        let before = |other: &WantedRun<'_>| other.at == job.at && other.phase < job.phase;
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
        self.lock().fill(RunState::Left);
    }
}

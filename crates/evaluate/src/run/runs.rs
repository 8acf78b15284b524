//! The runs of a benchmark, several at a time, each on processors of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use idpas_base::claim::{Backoff, Claims};
use idpas_base::threads;

use super::best;
use super::board::{ClaimedRun, KnownRuns, NextRun, RunBoard, claims, tidy_claims};
use super::jobs::{self, ReferenceMethod, RunPhase, WantedRun};
use super::leases::{LEASE_PAUSE, LEASE_POLL, Lease, UnpinnedMark};
use super::prepare::PreparedBenchmark;
use super::record::{RunPlace, RunToMake};
use super::{StudyEvent, StudyWork, make_folder};
use crate::EvaluateError;
use crate::cores::{self, DealtCores};
use crate::results::{Best, REFERENCE, Record, are_same, write};

/// Makes the runs that are missing: of this shard's part, and of the parts of others that have begun. Ends when all of
/// these are there. On each instance the oracle comes last, since it is given the best solution of all others.
pub(super) fn run_all(
    work: &StudyWork<'_>,
    prepared: &PreparedBenchmark,
) -> Result<(), EvaluateError> {
    let outline = &prepared.outline;
    let total = outline.instances.len();
    let own = work.shards.own(total);
    let others: Vec<usize> = (0..total).filter(|at| !own.contains(at)).collect();
    let dealt = cores::deal(
        &cores::available(),
        usize::from(work.study.threads),
        work.jobs,
    );
    let _mark = (!dealt.exclusive).then(UnpinnedMark::set);
    if !dealt.exclusive {
        work.tell(StudyEvent::SharedProcessors);
    }
    let reference = ReferenceMethod::of(work, prepared);
    let list = |instances: &[usize]| jobs::list(work, prepared, reference.as_ref(), instances);
    let (own, others) = (list(&own), list(&others));
    let seconds = own.iter().map(|job| job.configuration.time_limit).sum();
    work.tell(StudyEvent::RunsPlanned {
        benchmark: &outline.name,
        runs: own.len(),
        seconds,
        jobs: dealt.jobs,
    });
    make_folder(&best_folder(work, prepared))?;
    let claims = claims(work.results, &outline.name);
    let runner = RunMaker {
        work,
        prepared,
        board: RunBoard::new(
            &outline.name,
            own,
            others,
            total,
            claims.clone(),
            work.shards,
            work.deadline,
        ),
        claims: &claims,
        dealt: &dealt,
        waits_for_processors: AtomicBool::new(false),
        waits_for_runs: AtomicBool::new(false),
    };
    let done = std::thread::scope(|scope| {
        let workers = (0..dealt.jobs).map(|_| scope.spawn(|| runner.work()));
        threads::join(workers.collect())
    });
    work.tell(StudyEvent::RunsEnded);
    if !work.is_one_of_many() {
        tidy_claims(work.results, &outline.name);
    }
    done
}

/// How far the runs of a benchmark are, without making any.
pub(super) fn look(
    work: &StudyWork<'_>,
    prepared: &PreparedBenchmark,
) -> Result<RunCounts, EvaluateError> {
    let total = prepared.outline.instances.len();
    let all: Vec<usize> = (0..total).collect();
    let reference = ReferenceMethod::of(work, prepared);
    let claims = claims(work.results, &prepared.outline.name);
    let dealt = DealtCores::default();
    let maker = RunMaker {
        work,
        prepared,
        board: RunBoard::new(
            &prepared.outline.name,
            Vec::new(),
            Vec::new(),
            total,
            claims.clone(),
            work.shards,
            work.deadline,
        ),
        claims: &claims,
        dealt: &dealt,
        waits_for_processors: AtomicBool::new(false),
        waits_for_runs: AtomicBool::new(false),
    };
    let running = claims.running();
    let mut counts = RunCounts::default();
    for job in jobs::list(work, prepared, reference.as_ref(), &all) {
        counts.total += 1;
        match maker.record(&job)? {
            Some(_) => counts.done += 1,
            None => {
                counts.running += usize::from(running.contains(&job.name()));
                counts.failed += usize::from(maker.has_failed(&job));
                counts.seconds_left += job.most_seconds();
            }
        }
    }
    Ok(counts)
}

/// How far the runs of a benchmark are.
#[derive(Default)]
pub(super) struct RunCounts {
    pub(super) total: usize,
    pub(super) done: usize,
    /// Runs under way.
    pub(super) running: usize,
    /// Runs whose last attempt failed.
    pub(super) failed: usize,
    /// Seconds of the runs that are not done.
    pub(super) seconds_left: f64,
}

/// Where the best solutions are.
fn best_folder(work: &StudyWork<'_>, prepared: &PreparedBenchmark) -> PathBuf {
    work.results.benchmark(&prepared.outline.name).join("best")
}

/// What the threads that make runs share.
struct RunMaker<'a> {
    work: &'a StudyWork<'a>,
    prepared: &'a PreparedBenchmark,
    board: RunBoard<'a>,
    claims: &'a Claims,
    dealt: &'a DealtCores,
    /// Whether the observer knows that processors are waited for.
    waits_for_processors: AtomicBool,
    /// Whether the observer knows that runs of other processes are waited for.
    waits_for_runs: AtomicBool,
}

impl<'a> KnownRuns<'a> for RunMaker<'a> {
    /// The record of a run that is there. One that failed is tried again, unless that was since this process began.
    fn record(&self, job: &WantedRun<'a>) -> Result<Option<Record>, EvaluateError> {
        let (results, benchmark) = (self.work.results, &self.prepared.outline.name);
        let label = &job.method.entry.label;
        // A record that cannot be read is as good as none.
        let record = results
            .record(benchmark, label, &job.instance.name, job.seed)
            .unwrap_or_default();
        let Some(record) = record else {
            return Ok(None);
        };
        let given = self.noted(job)?;
        let given = match job.phase {
            // The best solution may since be this run's own, or that of another run that was given the best.
            RunPhase::Reference => record.given_sha256.as_deref(),
            RunPhase::Ceilings if given.as_ref().is_some_and(|given| given.by_ceiling) => {
                record.given_sha256.as_deref()
            }
            _ => given.as_ref().map(|given| given.sha256.as_str()),
        };
        let wanted = job.configuration.hash();
        let answers = record.answers(&wanted, &job.instance.sha256, given);
        let tried = record.failure.is_none() || record.finished > self.work.begun;
        Ok(Some(record).filter(|_| answers && tried))
    }

    fn path(&self, job: &WantedRun<'a>) -> PathBuf {
        let (results, benchmark) = (self.work.results, &self.prepared.outline.name);
        let label = &job.method.entry.label;
        results.run_path(benchmark, label, &job.instance.name, job.seed)
    }

    fn written(&self) -> BTreeSet<PathBuf> {
        let (results, benchmark) = (self.work.results, &self.prepared.outline.name);
        let labels = self.prepared.methods.iter().map(|m| &*m.entry.label);
        let labels = labels.chain(self.work.study.reference_time.map(|_| REFERENCE));
        let folders = labels.map(|label| results.runs_folder(benchmark, label));
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        files.flatten().map(|file| file.path()).collect()
    }

    fn seen(&self, job: &WantedRun<'a>, record: &Record) {
        self.work.tell(StudyEvent::RunDone {
            time_limit: job.configuration.time_limit,
            record,
            made: false,
        });
    }
}

/// A solution that a run is given.
struct GivenSolution {
    path: PathBuf,
    sha256: String,
    /// Whether it was found by a run that was given a solution itself.
    by_ceiling: bool,
}

impl<'a> RunMaker<'a> {
    /// Whether the last attempt at a run failed.
    fn has_failed(&self, job: &WantedRun<'a>) -> bool {
        let (results, benchmark) = (self.work.results, &self.prepared.outline.name);
        let label = &job.method.entry.label;
        let record = results.record(benchmark, label, &job.instance.name, job.seed);
        record.is_ok_and(|record| record.is_some_and(|record| record.failure.is_some()))
    }

    /// Makes runs, one after the other, until nothing is left to begin.
    fn work(&self) -> Result<(), EvaluateError> {
        let mut pause = Backoff::default();
        loop {
            if self.work.commands.is_interrupted() {
                return Err(EvaluateError::Interrupted);
            }
            match self.board.next(self)? {
                NextRun::Make(claimed) => {
                    // The others need not begin anything new.
                    self.job(&claimed).inspect_err(|_| self.board.give_up())?;
                    self.board.settle(&claimed);
                    drop(claimed);
                    pause = Backoff::default();
                    std::thread::sleep(LEASE_PAUSE);
                }
                NextRun::Wait => {
                    if pause.is_long() && !self.waits_for_runs.swap(true, Ordering::Relaxed) {
                        self.work.tell(StudyEvent::WaitingForRuns);
                    }
                    pause.sleep_unless(|| {
                        self.work.commands.is_interrupted() || self.work.deadline.is_over()
                    });
                }
                NextRun::TimeOver => return Err(EvaluateError::TimeOver),
                NextRun::Done => return Ok(()),
            }
        }
    }

    /// Makes a run.
    fn job(&self, claimed: &ClaimedRun<'_, 'a>) -> Result<(), EvaluateError> {
        let job = claimed.job;
        let benchmark = &self.prepared.outline.name;
        let label = &job.method.entry.label;
        let given = self.given(job)?;
        let path = given.as_ref().map(|given| given.path.as_path());
        let run_with = |options| RunToMake {
            benchmark,
            label,
            instance: job.instance,
            seed: job.seed,
            configuration: job.configuration,
            options,
            given_sha256: given.as_ref().map(|given| given.sha256.clone()),
        };
        let run = run_with(job.options(path));
        let record = if job.phase == RunPhase::Ceilings && given.is_none() {
            run.impossible("no other run found a solution to go by")
        } else {
            // The first way may replace the file of the best solution, and the second has to go by the same one.
            let copy = path.map(|path| self.copy_of(job, path)).transpose()?;
            let first = self.make(job, &run)?;
            let second = job.second_way(copy.as_deref());
            let second = second.map(|options| self.make(job, &run_with(options)));
            if let Some(copy) = copy {
                let _ = std::fs::remove_file(copy);
            }
            match second.transpose()? {
                Some(second) => first.better_of(second, job.instance.sense),
                None => first,
            }
        };
        if record.failure.is_some() {
            self.work.has_failures.store(true, Ordering::Relaxed);
        }
        let results = self.work.results;
        write(
            &results.run_path(benchmark, label, &job.instance.name, job.seed),
            &record,
        )?;
        if !claimed.own {
            self.work.tell(StudyEvent::RunAdded {
                time_limit: job.configuration.time_limit,
            });
        }
        self.work.tell(StudyEvent::RunDone {
            time_limit: job.configuration.time_limit,
            record: &record,
            made: true,
        });
        Ok(())
    }

    /// Runs on processors that nobody else has, and keeps the solution if it is the best.
    fn make(&self, job: &WantedRun<'_>, run: &RunToMake<'_>) -> Result<Record, EvaluateError> {
        let lease = self.lease()?;
        let alone = self.dealt.exclusive && !UnpinnedMark::is_set();
        let place = RunPlace {
            cores: lease.as_ref().map_or(&[], |lease| &lease.processors),
            exclusive: alone,
        };
        let solution = self.temporary(job);
        let made = run.make(self.work, &place, &solution);
        drop(lease);
        let kept = made
            .as_ref()
            .map_or(Ok(()), |record| self.keep_best(job, record, &solution));
        let _ = std::fs::remove_file(&solution);
        let mut record = made?;
        kept?;
        record.exclusive &= !UnpinnedMark::is_set();
        Ok(record)
    }

    /// Processors for one run, as soon as there are some; `None` if runs share them.
    fn lease(&self) -> Result<Option<Lease>, EvaluateError> {
        if !self.dealt.exclusive {
            return Ok(None);
        }
        let threads = usize::from(self.work.study.threads);
        loop {
            if let Some(lease) = Lease::take(&self.dealt.processors, threads) {
                return Ok(Some(lease));
            }
            if self.work.commands.is_interrupted() {
                return Err(EvaluateError::Interrupted);
            }
            if !self.waits_for_processors.swap(true, Ordering::Relaxed) {
                self.work.tell(StudyEvent::WaitingForProcessors);
            }
            std::thread::sleep(LEASE_POLL);
        }
    }

    /// What is noted of the best solution so far, for runs that are given one: the oracle's, and the reference's to start from.
    fn noted(&self, job: &WantedRun<'_>) -> Result<Option<GivenSolution>, EvaluateError> {
        if job.phase == RunPhase::Methods {
            return Ok(None);
        }
        let (results, name) = (self.work.results, &self.prepared.outline.name);
        let best = results.best(name, &job.instance.name)?;
        let best = best.filter(|best| best.instance_sha256 == job.instance.sha256);
        Ok(best.map(|best| self.given_by(job, best)))
    }

    /// As [`noted`](Self::noted), for a run that goes by the solution now: its file is what the note says.
    fn given(&self, job: &WantedRun<'_>) -> Result<Option<GivenSolution>, EvaluateError> {
        if job.phase == RunPhase::Methods {
            return Ok(None);
        }
        let (results, name) = (self.work.results, &self.prepared.outline.name);
        let best = best::verified(results, self.claims, name, job.instance)?;
        Ok(best.map(|best| self.given_by(job, best)))
    }

    fn given_by(&self, job: &WantedRun<'_>, best: Best) -> GivenSolution {
        let is_ceiling = |label: &str| {
            let entries = self.prepared.methods.iter().map(|method| &method.entry);
            entries
                .filter(|entry| entry.is_ceiling())
                .any(|entry| entry.label == label)
        };
        let name = &self.prepared.outline.name;
        GivenSolution {
            path: self.work.results.best_path(name, &job.instance.name),
            by_ceiling: is_ceiling(&best.label),
            sha256: best.solution_sha256,
        }
    }

    /// A copy of the solution that a run is given, in a file of its own.
    fn copy_of(&self, job: &WantedRun<'_>, given: &Path) -> Result<PathBuf, EvaluateError> {
        let copy = self.temporary(job).with_extension("given.sol");
        // A link of this name, which would be copied through, is none of ours.
        let _ = std::fs::remove_file(&copy);
        std::fs::copy(given, &copy).map_err(|e| EvaluateError::io(&copy, e))?;
        Ok(copy)
    }

    /// A file of this run's own for its solution.
    fn temporary(&self, job: &WantedRun<'_>) -> PathBuf {
        best_folder(self.work, self.prepared).join(format!(".{}.sol", job.name()))
    }

    /// Keeps the solution if it is better than what is kept.
    fn keep_best(
        &self,
        job: &WantedRun<'_>,
        record: &Record,
        solution: &Path,
    ) -> Result<(), EvaluateError> {
        let (Some(objective), true) = (record.objective, solution.exists()) else {
            return Ok(());
        };
        let (results, name) = (self.work.results, &self.prepared.outline.name);
        let path = results.best_path(name, &job.instance.name);
        let fault = |e| EvaluateError::io(&path, e);
        let is_beaten = || {
            let old = results.best(name, &job.instance.name).unwrap_or_default();
            let old = old.filter(|old| old.instance_sha256 == job.instance.sha256 && path.exists());
            old.is_some_and(|old| {
                !job.instance.sense.is_better(objective, old.objective)
                    || are_same(objective, old.objective)
            })
        };
        // What is kept only becomes better.
        if is_beaten() {
            return Ok(());
        }
        // Nobody else compares and replaces it meanwhile.
        let task = best::task(job.instance);
        let _claim = self.claims.wait(&task, || true).map_err(fault)?;
        if is_beaten() {
            return Ok(());
        }
        let best = Best {
            objective,
            instance_sha256: job.instance.sha256.clone(),
            solution_sha256: idpas_pools::instance_hash(solution)?,
            label: record.label.clone(),
            seed: record.seed,
        };
        std::fs::rename(solution, &path).map_err(fault)?;
        write(&path.with_extension("json"), &best)?;
        Ok(())
    }
}

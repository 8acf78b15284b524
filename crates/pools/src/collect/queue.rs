//! The instances of a collection that have no pool yet, worked off several at a time, and shared with other processes.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use idpas_base::claim::{Backoff, Claims, file_system_time};

use super::driver::CollectOptions;
use super::state::{State, state};
use super::{
    CollectFailure, CollectProgress, CollectStop, WorkerJob, WorkerOutcome, child, claims,
};
use crate::PoolError;

/// How often a thread that waits looks whether it is to stop.
const POLL: Duration = Duration::from_millis(50);

/// What is to be done.
pub(super) struct Queue<'a> {
    options: &'a CollectOptions,
    stop: &'a CollectStop,
    claims: Claims,
    /// When this collection began, by the clock of the file system.
    begin: SystemTime,
    waiting: Mutex<VecDeque<Waiting>>,
    /// Whether it was said that instances of other processes are waited for.
    said_waiting: AtomicBool,
}

/// A job, and when to look at it.
struct Waiting {
    job: WorkerJob,
    due: Instant,
    pause: Backoff,
}

/// How an attempt at a job ended.
enum Attempt {
    Ended(CollectProgress),
    /// Another process works on it.
    Busy,
    /// The collection is to end at once.
    Abandoned,
}

impl<'a> Queue<'a> {
    pub(super) fn new(options: &'a CollectOptions, stop: &'a CollectStop) -> io::Result<Self> {
        Ok(Queue {
            options,
            stop,
            claims: claims(&options.out),
            begin: file_system_time(&options.out)?,
            waiting: Mutex::default(),
            said_waiting: AtomicBool::new(false),
        })
    }

    pub(super) fn push(&mut self, job: WorkerJob) {
        self.put(Waiting {
            job,
            due: Instant::now(),
            pause: Backoff::default(),
        });
    }

    fn put(&self, waiting: Waiting) {
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(waiting);
    }

    /// The next job, when it is due; `None` if there is none, or the collection is to stop.
    fn next(&self, sender: &Sender<CollectProgress>) -> Option<Waiting> {
        let next = {
            let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            all.pop_front()?
        };
        if next.due > Instant::now() && !self.said_waiting.swap(true, Ordering::Relaxed) {
            let text = "what is left is with other processes; waiting for them".to_owned();
            // The receiver outlives all senders.
            let _ = sender.send(CollectProgress::Notice(text));
        }
        while !self.stop.is_raised() {
            let left = next.due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(next);
            }
            std::thread::sleep(left.min(POLL));
        }
        None
    }

    /// Works off the queue, several instances at a time; tells events on this thread.
    pub(super) fn run(&self, progress: &mut dyn FnMut(CollectProgress)) {
        let jobs = {
            let all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            all.len()
        };
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.clamp(1, jobs.max(1)) {
                let sender = sender.clone();
                scope.spawn(move || self.work(&sender));
            }
            drop(sender);
            receiver.iter().for_each(progress);
        });
    }

    fn work(&self, sender: &Sender<CollectProgress>) {
        while let Some(mut next) = self.next(sender) {
            match self.attempt(&next.job, sender) {
                Attempt::Ended(event) => {
                    let _ = sender.send(event);
                }
                Attempt::Busy if self.options.take_over => {
                    next.due = Instant::now() + next.pause.pause();
                    self.put(next);
                }
                Attempt::Busy => {
                    let name = next.job.name;
                    let _ = sender.send(CollectProgress::Elsewhere { name });
                }
                Attempt::Abandoned => {}
            }
        }
    }

    /// Works on one instance unless another process does, or did since this collection began.
    fn attempt(&self, job: &WorkerJob, sender: &Sender<CollectProgress>) -> Attempt {
        let folder = &self.options.out;
        let _claim = match self.claims.take(&job.name) {
            Ok(Some(claim)) => claim,
            Ok(None) => return Attempt::Busy,
            Err(e) => {
                let why = format!("cannot claim the instance: {e}");
                return self.fail(job, why, 0, String::new());
            }
        };
        if let Ok(State::Done(_)) = self.look(job) {
            let name = job.name.clone();
            return Attempt::Ended(CollectProgress::Elsewhere { name });
        }
        if self.options.take_over
            && let Some(failure) = CollectFailure::since(folder, &job.name, self.begin)
            && failure.settings_sha256 == job.settings.hash()
        {
            return Attempt::Ended(CollectProgress::Failed(failure));
        }
        let name = job.name.clone();
        let _ = sender.send(CollectProgress::Started { name });
        self.make(job, sender)
    }

    fn look(&self, job: &WorkerJob) -> Result<State, PoolError> {
        let settings_sha256 = job.settings.hash();
        state(&self.options.out, &job.name, &job.sha256, &settings_sha256)
    }

    /// Makes a pool in a process of its own, with several tries.
    fn make(&self, job: &WorkerJob, sender: &Sender<CollectProgress>) -> Attempt {
        let limit = Duration::from_secs_f64(1.5 * job.settings.time_limit) + self.options.grace;
        let attempts = self.options.attempts.max(1);
        let mut attempt = 1;
        loop {
            let ended = match &self.options.worker {
                Some(worker) => child::run(worker, job, limit, self.stop),
                None => child::run_here(job, self.stop),
            };
            if ended.abandoned {
                return Attempt::Abandoned;
            }
            let (reason, retry) = match ended.outcome {
                WorkerOutcome::Done { solutions, best } => match self.look(job) {
                    Ok(State::Done(_)) => {
                        CollectFailure::clear(&self.options.out, &job.name);
                        let name = job.name.clone();
                        return Attempt::Ended(CollectProgress::Made {
                            name,
                            solutions,
                            best,
                        });
                    }
                    Ok(_) => ("the worker wrote no pool that can be used".to_owned(), true),
                    Err(error) => (error.to_string(), true),
                },
                WorkerOutcome::Failed { reason, retry } => (reason, retry),
            };
            if !retry || attempt == attempts {
                return self.fail(job, reason, attempt, ended.log);
            }
            attempt += 1;
            let name = job.name.clone();
            let _ = sender.send(CollectProgress::Retried { name, reason });
        }
    }

    fn fail(&self, job: &WorkerJob, reason: String, attempts: usize, log: String) -> Attempt {
        let failure = CollectFailure {
            name: job.name.clone(),
            reason,
            attempts,
            settings_sha256: job.settings.hash(),
            log,
        };
        // It is told either way.
        let _ = failure.write(&self.options.out);
        Attempt::Ended(CollectProgress::Failed(failure))
    }
}

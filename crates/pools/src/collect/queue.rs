//! The turns of a family, taken several at a time, and shared with other processes.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use idpas_base::claim::{Claims, file_system_time, look_anew};

use super::driver::CollectOptions;
use super::family::{Family, Step, Task};
use super::standing::Availability;
use super::state::State;
use super::turn::Turn;
use super::{
    CollectFailure, CollectProgress, CollectStop, WorkerJob, WorkerOutcome, child, claims,
};
use crate::{NoPool, PoolError};

/// How often a thread that waits looks whether there is something to do.
const POLL: Duration = Duration::from_millis(50);

/// Seconds that reading, checking and writing may add to a turn, about.
const AROUND_A_TURN: f64 = 10.0;

/// A family that is worked on.
pub(super) struct Queue<'a> {
    options: &'a CollectOptions,
    stop: &'a CollectStop,
    claims: Claims,
    /// When this collection began, by the clock of the file system.
    begin: SystemTime,
    family: Mutex<Family<'a>>,
    /// Whether it was said that instances of other processes are waited for.
    said_waiting: AtomicBool,
    /// Whether a turn was not begun because it would not have been done in time.
    time_over: AtomicBool,
}

/// How a turn ended.
enum End {
    /// As this event says.
    Taken(CollectProgress),
    /// The instance has no turn any more, as this event says.
    Ended(CollectProgress),
    /// Another process works on it.
    Busy,
    /// Another process has worked on it meanwhile.
    Changed,
    /// The collection is to end at once.
    Abandoned,
}

impl<'a> Queue<'a> {
    pub(super) fn new(
        options: &'a CollectOptions,
        stop: &'a CollectStop,
        family: Family<'a>,
    ) -> io::Result<Self> {
        Ok(Queue {
            options,
            stop,
            claims: claims(&options.out),
            begin: file_system_time(&options.out)?,
            family: Mutex::new(family),
            said_waiting: AtomicBool::new(false),
            time_over: AtomicBool::new(false),
        })
    }

    fn family(&self) -> MutexGuard<'_, Family<'a>> {
        self.family.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether turns are left that would not have been done before the deadline.
    pub(super) fn is_time_over(&self) -> bool {
        self.time_over.load(Ordering::Relaxed)
    }

    /// The family as it is when all is over.
    pub(super) fn into_family(self) -> Family<'a> {
        let family = self.family.into_inner();
        family.unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes turns, several at a time, until there is nothing more to do; tells events on this thread.
    pub(super) fn run(&self, progress: &mut dyn FnMut(CollectProgress)) {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.options.jobs.max(1) {
                let sender = sender.clone();
                scope.spawn(move || self.work(&sender));
            }
            drop(sender);
            receiver.iter().for_each(progress);
        });
    }

    fn work(&self, sender: &Sender<CollectProgress>) {
        // The receiver outlives all senders.
        let tell = |event| drop(sender.send(event));
        while !self.stop.is_raised() {
            let step = self.family().next();
            let task = match step {
                Step::Take(task) => task,
                Step::Done => return,
                Step::Wait if self.options.deadline.is_over() => {
                    self.time_over.store(true, Ordering::Relaxed);
                    return;
                }
                Step::Wait => {
                    std::thread::sleep(POLL);
                    continue;
                }
            };
            let index = task.index;
            let deadline = self.options.deadline;
            if !deadline.allows(task.job.turn.most_seconds() + AROUND_A_TURN) {
                self.family().end(index, Availability::Free);
                self.time_over.store(true, Ordering::Relaxed);
                return;
            }
            let end = self.take(&task, sender);
            let mut family = self.family();
            match end {
                End::Taken(event) => {
                    family.end(index, Availability::Free);
                    tell(CollectProgress::Used {
                        seconds: family.plan().used(),
                        budget: family.plan().budget(),
                    });
                    tell(event);
                }
                End::Ended(event) => {
                    family.end(index, Availability::Ended);
                    tell(event);
                }
                End::Busy if self.options.take_over => {
                    family.wait_for(index);
                    if !self.said_waiting.swap(true, Ordering::Relaxed) {
                        let text =
                            "other processes have some of the instances; they are waited for";
                        tell(CollectProgress::Notice(text.into()));
                    }
                }
                End::Busy => {
                    family.end(index, Availability::Ended);
                    let name = task.job.name;
                    tell(CollectProgress::Elsewhere { name });
                }
                End::Changed | End::Abandoned => family.end(index, Availability::Free),
            }
        }
    }

    /// Takes a turn, unless another process works on the instance or has done so meanwhile.
    fn take(&self, task: &Task, sender: &Sender<CollectProgress>) -> End {
        let folder = &self.options.out;
        let job = &task.job;
        let _claim = match self.claims.take_settled(&job.name) {
            Ok(Some(claim)) => claim,
            Ok(None) => return End::Busy,
            Err(e) => {
                let why = format!("cannot claim the instance: {e}");
                return self.fail(failure(job, why, 0));
            }
        };
        look_anew(folder);
        let (turns, best) = {
            let mut family = self.family();
            let before = family.standing(task.index).turns.len();
            let state = family.look(task.index);
            let standing = family.standing(task.index);
            if matches!(state, Ok(State::Done(_))) && standing.turns.len() != before {
                return End::Changed;
            }
            (standing.turns.len(), standing.best)
        };
        if self.options.take_over
            && best.is_none()
            && let Some(failure) = CollectFailure::since(folder, &job.name, self.begin)
            && failure.settings_sha256 == job.settings.hash()
            && (failure.turns.is_empty() || failure.turns.len() != job.before.len())
        {
            return match failure.turns.is_empty() {
                true => End::Ended(CollectProgress::Failed(failure)),
                false => End::Changed,
            };
        }
        let name = job.name.clone();
        let round = turns + 1;
        let _ = sender.send(CollectProgress::Started { name, round });
        self.make(task, best, round, sender)
    }

    /// Takes a turn in a process of its own, with several tries.
    fn make(
        &self,
        task: &Task,
        before: Option<f64>,
        round: usize,
        sender: &Sender<CollectProgress>,
    ) -> End {
        let job = &task.job;
        let seconds = 1.5 * job.turn.most_seconds();
        let limit = Duration::from_secs_f64(seconds) + self.options.grace;
        let attempts = self.options.attempts.max(1);
        let mut attempt = 1;
        loop {
            let ended = match &self.options.worker {
                Some(worker) => child::run(worker, job, limit, self.stop),
                None => child::run_here(job, self.stop),
            };
            if ended.abandoned {
                return End::Abandoned;
            }
            let (reason, retry) = match ended.outcome {
                WorkerOutcome::Done { solutions, best } => match self.family().look(task.index) {
                    Ok(State::Done(_)) => {
                        CollectFailure::clear(&self.options.out, &job.name);
                        return End::Taken(CollectProgress::Made {
                            name: job.name.clone(),
                            round,
                            solutions,
                            best,
                            before,
                        });
                    }
                    Ok(_) => ("the worker wrote no pool that can be used".to_owned(), true),
                    Err(error) => (error.to_string(), true),
                },
                WorkerOutcome::Nothing { turn } => return self.nothing(task, turn, round),
                WorkerOutcome::Failed { reason, retry } => (reason, retry),
            };
            if !retry || attempt == attempts {
                // What was collected before the turn that failed is as good as it was.
                if before.is_some() {
                    let name = &job.name;
                    let text = format!("{name}: {reason}; its pool stays as it was");
                    return End::Ended(CollectProgress::Notice(text));
                }
                return self.fail(CollectFailure {
                    log: ended.log,
                    ..failure(job, reason, attempt)
                });
            }
            attempt += 1;
            let name = job.name.clone();
            let _ = sender.send(CollectProgress::Retried { name, reason });
        }
    }

    /// A turn has found no solution: remembers it, and goes on.
    fn nothing(&self, task: &Task, turn: Turn, round: usize) -> End {
        let job = &task.job;
        let mut turns = job.before.clone();
        turns.push(turn);
        let reason = PoolError::NoPool(NoPool::NothingFound).to_string();
        let nothing = CollectFailure {
            turns,
            ..failure(job, reason, 1)
        };
        if let Err(error) = nothing.write(&self.options.out) {
            return self.fail(CollectFailure {
                reason: error.to_string(),
                ..nothing
            });
        }
        // It was written a moment ago.
        let _ = self.family().look(task.index);
        let name = job.name.clone();
        End::Taken(CollectProgress::Nothing { name, round })
    }

    fn fail(&self, failure: CollectFailure) -> End {
        // It is told either way.
        let _ = failure.write(&self.options.out);
        End::Ended(CollectProgress::Failed(failure))
    }
}

/// The failure of a job after so many attempts.
fn failure(job: &WorkerJob, reason: String, attempts: usize) -> CollectFailure {
    CollectFailure {
        name: job.name.clone(),
        reason,
        attempts,
        settings_sha256: job.settings.hash(),
        log: String::new(),
        turns: Vec::new(),
    }
}

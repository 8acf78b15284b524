//! Running HiGHS on a thread of its own, so that a time limit or an interrupt is obeyed even where HiGHS looks at
//! neither: its root cuts on a model of 80,000 rows can take minutes without a look at the clock.
//!
//! The thread sends what happens through a channel, and the caller's thread passes it on to the watch. When the time
//! is up and a grace period over, the caller goes on without the thread; HiGHS finishes in its own time, unheard,
//! and frees its memory then. The loaded model went with it and cannot be used again.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::ffi::{Failed, Handle, Message, Status};
use super::model::HighsModel;
use super::watch::Watch;
use crate::{Interrupt, Offers, SolverError};

/// How long HiGHS may take to stop by itself: presolve is undone and the last solution cleaned up.
const GRACE: Duration = Duration::from_secs(2);
/// HiGHS looks for an interrupt thousands of times a second; nobody needs to hear of each.
const STATUS_INTERVAL: Duration = Duration::from_millis(50);
/// How often the caller looks up while nothing happens.
const LOOK_UP: Duration = Duration::from_millis(50);
/// HiGHS was written for the stack of a main thread.
const STACK: usize = 64 << 20;

/// A message with its own memory.
pub(super) enum News {
    Log(String),
    Solution { values: Vec<f64>, bound: f64 },
    Status(Status),
}

enum Sent {
    News(News),
    Done(Handle, Result<(), Failed>),
}

/// How a run ended.
pub(super) enum RunEnd {
    /// HiGHS returned.
    Finished(Result<(), Failed>),
    /// It did not stop in time and was left behind.
    Abandoned,
}

/// Runs the model's HiGHS until it returns, or until `limit` seconds and the grace period have passed, or an
/// interrupt and the grace period. A panic in the watch's observer is raised again after HiGHS has stopped.
pub(super) fn run(
    model: &mut HighsModel,
    limit: Option<f64>,
    watch: &mut Watch<'_, '_>,
) -> Result<RunEnd, SolverError> {
    let stop = Arc::new(AtomicBool::new(false));
    let (tell, hear) = channel();
    let handle = std::mem::replace(&mut model.handle, Handle::new());
    let interrupt = watch.control.interrupt.clone();
    let (stopped, raised) = (stop.clone(), interrupt.clone());
    // While columns are fixed for a start, solutions of the model are none of what is solved.
    let offers = model.offers.clone().filter(|_| watch.bound_holds);
    let spawned = thread::Builder::new()
        .name("highs".into())
        .stack_size(STACK)
        .spawn(move || run_here(handle, &tell, &stopped, &raised, offers.as_ref()));
    if let Err(error) = spawned {
        model.abandoned = true;
        return Err(super::failed("start a thread", error.to_string()));
    }
    // A limit of many years is none, and would overflow the clock.
    let deadline = limit
        .filter(|&seconds| seconds < 1e9)
        .map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.max(0.0)) + GRACE);
    let end = listen(&hear, deadline, &interrupt, &stop, watch);
    // Whatever happens from here on, nobody listens.
    stop.store(true, Ordering::Relaxed);
    match end {
        Heard::Done(handle, outcome) => {
            model.handle = handle;
            Ok(RunEnd::Finished(outcome))
        }
        Heard::Panic(handle, panic) => {
            match handle {
                Some(handle) => model.handle = handle,
                None => model.abandoned = true,
            }
            resume_unwind(panic)
        }
        Heard::Overdue => {
            model.abandoned = true;
            Ok(RunEnd::Abandoned)
        }
        Heard::Silence => {
            model.abandoned = true;
            Err(super::failed("solve", "its thread ended without a result"))
        }
    }
}

/// What runs on the thread. Sending fails only if the caller has gone on; then there is nothing left to tell.
fn run_here(
    mut handle: Handle,
    tell: &Sender<Sent>,
    stop: &AtomicBool,
    interrupt: &Interrupt,
    offers: Option<&Offers>,
) {
    let mut last_status: Option<Instant> = None;
    let outcome = handle.run(&mut |message| {
        let news = match message {
            Message::Log(text) => News::Log(text.to_owned()),
            Message::Solution { values, bound } => News::Solution {
                values: values.to_vec(),
                bound,
            },
            Message::Wanted { answer } => {
                *answer = offers.and_then(Offers::take);
                return false;
            }
            Message::Check { mip } => {
                let due = last_status.is_none_or(|at| at.elapsed() >= STATUS_INTERVAL);
                if let (Some(status), true) = (mip, due) {
                    last_status = Some(Instant::now());
                    let _ = tell.send(Sent::News(News::Status(status)));
                }
                return stop.load(Ordering::Relaxed) || interrupt.is_raised();
            }
        };
        let _ = tell.send(Sent::News(news));
        false
    });
    let _ = tell.send(Sent::Done(handle, outcome));
}

enum Heard {
    Done(Handle, Result<(), Failed>),
    Panic(Option<Handle>, Box<dyn std::any::Any + Send>),
    Overdue,
    Silence,
}

fn listen(
    hear: &Receiver<Sent>,
    deadline: Option<Instant>,
    interrupt: &Interrupt,
    stop: &AtomicBool,
    watch: &mut Watch<'_, '_>,
) -> Heard {
    let mut deadline = deadline;
    let mut panic = None;
    let mut stopping = false;
    loop {
        if !stopping && (interrupt.is_raised() || panic.is_some()) {
            stopping = true;
            let soon = Instant::now() + GRACE;
            deadline = Some(deadline.map_or(soon, |deadline| deadline.min(soon)));
        }
        match hear.recv_timeout(LOOK_UP) {
            Ok(Sent::Done(handle, outcome)) => {
                return match panic {
                    None => Heard::Done(handle, outcome),
                    Some(panic) => Heard::Panic(Some(handle), panic),
                };
            }
            Ok(Sent::News(news)) if panic.is_none() => {
                if let Err(caught) = catch_unwind(AssertUnwindSafe(|| watch.take(news))) {
                    panic = Some(caught);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            Ok(Sent::News(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Heard::Silence,
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return match panic {
                None => Heard::Overdue,
                Some(panic) => Heard::Panic(None, panic),
            };
        }
    }
}

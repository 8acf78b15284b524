//! Runs a solver on a thread of its own, so that a time limit or an interrupt is obeyed even where the solver looks at
//! neither: HiGHS's root cuts on a model of 80,000 rows can take minutes without a look at the clock.
//!
//! The thread sends events through a channel, and the caller's thread passes them on to the watch. When the time limit
//! and a grace period have passed, the caller continues without the thread: the solver finishes in its own time, without
//! anyone listening, and then frees its memory. The loaded model stays with it and cannot be used again. A
//! [`HardStop`] has no grace period, and what the solver finds after it is not passed on.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::loaded::Loaded;
use super::watch::Watch;
use super::{Engine, Message, Outcome, Status, failed};
use crate::{Gate, HardStop, Interrupt, Offers, SolverError};

/// Grace period after the time limit or an interrupt, in which a solver undoes presolve and cleans up the last solution.
const GRACE: Duration = Duration::from_secs(2);
/// Grace period after the interrupt of a hard stop.
const HASTE: Duration = Duration::from_millis(100);
/// Least time between two status messages; solvers call back thousands of times a second.
const STATUS_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time that the caller waits for a message before it looks at interrupts again.
const LOOK_UP: Duration = Duration::from_millis(20);
/// Stack size of the thread in bytes: solvers are written for the stack of a main thread.
const STACK: usize = 64 << 20;

/// A message of a solver that owns its data.
pub(super) enum News {
    Log(String),
    Solution { values: Vec<f64>, bound: f64 },
    Status(Status),
}

/// What the thread sends, each with the time at which it happened.
enum Sent<E> {
    News(Instant, News),
    Done(Instant, E, Outcome),
}

/// How a run ended.
pub(super) enum RunEnd {
    /// The solver returned, at this time and with this result.
    Finished(Instant, Outcome),
    /// The solver did not return in time. It was left to itself with the model, or it returned too late for its result to
    /// count.
    Overdue,
}

/// Runs the model until one of these: the solver returns; `limit` seconds and the grace period have passed; the grace
/// period after an interrupt has passed; the watch's hard stop is reached. A panic in the watch's observer is raised
/// again after the solver has stopped.
pub(super) fn run<E: Engine>(
    model: &mut Loaded<E>,
    limit: Option<f64>,
    watch: &mut Watch<'_, '_>,
) -> Result<RunEnd, SolverError> {
    let quit = Arc::new(AtomicBool::new(false));
    let (tell, hear) = channel();
    let Some(engine) = model.engine.take() else {
        return Err(SolverError::Abandoned { solver: E::NAME });
    };
    let ends = Ends {
        limit: HardStop::after(Instant::now() + GRACE, limit).at,
        interrupt: watch.control.interrupt.clone(),
        stop: watch.control.stop.clone(),
    };
    let (leave, asked) = (
        quit.clone(),
        [&ends.interrupt, &ends.stop.interrupt].map(Interrupt::clone),
    );
    // While columns are fixed for a start, solutions of the whole model may not be solutions of what is solved.
    let offers = model.offers.clone().filter(|_| watch.bound_holds);
    let gate = model.gate.clone();
    let spawned = thread::Builder::new()
        .name(E::NAME.into())
        .stack_size(STACK)
        .spawn(move || {
            let is_asked =
                || leave.load(Ordering::Relaxed) || asked.iter().any(Interrupt::is_raised);
            run_here(engine, &tell, &is_asked, offers.as_ref(), gate.as_ref());
        });
    if let Err(error) = spawned {
        return Err(failed::<E>("start a thread", error.to_string()));
    }
    let end = listen(&hear, &ends, &quit, watch);
    // From here on nobody listens to the solver.
    quit.store(true, Ordering::Relaxed);
    match end {
        Heard::Done(at, engine, outcome) => {
            model.engine = Some(engine);
            Ok(match ends.stop.is_before(at) {
                true => RunEnd::Overdue,
                false => RunEnd::Finished(at, outcome),
            })
        }
        Heard::Panic(engine, panic) => {
            model.engine = engine;
            resume_unwind(panic)
        }
        Heard::Overdue => Ok(RunEnd::Overdue),
        Heard::Silence => Err(failed::<E>("solve", "its thread ended without a result")),
    }
}

/// Runs on the thread. Sending fails only if the caller no longer waits, and then nothing need be sent.
fn run_here<E: Engine>(
    mut engine: E,
    tell: &Sender<Sent<E>>,
    is_asked: &(dyn Fn() -> bool + Sync),
    offers: Option<&Offers>,
    gate: Option<&Gate>,
) {
    let mut last_status: Option<Instant> = None;
    // Every message is an occasion to pause: between two questions whether to stop, many seconds can go by.
    let pause = || {
        if let Some(gate) = gate {
            gate.pass(is_asked);
        }
    };
    let outcome = engine.run(&mut |message| {
        let news = match message {
            Message::Log(text) => News::Log(text.to_owned()),
            Message::Solution { values, bound } => News::Solution {
                values: values.to_vec(),
                bound,
            },
            Message::Wanted { answer } => {
                // First, since better solutions are found meanwhile.
                pause();
                *answer = offers.and_then(Offers::take);
                return false;
            }
            Message::Check { mip } => {
                let due = last_status.is_none_or(|at| at.elapsed() >= STATUS_INTERVAL);
                if let (Some(status), true) = (mip, due) {
                    last_status = Some(Instant::now());
                    let _ = tell.send(Sent::News(Instant::now(), News::Status(status)));
                }
                pause();
                return is_asked();
            }
        };
        let _ = tell.send(Sent::News(Instant::now(), news));
        pause();
        false
    });
    let _ = tell.send(Sent::Done(Instant::now(), engine, outcome));
}

/// The limits of the wait for a run.
struct Ends {
    /// End of the time limit with its grace period.
    limit: Option<Instant>,
    /// Asks the solver to stop; the wait ends after the grace period.
    interrupt: Interrupt,
    /// Ends the wait without a grace period.
    stop: HardStop,
}

enum Heard<E> {
    Done(Instant, E, Outcome),
    Panic(Option<E>, Box<dyn std::any::Any + Send>),
    Overdue,
    Silence,
}

fn earlier(a: Option<Instant>, b: Instant) -> Option<Instant> {
    Some(a.map_or(b, |a| a.min(b)))
}

fn listen<E>(
    hear: &Receiver<Sent<E>>,
    ends: &Ends,
    quit: &AtomicBool,
    watch: &mut Watch<'_, '_>,
) -> Heard<E> {
    let mut deadline = ends.stop.clone().or_at(ends.limit).at;
    let mut panic = None;
    let (mut asked, mut hurried) = (false, false);
    loop {
        if !asked && (ends.interrupt.is_raised() || panic.is_some()) {
            asked = true;
            deadline = earlier(deadline, Instant::now() + GRACE);
        }
        if !hurried && ends.stop.interrupt.is_raised() {
            hurried = true;
            deadline = earlier(deadline, Instant::now() + HASTE);
        }
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        match hear.recv_timeout(left.map_or(LOOK_UP, |left| left.min(LOOK_UP))) {
            Ok(Sent::Done(at, engine, outcome)) => {
                return match panic {
                    None => Heard::Done(at, engine, outcome),
                    Some(panic) => Heard::Panic(Some(engine), panic),
                };
            }
            Ok(Sent::News(at, news)) if panic.is_none() && !ends.stop.is_before(at) => {
                if let Err(caught) = catch_unwind(AssertUnwindSafe(|| watch.take(at, news))) {
                    panic = Some(caught);
                    quit.store(true, Ordering::Relaxed);
                }
            }
            Ok(Sent::News(..)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Heard::Silence,
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return match panic {
                None => last_words(hear, ends, watch),
                Some(panic) => Heard::Panic(None, panic),
            };
        }
    }
}

/// Takes messages that were sent in time but not yet received, because an observer that checks solutions can be
/// behind. Of the solutions only the best is passed on, because there is no time to look at all of them.
fn last_words<E>(hear: &Receiver<Sent<E>>, ends: &Ends, watch: &mut Watch<'_, '_>) -> Heard<E> {
    let mut best: Option<(Instant, Vec<f64>, f64)> = None;
    let mut end = Heard::Overdue;
    while let Ok(sent) = hear.try_recv() {
        match sent {
            Sent::News(at, News::Solution { values, bound }) if !ends.stop.is_before(at) => {
                let is_best = |(_, other, _): &(_, Vec<f64>, _)| watch.is_better(&values, other);
                if best.as_ref().is_none_or(is_best) {
                    best = Some((at, values, bound));
                }
            }
            Sent::News(..) => {}
            Sent::Done(at, engine, outcome) => end = Heard::Done(at, engine, outcome),
        }
    }
    if let Some((at, values, bound)) = best {
        let news = News::Solution { values, bound };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| watch.take(at, news))) {
            let engine = match end {
                Heard::Done(_, engine, _) => Some(engine),
                _ => None,
            };
            return Heard::Panic(engine, panic);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::watch::Objective;
    use crate::{Control, DistinctSolutions, Event};
    use idpas_mip::{Sense, VarKind};

    fn solution(at: Instant, value: f64) -> Sent<()> {
        let values = vec![value];
        Sent::News(at, News::Solution { values, bound: 0.0 })
    }

    /// The values of those incumbents among these messages that are passed on, if the hard stop is at `stop` and the
    /// wait for the solver ends there.
    fn passed_on(stop: Instant, sent: Vec<Sent<()>>) -> Vec<f64> {
        let (tell, hear) = channel();
        for message in sent {
            assert!(tell.send(message).is_ok());
        }
        let mut seen = Vec::new();
        let mut observer = |event: Event<'_>| {
            if let Event::Incumbent { values, .. } = event {
                seen.push(values[0]);
            }
        };
        let ends = Ends {
            limit: None,
            interrupt: Interrupt::new(),
            stop: HardStop {
                at: Some(stop),
                ..HardStop::default()
            },
        };
        let mut control = Control {
            stop: ends.stop.clone(),
            observer: Some(&mut observer),
            ..Control::default()
        };
        let objective = Objective {
            sense: Sense::Minimize,
            constant: 0.0,
            cost: Arc::new(vec![1.0]),
        };
        let pool = DistinctSolutions::new(Sense::Minimize, &[VarKind::Integer], 10);
        let mut watch = Watch::new(objective, Instant::now(), &mut control, pool);
        let end = listen(&hear, &ends, &AtomicBool::new(false), &mut watch);
        assert!(matches!(end, Heard::Overdue));
        drop(watch);
        seen
    }

    #[test]
    fn what_is_found_after_the_hard_stop_is_not_passed_on() {
        let stop = Instant::now() + Duration::from_millis(100);
        let late = stop + Duration::from_millis(1);
        let sent = vec![
            solution(Instant::now(), 9.0),
            solution(late, 5.0),
            Sent::News(late, News::Log("late".into())),
        ];
        assert_eq!(passed_on(stop, sent), [9.0]);
    }

    #[test]
    fn what_was_found_in_time_counts_though_it_is_heard_late() {
        let stop = Instant::now();
        let (before, late) = (
            stop - Duration::from_millis(5),
            stop + Duration::from_millis(1),
        );
        let sent = vec![
            solution(before, 9.0),
            solution(before, 7.0),
            solution(before, 8.0),
            solution(late, 5.0),
        ];
        // The first message may be heard before the clock is looked at; of the others only the best is.
        let passed = passed_on(stop, sent);
        assert!(passed == [9.0, 7.0] || passed == [7.0], "{passed:?}");
    }
}

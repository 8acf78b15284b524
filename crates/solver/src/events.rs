//! The events of a running solve, and how it is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Something that happened during a solve. Times are seconds since the solve began.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A line of the solver's log, without its line end.
    Log(&'a str),
    /// A solution better than all before.
    Incumbent {
        /// When it was found.
        time: f64,
        /// Its objective value.
        objective: f64,
        /// The best bound known at that time.
        bound: f64,
        /// Its values, by column.
        values: &'a [f64],
    },
    /// A feasible solution that is not the best.
    Solution {
        /// When it was found.
        time: f64,
        /// Its objective value.
        objective: f64,
        /// Its values, by column.
        values: &'a [f64],
    },
    /// A sign of life between other events.
    Progress {
        /// When it happened.
        time: f64,
        /// The best objective value, if there is a solution.
        objective: Option<f64>,
        /// The best bound.
        bound: f64,
        /// Nodes of the search tree so far.
        nodes: u64,
        /// Simplex iterations so far.
        lp_iterations: u64,
    },
}

/// Receives events, on the thread that solves.
pub type Observer<'a> = dyn FnMut(Event<'_>) + Send + 'a;

/// Stops a solve from any thread. Clones share the same switch, which stays raised.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A switch that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses a flag that something else raises, for example a signal handler.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Asks the solve to stop soon and keep what it has.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been asked.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Hands solutions found elsewhere to a running solve. Clones share one place, which holds the latest.
#[derive(Clone, Debug, Default)]
pub struct Offers(Arc<Mutex<Option<Vec<f64>>>>);

impl Offers {
    /// A place with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a solution there, values by column, instead of the one that was there.
    pub fn put(&self, values: Vec<f64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(values);
    }

    /// Takes what is there.
    pub fn take(&self) -> Option<Vec<f64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// When a caller goes on without its solver, whatever the solver is doing.
///
/// A time limit and an [`Interrupt`] ask a solver to stop, and it is given a while to do so. A hard stop does not ask:
/// the call returns at that moment with what was found until then, and nothing found later counts. A solver that does
/// not obey in time is left behind ([`SolveResult::abandoned`](crate::SolveResult::abandoned)), so a hard stop is for
/// the end of all work, not for one of many solves.
#[derive(Clone, Debug, Default)]
pub struct HardStop {
    /// The moment at which the answer is wanted.
    pub at: Option<Instant>,
    /// Raised to want the answer at once; the solver has a tenth of a second to end in good order.
    pub interrupt: Interrupt,
}

impl HardStop {
    /// Longer limits, in seconds, are none; they would overflow the clock.
    const LONGEST: f64 = 1e9;

    /// Stops `limit` seconds after `started`, if there is a limit.
    pub fn after(started: Instant, limit: Option<f64>) -> Self {
        let limit = limit.filter(|&seconds| seconds < Self::LONGEST);
        HardStop {
            at: limit.map(|seconds| started + Duration::from_secs_f64(seconds.max(0.0))),
            interrupt: Interrupt::new(),
        }
    }

    /// The same stop, and this moment as well: the earlier one counts.
    pub fn or_at(mut self, other: Option<Instant>) -> Self {
        self.at = match (self.at, other) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }

    /// Whether something found at `when` is too late to count.
    pub fn is_before(&self, when: Instant) -> bool {
        self.at.is_some_and(|at| at < when)
    }

    /// Whether the answer is wanted now.
    pub fn is_due(&self) -> bool {
        self.interrupt.is_raised() || self.at.is_some_and(|at| at <= Instant::now())
    }

    /// Seconds left until the moment, if there is one.
    pub fn left(&self) -> Option<f64> {
        let left = |at: Instant| at.saturating_duration_since(Instant::now());
        self.at.map(|at| left(at).as_secs_f64())
    }
}

/// Who watches a solve and who may stop it.
#[derive(Default)]
pub struct Control<'a> {
    /// Raised to ask the solve to stop.
    pub interrupt: Interrupt,
    /// When the call returns even if the solver does not obey.
    pub stop: HardStop,
    /// Receives every event.
    pub observer: Option<&'a mut Observer<'a>>,
}

impl Control<'_> {
    /// Passes an event on, if anyone watches.
    pub fn tell(&mut self, event: Event<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }
}

//! What a running solve tells, and how it is told to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// The search goes on.
    Progress {
        /// Now.
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

/// Who watches a solve and who may stop it.
#[derive(Default)]
pub struct Control<'a> {
    /// Raised to stop early.
    pub interrupt: Interrupt,
    /// Told of every event.
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

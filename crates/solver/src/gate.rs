//! Pausing a running solve.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a solve that stands at a shut gate looks at its interrupts.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Makes a running solve pause and go on again, from any thread. Clones share one gate, which is open at first.
///
/// A solver comes to the gate between its own steps, so it pauses a moment after the gate was shut: one linear relaxation
/// or one of its heuristics later.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_shut: bool,
    /// A solve stands at the gate.
    is_paused: bool,
}

impl Gate {
    /// An open gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets the solve go on.
    pub fn open(&self) {
        self.state().is_shut = false;
        self.0.changed.notify_all();
    }

    /// Asks the solve to pause.
    pub fn shut(&self) {
        self.state().is_shut = true;
    }

    /// Whether the solve has paused.
    pub fn is_paused(&self) -> bool {
        self.state().is_paused
    }

    /// Waits at most this long for the solve to pause, and says whether it has.
    pub fn wait_for_pause(&self, longest: Duration) -> bool {
        let until = Instant::now() + longest;
        let mut state = self.state();
        while !state.is_paused {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Stands at the gate until it is open or `is_asked` says that the solve is to end. For backends, between two steps.
    pub fn pass(&self, is_asked: impl Fn() -> bool) {
        let mut state = self.state();
        while state.is_shut && !is_asked() {
            if !state.is_paused {
                state.is_paused = true;
                self.0.changed.notify_all();
            }
            let waited = self.0.changed.wait_timeout(state, LOOK_UP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_paused = false;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Watches a training that is not in epochs, and stops it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::LearnError;

/// PieceProgress of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceProgress {
    /// Units done: instances, or variables for one network per variable.
    pub done: usize,
    /// Number of units in all.
    pub total: usize,
    /// Seconds since the training began.
    pub seconds: f64,
}

/// How the caller watches and stops a training.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called now and then with the progress, from any thread.
    pub report: &'a (dyn Fn(PieceProgress) + Sync),
    /// Set by the caller to stop the training, which then ends with [`LearnError::Interrupted`].
    pub stop: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Watch<'_> {
    /// Reports nothing and never stops.
    fn default() -> Self {
        Watch {
            report: &|_| {},
            stop: &NEVER,
        }
    }
}

impl Watch<'_> {
    /// Whether the training shall stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error if the training shall stop.
    pub(crate) fn check(&self) -> Result<(), LearnError> {
        if self.stopped() {
            return Err(LearnError::Interrupted);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

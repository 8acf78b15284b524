//! Whoever waits for a training: told how far it is, and able to stop it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::LearnError;

/// How far a training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Pieces done; for one network per variable, variables.
    pub done: usize,
    /// Pieces in all.
    pub total: usize,
    /// Seconds since the training began.
    pub seconds: f64,
}

/// Whoever waits.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told now and then, from any thread.
    pub report: &'a (dyn Fn(Progress) + Sync),
    /// Set to stop the training, which then ends with [`LearnError::Interrupted`].
    pub stop: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Watch<'_> {
    /// Nobody.
    fn default() -> Self {
        Watch {
            report: &|_| {},
            stop: &NEVER,
        }
    }
}

impl Watch<'_> {
    /// Whether to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error if it is time to stop.
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

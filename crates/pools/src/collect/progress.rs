//! The events of a running collection, and how it is stopped.

use idpas_solver::Interrupt;

use super::{CollectFailure, Lead};

/// Asks a collection to stop, from any thread. Clones share the same switch.
#[derive(Clone, Debug, Default)]
pub struct CollectStop {
    /// Raised when no further instance shall begin.
    finish: Interrupt,
    /// Raised when everything shall end at once.
    abandon: Interrupt,
}

impl CollectStop {
    /// Begin no further instance, finish those begun.
    pub fn finish(&self) {
        self.finish.raise();
    }

    /// End at once; instances begun are begun anew next time.
    pub fn abandon(&self) {
        self.finish.raise();
        self.abandon.raise();
    }

    /// Whether it has been asked to stop in either way.
    pub fn is_raised(&self) -> bool {
        self.finish.is_raised()
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.abandon.is_raised()
    }

    /// What ends a solve in this process when everything shall end at once.
    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.abandon
    }
}

/// An event of a running collection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CollectProgress {
    /// Something worth knowing, such as a damaged pool that is made again.
    Notice(String),
    /// What there is to do.
    Planned {
        /// Instances of this shard; all where it takes over from others.
        total: usize,
        /// Those whose pools are there.
        done: usize,
    },
    /// A turn of an instance began.
    Started {
        /// The instance.
        name: String,
        /// Which of its turns it is, from 1.
        round: usize,
    },
    /// A turn is over, and the instance's pool is there.
    Made {
        /// The instance.
        name: String,
        /// Which of its turns it was, from 1.
        round: usize,
        /// How many solutions the pool has.
        solutions: usize,
        /// The best objective.
        best: f64,
        /// The best objective before the turn; `None` if there was no pool.
        before: Option<f64>,
    },
    /// A turn is over without a solution; there may be another one.
    Nothing {
        /// The instance.
        name: String,
        /// Which of its turns it was, from 1.
        round: usize,
    },
    /// How much of the time is used.
    Used {
        /// Seconds of all turns so far, those under way included.
        seconds: f64,
        /// Seconds that all turns may take.
        budget: f64,
    },
    /// An instance failed and is tried again.
    Retried {
        /// The instance.
        name: String,
        /// What happened.
        reason: String,
    },
    /// An instance failed for good.
    Failed(CollectFailure),
    /// Another process has the instance, or made its pool meanwhile.
    Elsewhere {
        /// The instance.
        name: String,
    },
}

/// What a collection did.
#[derive(Clone, Debug, Default)]
pub struct CollectSummary {
    /// Instances of this shard; all where it takes over from others.
    pub total: usize,
    /// Pools that were there and are as they were.
    pub already: usize,
    /// Pools made or improved now.
    pub made: usize,
    /// Instances that other processes have, or made the pools of meanwhile.
    pub elsewhere: usize,
    /// Instances without a pool, and why.
    pub failed: Vec<CollectFailure>,
    /// Whether it was stopped before all was done.
    pub interrupted: bool,
    /// Whether turns are left that would not have been done before the deadline.
    pub time_over: bool,
    /// Who led the search, if that was found out by comparing.
    pub lead: Option<Lead>,
}

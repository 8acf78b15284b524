//! The events of a running collection, and how it is stopped.

use idpas_solver::Interrupt;

use super::CollectFailure;

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
    /// Work on an instance began.
    Started {
        /// The instance.
        name: String,
    },
    /// A pool is there.
    Made {
        /// The instance.
        name: String,
        /// How many solutions it has.
        solutions: usize,
        /// The best objective.
        best: f64,
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
    /// Pools that were there.
    pub already: usize,
    /// Pools made now.
    pub made: usize,
    /// Instances that other processes have, or made the pools of meanwhile.
    pub elsewhere: usize,
    /// Instances without a pool, and why.
    pub failed: Vec<CollectFailure>,
    /// Whether it was stopped before all was done.
    pub interrupted: bool,
}

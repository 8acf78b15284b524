//! Watching a training and stopping it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::EpochReport;
use crate::LearnError;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Instances and pools are read.
    Reading,
    /// Graphs are made.
    Graphs,
    /// Weights are fitted.
    Training,
    /// The result is judged.
    Judging,
}

/// News of a training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// So much of a stage is done.
    Step {
        /// The stage.
        stage: Stage,
        /// Units done: instances, or variables.
        done: usize,
        /// Units in all.
        total: usize,
    },
    /// A batch was learned.
    Batch {
        /// The epoch, from 1.
        epoch: usize,
        /// Epochs in all, at most.
        epochs: usize,
        /// Graphs done in this epoch.
        done: usize,
        /// Graphs in an epoch.
        total: usize,
        /// The mean loss of this epoch so far.
        loss: f64,
        /// The learning rate.
        rate: f64,
    },
    /// An epoch ended.
    Epoch(&'a EpochReport),
}

/// Who watches, and who may interrupt.
#[derive(Default)]
pub struct Control<'a> {
    /// Stops the work when raised.
    pub interrupt: Option<&'a AtomicBool>,
    /// Told what happens.
    pub observer: Option<&'a mut (dyn FnMut(&Progress) + Send)>,
}

impl Control<'_> {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn tell(&mut self, progress: &Progress) {
        if let Some(observer) = &mut self.observer {
            observer(progress);
        }
    }

    /// Tells how far a stage is; fails if the work shall stop.
    pub(crate) fn report(
        &mut self,
        stage: Stage,
        done: usize,
        total: usize,
    ) -> Result<(), LearnError> {
        self.tell(&Progress::Step { stage, done, total });
        if self.is_interrupted() {
            return Err(LearnError::Interrupted);
        }
        Ok(())
    }
}

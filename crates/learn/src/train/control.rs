//! Reports the progress of a training, and stops it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::EpochReport;
use crate::LearnError;
use crate::watch::{PieceProgress, Watch};

/// A stage of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Instances and pools are read.
    Reading,
    /// Graphs are made.
    Graphs,
    /// Weights are fitted.
    Training,
    /// The result is measured.
    Judging,
}

/// An event of a training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TrainProgress<'a> {
    /// Some of a stage is done.
    Step {
        /// The stage.
        stage: Stage,
        /// Units done: instances or variables.
        done: usize,
        /// Number of units in all.
        total: usize,
    },
    /// The network was trained on a batch.
    Batch {
        /// The epoch, counted from 1.
        epoch: usize,
        /// Most epochs of this training.
        epochs: usize,
        /// Number of graphs done in this epoch.
        done: usize,
        /// Number of graphs in an epoch.
        total: usize,
        /// The mean loss of this epoch so far.
        loss: f64,
        /// The learning rate.
        rate: f64,
    },
    /// An epoch ended.
    Epoch(&'a EpochReport),
}

/// How the caller watches and interrupts a training.
#[derive(Default)]
pub struct TrainControl<'a> {
    /// Set by the caller to end the work.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called with every event.
    pub observer: Option<&'a mut (dyn FnMut(&TrainProgress) + Send)>,
}

impl TrainControl<'_> {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn tell(&mut self, progress: &TrainProgress) {
        if let Some(observer) = &mut self.observer {
            observer(progress);
        }
    }

    /// Does work of a stage that is watched from several threads.
    pub(crate) fn watched<T>(&mut self, stage: Stage, work: impl FnOnce(Watch) -> T) -> T {
        let never = AtomicBool::new(false);
        let stop = self.interrupt.unwrap_or(&never);
        let control = Mutex::new(self);
        let report = |progress: PieceProgress| {
            let mut control = control.lock().unwrap_or_else(PoisonError::into_inner);
            let PieceProgress { done, total, .. } = progress;
            control.tell(&TrainProgress::Step { stage, done, total });
        };
        let report = &report;
        work(Watch { report, stop })
    }

    /// Reports the progress of a stage; fails with [`LearnError::Interrupted`] if the work shall end.
    pub(crate) fn report(
        &mut self,
        stage: Stage,
        done: usize,
        total: usize,
    ) -> Result<(), LearnError> {
        self.tell(&TrainProgress::Step { stage, done, total });
        if self.is_interrupted() {
            return Err(LearnError::Interrupted);
        }
        Ok(())
    }
}

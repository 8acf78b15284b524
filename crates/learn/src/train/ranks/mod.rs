//! Processes that train one network together.
//!
//! A batch stays what it is for one process; its graphs are dealt out, each rank sums the gradients of its own, and the
//! sums of all ranks are added in the order of ranks. Then every rank makes the same step, so that all have the same
//! weights at any time and nothing but gradients, losses and measures has to travel. Rank 0 leads: it makes the graphs,
//! and it alone writes files and reports progress.

mod deal;
#[cfg(feature = "mpi")]
mod mpi;
mod share;
#[cfg(any(feature = "mpi", test))]
mod signs;

#[cfg(feature = "mpi")]
pub use mpi::MpiRanks;

pub(super) use deal::deal;
pub(super) use share::{settle, share, share_of};

use crate::LearnError;

/// The processes of a training, as one of them sees the others. All ranks must call the same methods in the same order.
pub trait Ranks: Sync {
    /// Number of this process, counted from 0.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn count(&self) -> usize;

    /// Hands bytes to all ranks and returns what each of them has handed in, in the order of ranks.
    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, LearnError>;

    /// Replaces each value by its sum over all ranks. For each value the additions are in the order of ranks, so that
    /// the same values on the same number of ranks give the same bits, equal on all ranks.
    fn sum(&self, values: &mut [f32]) -> Result<(), LearnError>;
}

/// A process that trains by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, LearnError> {
        Ok(vec![own.to_vec()])
    }

    fn sum(&self, _: &mut [f32]) -> Result<(), LearnError> {
        Ok(())
    }
}

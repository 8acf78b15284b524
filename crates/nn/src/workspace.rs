//! Memory that is kept from call to call.

use crate::attention::{Head, Sums};
use crate::kernels::Kernels;
use crate::pages::fit;
use crate::parallel::BLOCK;
use crate::plan::Plan;
use crate::{Config, Real, Threads};

/// Memory for the passes of a network, kept from call to call: a call on a graph no larger than
/// one seen before allocates nothing of note. It holds no results and can serve several networks.
pub struct Workspace<T: Real = f32> {
    pub(crate) threads: Threads,
    pub(crate) kernels: Kernels<T>,
    pub(crate) plan: Plan<T>,
    pub(crate) head: Head<T>,
    pub(crate) sums: Sums<T>,
    pub(crate) scratch: Vec<Scratch<T>>,
    pub(crate) tape: Tape<T>,
}

/// What the forward pass leaves for the backward pass, and the gradients of embeddings.
#[derive(Default)]
pub(crate) struct Tape<T> {
    /// Embeddings of variables: before the first round and after each.
    pub(crate) variables: Vec<Vec<T>>,
    /// Embeddings of rows, likewise.
    pub(crate) rows: Vec<Vec<T>>,
    /// Two per round: to rows, to variables.
    pub(crate) stages: Vec<StageTape<T>>,
    /// One head's projected sources in the forward pass, or gradients of its sums in the backward.
    pub(crate) projected: Vec<T>,
    /// One head's gradients of scores.
    pub(crate) scores: Vec<T>,
    pub(crate) variable_gradient: Vec<T>,
    pub(crate) row_gradient: Vec<T>,
    pub(crate) spare: Vec<T>,
    pub(crate) logits: Vec<T>,
    pub(crate) logit_gradient: Vec<T>,
}

/// What one stage leaves for its backward pass.
#[derive(Default)]
pub(crate) struct StageTape<T> {
    /// Attention weights, head by head.
    pub(crate) alpha: Vec<T>,
    /// Signs before the LeakyReLU, head by head.
    pub(crate) signs: Vec<u8>,
    /// What was added to the nodes' own embeddings, if that is asked for.
    pub(crate) update: Vec<T>,
}

/// One group's blocks and partial sums.
#[derive(Default)]
pub(crate) struct Scratch<T> {
    pub(crate) a: Vec<T>,
    pub(crate) b: Vec<T>,
    pub(crate) edges: Vec<T>,
    pub(crate) sums: Sums<T>,
}

impl<T: Real> Workspace<T> {
    /// An empty workspace.
    pub fn new(threads: Threads) -> Self {
        Workspace {
            threads,
            kernels: T::kernels(false),
            plan: Plan::default(),
            head: Head::default(),
            sums: Sums::default(),
            scratch: Vec::new(),
            tape: Tape::default(),
        }
    }

    /// The same, but without the instructions that only some processors have.
    pub fn portable(threads: Threads) -> Self {
        Workspace {
            kernels: T::kernels(true),
            ..Workspace::new(threads)
        }
    }

    /// Makes room for the blocks of `groups` groups.
    pub(crate) fn fit_scratch(&mut self, groups: usize, config: &Config) {
        let wide = config
            .embedding
            .max(config.head_width)
            .max(padded(config.variable_width))
            .max(padded(config.row_width));
        if self.scratch.len() < groups {
            self.scratch.resize_with(groups, Scratch::default);
        }
        for scratch in &mut self.scratch {
            fit(&mut scratch.a, BLOCK * wide);
            fit(&mut scratch.b, BLOCK * wide);
        }
    }
}

/// Feature widths are filled with zeros to whole vectors.
pub(crate) fn padded(width: usize) -> usize {
    width.next_multiple_of(8)
}

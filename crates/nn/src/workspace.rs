//! Memory that is reused from call to call.

use crate::attention::{Head, Room, Sums};
use crate::kernels::Kernels;
use crate::pages::fit;
use crate::parallel::{BLOCK, lanes};
use crate::plan::Plan;
use crate::{Config, Real, Threads};

/// Memory for the passes of a network, reused from call to call: a call on a graph no larger than an earlier one
/// allocates hardly anything. It holds no results and can serve several networks.
pub struct Workspace<T: Real = f32> {
    pub(crate) threads: Threads,
    pub(crate) kernels: Kernels<T>,
    pub(crate) plan: Plan<T>,
    pub(crate) room: Room<T>,
    pub(crate) tape: Tape<T>,
}

/// What the forward pass leaves for the backward pass, and the gradients of embeddings.
#[derive(Default)]
pub(crate) struct Tape<T> {
    /// Embeddings of variables: before the first round, and after each.
    pub(crate) variables: Vec<Vec<T>>,
    /// Embeddings of rows: before the first round, and after each.
    pub(crate) rows: Vec<Vec<T>>,
    /// Two for each round: to rows, then to variables.
    pub(crate) stages: Vec<StageTape<T>>,
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
    /// Signs of the inputs of the LeakyReLU, head by head: a bit each, set if negative.
    pub(crate) signs: Vec<u8>,
    /// What was added to the nodes' own embeddings; empty without the norm.
    pub(crate) update: Vec<T>,
}

/// Working memory of one worker, for a block of nodes.
#[derive(Default)]
pub(crate) struct Lane<T> {
    pub(crate) a: Vec<T>,
    pub(crate) b: Vec<T>,
    pub(crate) edges: Vec<T>,
}

impl<T: Real> Workspace<T> {
    /// An empty workspace.
    pub fn new(threads: Threads) -> Self {
        Workspace {
            threads,
            kernels: T::kernels(false),
            plan: Plan::default(),
            room: Room::default(),
            tape: Tape::default(),
        }
    }

    /// An empty workspace that does not use the instructions that only some processors have.
    pub fn portable(threads: Threads) -> Self {
        Workspace {
            kernels: T::kernels(true),
            ..Workspace::new(threads)
        }
    }

    /// Makes room for workers, heads and the partial sums of groups.
    pub(crate) fn fit(&mut self, config: &Config) {
        let wide = config
            .embedding
            .max(config.head_width)
            .max(padded(config.variable_width))
            .max(padded(config.row_width));
        let groups = self.plan.variable_groups().len();
        let groups = groups.max(self.plan.row_groups().len());
        let room = &mut self.room;
        room.lanes.resize_with(lanes(self.threads), Lane::default);
        for lane in &mut room.lanes {
            fit(&mut lane.a, BLOCK * wide);
            fit(&mut lane.b, BLOCK * wide);
        }
        if room.heads.len() < config.heads {
            room.heads.resize_with(config.heads, Head::default);
        }
        for sums in room.sums.iter_mut().chain(&mut room.source_sums) {
            if sums.len() < groups {
                sums.resize_with(groups, Sums::default);
            }
        }
    }
}

/// A feature width rounded up to whole vectors.
pub(crate) fn padded(width: usize) -> usize {
    width.next_multiple_of(8)
}

//! One stage: graph attention (GATv2) from sources to targets, and the combination with the
//! target's own embedding.
//!
//! For a target `i`, its sources `j` and a head,
//!
//! ```text
//!   t_ij  = W_l x_j + b_l + W_r x_i + b_r + W_e ε(e_ij)      ε(e) = E e + b_E
//!   s_ij  = a · LeakyReLU(t_ij)          α_i = softmax(s_i)
//!   o_i   = Σ_j α_ij (W_l x_j + b_l)
//!   y_i   = W_own x_i + b_c + Σ_heads W_c (o_i + b)
//! ```
//!
//! Heads are done one after the other, so that nothing is as wide as all heads. The edge term is
//! `U e + v` with `U = W_e E` and `v = W_e b_E`.
//!
//! Backward, with `g_i = ∂/∂y_i`, `M = W_c W_l`, `z_i = Σ_j α_ij x_j`: the value path is
//! `y_i += M z_i`, whence `∂α_ij = (Mᵀ g_i)·x_j` up to a constant that the softmax ignores. With
//! the slopes `m_ij` of the LeakyReLU let `c_ij = ∂s_ij m_ij` and `C`, `C'` its sums by target
//! and by source. Then `∂t_ij = a ⊙ c_ij`, and since the LeakyReLU of t is `m ⊙ t`,
//!
//! ```text
//!   ∂a = Σ c_ij ⊙ t_ij = rows of W_r ⊙ (Cᵀ X) + W_l ⊙ (C'ᵀ X), and the terms of b_r + b_l + v and U
//! ```
//!
//! so no array of edges × width is ever read or written: attention weights and one bit of sign per
//! entry are all the forward pass leaves.

mod backward;
mod finish;
mod forward;
mod head;
pub(crate) mod norm;
mod sums;
mod sweeps;

pub(crate) use backward::{Gradients, StageRecord, backward};
pub(crate) use forward::forward;
pub(crate) use head::{Head, transpose};
pub(crate) use sums::{Sums, add};

use crate::kernels::Kernels;
use crate::layout::{Slots, StageSlots};
use crate::workspace::Lane;
use crate::{Config, Threads};

/// What all stages of a pass share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a, T> {
    pub(crate) config: &'a Config,
    pub(crate) kernels: &'a Kernels<T>,
    pub(crate) threads: Threads,
}

/// Working memory of a pass. Heads overlap: while one is being finished, the next has begun, so that workers seldom
/// wait for each other. So there are two of most arrays, used in turn.
#[derive(Default)]
pub(crate) struct Room<T> {
    pub(crate) lanes: Vec<Lane<T>>,
    pub(crate) heads: Vec<Head<T>>,
    /// For each group, its sums over targets.
    pub(crate) sums: [Vec<Sums<T>>; 2],
    /// For each group, its sums over sources.
    pub(crate) source_sums: [Vec<Sums<T>>; 2],
    /// The sums of all groups.
    pub(crate) total: Sums<T>,
    /// Forward: a head's projected sources. Backward: the gradients of its weighted sums.
    pub(crate) projected: [Vec<T>; 2],
    /// Gradients of a head's attention scores.
    pub(crate) scores: [Vec<T>; 2],
}

/// Of two arrays used in turn: the one of head `h`, and the one of the heads before and after it.
fn turn<U>(pair: &mut [U; 2], h: usize) -> (&mut U, &mut U) {
    let [even, odd] = pair;
    if h.is_multiple_of(2) {
        (even, odd)
    } else {
        (odd, even)
    }
}

/// The parameters of one stage.
pub(crate) struct Stage<'a, T> {
    att: &'a [T],
    bias: &'a [T],
    left: Linear<'a, T>,
    right: Linear<'a, T>,
    edge: &'a [T],
    combine: Linear<'a, T>,
    norm: Option<Linear<'a, T>>,
    embedding: Linear<'a, T>,
}

struct Linear<'a, T> {
    weight: &'a [T],
    bias: &'a [T],
}

impl<'a, T> Stage<'a, T> {
    pub(crate) fn new(slots: &Slots, stage: &StageSlots, parameters: &'a [T]) -> Self {
        let linear = |slots: &crate::layout::LinearSlots| Linear {
            weight: &parameters[slots.weight.clone()],
            bias: &parameters[slots.bias.clone()],
        };
        Stage {
            att: &parameters[stage.att.clone()],
            bias: &parameters[stage.bias.clone()],
            left: linear(&stage.left),
            right: linear(&stage.right),
            edge: &parameters[stage.edge.clone()],
            combine: linear(&stage.combine),
            norm: stage.norm.as_ref().map(linear),
            embedding: linear(&slots.edge),
        }
    }
}

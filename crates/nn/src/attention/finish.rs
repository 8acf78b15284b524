//! From the sums over nodes to the gradients of parameters: small products only.

use super::head::add;
use super::{Context, Head, Stage, Sums};
use crate::Real;
use crate::kernels::{Onto, Product};
use crate::layout::{Slots, StageSlots};
use crate::pages::fit;

/// The gradients a stage has once: of W_own, b_c and the norm.
pub(super) fn finish_stage<T: Real>(
    context: &Context<'_, T>,
    sums: &Sums<T>,
    slots: &StageSlots,
    gradient: &mut [T],
) {
    let embedding = context.config.embedding;
    let stride = slots.combine.weight.len() / embedding;
    let rows = gradient[slots.combine.weight.clone()].chunks_exact_mut(stride);
    for (row, own) in rows.zip(sums.own.chunks_exact(embedding)) {
        add(row, own);
    }
    add(&mut gradient[slots.combine.bias.clone()], &sums.all);
    if let Some(norm) = &slots.norm {
        add(&mut gradient[norm.weight.clone()], &sums.norm_weight);
        add(&mut gradient[norm.bias.clone()], &sums.norm_bias);
    }
}

/// The gradients of head `h`.
pub(super) fn finish_head<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    h: usize,
    (head, sums): (&mut Head<T>, &Sums<T>),
    (slots, at, gradient): (&Slots, &StageSlots, &mut [T]),
) {
    values(context, stage, h, (head, sums), (at, gradient));
    let config = context.config;
    let (embedding, width, features) = (config.embedding, config.head_width, config.edge_width);
    let dot = |a: &[T], b: &[T]| {
        let mut sum = T::ZERO;
        for (&a, &b) in a.iter().zip(b) {
            sum += a * b;
        }
        sum
    };
    for c in 0..width {
        let channel = h * width + c;
        let row = channel * embedding..(channel + 1) * embedding;
        let att = stage.att[channel];
        let slope = sums.slopes[c];
        let left = &sums.left[c * embedding..][..embedding];
        let right = &sums.right[c * embedding..][..embedding];
        let bias = stage.left.bias[channel] + head.right_bias[c];
        let mut total = bias * slope
            + dot(&stage.left.weight[row.clone()], left)
            + dot(&stage.right.weight[row.clone()], right);
        for f in 0..features {
            total += head.projection[f * width + c] * sums.features[f * width + c];
        }
        gradient[at.att.start + channel] += total;
        gradient[at.left.bias.start + channel] += att * slope;
        gradient[at.right.bias.start + channel] += att * slope;
        let pairs = [(&at.left.weight, left), (&at.right.weight, right)];
        for (weight, sums) in pairs {
            let to = &mut gradient[weight.start..][row.clone()];
            for (to, &sum) in to.iter_mut().zip(sums) {
                *to += att * sum;
            }
        }
        // Through U = W_e E and v = W_e b_E.
        for l in 0..embedding {
            let weight = stage.edge[row.start + l];
            let mut to_edge = att * slope * stage.embedding.bias[l];
            gradient[slots.edge.bias.start + l] += weight * att * slope;
            for f in 0..features {
                let scaled = att * sums.features[f * width + c];
                to_edge += scaled * stage.embedding.weight[l * features + f];
                gradient[slots.edge.weight.start + l * features + f] += weight * scaled;
            }
            gradient[at.edge.start + row.start + l] += to_edge;
        }
    }
}

/// The part through the weighted sums: y_i += M z_i + W_c b, and W_c b_l where there are edges.
fn values<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    h: usize,
    (head, sums): (&mut Head<T>, &Sums<T>),
    (at, gradient): (&StageSlots, &mut [T]),
) {
    let config = context.config;
    let (embedding, width) = (config.embedding, config.head_width);
    let stride = embedding + stage.bias.len();
    let slice = h * width * embedding..(h + 1) * width * embedding;
    // ∂W_l += W_cᵀ ∂M
    (context.kernels.product)(Product {
        rows: width,
        depth: embedding,
        columns: embedding,
        a: &stage.combine.weight[embedding + h * width..],
        a_strides: (1, stride),
        b: &sums.value,
        c: &mut gradient[at.left.weight.start..][slice],
        onto: Onto::Itself,
    });
    // ∂W_c += ∂M W_lᵀ
    let room = fit(&mut head.room, embedding * width);
    let kernels = context.kernels;
    kernels.times(&sums.value, &head.left, Onto::Zero, room, width);
    for (o, room) in room.chunks_exact(width).enumerate() {
        let (all, reached) = (sums.all[o], sums.reached[o]);
        for (c, &value) in room.iter().enumerate() {
            let channel = h * width + c;
            let place = o * stride + embedding + channel;
            let weight = stage.combine.weight[place];
            gradient[at.combine.weight.start + place] +=
                value + all * stage.bias[channel] + reached * stage.left.bias[channel];
            gradient[at.bias.start + channel] += weight * all;
            gradient[at.left.bias.start + channel] += weight * reached;
        }
    }
}

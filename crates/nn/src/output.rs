//! Computes the logit of each variable from its embedding.

use crate::Real;
use crate::attention::{Context, Room, Sums, add};
use crate::kernels::Onto;
use crate::layout::MlpSlots;
use crate::mlp::{Layers, clear};
use crate::parallel::{Group, by_nodes, run};
use crate::workspace::Lane;

/// Computes the logits of all nodes.
pub(crate) fn forward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (rows, groups): (&[T], &[Group]),
    logits: &mut [T],
    room: &mut Room<T>,
) {
    let embedding = context.config.embedding;
    let layers = Layers::new(slots, parameters, embedding);
    let first = &layers.first[..embedding * embedding];
    let pieces = by_nodes(logits, groups, 1);
    let tasks: Vec<_> = groups.iter().zip(pieces).collect();
    let work = |(group, logits): (&Group, &mut [T]), lane: &mut Lane<T>| {
        for block in group.blocks() {
            let logits = &mut logits[block.start - group.nodes.start..][..block.len()];
            let rows = &rows[block.start * embedding..block.end * embedding];
            let hidden = &mut lane.b[..block.len() * embedding];
            let bias = Onto::Row(layers.first_bias);
            let kernels = context.kernels;
            kernels.times(rows, first, bias, hidden, embedding);
            for (logit, hidden) in logits.iter_mut().zip(hidden.chunks_exact(embedding)) {
                let mut sum = layers.second_bias[0];
                for (&hidden, &weight) in hidden.iter().zip(&layers.second) {
                    if hidden > T::ZERO {
                        sum += hidden * weight;
                    }
                }
                *logit = sum;
            }
        }
    };
    run(context.threads, tasks, &mut room.lanes, work);
}

/// The backward pass: writes the embeddings' gradient to `row_gradient`, and adds to the parameters' gradient.
pub(crate) fn backward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (rows, groups): (&[T], &[Group]),
    (logit_gradient, row_gradient): (&[T], &mut [T]),
    room: &mut Room<T>,
    gradient: &mut [T],
) {
    let embedding = context.config.embedding;
    let kernels = context.kernels;
    let layers = Layers::new(slots, parameters, embedding);
    let first = &layers.first[..embedding * embedding];
    let weight = &parameters[slots.first.weight.clone()];
    let pieces = by_nodes(row_gradient, groups, embedding);
    let tasks: Vec<_> = groups.iter().zip(&mut room.sums[0]).zip(pieces).collect();
    let work = |((group, sums), row_gradient): ((&Group, &mut Sums<T>), &mut [T]),
                lane: &mut Lane<T>| {
        // Here `value` is the gradient of the last bias, and `reached` that of the last weights.
        clear(sums, [1, embedding, embedding * embedding, embedding]);
        for block in group.blocks() {
            let count = block.len();
            let local = (block.start - group.nodes.start) * embedding;
            let row_gradient = &mut row_gradient[local..][..count * embedding];
            let rows = &rows[block.start * embedding..block.end * embedding];
            let hidden = &mut lane.b[..count * embedding];
            kernels.times(rows, first, Onto::Row(layers.first_bias), hidden, embedding);
            let pairs = hidden.chunks_exact_mut(embedding);
            for (hidden, &slope) in pairs.zip(&logit_gradient[block]) {
                sums.value[0] += slope;
                for (c, hidden) in hidden.iter_mut().enumerate() {
                    let active = *hidden > T::ZERO;
                    let passed = if active { *hidden } else { T::ZERO };
                    sums.reached[c] += slope * passed;
                    let back = slope * layers.second[c];
                    *hidden = if active { back } else { T::ZERO };
                }
                add(&mut sums.all, hidden);
            }
            kernels.transposed_times(count, hidden, rows, &mut sums.own);
            kernels.times(hidden, weight, Onto::Zero, row_gradient, embedding);
        }
    };
    run(context.threads, tasks, &mut room.lanes, work);
    for sums in &room.sums[0][..groups.len()] {
        add(&mut gradient[slots.first.weight.clone()], &sums.own);
        add(&mut gradient[slots.first.bias.clone()], &sums.all);
        add(&mut gradient[slots.second.weight.clone()], &sums.reached);
        add(&mut gradient[slots.second.bias.clone()], &sums.value);
    }
}

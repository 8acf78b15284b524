//! Two linear layers with ReLUs: the embedding of nodes, and the output.

use idpas_graph::Table;

use crate::attention::Context;
use crate::attention::norm::mask;
use crate::attention::{add, transpose};
use crate::kernels::Onto;
use crate::layout::MlpSlots;
use crate::pages::fit;
use crate::parallel::{Group, by_nodes, run};
use crate::workspace::{Scratch, padded};
use crate::{Real, attention::Sums};

/// The weights of both layers as the products want them.
struct Layers<'a, T> {
    first: Vec<T>,
    first_bias: &'a [T],
    second: Vec<T>,
    second_bias: &'a [T],
}

impl<'a, T: Real> Layers<'a, T> {
    fn new(slots: &MlpSlots, parameters: &'a [T], inputs: usize) -> Self {
        let first_bias = &parameters[slots.first.bias.clone()];
        let second_bias = &parameters[slots.second.bias.clone()];
        let width = first_bias.len();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let weight = &parameters[slots.first.weight.clone()];
        transpose(weight, inputs, width, inputs, &mut first);
        first.resize(padded(inputs) * width, T::ZERO);
        let weight = &parameters[slots.second.weight.clone()];
        transpose(weight, width, second_bias.len(), width, &mut second);
        Layers {
            first,
            first_bias,
            second,
            second_bias,
        }
    }
}

fn relu<T: Real>(values: &mut [T]) {
    for value in values {
        *value = if *value > T::ZERO { *value } else { T::ZERO };
    }
}

/// Features as numbers of the network's precision, filled with zeros to whole vectors.
fn copy_features<T: Real>(table: &Table, nodes: std::ops::Range<usize>, to: &mut [T]) {
    let rows = table.data[nodes.start * table.width..nodes.end * table.width]
        .chunks_exact(table.width.max(1));
    for (row, to) in rows.zip(to.chunks_exact_mut(padded(table.width))) {
        for (c, to) in to.iter_mut().enumerate() {
            *to = row.get(c).map_or(T::ZERO, |&value| T::from_f32(value));
        }
    }
}

/// Embeddings of nodes from their features.
pub(crate) fn embed<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (table, groups): (&Table, &[Group]),
    out: &mut [T],
    scratch: &mut [Scratch<T>],
) {
    let embedding = context.config.embedding;
    let wide = padded(table.width);
    let layers = Layers::new(slots, parameters, table.width);
    let tasks: Vec<_> = groups
        .iter()
        .zip(scratch.iter_mut())
        .zip(by_nodes(out, groups, embedding))
        .collect();
    run(context.threads, tasks, |((group, scratch), out)| {
        for block in group.blocks() {
            let local = (block.start - group.nodes.start) * embedding;
            let out = &mut out[local..][..block.len() * embedding];
            let features = &mut scratch.a[..block.len() * wide];
            let hidden = &mut scratch.b[..block.len() * embedding];
            copy_features(table, block, features);
            let kernels = context.kernels;
            let bias = Onto::Row(layers.first_bias);
            kernels.times(features, &layers.first, bias, hidden, embedding);
            relu(hidden);
            let bias = Onto::Row(layers.second_bias);
            kernels.times(hidden, &layers.second, bias, out, embedding);
            relu(out);
        }
    });
}

/// The backward pass of [`embed`]: adds to the parameters' gradient, uses up that of `out`.
pub(crate) fn embed_backward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (table, groups): (&Table, &[Group]),
    (out, out_gradient): (&[T], &mut [T]),
    scratch: &mut [Scratch<T>],
    gradient: &mut [T],
) {
    let embedding = context.config.embedding;
    let wide = padded(table.width);
    let layers = Layers::new(slots, parameters, table.width);
    let second = &parameters[slots.second.weight.clone()];
    let tasks: Vec<_> = groups
        .iter()
        .zip(scratch.iter_mut())
        .zip(by_nodes(out_gradient, groups, embedding))
        .collect();
    run(
        context.threads,
        tasks,
        |((group, scratch), out_gradient)| {
            let Scratch { a, b, edges, sums } = scratch;
            clear(
                sums,
                embedding * wide,
                embedding,
                embedding * embedding,
                embedding,
            );
            for block in group.blocks() {
                let rows = block.len();
                let local = (block.start - group.nodes.start) * embedding;
                let out_gradient = &mut out_gradient[local..][..rows * embedding];
                mask(
                    out_gradient,
                    &out[block.start * embedding..][..rows * embedding],
                );
                let features = &mut a[..rows * wide];
                let hidden = &mut b[..rows * embedding];
                copy_features(table, block, features);
                let kernels = context.kernels;
                let bias = Onto::Row(layers.first_bias);
                kernels.times(features, &layers.first, bias, hidden, embedding);
                relu(hidden);
                kernels.transposed_times(rows, out_gradient, hidden, &mut sums.own);
                for row in out_gradient.chunks_exact(embedding) {
                    add(&mut sums.reached, row);
                }
                let back = fit(edges, rows * embedding);
                kernels.times(out_gradient, second, Onto::Zero, back, embedding);
                mask(back, hidden);
                kernels.transposed_times(rows, back, features, &mut sums.value);
                for row in back.chunks_exact(embedding) {
                    add(&mut sums.all, row);
                }
            }
        },
    );
    for scratch in &scratch[..groups.len()] {
        let sums = &scratch.sums;
        let weight = &mut gradient[slots.first.weight.clone()];
        let rows = weight.chunks_exact_mut(table.width.max(1));
        for (row, sums) in rows.zip(sums.value.chunks_exact(wide.max(1))) {
            add(row, sums);
        }
        add(&mut gradient[slots.first.bias.clone()], &sums.all);
        add(&mut gradient[slots.second.weight.clone()], &sums.own);
        add(&mut gradient[slots.second.bias.clone()], &sums.reached);
    }
}

/// A logit per node from its embedding.
pub(crate) fn output<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (rows, groups): (&[T], &[Group]),
    logits: &mut [T],
    scratch: &mut [Scratch<T>],
) {
    let embedding = context.config.embedding;
    let layers = Layers::new(slots, parameters, embedding);
    let tasks: Vec<_> = groups
        .iter()
        .zip(scratch.iter_mut())
        .zip(by_nodes(logits, groups, 1))
        .collect();
    run(context.threads, tasks, |((group, scratch), logits)| {
        for block in group.blocks() {
            let logits = &mut logits[block.start - group.nodes.start..][..block.len()];
            let rows = &rows[block.start * embedding..block.end * embedding];
            let hidden = &mut scratch.b[..block.len() * embedding];
            let bias = Onto::Row(layers.first_bias);
            let kernels = context.kernels;
            kernels.times(
                rows,
                &layers.first[..embedding * embedding],
                bias,
                hidden,
                embedding,
            );
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
    });
}

/// The backward pass of [`output`]: the embeddings' gradient into `row_gradient`.
pub(crate) fn output_backward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (rows, groups): (&[T], &[Group]),
    (logit_gradient, row_gradient): (&[T], &mut [T]),
    scratch: &mut [Scratch<T>],
    gradient: &mut [T],
) {
    let embedding = context.config.embedding;
    let layers = Layers::new(slots, parameters, embedding);
    let first = &parameters[slots.first.weight.clone()];
    let tasks: Vec<_> = groups
        .iter()
        .zip(scratch.iter_mut())
        .zip(by_nodes(row_gradient, groups, embedding))
        .collect();
    run(
        context.threads,
        tasks,
        |((group, scratch), row_gradient)| {
            let Scratch { b, sums, .. } = scratch;
            clear(sums, 1, embedding, embedding * embedding, embedding);
            for block in group.blocks() {
                let count = block.len();
                let local = (block.start - group.nodes.start) * embedding;
                let row_gradient = &mut row_gradient[local..][..count * embedding];
                let rows = &rows[block.start * embedding..block.end * embedding];
                let hidden = &mut b[..count * embedding];
                let bias = Onto::Row(layers.first_bias);
                let kernels = context.kernels;
                kernels.times(
                    rows,
                    &layers.first[..embedding * embedding],
                    bias,
                    hidden,
                    embedding,
                );
                for (hidden, &g) in hidden
                    .chunks_exact_mut(embedding)
                    .zip(&logit_gradient[block])
                {
                    sums.value[0] += g;
                    for (c, hidden) in hidden.iter_mut().enumerate() {
                        let active = *hidden > T::ZERO;
                        if active {
                            sums.reached[c] += g * *hidden;
                        }
                        *hidden = if active {
                            g * layers.second[c]
                        } else {
                            T::ZERO
                        };
                    }
                    add(&mut sums.all, hidden);
                }
                kernels.transposed_times(count, hidden, rows, &mut sums.own);
                kernels.times(hidden, first, Onto::Zero, row_gradient, embedding);
            }
        },
    );
    for scratch in &scratch[..groups.len()] {
        let sums = &scratch.sums;
        add(&mut gradient[slots.first.weight.clone()], &sums.own);
        add(&mut gradient[slots.first.bias.clone()], &sums.all);
        add(&mut gradient[slots.second.weight.clone()], &sums.reached);
        add(&mut gradient[slots.second.bias.clone()], &sums.value);
    }
}

/// Borrows a group's sums: `value` and `all` for the first layer, or the last bias; `own` and
/// `reached` for the second.
fn clear<T: Real>(sums: &mut Sums<T>, value: usize, all: usize, own: usize, reached: usize) {
    let fields = [
        (&mut sums.value, value),
        (&mut sums.all, all),
        (&mut sums.own, own),
        (&mut sums.reached, reached),
    ];
    for (vector, length) in fields {
        vector.clear();
        vector.resize(length, T::ZERO);
    }
}

//! Computes the embeddings of nodes from their features.

use std::ops::Range;

use idpas_graph::Table;

use crate::Real;
use crate::attention::norm::mask;
use crate::attention::{Context, Room, Sums, add};
use crate::kernels::Onto;
use crate::layout::MlpSlots;
use crate::mlp::{Layers, clear, relu};
use crate::pages::fit;
use crate::parallel::{Group, by_nodes, run};
use crate::workspace::{Lane, padded};

/// Copies features in the network's precision, with zeros added up to whole vectors.
fn copy<T: Real>(table: &Table, nodes: Range<usize>, to: &mut [T]) {
    for (node, to) in nodes.zip(to.chunks_exact_mut(padded(table.width))) {
        let row = table.row(node);
        for (to, &value) in to.iter_mut().zip(row) {
            *to = T::from_f32(value);
        }
        to[row.len()..].fill(T::ZERO);
    }
}

/// Computes the embeddings of all nodes into `out`.
pub(crate) fn forward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (table, groups): (&Table, &[Group]),
    out: &mut [T],
    room: &mut Room<T>,
) {
    // A table without rows need not have the right width.
    if groups.is_empty() {
        return;
    }
    let embedding = context.config.embedding;
    let kernels = context.kernels;
    let layers = Layers::new(slots, parameters, table.width);
    let pieces = by_nodes(out, groups, embedding);
    let tasks: Vec<_> = groups.iter().zip(pieces).collect();
    run(
        context.threads,
        tasks,
        &mut room.lanes,
        |(group, out), lane| {
            for block in group.blocks() {
                let rows = block.len();
                let local = (block.start - group.nodes.start) * embedding;
                let out = &mut out[local..][..rows * embedding];
                let features = &mut lane.a[..rows * padded(table.width)];
                let hidden = &mut lane.b[..rows * embedding];
                copy(table, block, features);
                let bias = Onto::Row(layers.first_bias);
                kernels.times(features, &layers.first, bias, hidden, embedding);
                relu(hidden);
                let bias = Onto::Row(layers.second_bias);
                kernels.times(hidden, &layers.second, bias, out, embedding);
                relu(out);
            }
        },
    );
}

/// The backward pass: adds to the parameters' gradient. Overwrites the gradient of the embeddings.
pub(crate) fn backward<T: Real>(
    context: &Context<'_, T>,
    (slots, parameters): (&MlpSlots, &[T]),
    (table, groups): (&Table, &[Group]),
    (out, out_gradient): (&[T], &mut [T]),
    room: &mut Room<T>,
    gradient: &mut [T],
) {
    // A table without rows need not have the right width.
    if groups.is_empty() {
        return;
    }
    let embedding = context.config.embedding;
    let kernels = context.kernels;
    let wide = padded(table.width);
    let layers = Layers::new(slots, parameters, table.width);
    let second = &parameters[slots.second.weight.clone()];
    let pieces = by_nodes(out_gradient, groups, embedding);
    let tasks: Vec<_> = groups.iter().zip(&mut room.sums[0]).zip(pieces).collect();
    let work = |((group, sums), out_gradient): ((&Group, &mut Sums<T>), &mut [T]),
                lane: &mut Lane<T>| {
        clear(
            sums,
            [
                embedding * wide,
                embedding,
                embedding * embedding,
                embedding,
            ],
        );
        for block in group.blocks() {
            let rows = block.len();
            let local = (block.start - group.nodes.start) * embedding;
            let out_gradient = &mut out_gradient[local..][..rows * embedding];
            mask(
                out_gradient,
                &out[block.start * embedding..][..rows * embedding],
            );
            let features = &mut lane.a[..rows * wide];
            let hidden = &mut lane.b[..rows * embedding];
            copy(table, block, features);
            let bias = Onto::Row(layers.first_bias);
            kernels.times(features, &layers.first, bias, hidden, embedding);
            relu(hidden);
            kernels.transposed_times(rows, out_gradient, hidden, &mut sums.own);
            let back = fit(&mut lane.edges, rows * embedding);
            kernels.times(out_gradient, second, Onto::Zero, back, embedding);
            mask(back, hidden);
            kernels.transposed_times(rows, back, features, &mut sums.value);
            for row in out_gradient.chunks_exact(embedding) {
                add(&mut sums.reached, row);
            }
            for row in back.chunks_exact(embedding) {
                add(&mut sums.all, row);
            }
        }
    };
    run(context.threads, tasks, &mut room.lanes, work);
    for sums in &room.sums[0][..groups.len()] {
        let weight = &mut gradient[slots.first.weight.clone()];
        let rows = weight.chunks_exact_mut(table.width);
        for (row, sums) in rows.zip(sums.value.chunks_exact(wide)) {
            add(row, sums);
        }
        add(&mut gradient[slots.first.bias.clone()], &sums.all);
        add(&mut gradient[slots.second.weight.clone()], &sums.own);
        add(&mut gradient[slots.second.bias.clone()], &sums.reached);
    }
}

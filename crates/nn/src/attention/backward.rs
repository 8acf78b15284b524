//! The backward pass of a stage.

use super::finish::Finish;
use super::sums::{Part, Sums, add};
use super::sweeps::{Sources, Sweep, Targets};
use super::{Context, Room, Stage, norm, turn};
use crate::Real;
use crate::kernels::{Onto, sign_bytes};
use crate::layout::{Slots, StageSlots};
use crate::pages::fit;
use crate::parallel::{Group, by_edges, by_nodes, run};
use crate::plan::Flow;
use crate::workspace::StageTape;

/// The inputs and results of a stage's forward pass.
pub(crate) struct StageRecord<'a, T> {
    /// Embeddings of the sources.
    pub(crate) sources: &'a [T],
    /// Embeddings of the targets before the stage.
    pub(crate) targets: &'a [T],
    /// Embeddings of the targets after the stage.
    pub(crate) out: &'a [T],
    pub(crate) tape: &'a StageTape<T>,
}

/// Gradients of embeddings, before and after a stage.
pub(crate) struct Gradients<'a, T> {
    /// Input: gradient of the targets' new embeddings. Overwritten.
    pub(crate) out: &'a mut [T],
    /// Output: gradient of the targets' old embeddings.
    pub(crate) targets: &'a mut [T],
    /// Gradient of the sources' embeddings; the stage adds to it.
    pub(crate) sources: &'a mut [T],
}

/// A piece of work within a sweep.
enum Task<'a, T> {
    /// Computes gradients of parameters from the sums of earlier heads.
    Finish {
        gradient: &'a mut [T],
        total: &'a mut Sums<T>,
        targets: &'a mut [Sums<T>],
        sources: &'a mut [Sums<T>],
    },
    Targets(Targets<'a, T>),
    Sources(Sources<'a, T>),
}

/// Computes the gradients of a stage's inputs, and adds those of its parameters to `gradient`.
pub(crate) fn backward<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    seen: &StageRecord<'_, T>,
    gradients: Gradients<'_, T>,
    room: &mut Room<T>,
    (slots, stage_slots, gradient): (&Slots, &StageSlots, &mut [T]),
) {
    let config = context.config;
    let (embedding, heads) = (config.embedding, config.heads);
    let edges = flow.targets.neighbours.len();
    let bytes = edges * sign_bytes(config.head_width);
    for k in 0..2 {
        fit(&mut room.projected[k], flow.targets.nodes() * embedding);
        fit(&mut room.scores[k], edges);
    }
    let Gradients {
        out,
        targets: direct,
        sources: to_sources,
    } = gradients;
    own(context, stage, flow, seen, (out, direct), room);
    let target_groups = flow.target_groups;
    let source_groups = flow.source_groups;
    let finish = Finish {
        context,
        stage,
        slots,
        at: stage_slots,
    };
    let total = &mut room.total;
    total.collect(Part::Own, &mut room.sums[0][..target_groups.len()], context);
    finish.stage(total, gradient);
    let all = &mut room.heads[..heads];
    let lanes = &mut room.lanes;
    let tasks: Vec<_> = all.iter_mut().enumerate().collect();
    run(context.threads, tasks, lanes, |(h, head), _| {
        head.prepare(stage, h, context);
        head.prepare_backward(stage, h, context);
    });
    let all = &*all;
    let sweep_of = |h: usize| Sweep {
        context,
        flow,
        seen,
        head: &all[h],
        alpha: &seen.tape.alpha[h * edges..][..edges],
        signs: &seen.tape.signs[h * bytes..][..bytes],
    };
    // Sweep k handles the targets of head k and the sources of head k - 1, and computes the gradients of parameters
    // from the sums that the targets of head k - 1 and the sources of head k - 2 have left.
    for k in 0..heads + 2 {
        let (pulled, pulled_before) = turn(&mut room.projected, k);
        let (scores, scores_before) = turn(&mut room.scores, k);
        let gradient = &mut *gradient;
        let total = &mut *total;
        let (sums, sums_before) = turn(&mut room.sums, k);
        let (done, source_sums) = turn(&mut room.source_sums, k);
        let mut tasks = Vec::new();
        if k > 0 {
            tasks.push(Task::Finish {
                gradient,
                total,
                targets: &mut sums_before[..target_groups.len()],
                sources: &mut done[..source_groups.len()],
            });
        }
        if k < heads {
            let arrays = (&mut *direct, &mut pulled[..], &mut scores[..]);
            tasks.extend(target_tasks(target_groups, embedding, arrays, sums));
        }
        if (1..=heads).contains(&k) {
            let gradient = &mut *to_sources;
            tasks.extend(source_tasks(
                source_groups,
                embedding,
                gradient,
                source_sums,
            ));
        }
        let out = &*out;
        run(context.threads, tasks, lanes, |task, lane| match task {
            Task::Finish {
                gradient,
                total,
                targets,
                sources,
            } => {
                if k <= heads {
                    total.collect(Part::Targets, targets, context);
                    finish.targets(k - 1, &all[k - 1], total, gradient);
                }
                if k >= 2 {
                    total.collect(Part::Sources, sources, context);
                    finish.sources(k - 2, total, gradient);
                }
            }
            Task::Targets(task) => sweep_of(k).targets(out, task, lane),
            Task::Sources(task) => {
                sweep_of(k - 1).sources((pulled_before, scores_before), task, lane);
            }
        });
    }
}

/// The work on all targets, one task for each group. The arrays are those of [`Targets`], for all groups.
fn target_tasks<'a, T>(
    groups: &'a [Group],
    embedding: usize,
    (direct, pulled, scores): (&'a mut [T], &'a mut [T], &'a mut [T]),
    sums: &'a mut [Sums<T>],
) -> impl Iterator<Item = Task<'a, T>> {
    let pieces = groups
        .iter()
        .zip(by_nodes(direct, groups, embedding))
        .zip(by_nodes(pulled, groups, embedding))
        .zip(by_edges(scores, groups, 1))
        .zip(sums);
    pieces.map(|((((group, direct), pulled), scores), sums)| {
        Task::Targets(Targets {
            group,
            direct,
            pulled,
            scores,
            sums,
        })
    })
}

/// The work on all sources, one task for each group.
fn source_tasks<'a, T>(
    groups: &'a [Group],
    embedding: usize,
    gradient: &'a mut [T],
    sums: &'a mut [Sums<T>],
) -> impl Iterator<Item = Task<'a, T>> {
    let pieces = groups
        .iter()
        .zip(by_nodes(gradient, groups, embedding))
        .zip(sums);
    pieces.map(|((group, gradient), sums)| {
        Task::Sources(Sources {
            group,
            gradient,
            sums,
        })
    })
}

/// The gradient through the activation and W_own to the targets' old embeddings.
fn own<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    seen: &StageRecord<'_, T>,
    (gradient, direct): (&mut [T], &mut [T]),
    room: &mut Room<T>,
) {
    let embedding = context.config.embedding;
    let stride = embedding + stage.bias.len();
    let rows = stage.combine.weight.chunks_exact(stride);
    let weight: Vec<T> = rows.flat_map(|row| &row[..embedding]).copied().collect();
    let groups = flow.target_groups;
    let tasks: Vec<_> = groups
        .iter()
        .zip(&mut room.sums[0])
        .zip(by_nodes(gradient, groups, embedding))
        .zip(by_nodes(direct, groups, embedding))
        .collect();
    let kernels = context.kernels;
    run(
        context.threads,
        tasks,
        &mut room.lanes,
        |(((group, sums), gradient), direct), _| {
            sums.clear(Part::Own, context);
            for block in group.blocks() {
                let span = block.start * embedding..block.end * embedding;
                let own = &seen.targets[span.clone()];
                let updates = if stage.norm.is_some() {
                    &seen.tape.update[span.clone()]
                } else {
                    &[]
                };
                let local = (block.start - group.nodes.start) * embedding;
                let gradient = &mut gradient[local..][..span.len()];
                let direct = &mut direct[local..][..span.len()];
                let seen = (own, &seen.out[span], updates);
                norm::backward(stage, seen, gradient, direct, sums);
                kernels.times(gradient, &weight, Onto::Itself, direct, embedding);
                kernels.transposed_times(block.len(), gradient, own, &mut sums.own);
                for (node, row) in block.zip(gradient.chunks_exact(embedding)) {
                    add(&mut sums.all, row);
                    if !flow.targets.range(node).is_empty() {
                        add(&mut sums.reached, row);
                    }
                }
            }
        },
    );
}

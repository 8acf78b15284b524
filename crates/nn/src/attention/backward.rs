//! The backward pass of a stage.

use super::finish::{finish_head, finish_stage};
use super::head::{Part, add};
use super::{Context, Head, Stage, Sums, norm};
use crate::Real;
use crate::kernels::{Gather, Masked, Onto, Pull, sign_bytes};
use crate::layout::{Slots, StageSlots};
use crate::pages::fit;
use crate::parallel::{BLOCK, by_edges, by_nodes, run};
use crate::plan::Flow;
use crate::workspace::{Scratch, StageTape};

/// What a stage saw and made.
pub(crate) struct Seen<'a, T> {
    pub(crate) sources: &'a [T],
    pub(crate) targets: &'a [T],
    pub(crate) out: &'a [T],
    pub(crate) tape: &'a StageTape<T>,
}

/// Gradients of embeddings.
pub(crate) struct Gradients<'a, T> {
    /// In: of the targets' new embeddings; used up.
    pub(crate) out: &'a mut [T],
    /// Out: of the targets' old embeddings.
    pub(crate) targets: &'a mut [T],
    /// Of the sources: added to.
    pub(crate) sources: &'a mut [T],
}

/// Room to work in.
pub(crate) struct Room<'a, T> {
    pub(crate) pulled: &'a mut Vec<T>,
    pub(crate) scores: &'a mut Vec<T>,
    pub(crate) head: &'a mut Head<T>,
    pub(crate) sums: &'a mut Sums<T>,
    pub(crate) scratch: &'a mut [Scratch<T>],
}

/// Gradients of a stage's inputs, and of its parameters added to `gradient`.
pub(crate) fn backward<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    seen: &Seen<'_, T>,
    gradients: Gradients<'_, T>,
    room: Room<'_, T>,
    (slots, stage_slots, gradient): (&Slots, &StageSlots, &mut [T]),
) {
    let config = context.config;
    let (embedding, edges) = (config.embedding, flow.targets.neighbours.len());
    let pulled = fit(room.pulled, flow.targets.nodes() * embedding);
    let scores = fit(room.scores, edges);
    let (head, sums, scratch) = (room.head, room.sums, room.scratch);
    let Gradients {
        out,
        targets,
        sources,
    } = gradients;
    own(context, stage, flow, seen, (out, targets), (head, scratch));
    collect(context, Part::Own, flow, sums, scratch);
    finish_stage(context, sums, stage_slots, gradient);
    let out = &*out;
    for h in 0..config.heads {
        head.prepare(stage, h, context);
        head.prepare_backward(stage, h, context);
        let sweep = Sweep {
            context,
            flow,
            seen,
            head,
            alpha: &seen.tape.alpha[h * edges..][..edges],
            signs: {
                let bytes = edges * sign_bytes(config.head_width);
                &seen.tape.signs[h * bytes..][..bytes]
            },
        };
        sweep.targets(out, targets, pulled, scores, scratch);
        sweep.sources(sources, pulled, scores, scratch);
        collect(context, Part::Targets, flow, sums, scratch);
        collect(context, Part::Sources, flow, sums, scratch);
        finish_head(
            context,
            stage,
            h,
            (head, sums),
            (slots, stage_slots, gradient),
        );
    }
}

/// Adds up a part of all groups' sums, in the order of the groups.
fn collect<T: Real>(
    context: &Context<'_, T>,
    part: Part,
    flow: &Flow<'_, T>,
    sums: &mut Sums<T>,
    scratch: &mut [Scratch<T>],
) {
    let groups = match part {
        Part::Sources => flow.source_groups.len(),
        _ => flow.target_groups.len(),
    };
    sums.clear(part, context);
    for scratch in &mut scratch[..groups] {
        sums.add(part, &mut scratch.sums, context);
    }
}

/// Through the activation to the targets' own embeddings.
fn own<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    seen: &Seen<'_, T>,
    (gradient, direct): (&mut [T], &mut [T]),
    (head, scratch): (&mut Head<T>, &mut [Scratch<T>]),
) {
    let embedding = context.config.embedding;
    let stride = embedding + stage.bias.len();
    head.own.clear();
    for row in stage.combine.weight.chunks_exact(stride) {
        head.own.extend_from_slice(&row[..embedding]);
    }
    let groups = flow.target_groups;
    let tasks: Vec<_> = groups
        .iter()
        .zip(scratch.iter_mut())
        .zip(by_nodes(gradient, groups, embedding))
        .zip(by_nodes(direct, groups, embedding))
        .collect();
    let head = &*head;
    run(
        context.threads,
        tasks,
        |(((group, scratch), gradient), direct)| {
            let sums = &mut scratch.sums;
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
                norm::backward(
                    stage,
                    (own, &seen.out[span], updates),
                    gradient,
                    direct,
                    sums,
                );
                let kernels = context.kernels;
                kernels.times(gradient, &head.own, Onto::Itself, direct, embedding);
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

/// One head's sweeps over targets and over sources.
struct Sweep<'a, T> {
    context: &'a Context<'a, T>,
    flow: &'a Flow<'a, T>,
    seen: &'a Seen<'a, T>,
    head: &'a Head<T>,
    alpha: &'a [T],
    signs: &'a [u8],
}

impl<T: Real> Sweep<'_, T> {
    /// Gradients of scores, and what targets receive through them.
    fn targets(
        &self,
        gradient: &[T],
        direct: &mut [T],
        pulled: &mut [T],
        scores: &mut [T],
        scratch: &mut [Scratch<T>],
    ) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let features = config.edge_width;
        let groups = self.flow.target_groups;
        let tasks: Vec<_> = groups
            .iter()
            .zip(scratch.iter_mut())
            .zip(by_nodes(direct, groups, embedding))
            .zip(by_nodes(pulled, groups, embedding))
            .zip(by_edges(scores, groups, 1))
            .collect();
        run(
            self.context.threads,
            tasks,
            |((((group, scratch), direct), pulled), scores)| {
                let kernels = self.context.kernels;
                let bytes = sign_bytes(width);
                let Scratch { a, b, edges, sums } = scratch;
                sums.clear(Part::Targets, self.context);
                for block in group.blocks() {
                    let rows = block.len();
                    let span = block.start * embedding..block.end * embedding;
                    let local = (block.start - group.nodes.start) * embedding;
                    let starts = &self.flow.targets.starts[block.start..=block.end];
                    let range = starts[0] as usize..starts[rows] as usize;
                    let signs = &self.signs[range.start * bytes..range.end * bytes];
                    let scores = &mut scores[range.start - group.edges.start..][..range.len()];
                    let gradient = &gradient[span.clone()];
                    let pulled = &mut pulled[local..][..span.len()];
                    kernels.times(gradient, &self.head.value, Onto::Zero, pulled, embedding);
                    (kernels.pull)(Pull {
                        width: embedding,
                        starts,
                        neighbours: &self.flow.targets.neighbours[range.clone()],
                        sources: self.seen.sources,
                        gradient: pulled,
                        alpha: &self.alpha[range.clone()],
                        scores,
                        sums: &mut a[..rows * embedding],
                    });
                    let reached = &a[..rows * embedding];
                    kernels.transposed_times(rows, gradient, reached, &mut sums.value);
                    let slopes = &mut b[..rows * width];
                    (kernels.masked)(Masked {
                        width,
                        starts,
                        positions: None,
                        coefficients: scores,
                        signs,
                        out: slopes,
                    });
                    let own = &self.seen.targets[span.clone()];
                    kernels.transposed_times(rows, slopes, own, &mut sums.right);
                    let direct = &mut direct[local..][..span.len()];
                    let scaled = &self.head.right_scaled;
                    kernels.times(slopes, scaled, Onto::Itself, direct, embedding);
                    for row in slopes.chunks_exact(width) {
                        add(&mut sums.slopes, row);
                    }
                    for f in 0..features {
                        let values = self.flow.features[range.start * features..][f..]
                            .iter()
                            .step_by(features);
                        edges.clear();
                        edges.extend(scores.iter().zip(values).map(|(&s, &e)| s * e));
                        (kernels.masked)(Masked {
                            width,
                            starts: &[0, range.len() as u32],
                            positions: None,
                            coefficients: edges,
                            signs,
                            out: &mut b[..width],
                        });
                        add(&mut sums.features[f * width..][..width], &b[..width]);
                    }
                }
            },
        );
    }

    /// What sources receive, through the scores and through the weighted sums.
    fn sources(&self, gradient: &mut [T], pulled: &[T], scores: &[T], scratch: &mut [Scratch<T>]) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let groups = self.flow.source_groups;
        let tasks: Vec<_> = groups
            .iter()
            .zip(scratch.iter_mut())
            .zip(by_nodes(gradient, groups, embedding))
            .collect();
        run(
            self.context.threads,
            tasks,
            |((group, scratch), gradient)| {
                let kernels = self.context.kernels;
                let Scratch { a, sums, .. } = scratch;
                sums.clear(Part::Sources, self.context);
                for block in group.blocks() {
                    let rows = block.len();
                    let span = block.start * embedding..block.end * embedding;
                    let local = (block.start - group.nodes.start) * embedding;
                    let starts = &self.flow.sources.starts[block.start..=block.end];
                    let range = starts[0] as usize..starts[rows] as usize;
                    let positions = &self.flow.positions[range.clone()];
                    let gradient = &mut gradient[local..][..span.len()];
                    debug_assert!(rows <= BLOCK);
                    (kernels.gather)(Gather {
                        width: embedding,
                        starts,
                        neighbours: &self.flow.sources.neighbours[range],
                        positions,
                        alpha: self.alpha,
                        rows: pulled,
                        out: gradient,
                    });
                    let slopes = &mut a[..rows * width];
                    (kernels.masked)(Masked {
                        width,
                        starts,
                        positions: Some(positions),
                        coefficients: scores,
                        signs: self.signs,
                        out: slopes,
                    });
                    let scaled = &self.head.left_scaled;
                    kernels.times(slopes, scaled, Onto::Itself, gradient, embedding);
                    kernels.transposed_times(
                        rows,
                        slopes,
                        &self.seen.sources[span],
                        &mut sums.left,
                    );
                }
            },
        );
    }
}

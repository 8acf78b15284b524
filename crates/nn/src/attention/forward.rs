//! The forward pass of a stage.

use super::{Context, Head, Stage, norm};
use crate::Real;
use crate::kernels::{Attend, Onto, sign_bytes};
use crate::pages::fit;
use crate::parallel::{by_edges, by_nodes, run};
use crate::plan::Flow;
use crate::workspace::{Scratch, StageTape};

/// New embeddings of the targets into `out`. With `keep`, the tape keeps what the backward pass
/// needs; otherwise it is only room to work in.
#[allow(clippy::too_many_arguments)]
pub(crate) fn forward<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    (sources, targets): (&[T], &[T]),
    out: &mut [T],
    (tape, keep): (&mut StageTape<T>, bool),
    projected: &mut Vec<T>,
    (head, scratch): (&mut Head<T>, &mut [Scratch<T>]),
) {
    let config = context.config;
    let (embedding, width, heads) = (config.embedding, config.head_width, config.heads);
    let edges = flow.targets.neighbours.len();
    let bytes = sign_bytes(width);
    let tapes = if keep { heads } else { 1 };
    let projected = fit(projected, flow.sources.nodes() * width);
    let alpha = fit(&mut tape.alpha, tapes * edges);
    let signs = fit(
        &mut tape.signs,
        if keep { heads * edges * bytes } else { 0 },
    );
    let update = if stage.norm.is_some() { embedding } else { 0 };
    let updates = fit(&mut tape.update, flow.targets.nodes() * update);
    head.prepare_stage(stage, context);
    for h in 0..heads {
        head.prepare(stage, h, context);
        project(context, stage, flow, h, sources, projected, head);
        let at = if keep { h * edges } else { 0 };
        let signs = if keep {
            &mut signs[at * bytes..][..edges * bytes]
        } else {
            &mut []
        };
        let groups = flow.target_groups;
        let per_edge = if keep { bytes } else { 0 };
        let tasks: Vec<_> = groups
            .iter()
            .zip(scratch.iter_mut())
            .zip(by_nodes(out, groups, embedding))
            .zip(by_nodes(updates, groups, update))
            .zip(by_edges(&mut alpha[at..][..edges], groups, 1))
            .zip(by_edges(signs, groups, per_edge))
            .collect();
        let (head, projected) = (&*head, &*projected);
        run(
            context.threads,
            tasks,
            |(((((group, scratch), out), updates), alpha), signs)| {
                for block in group.blocks() {
                    let rows = block.len();
                    let local = block.start - group.nodes.start;
                    let starts = &flow.targets.starts[block.start..=block.end];
                    let first = starts[0] as usize;
                    let span = first..starts[rows] as usize;
                    let inside = first - group.edges.start..span.end - group.edges.start;
                    let own = &targets[block.start * embedding..block.end * embedding];
                    let out = &mut out[local * embedding..][..rows * embedding];
                    let query = &mut scratch.a[..rows * width];
                    let result = &mut scratch.b[..rows * width];
                    let bias = Onto::Row(&head.right_bias);
                    context.kernels.times(own, &head.right, bias, query, width);
                    let features = config.edge_width;
                    (context.kernels.attend)(Attend {
                        width,
                        starts,
                        neighbours: &flow.targets.neighbours[span.clone()],
                        features: &flow.features[span.start * features..span.end * features],
                        projection: &head.projection,
                        sources: projected,
                        targets: query,
                        att: &stage.att[h * width..][..width],
                        alpha: &mut alpha[inside.clone()],
                        signs: &mut signs[inside.start * per_edge..inside.end * per_edge],
                        out: result,
                    });
                    if h == 0 {
                        let constant = Onto::Row(&head.constant);
                        context
                            .kernels
                            .times(own, &head.own, constant, out, embedding);
                    }
                    let onto = Onto::Itself;
                    context
                        .kernels
                        .times(result, &head.combine, onto, out, embedding);
                    if h + 1 == heads {
                        let updates = &mut updates[local * update..][..rows * update];
                        norm::forward(stage, own, out, updates);
                    }
                }
            },
        );
    }
}

/// Every source as head `h` sees it.
fn project<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    h: usize,
    sources: &[T],
    projected: &mut [T],
    head: &Head<T>,
) {
    let (embedding, width) = (context.config.embedding, context.config.head_width);
    let groups = flow.source_groups;
    let tasks: Vec<_> = groups
        .iter()
        .zip(by_nodes(projected, groups, width))
        .collect();
    let bias = &stage.left.bias[h * width..][..width];
    run(context.threads, tasks, |(group, projected)| {
        let nodes = &group.nodes;
        let rows = &sources[nodes.start * embedding..nodes.end * embedding];
        let bias = Onto::Row(bias);
        context
            .kernels
            .times(rows, &head.left, bias, projected, width);
    });
}

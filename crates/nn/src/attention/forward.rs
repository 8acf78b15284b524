//! The forward pass of a stage.

use super::{Context, Head, Room, Stage, norm, transpose, turn};
use crate::Real;
use crate::kernels::{Attend, Onto, sign_bytes};
use crate::pages::fit;
use crate::parallel::{Group, by_edges, by_nodes, run};
use crate::plan::Flow;
use crate::workspace::{Lane, StageTape};

/// A group's part in a sweep.
enum Task<'a, T> {
    /// Project the sources for the head to come.
    Project(&'a Group, &'a mut [T]),
    Attend(Attending<'a, T>),
}

/// A group of targets and what becomes of it.
struct Attending<'a, T> {
    group: &'a Group,
    out: &'a mut [T],
    updates: &'a mut [T],
    alpha: &'a mut [T],
    signs: &'a mut [u8],
}

/// What the groups share.
struct Forward<'a, T> {
    context: &'a Context<'a, T>,
    stage: &'a Stage<'a, T>,
    flow: &'a Flow<'a, T>,
    sources: &'a [T],
    targets: &'a [T],
    /// W_ownᵀ.
    own: Vec<T>,
    /// b_c + Σ W_c b.
    constant: Vec<T>,
}

/// New embeddings of the targets into `out`. With `keep`, the tape keeps what the backward pass
/// needs; otherwise it is only room to work in.
pub(crate) fn forward<T: Real>(
    context: &Context<'_, T>,
    stage: &Stage<'_, T>,
    flow: &Flow<'_, T>,
    (sources, targets): (&[T], &[T]),
    out: &mut [T],
    (tape, keep): (&mut StageTape<T>, bool),
    room: &mut Room<T>,
) {
    let config = context.config;
    let (embedding, heads) = (config.embedding, config.heads);
    let edges = flow.targets.neighbours.len();
    let bytes = if keep {
        sign_bytes(config.head_width)
    } else {
        0
    };
    let tapes = if keep { heads } else { 1 };
    let alpha = fit(&mut tape.alpha, tapes * edges);
    let signs = fit(&mut tape.signs, tapes * edges * bytes);
    let update = if stage.norm.is_some() { embedding } else { 0 };
    let updates = fit(&mut tape.update, flow.targets.nodes() * update);
    for projected in &mut room.projected {
        fit(projected, flow.sources.nodes() * config.head_width);
    }
    let pass = Forward::new(context, stage, flow, (sources, targets));
    let all = &mut room.heads[..heads];
    let lanes = &mut room.lanes;
    let tasks: Vec<_> = all.iter_mut().enumerate().collect();
    run(context.threads, tasks, lanes, |(h, head), _| {
        head.prepare(stage, h, context);
    });
    let all = &*all;
    // One sweep ahead: the sources of head h are projected while head h - 1 attends.
    for sweep in 0..=heads {
        let (coming, current) = turn(&mut room.projected, sweep);
        let mut tasks = Vec::new();
        if let Some(h) = sweep.checked_sub(1) {
            let at = if keep { h * edges } else { 0 };
            let groups = flow.target_groups;
            let alpha = by_edges(&mut alpha[at..][..edges], groups, 1);
            let signs = by_edges(&mut signs[at * bytes..][..edges * bytes], groups, bytes);
            let pieces = groups
                .iter()
                .zip(by_nodes(out, groups, embedding))
                .zip(by_nodes(updates, groups, update))
                .zip(alpha.into_iter().zip(signs));
            tasks.extend(pieces.map(|(((group, out), updates), (alpha, signs))| {
                Task::Attend(Attending {
                    group,
                    out,
                    updates,
                    alpha,
                    signs,
                })
            }));
        }
        if sweep < heads {
            let groups = flow.source_groups;
            let pieces = by_nodes(coming, groups, config.head_width);
            let pairs = groups.iter().zip(pieces);
            tasks.extend(pairs.map(|(group, to)| Task::Project(group, to)));
        }
        run(context.threads, tasks, lanes, |task, lane| match task {
            Task::Project(group, to) => pass.project(sweep, &all[sweep], group, to),
            Task::Attend(task) => {
                let h = sweep - 1;
                pass.attend(h, &all[h], current, task, lane);
            }
        });
    }
}

impl<'a, T: Real> Forward<'a, T> {
    fn new(
        context: &'a Context<'a, T>,
        stage: &'a Stage<'a, T>,
        flow: &'a Flow<'a, T>,
        (sources, targets): (&'a [T], &'a [T]),
    ) -> Self {
        let embedding = context.config.embedding;
        let stride = embedding + stage.bias.len();
        let mut own = Vec::new();
        let combine = stage.combine.weight;
        transpose(combine, stride, embedding, embedding, &mut own);
        let rows = combine.chunks_exact(stride).zip(stage.combine.bias);
        let constant = rows.map(|(row, &bias)| {
            let mut sum = bias;
            for (&weight, &bias) in row[embedding..].iter().zip(stage.bias) {
                sum += weight * bias;
            }
            sum
        });
        Forward {
            context,
            stage,
            flow,
            sources,
            targets,
            own,
            constant: constant.collect(),
        }
    }

    /// The sources of a group as head `h` sees them.
    fn project(&self, h: usize, head: &Head<T>, group: &Group, to: &mut [T]) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let rows = &self.sources[group.nodes.start * embedding..group.nodes.end * embedding];
        let bias = Onto::Row(&self.stage.left.bias[h * width..][..width]);
        let kernels = self.context.kernels;
        kernels.times(rows, &head.left, bias, to, width);
    }

    /// What head `h` adds to the targets of a group.
    fn attend(
        &self,
        h: usize,
        head: &Head<T>,
        projected: &[T],
        task: Attending<'_, T>,
        lane: &mut Lane<T>,
    ) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let features = config.edge_width;
        let kernels = self.context.kernels;
        let group = task.group;
        let update = if self.stage.norm.is_some() {
            embedding
        } else {
            0
        };
        let bytes = if task.signs.is_empty() {
            0
        } else {
            sign_bytes(width)
        };
        for block in group.blocks() {
            let rows = block.len();
            let local = block.start - group.nodes.start;
            let starts = &self.flow.targets.starts[block.start..=block.end];
            let span = starts[0] as usize..starts[rows] as usize;
            let inside = span.start - group.edges.start..span.end - group.edges.start;
            let own = &self.targets[block.start * embedding..block.end * embedding];
            let out = &mut task.out[local * embedding..][..rows * embedding];
            let query = &mut lane.a[..rows * width];
            let result = &mut lane.b[..rows * width];
            let bias = Onto::Row(&head.right_bias);
            kernels.times(own, &head.right, bias, query, width);
            (kernels.attend)(Attend {
                width,
                starts,
                neighbours: &self.flow.targets.neighbours[span.clone()],
                features: &self.flow.features[span.start * features..span.end * features],
                projection: &head.projection,
                sources: projected,
                targets: query,
                att: &self.stage.att[h * width..][..width],
                alpha: &mut task.alpha[inside.clone()],
                signs: &mut task.signs[inside.start * bytes..inside.end * bytes],
                out: result,
            });
            if h == 0 {
                let constant = Onto::Row(&self.constant);
                kernels.times(own, &self.own, constant, out, embedding);
            }
            kernels.times(result, &head.combine, Onto::Itself, out, embedding);
            if h + 1 == config.heads {
                let updates = &mut task.updates[local * update..][..rows * update];
                norm::forward(self.stage, own, out, updates);
            }
        }
    }
}

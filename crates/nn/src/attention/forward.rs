//! The forward pass of a stage.

use super::{Context, Head, Room, Stage, norm, transpose, turn};
use crate::Real;
use crate::kernels::{Attend, Onto, sign_bytes};
use crate::pages::fit;
use crate::parallel::{Group, by_edges, by_nodes, run};
use crate::plan::Flow;
use crate::workspace::{Lane, StageTape};

/// The work of one group in a sweep.
enum Task<'a, T> {
    /// Projects the group's sources for the next head.
    Project(&'a Group, &'a mut [T]),
    /// Computes the attention of the group's targets.
    Attend(Attending<'a, T>),
}

/// A group of targets and the arrays for its results.
struct Attending<'a, T> {
    group: &'a Group,
    out: &'a mut [T],
    updates: &'a mut [T],
    alpha: &'a mut [T],
    signs: &'a mut [u8],
}

/// The arrays for the results of all targets.
struct Places<'a, T> {
    groups: &'a [Group],
    out: &'a mut [T],
    updates: &'a mut [T],
    alpha: &'a mut [T],
    signs: &'a mut [u8],
    /// Numbers per target in `out`, numbers per target in `updates`, bytes per edge in `signs`.
    widths: (usize, usize, usize),
    /// Number of heads for whose attention weights and signs there is room. If it is 1, all heads use the same.
    tapes: usize,
}

impl<T> Places<'_, T> {
    /// The tasks of head `h`, one for each group of targets.
    fn tasks(&mut self, h: usize) -> impl Iterator<Item = Task<'_, T>> {
        let (embedding, update, bytes) = self.widths;
        let groups = self.groups;
        let edges = self.alpha.len() / self.tapes;
        let at = if self.tapes > 1 { h * edges } else { 0 };
        let alpha = by_edges(&mut self.alpha[at..][..edges], groups, 1);
        let signs = &mut self.signs[at * bytes..][..edges * bytes];
        let signs = by_edges(signs, groups, bytes);
        let pieces = groups
            .iter()
            .zip(by_nodes(self.out, groups, embedding))
            .zip(by_nodes(self.updates, groups, update))
            .zip(alpha.into_iter().zip(signs));
        pieces.map(|(((group, out), updates), (alpha, signs))| {
            Task::Attend(Attending {
                group,
                out,
                updates,
                alpha,
                signs,
            })
        })
    }
}

/// A head: its index, its prepared weights, and its projected sources.
type HeadWork<'a, T, S> = (usize, &'a Head<T>, S);

/// The head that attends in a sweep, and the head whose sources are projected.
type SweepHeads<'a, T> = (
    Option<HeadWork<'a, T, &'a [T]>>,
    Option<HeadWork<'a, T, &'a mut [T]>>,
);

/// What all groups of a forward pass share.
struct Forward<'a, T> {
    context: &'a Context<'a, T>,
    stage: &'a Stage<'a, T>,
    flow: &'a Flow<'a, T>,
    sources: &'a [T],
    targets: &'a [T],
    /// The transpose of W_own.
    own: Vec<T>,
    /// b_c + Σ W_c b over all heads.
    constant: Vec<T>,
}

/// Computes the new embeddings of the targets into `out`. With `keep`, the tape keeps what the backward pass needs;
/// otherwise it is only working memory.
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
    let update = if keep && stage.norm.is_some() {
        embedding
    } else {
        0
    };
    let mut places = Places {
        groups: flow.target_groups,
        out,
        updates: fit(&mut tape.update, flow.targets.nodes() * update),
        alpha: fit(&mut tape.alpha, tapes * edges),
        signs: fit(&mut tape.signs, tapes * edges * bytes),
        widths: (embedding, update, bytes),
        tapes,
    };
    let lanes = &mut room.lanes;
    let ahead = lanes.len() > 1;
    let [even, odd] = &mut room.projected;
    let size = flow.sources.nodes() * config.head_width;
    let even = fit(even, size);
    let odd = fit(odd, if ahead { size } else { 0 });
    let pass = Forward::new(context, stage, flow, (sources, targets));
    let all = &mut room.heads[..heads];
    let tasks: Vec<_> = all.iter_mut().enumerate().collect();
    run(context.threads, tasks, lanes, |(h, head), _| {
        head.prepare(stage, h, context);
    });
    let all = &*all;
    if !ahead {
        // With a single worker one array of projected sources is enough, which touches less memory.
        for (h, head) in all.iter().enumerate() {
            pass.sweep((None, Some((h, head, &mut *even))), &mut places, lanes);
            pass.sweep((Some((h, head, &*even)), None), &mut places, lanes);
        }
        return;
    }
    // With several workers, sweeps overlap so that none waits: the sources of head h are projected while head h - 1
    // attends.
    let mut pair = [even, odd];
    for sweep in 0..=heads {
        let (coming, current) = turn(&mut pair, sweep);
        let attend = sweep.checked_sub(1).map(|h| (h, &all[h], &**current));
        let project = all.get(sweep).map(|head| (sweep, head, &mut **coming));
        pass.sweep((attend, project), &mut places, lanes);
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

    /// One sweep: a head attends, and the sources of the next one are projected.
    fn sweep(
        &self,
        (attend, project): SweepHeads<'_, T>,
        places: &mut Places<'_, T>,
        lanes: &mut [Lane<T>],
    ) {
        let mut tasks = Vec::new();
        if let Some((h, ..)) = attend {
            tasks.extend(places.tasks(h));
        }
        let mut coming = None;
        if let Some((h, head, to)) = project {
            let groups = self.flow.source_groups;
            let pieces = by_nodes(to, groups, self.context.config.head_width);
            let pairs = groups.iter().zip(pieces);
            tasks.extend(pairs.map(|(group, to)| Task::Project(group, to)));
            coming = Some((h, head));
        }
        run(self.context.threads, tasks, lanes, |task, lane| {
            match (task, coming, attend) {
                (Task::Project(group, to), Some((h, head)), _) => self.project(h, head, group, to),
                (Task::Attend(task), _, Some((h, head, from))) => {
                    self.attend(h, head, from, task, lane);
                }
                _ => {}
            }
        });
    }

    /// Projects the sources of a group for head `h`.
    fn project(&self, h: usize, head: &Head<T>, group: &Group, to: &mut [T]) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let rows = &self.sources[group.nodes.start * embedding..group.nodes.end * embedding];
        let bias = Onto::Row(&self.stage.left.bias[h * width..][..width]);
        let kernels = self.context.kernels;
        kernels.times(rows, &head.left, bias, to, width);
    }

    /// Adds the result of head `h` to the targets of a group.
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
        let update = if task.updates.is_empty() {
            0
        } else {
            embedding
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

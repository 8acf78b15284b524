//! The two sweeps of one head's backward pass: over targets and over sources.

use super::backward::StageRecord;
use super::sums::{Part, Sums, add};
use super::{Context, Head};
use crate::Real;
use crate::kernels::{Gather, Masked, Onto, Pull, sign_bytes};
use crate::parallel::Group;
use crate::plan::Flow;
use crate::workspace::Lane;

/// A head with the results of its forward pass.
pub(super) struct Sweep<'a, T> {
    pub(super) context: &'a Context<'a, T>,
    pub(super) flow: &'a Flow<'a, T>,
    pub(super) seen: &'a StageRecord<'a, T>,
    pub(super) head: &'a Head<T>,
    pub(super) alpha: &'a [T],
    pub(super) signs: &'a [u8],
}

/// The work on a group of targets.
pub(super) struct Targets<'a, T> {
    pub(super) group: &'a Group,
    /// Gradient of the targets' old embeddings; this sweep adds to it.
    pub(super) direct: &'a mut [T],
    /// Output: Mᵀ g.
    pub(super) pulled: &'a mut [T],
    /// Output: gradients of the attention scores.
    pub(super) scores: &'a mut [T],
    pub(super) sums: &'a mut Sums<T>,
}

/// The work on a group of sources.
pub(super) struct Sources<'a, T> {
    pub(super) group: &'a Group,
    /// Gradient of the sources' embeddings; this sweep adds to it.
    pub(super) gradient: &'a mut [T],
    pub(super) sums: &'a mut Sums<T>,
}

impl<T: Real> Sweep<'_, T> {
    /// Computes the gradients of scores, and what the targets receive through them.
    pub(super) fn targets(&self, gradient: &[T], task: Targets<'_, T>, lane: &mut Lane<T>) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let kernels = self.context.kernels;
        let bytes = sign_bytes(width);
        let sums = task.sums;
        let group = task.group;
        sums.clear(Part::Targets, self.context);
        for block in group.blocks() {
            let rows = block.len();
            let span = block.start * embedding..block.end * embedding;
            let local = (block.start - group.nodes.start) * embedding;
            let starts = &self.flow.targets.starts[block.start..=block.end];
            let range = starts[0] as usize..starts[rows] as usize;
            let signs = &self.signs[range.start * bytes..range.end * bytes];
            let scores = &mut task.scores[range.start - group.edges.start..][..range.len()];
            let gradient = &gradient[span.clone()];
            let pulled = &mut task.pulled[local..][..span.len()];
            kernels.times(gradient, &self.head.value, Onto::Zero, pulled, embedding);
            let reached = &mut lane.a[..rows * embedding];
            (kernels.pull)(Pull {
                width: embedding,
                starts,
                neighbours: &self.flow.targets.neighbours[range.clone()],
                sources: self.seen.sources,
                gradient: pulled,
                alpha: &self.alpha[range.clone()],
                scores,
                sums: reached,
            });
            kernels.transposed_times(rows, gradient, reached, &mut sums.value);
            let slopes = &mut lane.b[..rows * width];
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
            let direct = &mut task.direct[local..][..span.len()];
            let scaled = &self.head.right_scaled;
            kernels.times(slopes, scaled, Onto::Itself, direct, embedding);
            for row in slopes.chunks_exact(width) {
                add(&mut sums.slopes, row);
            }
            self.features((range.start, scores, signs), sums, lane);
        }
    }

    /// Adds the edges' features times their slopes to the sums, for a run of edges.
    fn features(
        &self,
        (first, scores, signs): (usize, &[T], &[u8]),
        sums: &mut Sums<T>,
        lane: &mut Lane<T>,
    ) {
        let (width, features) = (
            self.context.config.head_width,
            self.context.config.edge_width,
        );
        let Lane { b, edges, .. } = lane;
        for f in 0..features {
            let values = &self.flow.features[first * features..];
            let values = values.iter().skip(f).step_by(features);
            edges.clear();
            edges.extend(scores.iter().zip(values).map(|(&s, &e)| s * e));
            (self.context.kernels.masked)(Masked {
                width,
                starts: &[0, scores.len() as u32],
                positions: None,
                coefficients: edges,
                signs,
                out: &mut b[..width],
            });
            add(&mut sums.features[f * width..][..width], &b[..width]);
        }
    }

    /// Computes what the sources receive through the scores and through the weighted sums.
    pub(super) fn sources(
        &self,
        (pulled, scores): (&[T], &[T]),
        task: Sources<'_, T>,
        lane: &mut Lane<T>,
    ) {
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let kernels = self.context.kernels;
        let group = task.group;
        task.sums.clear(Part::Sources, self.context);
        for block in group.blocks() {
            let rows = block.len();
            let span = block.start * embedding..block.end * embedding;
            let local = (block.start - group.nodes.start) * embedding;
            let starts = &self.flow.sources.starts[block.start..=block.end];
            let range = starts[0] as usize..starts[rows] as usize;
            let positions = &self.flow.positions[range.clone()];
            let gradient = &mut task.gradient[local..][..span.len()];
            (kernels.gather)(Gather {
                width: embedding,
                starts,
                neighbours: &self.flow.sources.neighbours[range],
                positions,
                alpha: self.alpha,
                rows: pulled,
                out: gradient,
            });
            let slopes = &mut lane.a[..rows * width];
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
            let own = &self.seen.sources[span];
            kernels.transposed_times(rows, slopes, own, &mut task.sums.left);
        }
    }
}

//! Sums over nodes that the backward pass collects, group by group.

use super::Context;
use crate::Real;

/// Sums over the nodes of a group, or of all groups. The letters are those of the module `attention`.
#[derive(Default)]
pub(crate) struct Sums<T> {
    /// ∂M of one head.
    pub(crate) value: Vec<T>,
    /// Cᵀ X over the targets, of one head.
    pub(crate) right: Vec<T>,
    /// Σ C over the targets, of one head.
    pub(crate) slopes: Vec<T>,
    /// Σ e c over the edges, of one head: a row per edge feature.
    pub(crate) features: Vec<T>,
    /// C'ᵀ X over the sources, of one head.
    pub(crate) left: Vec<T>,
    /// ∂W_own.
    pub(crate) own: Vec<T>,
    /// Σ g over all targets.
    pub(crate) all: Vec<T>,
    /// Σ g over the targets that have edges.
    pub(crate) reached: Vec<T>,
    /// Gradient of the norm's weight.
    pub(crate) norm_weight: Vec<T>,
    /// Gradient of the norm's bias.
    pub(crate) norm_bias: Vec<T>,
}

/// The groups of sums that a sweep collects together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Own,
    Targets,
    Sources,
}

impl<T: Real> Sums<T> {
    /// The vectors that belong to a part; there are up to five.
    fn part(&mut self, part: Part) -> [Option<&mut Vec<T>>; 5] {
        match part {
            Part::Own => [
                Some(&mut self.own),
                Some(&mut self.all),
                Some(&mut self.reached),
                Some(&mut self.norm_weight),
                Some(&mut self.norm_bias),
            ],
            Part::Targets => [
                Some(&mut self.value),
                Some(&mut self.right),
                Some(&mut self.slopes),
                Some(&mut self.features),
                None,
            ],
            Part::Sources => [Some(&mut self.left), None, None, None, None],
        }
    }

    /// Sets a part to zero.
    pub(super) fn clear(&mut self, part: Part, context: &Context<'_, T>) {
        let config = context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let lengths = match part {
            Part::Own => [
                embedding * embedding,
                embedding,
                embedding,
                embedding,
                embedding,
            ],
            Part::Targets => [
                embedding * embedding,
                width * embedding,
                width,
                width * config.edge_width,
                0,
            ],
            Part::Sources => [width * embedding, 0, 0, 0, 0],
        };
        for (vector, length) in self.part(part).into_iter().zip(lengths) {
            if let Some(vector) = vector {
                vector.clear();
                vector.resize(length, T::ZERO);
            }
        }
    }

    /// Adds up a part of the sums of all groups, in the order of the groups.
    pub(super) fn collect(&mut self, part: Part, groups: &mut [Sums<T>], context: &Context<'_, T>) {
        self.clear(part, context);
        for group in groups {
            let pairs = self.part(part).into_iter().zip(group.part(part));
            for (mine, theirs) in pairs {
                if let (Some(mine), Some(theirs)) = (mine, theirs) {
                    add(mine, theirs);
                }
            }
        }
    }
}

/// `to += from`.
pub(crate) fn add<T: Real>(to: &mut [T], from: &[T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

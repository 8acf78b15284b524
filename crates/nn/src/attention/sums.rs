//! The sums over nodes that the backward pass collects, group by group.

use super::Context;
use crate::Real;

/// Sums over the nodes of a group, or over all of them.
#[derive(Default)]
pub(crate) struct Sums<T> {
    /// Of one head: ∂M, Cᵀ X of targets, Σ C, and Σ e c with a row per feature.
    pub(crate) value: Vec<T>,
    pub(crate) right: Vec<T>,
    pub(crate) slopes: Vec<T>,
    pub(crate) features: Vec<T>,
    /// Of one head: C'ᵀ X of sources.
    pub(crate) left: Vec<T>,
    /// Of a stage: ∂W_own; the sums of g over all targets and over those with edges.
    pub(crate) own: Vec<T>,
    pub(crate) all: Vec<T>,
    pub(crate) reached: Vec<T>,
    /// Of a stage: ∂ of the norm's weight and bias.
    pub(crate) norm_weight: Vec<T>,
    pub(crate) norm_bias: Vec<T>,
}

/// Which of the sums a sweep collects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Own,
    Targets,
    Sources,
}

impl<T: Real> Sums<T> {
    /// The vectors of a part, up to five.
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

    /// Adds up a part of all groups' sums, in the order of the groups.
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

//! What was searched to its end, so that it is not searched again.

use std::collections::VecDeque;

use idpas_mip::propagate::Bounds;

/// Sub-models remembered: the latest, since those of long ago have other columns fixed at other values.
const REMEMBERED: usize = 24;

/// Sub-models, as bounds, that hold nothing better than the best solution.
#[derive(Default)]
pub(super) struct Proven(VecDeque<Bounds>);

impl Proven {
    pub(super) fn add(&mut self, bounds: Bounds) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(bounds);
    }

    /// Whether a sub-model lies within one of them.
    pub(super) fn covers(&self, bounds: &Bounds) -> bool {
        let within = |outer: &Bounds| {
            let lower = outer.lower.iter().zip(&bounds.lower);
            let upper = outer.upper.iter().zip(&bounds.upper);
            lower.into_iter().all(|(outer, inner)| inner >= outer)
                && upper.into_iter().all(|(outer, inner)| inner <= outer)
        };
        self.0.iter().rev().any(within)
    }
}

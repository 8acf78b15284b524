//! Narrower bounds: those that every better solution is within, and those that keep what is known of a solution.

use idpas_mip::propagate::Bounds;
use idpas_mip::{Model, Sense};
use idpas_solver::judge::CheckedSolution;

use super::Known;
use crate::repair::hold;

/// What reduced costs may be wrong by.
const SLACK: f64 = 1e-6;

impl Known<'_> {
    /// The bounds that every solution better than `best` is within, by the relaxation's reduced costs: a column cannot
    /// leave its bound if that alone costs more than the gap.
    pub(super) fn narrowed(&self, model: &Model, best: Option<&CheckedSolution>) -> Bounds {
        let mut bounds = self.bounds.clone();
        let (Some(lp), Some(best)) = (&self.relaxation, best) else {
            return bounds;
        };
        let sign = match model.sense {
            Sense::Minimize => 1.0,
            Sense::Maximize => -1.0,
        };
        let gap = sign * (best.objective - lp.objective) + lp.slack();
        if gap <= 0.0 {
            return bounds;
        }
        for j in (0..model.num_columns()).filter(|&j| model.is_integer(j)) {
            let cost = sign * lp.reduced_costs[j];
            let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
            let steps = (gap / cost.abs() + SLACK).floor();
            if cost > SLACK && lower.is_finite() {
                let most = lower.ceil() + steps;
                bounds.upper[j] = bounds.upper[j].min(most.max(best.values[j].round()));
            } else if cost < -SLACK && upper.is_finite() {
                let least = upper.floor() - steps;
                bounds.lower[j] = bounds.lower[j].max(least.min(best.values[j].round()));
            }
        }
        bounds
    }

    /// The bounds with as many of these columns at their values as contradict no row. What is not zero comes first: it is
    /// fewer, and what a solution is about.
    pub(super) fn holding(&self, model: &Model, mut targets: Vec<(usize, f64)>) -> Bounds {
        targets.sort_by_key(|&(_, value)| value == 0.0);
        let kept = hold(model, self.propagator, &self.bounds, &targets);
        let mut bounds = self.bounds.clone();
        for (j, value) in targets.into_iter().filter(|(j, _)| kept[*j]) {
            (bounds.lower[j], bounds.upper[j]) = (value, value);
        }
        bounds
    }
}

//! How fast a method reaches the final value of the solver.

use idpas_mip::Sense;
use serde::Serialize;

use super::{Runs, Setting};
use crate::statistics::shifted_geometric_mean;

/// Largest difference between values that count as the same, as a multiple of `max(1, |value|)`.
const SAME_VALUE: f64 = 1e-9;
/// Shift of geometric means of times, as a share of the time limit.
const SHIFT: f64 = 1e-3;

/// Times to the solver's final value, over all runs on which the solver has found a solution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpeedUp {
    /// Number of runs compared.
    pub runs: usize,
    /// Number of runs that reached the solver's final value within the limit.
    pub reached: usize,
    /// Shifted geometric mean of the times to that value in seconds; where it was not reached, the time limit counts.
    pub seconds: f64,
    /// The solver's mean time to its own final value, divided by the method's.
    pub factor: f64,
}

/// The time at which a value as good as the target was found first; `None` if it was not found.
fn time_to(trajectory: &[(f64, f64)], target: f64, sense: Sense) -> Option<f64> {
    let slack = SAME_VALUE * target.abs().max(1.0);
    let reached = |value: f64| match sense {
        Sense::Minimize => value <= target + slack,
        Sense::Maximize => value >= target - slack,
    };
    trajectory
        .iter()
        .find(|point| reached(point.1))
        .map(|point| point.0)
}

pub(super) fn speed_up(
    setting: &Setting<'_>,
    solver: &Runs<'_>,
    method: &Runs<'_>,
) -> Option<SpeedUp> {
    let limit = setting.outline.time_limit;
    let (mut own, mut others, mut reached) = (Vec::new(), Vec::new(), 0);
    let pairs = setting.complete(solver).zip(setting.complete(method));
    for ((instance, bases, _), (_, records, _)) in pairs {
        for (base, record) in bases.into_iter().zip(records) {
            let base = setting.clock.trajectory(base);
            let Some(&(_, target)) = base.last() else {
                continue;
            };
            let time = |trajectory: &[(f64, f64)]| time_to(trajectory, target, instance.sense);
            let found = time(&setting.clock.trajectory(record));
            reached += usize::from(found.is_some());
            own.push(time(&base).unwrap_or(limit).min(limit));
            others.push(found.unwrap_or(limit).min(limit));
        }
    }
    let shift = SHIFT * limit;
    let seconds = shifted_geometric_mean(&others, shift)?;
    let solver_seconds = shifted_geometric_mean(&own, shift)?;
    Some(SpeedUp {
        runs: own.len(),
        reached,
        seconds,
        factor: (solver_seconds + shift) / (seconds + shift),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_as_good_counts() {
        let points = [(1.0, 10.0), (2.0, 5.0), (3.0, 4.0)];
        assert_eq!(time_to(&points, 5.0, Sense::Minimize), Some(2.0));
        assert_eq!(time_to(&points, 3.0, Sense::Minimize), None);
        assert_eq!(time_to(&points, 4.5, Sense::Maximize), Some(1.0));
    }
}

//! How good a search was over time.
//!
//! The primal gap of a value v to the best value known v* is |v − v*| / max(|v*|, 1e-8), and 1 where there is no
//! solution yet or v and v* have different signs. The primal integral is its integral over time, so that both finding
//! good solutions and finding them soon count. Before the first solution the gap is 1.

use crate::TrajectoryPoint;

/// The least denominator.
const LEAST: f64 = 1e-8;

/// The primal gap of `value` to `reference`, the best value known; `None` is no solution.
///
/// ```
/// use idpas_search::measure::primal_gap;
/// assert_eq!(primal_gap(Some(110.0), 100.0), 0.1);
/// assert_eq!(primal_gap(None, 100.0), 1.0);
/// assert_eq!(primal_gap(Some(-1.0), 100.0), 1.0);
/// ```
pub fn primal_gap(value: Option<f64>, reference: f64) -> f64 {
    match value {
        Some(value) if value == reference => 0.0,
        Some(value) if value * reference >= 0.0 => {
            (value - reference).abs() / reference.abs().max(LEAST)
        }
        _ => 1.0,
    }
}

/// The integral of the primal gap from 0 to `horizon` seconds. What was found later does not count.
pub fn primal_integral(trajectory: &[TrajectoryPoint], horizon: f64, reference: f64) -> f64 {
    let points = trajectory.iter().map(|point| (point.time, point.objective));
    integral(points, horizon, reference)
}

/// The same for (time, objective) pairs in the order of their times.
pub fn integral(points: impl IntoIterator<Item = (f64, f64)>, horizon: f64, reference: f64) -> f64 {
    let (mut sum, mut since, mut gap) = (0.0, 0.0, primal_gap(None, reference));
    for (time, objective) in points {
        if time >= horizon {
            break;
        }
        let time = time.max(since);
        sum += gap * (time - since);
        since = time;
        gap = primal_gap(Some(objective), reference);
    }
    sum + gap * (horizon - since).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_by_their_definition() {
        assert_eq!(primal_gap(Some(0.0), 0.0), 0.0);
        assert_eq!(primal_gap(Some(-90.0), -100.0), 0.1);
        assert_eq!(primal_gap(Some(300.0), 100.0), 2.0);
        assert_eq!(primal_gap(Some(1e-8), 0.0), 1.0);
        assert_eq!(primal_gap(Some(f64::NAN), 1.0), 1.0);
    }

    #[test]
    fn the_integral_is_one_until_the_first_solution_and_ends_at_the_horizon() {
        let points = [(2.0, 200.0), (5.0, 110.0), (50.0, 100.0)];
        assert_eq!(integral(points, 1.0, 100.0), 1.0);
        assert_eq!(integral(points, 10.0, 100.0), 2.0 + 3.0 * 1.0 + 5.0 * 0.1);
        assert_eq!(integral([], 10.0, 100.0), 10.0);
        assert_eq!(integral([(0.0, 100.0)], 10.0, 100.0), 0.0);
    }

    #[test]
    fn a_trajectory_is_its_points() {
        let point = TrajectoryPoint {
            time: 4.0,
            objective: -100.0,
            bound: None,
            stage: crate::StageKind::Full,
        };
        assert_eq!(primal_integral(&[point], 10.0, -100.0), 4.0);
    }
}

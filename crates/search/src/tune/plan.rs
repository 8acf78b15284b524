//! How many candidates are evaluated on how many instances for how long.

use serde::{Deserialize, Serialize};

/// Of this many candidates one is kept by a rung.
const KEEP_ONE_OF: usize = 4;
/// As many candidates get the full time.
const FINALISTS: usize = 3;
/// No rung has fewer instances, if there are as many.
const LEAST_INSTANCES: usize = 3;
/// The shortest time of a rung, as a share of the full time.
const SHORTEST: f64 = 0.125;

/// One round of a race.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The first so many instances are used.
    pub instances: usize,
    /// Seconds for each evaluation.
    pub time_limit: f64,
    /// How many candidates go on.
    pub keep: usize,
    /// Leave out what is clearly worse than all that can go on before all instances are done.
    pub early: bool,
}

/// The rounds of a race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// In their order; the last one keeps one candidate.
    pub rungs: Vec<Rung>,
}

impl Plan {
    /// Every candidate on every instance for the full time, as the paper does.
    pub fn exhaustive(instances: usize, time_limit: f64) -> Self {
        Plan {
            rungs: vec![Rung {
                instances,
                time_limit,
                keep: 1,
                early: false,
            }],
        }
    }

    /// Successive halving within about `share` of the time of the exhaustive plan, in equal parts for each rung.
    pub fn halving(candidates: usize, instances: usize, time_limit: f64, share: f64) -> Self {
        let mut counts = vec![candidates.max(1)];
        while let Some(&last) = counts.last()
            && last > FINALISTS
        {
            counts.push(last.div_ceil(KEEP_ONE_OF).max(FINALISTS));
        }
        let budget = share * (candidates * instances) as f64 / counts.len() as f64;
        let rung = |at: usize| {
            let behind = (counts.len() - 1 - at) as i32;
            let factor = 0.5f64.powi(behind).max(SHORTEST);
            let affordable = (budget / (counts[at] as f64 * factor)) as usize;
            Rung {
                instances: affordable.max(LEAST_INSTANCES).min(instances),
                time_limit: time_limit * factor,
                keep: counts.get(at + 1).copied().unwrap_or(1),
                early: true,
            }
        };
        Plan {
            rungs: (0..counts.len()).map(rung).collect(),
        }
    }

    /// Seconds that the plan takes at most for so many candidates, if every evaluation takes its time limit.
    pub fn seconds(&self, candidates: usize) -> f64 {
        let mut left = candidates;
        let mut seconds = 0.0;
        for rung in &self.rungs {
            seconds += (left * rung.instances) as f64 * rung.time_limit;
            left = left.min(rung.keep);
        }
        seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_costs_its_share_and_ends_with_the_full_time() {
        let plan = Plan::halving(108, 30, 1000.0, 0.1);
        let grid = Plan::exhaustive(30, 1000.0).seconds(108);
        assert_eq!(grid, 3_240_000.0);
        assert!(plan.seconds(108) <= 0.1 * grid, "{plan:?}");
        let last = plan.rungs.last().expect("a rung");
        assert_eq!((last.keep, last.time_limit), (1, 1000.0));
        assert!(plan.rungs.is_sorted_by_key(|rung| rung.instances));
        assert_eq!(Plan::halving(2, 5, 10.0, 1.0).rungs.len(), 1);
        assert_eq!(Plan::halving(0, 0, 10.0, 0.1).seconds(0), 0.0);
    }
}

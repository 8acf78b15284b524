//! Chooses the solutions that a pool keeps.

use std::collections::HashMap;

use idpas_mip::{Sense, VarKind};
use idpas_solver::Identity;

use super::PoolSolution;

/// The relative distance of an objective value from the best one: |v − v*| / max(|v*|, 1e-8).
pub fn beyond(objective: f64, best: f64) -> f64 {
    (objective - best).abs() / best.abs().max(1e-8)
}

/// The best distinct solutions, best first: at most a given number, none farther from the best than a relative gap.
/// Two solutions are the same if they have the same [`Identity`]; the better of them is kept.
#[derive(Clone, Debug)]
pub struct PoolSelection {
    sense: Sense,
    identity: Identity,
    most: usize,
    keep_gap: f64,
    solutions: Vec<PoolSolution>,
    /// For each key of a solution, how many solutions have it: a filter before the full comparison.
    keys: HashMap<u64, usize>,
}

impl PoolSelection {
    /// An empty selection for a model with these columns.
    pub fn new(sense: Sense, kinds: &[VarKind], most: usize, keep_gap: f64) -> Self {
        PoolSelection {
            sense,
            identity: Identity::new(kinds),
            most: most.max(1),
            keep_gap,
            solutions: Vec::new(),
            keys: HashMap::new(),
        }
    }

    /// Whether a solution of this objective could be kept.
    pub fn admits(&self, objective: f64) -> bool {
        let Some(best) = self.best() else {
            return true;
        };
        if self.sense.is_better(objective, best.objective) {
            return true;
        }
        let worst = self.solutions.last().filter(|_| self.is_full());
        beyond(objective, best.objective) <= self.keep_gap
            && worst.is_none_or(|worst| self.sense.is_better(objective, worst.objective))
    }

    /// The worst objective value that could still be kept; `None` as long as there is no solution.
    pub fn limit(&self) -> Option<f64> {
        let best = self.best()?.objective;
        let window = self.keep_gap * best.abs().max(1e-8);
        let edge = match self.sense {
            Sense::Minimize => best + window,
            Sense::Maximize => best - window,
        };
        let worst = self.solutions.last().filter(|_| self.is_full());
        Some(worst.map_or(edge, |worst| worst.objective))
    }

    /// Adds a solution. Returns `false` if it is not kept: because an equal one is at least as good, or it is too bad.
    pub fn add(&mut self, solution: PoolSolution) -> bool {
        if !self.admits(solution.objective) {
            return false;
        }
        let key = self.identity.key(&solution.values);
        let same = |s: &PoolSolution| self.identity.same(&s.values, &solution.values);
        if self.keys.contains_key(&key)
            && let Some(at) = self.solutions.iter().position(same)
        {
            let old = self.solutions[at].objective;
            if !self.sense.is_better(solution.objective, old) {
                return false;
            }
            self.remove(at);
        }
        let not_worse = |s: &PoolSolution| !self.sense.is_better(solution.objective, s.objective);
        let at = self.solutions.partition_point(not_worse);
        self.solutions.insert(at, solution);
        *self.keys.entry(key).or_insert(0) += 1;
        while self.solutions.len() > self.most || self.last_is_beyond() {
            self.remove(self.solutions.len() - 1);
        }
        true
    }

    fn last_is_beyond(&self) -> bool {
        match (self.best(), self.solutions.last()) {
            (Some(best), Some(last)) => beyond(last.objective, best.objective) > self.keep_gap,
            _ => false,
        }
    }

    fn remove(&mut self, at: usize) {
        let removed = self.solutions.remove(at);
        let key = self.identity.key(&removed.values);
        if let Some(count) = self.keys.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.keys.remove(&key);
            }
        }
    }

    /// The best solution; `None` if there is none.
    pub fn best(&self) -> Option<&PoolSolution> {
        self.solutions.first()
    }

    /// All solutions, best first.
    pub fn solutions(&self) -> &[PoolSolution] {
        &self.solutions
    }

    /// Whether there are as many solutions as can be kept.
    pub fn is_full(&self) -> bool {
        self.solutions.len() >= self.most
    }

    /// All solutions, best first.
    pub fn into_solutions(self) -> Vec<PoolSolution> {
        self.solutions
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;
    use proptest::prelude::*;

    fn solution(values: &[f64], objective: f64) -> PoolSolution {
        PoolSolution {
            values: values.to_vec(),
            objective,
            time: None,
            source: Source::Solve,
        }
    }

    #[test]
    fn keeps_what_is_good_and_distinct() {
        let kinds = [VarKind::Integer, VarKind::Continuous];
        let mut pool = PoolSelection::new(Sense::Minimize, &kinds, 3, 0.05);
        assert!(pool.add(solution(&[1.0, 0.5], 104.0)));
        assert!(!pool.add(solution(&[1.0, 0.9], 105.0)), "same integers");
        assert!(pool.add(solution(&[1.0, 0.1], 103.0)), "same but better");
        assert!(!pool.add(solution(&[2.0, 0.0], 120.0)), "beyond the gap");
        assert!(pool.add(solution(&[3.0, 0.0], 100.0)));
        assert!(pool.add(solution(&[4.0, 0.0], 105.0)), "at the gap");
        assert!(!pool.add(solution(&[5.0, 0.0], 105.0)), "no room");
        assert!(pool.add(solution(&[5.0, 0.0], 98.0)), "drives others out");
        let kept: Vec<f64> = pool.solutions().iter().map(|s| s.objective).collect();
        assert_eq!(kept, [98.0, 100.0], "105 and 103 are now beyond 5 %");
    }

    proptest! {
        #[test]
        fn always_sorted_distinct_and_within_the_gap(
            all in proptest::collection::vec((0..6i32, 0..6i32, 50..80i32), 1..60),
            maximize: bool,
        ) {
            let sense = if maximize { Sense::Maximize } else { Sense::Minimize };
            let mut pool = PoolSelection::new(sense, &[VarKind::Integer; 2], 7, 0.1);
            let mut best = sense.worst();
            for (x, y, objective) in all {
                let objective = f64::from(objective);
                pool.add(solution(&[x.into(), y.into()], objective));
                if sense.is_better(objective, best) {
                    best = objective;
                }
                let kept = pool.solutions();
                prop_assert!(kept.len() <= 7);
                prop_assert_eq!(kept[0].objective, best);
                for (k, s) in kept.iter().enumerate() {
                    prop_assert!(beyond(s.objective, best) <= 0.1);
                    prop_assert!(k == 0 || !sense.is_better(s.objective, kept[k - 1].objective));
                    prop_assert!(kept[..k].iter().all(|other| other.values != s.values));
                }
            }
        }
    }
}

//! The distinct solutions that a solve has seen.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use idpas_mip::{Sense, VarKind};

use crate::FoundSolution;

/// What tells solutions of a model apart: its discrete columns after rounding, or, where it has none, all columns as
/// they are.
#[derive(Clone, Debug)]
pub struct Identity {
    columns: Vec<usize>,
    round: bool,
}

impl Identity {
    /// For a model with these columns.
    pub fn new(kinds: &[VarKind]) -> Self {
        let integer = |j: &usize| kinds[*j] == VarKind::Integer;
        let columns: Vec<usize> = (0..kinds.len()).filter(integer).collect();
        if columns.is_empty() {
            let columns = (0..kinds.len()).collect();
            return Identity {
                columns,
                round: false,
            };
        }
        Identity {
            columns,
            round: true,
        }
    }

    /// What tells a value apart. Adding zero makes −0 and 0 the same.
    fn mark(&self, value: f64) -> u64 {
        let value = if self.round { value.round() } else { value };
        (value + 0.0).to_bits()
    }

    /// Equal for solutions that are the same, and hardly ever for others.
    pub fn key(&self, values: &[f64]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for &j in &self.columns {
            self.mark(values[j]).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether two solutions are the same.
    pub fn same(&self, a: &[f64], b: &[f64]) -> bool {
        let alike = |&j: &usize| self.mark(a[j]) == self.mark(b[j]);
        self.columns.iter().all(alike)
    }
}

/// Solutions distinct by [`Identity`], best first, at most a given number; of two that are the same the better is kept.
#[derive(Debug)]
pub struct DistinctSolutions {
    sense: Sense,
    identity: Identity,
    most: usize,
    solutions: Vec<FoundSolution>,
    /// From a solution's key to how many solutions have it: a filter before the full comparison.
    keys: HashMap<u64, u32>,
}

impl DistinctSolutions {
    /// An empty pool for a model with these columns.
    pub fn new(sense: Sense, kinds: &[VarKind], most: usize) -> Self {
        DistinctSolutions {
            sense,
            identity: Identity::new(kinds),
            most: most.max(1),
            solutions: Vec::new(),
            keys: HashMap::new(),
        }
    }

    /// Adds a solution; `false` if an equal one at least as good is there, or if it is too bad to be kept.
    pub fn add(&mut self, solution: FoundSolution) -> bool {
        let key = self.identity.key(&solution.values);
        let same = |s: &FoundSolution| self.identity.same(&s.values, &solution.values);
        if self.keys.contains_key(&key)
            && let Some(at) = self.solutions.iter().position(same)
        {
            if !self
                .sense
                .is_better(solution.objective, self.solutions[at].objective)
            {
                return false;
            }
            self.solutions.remove(at);
            self.forget(key);
        }
        let at = self
            .solutions
            .partition_point(|s| !self.sense.is_better(solution.objective, s.objective));
        if at >= self.most {
            return false;
        }
        self.solutions.insert(at, solution);
        *self.keys.entry(key).or_insert(0) += 1;
        if self.solutions.len() > self.most
            && let Some(worst) = self.solutions.pop()
        {
            self.forget(self.identity.key(&worst.values));
        }
        true
    }

    fn forget(&mut self, key: u64) {
        if let Some(count) = self.keys.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.keys.remove(&key);
            }
        }
    }

    /// The best solution.
    pub fn best(&self) -> Option<&FoundSolution> {
        self.solutions.first()
    }

    /// All solutions, best first.
    pub fn into_solutions(self) -> Vec<FoundSolution> {
        self.solutions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[f64], objective: f64) -> FoundSolution {
        FoundSolution {
            values: values.to_vec(),
            objective,
            time: 0.0,
        }
    }

    #[test]
    fn without_discrete_columns_every_difference_counts() {
        let mut pool = DistinctSolutions::new(Sense::Minimize, &[VarKind::Continuous], 5);
        assert!(pool.add(found(&[0.25], 2.0)));
        assert!(pool.add(found(&[0.3], 3.0)));
        assert!(!pool.add(found(&[0.25], 2.0)));
    }

    #[test]
    fn keeps_distinct_solutions_best_first() {
        let kinds = [VarKind::Integer, VarKind::Continuous];
        let mut pool = DistinctSolutions::new(Sense::Minimize, &kinds, 2);
        assert!(pool.add(found(&[1.0, 0.5], 10.0)));
        assert!(
            !pool.add(found(&[0.9999999, 0.7], 11.0)),
            "same integers, worse"
        );
        assert!(pool.add(found(&[1.0, 0.1], 9.0)), "same integers, better");
        assert!(pool.add(found(&[2.0, 0.0], 12.0)));
        assert!(pool.add(found(&[3.0, 0.0], 5.0)));
        assert!(
            !pool.add(found(&[4.0, 0.0], 20.0)),
            "no room for a worse one"
        );
        let objectives: Vec<f64> = pool.into_solutions().iter().map(|s| s.objective).collect();
        assert_eq!(objectives, [5.0, 9.0]);
    }
}

//! The distinct solutions that a solve has seen.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use idpas_mip::{Sense, VarKind};

use crate::FoundSolution;

/// Distinct solutions, best first, at most a given number. Two are the same if all their discrete columns agree
/// after rounding; of such the better is kept. Where no column is discrete, all columns count.
#[derive(Debug)]
pub struct Pool {
    sense: Sense,
    /// The columns that tell solutions apart.
    discrete: Vec<usize>,
    most: usize,
    solutions: Vec<FoundSolution>,
    /// From a solution's key to how many solutions have it: a filter before the full comparison.
    keys: HashMap<u64, u32>,
}

impl Pool {
    /// An empty pool for a model with these columns.
    pub fn new(sense: Sense, kinds: &[VarKind], most: usize) -> Self {
        let integer = |j: &usize| kinds[*j] == VarKind::Integer;
        let mut discrete: Vec<usize> = (0..kinds.len()).filter(integer).collect();
        if discrete.is_empty() {
            discrete = (0..kinds.len()).collect();
        }
        Pool {
            sense,
            discrete,
            most: most.max(1),
            solutions: Vec::new(),
            keys: HashMap::new(),
        }
    }

    fn key(&self, values: &[f64]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for &j in &self.discrete {
            // Adding zero makes −0 and 0 the same.
            (values[j].round() + 0.0).to_bits().hash(&mut hasher);
        }
        hasher.finish()
    }

    fn same(&self, a: &[f64], b: &[f64]) -> bool {
        self.discrete.iter().all(|&j| a[j].round() == b[j].round())
    }

    /// Adds a solution; `false` if an equal one at least as good is there, or if it is too bad to be kept.
    pub fn add(&mut self, solution: FoundSolution) -> bool {
        let key = self.key(&solution.values);
        let same = |s: &FoundSolution| self.same(&s.values, &solution.values);
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
            self.forget(self.key(&worst.values));
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
    fn keeps_distinct_solutions_best_first() {
        let kinds = [VarKind::Integer, VarKind::Continuous];
        let mut pool = Pool::new(Sense::Minimize, &kinds, 2);
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

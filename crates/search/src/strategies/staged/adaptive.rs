//! Which neighbourhood next, and how large.

use fastrand::Rng;

/// How much of an old judgement the next try leaves.
const MEMORY: f64 = 0.85;
/// What is left of the chance of something that never helps.
const LEAST: f64 = 0.05;
/// Growth after a sub-model that was easy, very easy, or nothing at all, and its opposite.
const GROW: f64 = 1.4;
const LEAP: f64 = 2.0;
const SOAR: f64 = 4.0;
const SHRINK: f64 = 0.75;
/// A sub-model is easy, very easy, or nothing at all, if it is searched to its end in this share of its time.
const EASY: f64 = 0.5;
const VERY_EASY: f64 = 0.1;
const NOTHING: f64 = 0.01;

/// A choice among a few, the better for having helped lately.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    weights: Vec<f64>,
    adaptive: bool,
}

impl Choice {
    pub(super) fn new(count: usize, adaptive: bool) -> Self {
        Choice {
            weights: vec![1.0; count],
            adaptive,
        }
    }

    /// One more to choose from, which is preferred so much before it is tried.
    pub(super) fn add(&mut self, weight: f64) {
        self.weights.push(weight);
    }

    /// One of those that can be chosen, if there is any.
    pub(super) fn draw(&self, random: &mut Rng, can: impl Fn(usize) -> bool) -> Option<usize> {
        let weight = |i: usize| self.weights[i].max(LEAST);
        let all = || (0..self.weights.len()).filter(|&i| can(i));
        let mut at = random.f64() * all().map(weight).sum::<f64>();
        for i in all() {
            at -= weight(i);
            if at < 0.0 {
                return Some(i);
            }
        }
        all().last()
    }

    /// Learns from a try: `reward` is 0 if it brought nothing.
    pub(super) fn learn(&mut self, which: usize, reward: f64) {
        if self.adaptive {
            let weight = &mut self.weights[which];
            *weight = MEMORY * *weight + (1.0 - MEMORY) * reward;
        }
    }
}

/// How many columns to free, found by trying, in each of a few scopes: a ranking, and what may move at all.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    scopes: Vec<Option<f64>>,
    /// The size learned last, which a scope that was never tried begins with.
    last: f64,
}

impl Sizes {
    pub(super) fn new(columns: usize, scopes: usize) -> Self {
        Sizes {
            scopes: vec![None; scopes],
            last: columns as f64,
        }
    }

    pub(super) fn columns(&self, scope: usize) -> usize {
        self.scopes[scope].unwrap_or(self.last).round() as usize
    }

    /// Learns from a sub-model that took this share of its time.
    pub(super) fn learn(&mut self, scope: usize, exhausted: bool, share: f64, most: usize) {
        let factor = growth(exhausted, share);
        let size = self.scopes[scope].unwrap_or(self.last);
        self.last = (size * factor).clamp(1.0, most.max(1) as f64);
        self.scopes[scope] = Some(self.last);
    }
}

/// By what the size of sub-models grows after one that took this share of its time.
pub(super) fn growth(exhausted: bool, share: f64) -> f64 {
    match exhausted {
        true if share < NOTHING => SOAR,
        true if share < VERY_EASY => LEAP,
        true if share < EASY => GROW,
        true => 1.0,
        false => SHRINK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_learns_its_own_size() {
        let mut sizes = Sizes::new(100, 2);
        sizes.learn(0, true, 0.05, 150);
        assert_eq!(sizes.columns(0), 150);
        // A scope begins where the other one is, and goes its own way.
        assert_eq!(sizes.columns(1), 150);
        sizes.learn(1, true, 0.2, 5000);
        assert_eq!((sizes.columns(0), sizes.columns(1)), (150, 210));
        sizes.learn(1, true, 0.05, 5000);
        sizes.learn(1, false, 1.0, 5000);
        assert_eq!((sizes.columns(0), sizes.columns(1)), (150, 315));
        sizes.learn(1, true, 0.9, 5000);
        assert_eq!(sizes.columns(1), 315);
    }
}

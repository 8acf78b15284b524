//! Which neighbourhood next, and how large.

use fastrand::Rng;

/// How much of an old judgement the next try leaves.
const MEMORY: f64 = 0.85;
/// What is left of the chance of something that never helps.
const LEAST: f64 = 0.05;
/// Growth after a sub-model that was easy, and its opposite.
const GROW: f64 = 1.4;
const SHRINK: f64 = 0.75;
/// A sub-model is easy if it is searched to its end in this share of its time.
const EASY: f64 = 0.5;

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

    pub(super) fn draw(&self, random: &mut Rng) -> usize {
        let total: f64 = self.weights.iter().map(|w| w.max(LEAST)).sum();
        let mut at = random.f64() * total;
        for (i, weight) in self.weights.iter().enumerate() {
            at -= weight.max(LEAST);
            if at < 0.0 {
                return i;
            }
        }
        self.weights.len() - 1
    }

    /// Learns from a try: `reward` is 0 if it brought nothing.
    pub(super) fn learn(&mut self, which: usize, reward: f64) {
        if self.adaptive {
            let weight = &mut self.weights[which];
            *weight = MEMORY * *weight + (1.0 - MEMORY) * reward;
        }
    }
}

/// How many columns to free, found by trying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(f64);

impl Size {
    pub(super) fn new(columns: usize) -> Self {
        Size(columns as f64)
    }

    pub(super) fn columns(self) -> usize {
        self.0.round() as usize
    }

    /// Learns from a sub-model that took this share of its time.
    pub(super) fn learn(&mut self, exhausted: bool, share: f64, most: usize) {
        let factor = match exhausted {
            true if share < EASY => GROW,
            true => 1.0,
            false => SHRINK,
        };
        self.0 = (self.0 * factor).clamp(1.0, most.max(1) as f64);
    }
}

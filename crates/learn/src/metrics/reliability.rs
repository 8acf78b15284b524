//! Whether scores can be taken as probabilities.

use serde::{Deserialize, Serialize};

/// Bins of equal width between 0 and 1. Equal width, because such bins of different instances can be added up.
pub const BINS: usize = 15;

/// Scores against what happened, bin by bin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// The bins, from 0 to 1.
    pub bins: [Bin; BINS],
}

/// Variables with similar scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// How many.
    pub count: u64,
    /// The sum of their scores.
    pub scores: f64,
    /// The sum of their targets: how often they were not zero.
    pub targets: f64,
}

impl Reliability {
    /// Adds a variable.
    pub fn add(&mut self, score: f32, target: f32) {
        let at = (f64::from(score) * BINS as f64) as usize;
        let bin = &mut self.bins[at.min(BINS - 1)];
        bin.count += 1;
        bin.scores += f64::from(score);
        bin.targets += f64::from(target);
    }

    /// Adds all variables of another.
    pub fn merge(&mut self, other: &Reliability) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.count += more.count;
            bin.scores += more.scores;
            bin.targets += more.targets;
        }
    }

    /// The expected calibration error: the mean distance between the scores of a bin and what happened, each bin
    /// counting as many times as it has variables. `None` if there are no variables.
    pub fn error(&self) -> Option<f64> {
        let count: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let apart = self.bins.iter().map(|bin| (bin.scores - bin.targets).abs());
        (count > 0).then(|| apart.sum::<f64>() / count as f64)
    }
}

//! Compares scores with frequencies, to find out whether they can be taken as probabilities.

use serde::{Deserialize, Serialize};

/// Number of bins between 0 and 1, all of the same width so that bins of different instances can be added up.
pub const BINS: usize = 15;

/// Scores and targets of variables, in bins of similar scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// The bins, from 0 to 1.
    pub bins: [Bin; BINS],
}

/// Sums over the variables with scores in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Number of variables.
    pub count: u64,
    /// The sum of their scores.
    pub scores: f64,
    /// The sum of their targets: how often they are not zero.
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

    /// Adds the variables of another instance.
    pub fn merge(&mut self, other: &Reliability) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.count += more.count;
            bin.scores += more.scores;
            bin.targets += more.targets;
        }
    }

    /// The expected calibration error: the mean distance between the mean score and the mean target of a bin, weighted
    /// by the number of its variables. `None` if there are no variables.
    pub fn error(&self) -> Option<f64> {
        let count: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let apart = self.bins.iter().map(|bin| (bin.scores - bin.targets).abs());
        (count > 0).then(|| apart.sum::<f64>() / count as f64)
    }
}

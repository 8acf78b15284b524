//! Measures of how good predictions are for what the search does with them.
//!
//! Rankings are compared with the best solution: which variables are zero in it. Probabilities are compared with the
//! targets of training: the share of the pool in which a variable is not zero. Variables that are fixed or cannot be
//! zero are left out; binaries and other integers are measured separately.

mod rank;
mod reliability;
mod summary;

use serde::{Deserialize, Serialize};

use crate::{Class, Truth};
pub use rank::{auc, selected, zeros_among_lowest};
pub use reliability::{BINS, Bin, Reliability};
pub use summary::{KindSummary, Statistic, Summary};

/// The shares of variables, between 0 and 1, at which precision is measured.
pub const SHARES: [f64; 3] = [0.5, 0.7, 0.9];

/// Smallest distance of a probability from 0 and 1 before its logarithm is taken.
const EDGE: f64 = 1e-7;

/// Measures of one instance and one kind of variables. A measure is `None` where it is not defined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Number of variables.
    pub count: usize,
    /// Number of them that are zero in the best solution.
    pub zeros: usize,
    /// Number of them without a score. In rankings they count as having the score 1; losses and calibration leave them
    /// out.
    pub unknown: usize,
    /// Area under the ROC curve.
    pub auc: Option<f64>,
    /// Share of variables that are zero in the best solution among those with the lowest scores, at each of
    /// [`SHARES`].
    pub precision: [Option<f64>; 3],
    /// Cross-entropy against the targets, in nats per variable.
    pub log_loss: Option<f64>,
    /// Mean squared distance of scores from targets.
    pub brier: Option<f64>,
    /// Scores and targets in bins, to compare them as probabilities.
    pub reliability: Reliability,
}

/// Measures of one instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InstanceMetrics {
    /// Measures of binaries.
    pub binaries: Metrics,
    /// Measures of other integers.
    pub integers: Metrics,
    /// Measures of both kinds in one ranking; precision selects the share from each kind separately, as the search
    /// does.
    pub all: Metrics,
}

/// Measures the scores of an instance, given by column.
///
/// # Panics
/// If there is not one score for each column.
pub fn measure(truth: &Truth, scores: &[f32]) -> InstanceMetrics {
    assert_eq!(scores.len(), truth.classes.len(), "one score per column");
    let of = |wanted: &[Class]| {
        let mut these = Variables::default();
        let columns = 0..scores.len();
        for j in columns.filter(|&j| wanted.contains(&truth.classes[j])) {
            these.scores.push(scores[j]);
            these.zero.push(!truth.best[j]);
            these.targets.push(truth.targets[j]);
        }
        these
    };
    let binaries = of(&[Class::Binary]);
    let integers = of(&[Class::Integer]);
    InstanceMetrics {
        all: of(&[Class::Binary, Class::Integer]).measure(&[&binaries, &integers]),
        binaries: binaries.measure(&[&binaries]),
        integers: integers.measure(&[&integers]),
    }
}

/// Variables of one kind.
#[derive(Default)]
struct Variables {
    scores: Vec<f32>,
    zero: Vec<bool>,
    targets: Vec<f32>,
}

impl Variables {
    /// Measures these variables; precision selects from each of `kinds` separately.
    fn measure(&self, kinds: &[&Variables]) -> Metrics {
        let mut metrics = Metrics {
            count: self.scores.len(),
            zeros: self.zero.iter().filter(|zero| **zero).count(),
            unknown: self.scores.iter().filter(|score| score.is_nan()).count(),
            auc: auc(&self.scores, &self.zero),
            ..Metrics::default()
        };
        for (precision, share) in metrics.precision.iter_mut().zip(SHARES) {
            let (mut chosen, mut right) = (0, 0);
            for kind in kinds {
                let k = selected(share, kind.scores.len());
                chosen += k;
                right += zeros_among_lowest(&kind.scores, &kind.zero, k);
            }
            *precision = (chosen > 0).then(|| right as f64 / chosen as f64);
        }
        let (mut log_loss, mut brier) = (0.0, 0.0);
        for (&score, &target) in self.scores.iter().zip(&self.targets) {
            if score.is_nan() {
                continue;
            }
            metrics.reliability.add(score, target);
            let (score, target) = (f64::from(score), f64::from(target));
            log_loss += cross_entropy(score, target);
            brier += (score - target).powi(2);
        }
        let known = metrics.count - metrics.unknown;
        metrics.log_loss = (known > 0).then(|| log_loss / known as f64);
        metrics.brier = (known > 0).then(|| brier / known as f64);
        metrics
    }
}

/// −t·ln p − (1 − t)·ln(1 − p), in nats; `p` is kept away from 0 and 1 by [`EDGE`].
pub(crate) fn cross_entropy(p: f64, t: f64) -> f64 {
    let p = p.clamp(EDGE, 1.0 - EDGE);
    -t * p.ln() - (1.0 - t) * (1.0 - p).ln()
}

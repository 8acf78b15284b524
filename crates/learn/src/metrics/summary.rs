//! Measures over many instances.

use serde::{Deserialize, Serialize};

use super::{InstanceMetrics, Metrics, Reliability, SHARES};

/// A measure over many instances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// Mean over the instances that have the measure, each counting once.
    pub mean: f64,
    /// Standard deviation between instances (with n − 1), 0 for a single one.
    pub deviation: f64,
    /// Number of instances that have the measure.
    pub count: usize,
}

impl Statistic {
    /// The statistic of these values; `None` if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let deviation = (squares / (count - 1).max(1) as f64).sqrt();
        Some(Statistic {
            mean,
            deviation,
            count,
        })
    }
}

/// Measures of one kind of variables over many instances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindSummary {
    /// Number of variables of an instance.
    pub variables: Option<Statistic>,
    /// Share of variables that are zero in the best solution: the precision of a random ranking.
    pub zeros: Option<Statistic>,
    /// Area under the ROC curve.
    pub auc: Option<Statistic>,
    /// Precision at each of [`SHARES`]: see [`Metrics::precision`].
    pub precision: [Option<Statistic>; SHARES.len()],
    /// Cross-entropy, in nats per variable.
    pub log_loss: Option<Statistic>,
    /// Mean squared distance of scores from targets.
    pub brier: Option<Statistic>,
    /// Expected calibration error over the variables of all instances together.
    pub calibration_error: Option<f64>,
    /// The bins from which `calibration_error` is computed.
    pub reliability: Reliability,
}

/// Measures over many instances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of instances.
    pub instances: usize,
    /// Measures of binaries.
    pub binaries: KindSummary,
    /// Measures of other integers.
    pub integers: KindSummary,
    /// Measures of both kinds together.
    pub all: KindSummary,
}

impl Summary {
    /// The measures over these instances.
    pub fn of(instances: &[InstanceMetrics]) -> Self {
        let kind = |of: fn(&InstanceMetrics) -> &Metrics| {
            let with_some = instances.iter().map(of).filter(|m| m.count > 0);
            KindSummary::of(&with_some.collect::<Vec<_>>())
        };
        Summary {
            instances: instances.len(),
            binaries: kind(|m| &m.binaries),
            integers: kind(|m| &m.integers),
            all: kind(|m| &m.all),
        }
    }
}

impl KindSummary {
    fn of(instances: &[&Metrics]) -> Self {
        let over = |value: &dyn Fn(&Metrics) -> Option<f64>| {
            Statistic::of(instances.iter().filter_map(|m| value(m)))
        };
        let mut reliability = Reliability::default();
        for metrics in instances {
            reliability.merge(&metrics.reliability);
        }
        KindSummary {
            variables: over(&|m| Some(m.count as f64)),
            zeros: over(&|m| Some(m.zeros as f64 / m.count as f64)),
            auc: over(&|m| m.auc),
            precision: std::array::from_fn(|at| over(&|m| m.precision[at])),
            log_loss: over(&|m| m.log_loss),
            brier: over(&|m| m.brier),
            calibration_error: reliability.error(),
            reliability,
        }
    }
}

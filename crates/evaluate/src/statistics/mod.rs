//! Statistics over paired measurements: plain functions of numbers, without files or models.
//!
//! A measurement is one number per instance and method, smaller being better. Where a study has several seeds, an
//! instance counts once, with the mean over its seeds: runs of one instance are not independent of each other.

mod wilcoxon;
mod wins;

use serde::Serialize;

pub use wilcoxon::{Wilcoxon, wilcoxon};
pub use wins::{strictly_better, wins};

/// Mean and spread of a measurement over instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Number of instances.
    pub count: usize,
    /// Mean over the instances.
    pub mean: f64,
    /// Standard deviation (n − 1); 0 for a single instance.
    pub deviation: f64,
}

impl Spread {
    /// The spread of these values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values)?;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let freedom = (values.len() - 1).max(1) as f64;
        Some(Spread {
            count: values.len(),
            mean,
            deviation: (squares / freedom).sqrt(),
        })
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.count as f64).sqrt()
    }
}

/// The mean; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The shifted geometric mean, ∏(vᵢ + s)^(1/n) − s, which neither very large nor very small values dominate. `None` if
/// there are no values.
///
/// ```
/// use idpas_evaluate::statistics::shifted_geometric_mean;
/// assert!((shifted_geometric_mean(&[0.0, 3.0], 1.0).unwrap() - 1.0).abs() < 1e-12);
/// ```
pub fn shifted_geometric_mean(values: &[f64], shift: f64) -> Option<f64> {
    let logarithms: Vec<f64> = values.iter().map(|v| (v + shift).ln()).collect();
    Some(mean(&logarithms)?.exp() - shift)
}

/// By how much `value` is below `base`, as a share of `base`; `None` if `base` is 0.
pub fn reduction(base: f64, value: f64) -> Option<f64> {
    (base > 0.0).then(|| (base - value) / base)
}

/// The share of the way from `base` down to `ceiling` that a value reaches: 1 is as good as the ceiling, 0 as the
/// base. `None` if the ceiling is not better than the base.
pub fn share_reached(base: f64, ceiling: f64, value: f64) -> Option<f64> {
    let way = base - ceiling;
    (way > 1e-12 * base.abs().max(1e-12)).then(|| (base - value) / way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_as_numpy_and_scipy_have_them() {
        let values = [0.0, 1.0, 3.0, 10.0];
        let spread = Spread::of(&values).unwrap();
        assert_eq!((spread.count, spread.mean), (4, 3.5));
        assert!((spread.deviation - 4.509249752822894).abs() < 1e-12);
        assert!((spread.error() - 4.509249752822894 / 2.0).abs() < 1e-12);
        let shifted = shifted_geometric_mean(&values, 1.0).unwrap();
        assert!((shifted - 2.0628143136087864).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[2.0]).unwrap().deviation, 0.0);
        assert_eq!(shifted_geometric_mean(&[], 1.0), None);
    }

    #[test]
    fn reductions_and_shares() {
        assert_eq!(reduction(4.0, 1.0), Some(0.75));
        assert_eq!(reduction(4.0, 5.0), Some(-0.25));
        assert_eq!(reduction(0.0, 0.0), None);
        assert_eq!(share_reached(4.0, 2.0, 3.0), Some(0.5));
        assert_eq!(share_reached(4.0, 2.0, 1.0), Some(1.5));
        assert_eq!(share_reached(4.0, 4.0, 3.0), None);
        assert_eq!(share_reached(4.0, 5.0, 3.0), None);
    }
}

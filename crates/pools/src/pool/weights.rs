//! The weights of a pool's solutions in the targets of training.

use serde::{Deserialize, Serialize};

use super::Pool;

/// How solutions are weighted against each other.
///
/// `Uniform` is what ID-PaS+ does. `Energy` is ∝ exp(−|objective − best| / T), as in PaS; T is the pool's own mean distance
/// from the best, so that neither the objective's scale nor its zero matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Weighting {
    /// All solutions of a pool alike.
    #[default]
    Uniform,
    /// Better solutions count for more.
    Energy,
}

impl std::fmt::Display for Weighting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Weighting::Uniform => "uniform",
            Weighting::Energy => "energy",
        })
    }
}

impl Pool {
    /// The weight of each solution; they sum up to 1.
    pub fn weights(&self, weighting: Weighting) -> Vec<f64> {
        let best = self.best().unwrap_or(0.0);
        let distances: Vec<f64> = self
            .solutions
            .iter()
            .map(|s| (s.objective - best).abs())
            .collect();
        let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
        let raw = distances.iter().map(|distance| match weighting {
            Weighting::Energy if mean > 0.0 => (-distance / mean).exp(),
            _ => 1.0,
        });
        let raw: Vec<f64> = raw.collect();
        let total: f64 = raw.iter().sum();
        raw.into_iter().map(|weight| weight / total).collect()
    }

    /// For each column, the weighted share of solutions in which it is not zero, between 0 and 1: the target of
    /// training.
    pub fn targets(&self, weighting: Weighting) -> Vec<f32> {
        let mut targets = vec![0.0f64; self.info.instance.columns];
        for (solution, weight) in self.solutions.iter().zip(self.weights(weighting)) {
            for (target, value) in targets.iter_mut().zip(&solution.values) {
                if *value != 0.0 {
                    *target += weight;
                }
            }
        }
        // A sum of weights may exceed 1 by a rounding error.
        targets.into_iter().map(|t| t.min(1.0) as f32).collect()
    }
}

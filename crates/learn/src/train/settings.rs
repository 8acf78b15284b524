//! Settings of the training of a graph network.

use idpas_graph::FeatureSet;
use idpas_pools::pool::Weighting;
use serde::{Deserialize, Serialize};

use crate::LearnError;
use crate::truth::Class;

/// Settings of a training. All of them influence the result, so all are stored in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The set of features that the network sees.
    pub features: FeatureSet,
    /// Whether the network sees the identities of variables.
    pub identity: bool,
    /// Share of graphs, between 0 and 1, all of whose identities are hidden in training, and share of variables that
    /// are hidden in the other graphs. So the network also learns to work without identities.
    pub identity_dropout: f64,
    /// How the solutions of a pool are weighted.
    pub weighting: Weighting,
    /// The variables that the loss is about. Models of before this setting were trained on all discrete ones.
    #[serde(default)]
    pub targets: Targets,
    /// Most passes over the training set.
    pub epochs: usize,
    /// Number of epochs without a better validation loss after which the training ends.
    pub patience: usize,
    /// Number of graphs in a batch. The paper has 16; fewer give more steps with a training set of about a hundred.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f64,
    /// How the learning rate changes during training.
    pub schedule: Schedule,
    /// Decoupled weight decay: a step reduces a weight by `rate · weight_decay` of itself.
    pub weight_decay: f64,
    /// Largest norm of a gradient; longer ones are scaled down to it. 0 leaves gradients as they are.
    pub clip: f64,
    /// Width of embeddings (L in the paper).
    pub embedding: usize,
    /// Number of attention heads (H in the paper), each as wide as the embedding.
    pub heads: usize,
    /// Number of rounds of attention to rows and back; one in the paper.
    pub rounds: usize,
    /// Whether a node's old embedding is added to the new one and the sum normalised.
    pub residual_norm: bool,
    /// Seed of the initial weights, the order of graphs and the dropout.
    pub seed: u64,
}

/// How the learning rate goes over the training. The paper's is constant; the cosine ends at a hundredth of the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Schedule {
    /// Up over the first twentieth, then down along a cosine.
    #[default]
    Cosine,
    /// Always the same.
    Constant,
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Schedule::Cosine => "cosine",
            Schedule::Constant => "constant",
        })
    }
}

/// The variables that a training's loss is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Targets {
    /// All discrete variables.
    #[default]
    Discrete,
    /// Binary variables only, as in predict-and-search.
    Binaries,
}

impl Targets {
    /// Whether the loss is about variables of this class.
    pub(super) fn include(self, class: Class) -> bool {
        match self {
            Targets::Discrete => class != Class::Continuous,
            Targets::Binaries => class == Class::Binary,
        }
    }
}

impl std::fmt::Display for Targets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Targets::Discrete => "discrete",
            Targets::Binaries => "binaries",
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            features: FeatureSet::Full,
            identity: true,
            identity_dropout: 0.1,
            weighting: Weighting::Uniform,
            targets: Targets::Discrete,
            epochs: 100,
            patience: 30,
            batch: 4,
            rate: 1e-3,
            schedule: Schedule::Cosine,
            weight_decay: 1e-4,
            clip: 1.0,
            embedding: 64,
            heads: 8,
            rounds: 2,
            residual_norm: true,
            seed: 0,
        }
    }
}

impl Settings {
    /// Refuses values with which training cannot work.
    pub fn validate(&self) -> Result<(), LearnError> {
        let wrong = |name, message: String| Err(LearnError::Setting { name, message });
        for (name, value) in [
            ("epochs", self.epochs),
            ("patience", self.patience),
            ("batch", self.batch),
            ("embedding", self.embedding),
            ("heads", self.heads),
            ("rounds", self.rounds),
        ] {
            if value == 0 {
                return wrong(name, "0; expected at least 1".into());
            }
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return wrong(
                "rate",
                format!("{}; expected above 0, at most 1", self.rate),
            );
        }
        if !(0.0..1.0).contains(&self.identity_dropout) {
            let found = self.identity_dropout;
            return wrong(
                "identity-dropout",
                format!("{found}; expected from 0 to below 1"),
            );
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return wrong(
                "weight-decay",
                format!("{}; expected 0 or more", self.weight_decay),
            );
        }
        if !(self.clip >= 0.0 && self.clip.is_finite()) {
            return wrong("clip", format!("{}; expected 0 or more", self.clip));
        }
        Ok(())
    }

    /// The learning rate at a step out of `total` planned ones.
    pub fn rate_at(&self, step: usize, total: usize) -> f64 {
        match self.schedule {
            Schedule::Constant => self.rate,
            Schedule::Cosine => {
                let warm = (total / 20).max(1);
                if step < warm {
                    return self.rate * (step + 1) as f64 / warm as f64;
                }
                let along = (step - warm) as f64 / (total - warm).max(1) as f64;
                let down = 0.5 * (1.0 + (std::f64::consts::PI * along.min(1.0)).cos());
                self.rate * (0.01 + 0.99 * down)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_and_falls() {
        let settings = Settings::default();
        let rates: Vec<f64> = (0..1000).map(|step| settings.rate_at(step, 1000)).collect();
        assert!((rates[0] - 1e-3 / 50.0).abs() < 1e-12);
        assert!((rates[49] - 1e-3).abs() < 1e-12);
        assert!(rates[50..].windows(2).all(|pair| pair[1] <= pair[0]));
        assert!((rates[999] - 1e-5).abs() < 1e-7);
        assert!(
            (settings.rate_at(5000, 1000) - 1e-5).abs() < 1e-9,
            "never below"
        );
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Settings::default().validate().is_ok());
        let bad = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.validate().is_err()
        };
        assert!(bad(|s| s.rate = f64::NAN));
        assert!(bad(|s| s.batch = 0));
        assert!(bad(|s| s.identity_dropout = 1.0));
        assert!(bad(|s| s.clip = -1.0));
        assert!(bad(|s| s.weight_decay = -1.0));
    }
}

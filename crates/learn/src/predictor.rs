//! The trait of all predictors: from an instance to a score per variable.

use idpas_base::container::Tensor;
use idpas_graph::{Identities, Registry};
use idpas_mip::{Model, Relaxation};
use serde::{Deserialize, Serialize};

use crate::LearnError;

/// The kinds of predictors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum PredictorKind {
    /// A graph attention network over variables and rows.
    #[default]
    Gnn,
    /// One small network per variable on the parameters that vary.
    Prop,
    /// How often each variable was not zero.
    ZeroFrequency,
    /// Solutions of the most similar training instances.
    Nearest,
}

impl PredictorKind {
    /// All kinds.
    pub const ALL: [PredictorKind; 4] = [
        PredictorKind::Gnn,
        PredictorKind::Prop,
        PredictorKind::ZeroFrequency,
        PredictorKind::Nearest,
    ];

    /// `gnn`, `prop`, `zero-frequency` or `nearest`.
    pub fn as_str(self) -> &'static str {
        match self {
            PredictorKind::Gnn => "gnn",
            PredictorKind::Prop => "prop",
            PredictorKind::ZeroFrequency => "zero-frequency",
            PredictorKind::Nearest => "nearest",
        }
    }
}

impl std::fmt::Display for PredictorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An instance, as it is passed to a predictor.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its linear relaxation [in single precision](Relaxation::to_single); `None` if it was not solved.
    pub relaxation: Option<&'a Relaxation>,
    /// The identities of its variables.
    pub identities: &'a Identities,
    /// The names and identities that training knew.
    pub registry: &'a Registry,
    /// Whether the predictor may use identities. Without them it uses the structure alone, or gives no scores.
    pub with_identity: bool,
}

/// A trained predictor. It does not deal with pools and files.
pub trait Predictor: Send + Sync {
    /// The kind of this predictor.
    fn kind(&self) -> PredictorKind;

    /// Whether it uses the linear relaxation.
    fn needs_relaxation(&self) -> bool {
        false
    }

    /// Whether it can give scores without identities.
    fn works_without_identity(&self) -> bool {
        false
    }

    /// Whether it was trained to tell variables apart by their names; one that was not is asked without identities.
    fn is_identity_aware(&self) -> bool {
        true
    }

    /// Solutions of past instances that a search of this instance may start from, at most `most`, the most promising
    /// first: one value per column, NaN where none is known. Empty for predictors that keep no solutions.
    fn starts(&self, _instance: &Instance, _most: usize) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// P(x_j ≠ 0) of each column, before calibration; NaN where it has no score. Values for continuous columns have no
    /// meaning.
    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError>;

    /// The content of a file from which the predictor can be restored.
    fn store(&self) -> Stored;
}

/// A predictor as it is stored in a file.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Settings and single numbers.
    pub settings: serde_json::Value,
    /// Arrays, named with the predictor's kind in front, as in `prop.weights`.
    pub tensors: Vec<Tensor>,
}

//! What every predictor does: from an instance to a score per variable.

use idpas_base::container::Tensor;
use idpas_graph::{Identities, Registry};
use idpas_mip::Model;
use idpas_pools::pool::Relaxation;
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

/// An instance as a predictor sees it.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its linear relaxation, for predictors that look at it.
    pub relaxation: Option<&'a Relaxation>,
    /// Which of its variables training knew.
    pub identities: &'a Identities,
    /// The names that training knew.
    pub registry: &'a Registry,
    /// Whether the predictor may use identities; without them it goes by structure alone, or has nothing to say.
    pub with_identity: bool,
}

/// A trained predictor. Models, pools and files around it are not its concern.
pub trait Predictor: Send + Sync {
    /// Which kind it is.
    fn kind(&self) -> PredictorKind;

    /// Whether it looks at the linear relaxation.
    fn needs_relaxation(&self) -> bool {
        false
    }

    /// Whether it has anything to say without identities.
    fn works_without_identity(&self) -> bool {
        false
    }

    /// P(x_j ≠ 0) for each column, before calibration; `NaN` where it has nothing to say. What it says of
    /// continuous columns has no meaning.
    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError>;

    /// What must be kept of it in a file: settings as JSON, and arrays.
    fn store(&self) -> Stored;
}

/// A predictor on its way into a file.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Small things.
    pub settings: serde_json::Value,
    /// Arrays, named with the predictor's kind in front, as in `prop.weights`.
    pub tensors: Vec<Tensor>,
}

//! One small network per variable on the numbers that vary between instances (PROP of PROPEL).
//!
//! A network has one hidden layer of rectifiers, sees the parameters that are most correlated with its variable, and
//! learns from the training instances that have it. Before training it says how often the variable was not zero, and the weights that are kept are those with the least
//! validation loss: where parameters tell nothing, `prop` is `zero-frequency`.

mod adam;
mod chunk;
mod inputs;
mod networks;
mod settings;
mod store;
mod train;

use rayon::prelude::*;

use crate::{Instance, LearnError, ParameterSpace, Predictor, PredictorKind, Stored};
use networks::Networks;
pub use settings::PropSettings;

/// The predictor `prop`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    settings: PropSettings,
    space: ParameterSpace,
    /// Identities with a network, ascending.
    variables: Vec<u32>,
    /// The parameters that each network looks at, network after network.
    chosen: Vec<u32>,
    networks: Networks,
    /// Identities that are always the same, ascending, with P(x ≠ 0).
    constants: Vec<u32>,
    probabilities: Vec<f32>,
}

impl Prop {
    /// How it was trained.
    pub fn settings(&self) -> &PropSettings {
        &self.settings
    }

    /// What the networks see.
    pub fn space(&self) -> &ParameterSpace {
        &self.space
    }

    /// How many variables have a network.
    pub fn networks(&self) -> usize {
        self.variables.len()
    }

    /// The logit of network `at` for an instance with these parameters.
    fn logit(&self, at: usize, point: &[f64]) -> f32 {
        let each = self.networks.width - 1;
        let chosen = &self.chosen[at * each..(at + 1) * each];
        let inputs = chosen.iter().map(|&p| point[p as usize] as f32);
        self.networks.logit(at, inputs)
    }

    /// How many variables were always the same in training.
    pub fn constants(&self) -> usize {
        self.constants.len()
    }
}

impl Predictor for Prop {
    fn kind(&self) -> PredictorKind {
        PredictorKind::Prop
    }

    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError> {
        let Instance {
            model,
            identities,
            registry,
            ..
        } = *instance;
        if !instance.with_identity {
            return Ok(vec![f32::NAN; model.num_columns()]);
        }
        let point = self.space.values(model, identities, registry);
        let score = |identity: &Option<u32>| {
            let identity = (*identity)?;
            if let Ok(at) = self.variables.binary_search(&identity) {
                return Some(crate::sigmoid(self.logit(at, &point)));
            }
            let at = self.constants.binary_search(&identity).ok()?;
            Some(self.probabilities[at])
        };
        let all = identities.index.par_iter();
        Ok(all.map(|id| score(id).unwrap_or(f32::NAN)).collect())
    }

    fn store(&self) -> Stored {
        self.to_stored()
    }
}

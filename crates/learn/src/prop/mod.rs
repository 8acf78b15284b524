//! The predictor `prop`: one small network per variable on the numbers that vary between instances (PROP of PROPEL).
//!
//! A network has one hidden layer of rectifiers. Its inputs are the parameters that are most correlated with its
//! variable, and it learns from the training instances that have the variable. Before training, its output is how
//! often the variable was not zero; the weights that are kept are those with the least validation loss. So where
//! parameters do not help, `prop` is the same as `zero-frequency`.

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

/// The predictor `prop`: one small network per variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    settings: PropSettings,
    space: ParameterSpace,
    /// Identities with a network, ascending.
    variables: Vec<u32>,
    /// The parameters that are the inputs of each network, network after network.
    chosen: Vec<u32>,
    networks: Networks,
    /// Identities whose targets were all the same in training, ascending.
    constants: Vec<u32>,
    /// P(x ≠ 0) of each of `constants`.
    probabilities: Vec<f32>,
}

impl Prop {
    /// The settings with which it was trained.
    pub fn settings(&self) -> &PropSettings {
        &self.settings
    }

    /// The parameter space from which networks get their inputs.
    pub fn space(&self) -> &ParameterSpace {
        &self.space
    }

    /// Number of variables that have a network.
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

    /// Number of variables whose targets were all the same in training.
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

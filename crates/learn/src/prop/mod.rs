//! One small network per variable on the numbers that vary between instances (PROP of PROPEL).
//!
//! A network has one hidden layer of rectifiers and learns from the training instances that have its variable. Before
//! training it says how often the variable was not zero, and the weights that are kept are those with the least
//! validation loss: where parameters tell nothing, `prop` is `zero-frequency`.

mod adam;
mod chunk;
mod networks;
mod settings;
mod store;
mod train;

use rayon::prelude::*;

use crate::{Instance, LearnError, ParameterSpace, Predictor, PredictorKind, Stored};
use networks::{Buffers, Inputs, Networks};
pub use settings::PropSettings;

/// The predictor `prop`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    settings: PropSettings,
    space: ParameterSpace,
    /// Identities with a network, ascending.
    variables: Vec<u32>,
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
        let inputs = Inputs::new(&[point], self.space.dimensions());
        let logits = self.networks.logits(&inputs);
        let score = |identity: &Option<u32>| {
            let identity = (*identity)?;
            if let Ok(at) = self.variables.binary_search(&identity) {
                return Some(crate::sigmoid(logits[at]));
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

impl Networks {
    /// The logits of one instance.
    fn logits(&self, inputs: &Inputs) -> Vec<f32> {
        let mut buffers = Buffers::default();
        self.forward(inputs, &mut buffers);
        buffers.logits
    }
}

//! Settings of the predictor `prop`.

use serde::{Deserialize, Serialize};

use crate::{LearnError, ParameterSettings};

/// Settings of `prop`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropSettings {
    /// How the numbers are found that are the inputs of the networks.
    pub parameters: ParameterSettings,
    /// Most inputs of a network: the parameters most correlated with its variable. 0 is all parameters, whatever their
    /// correlation, as in PROPEL.
    pub inputs: usize,
    /// Number of hidden units.
    pub hidden: usize,
    /// Most training steps; each uses the whole training set.
    pub epochs: usize,
    /// Number of steps without a better validation loss after which the training of a variable ends.
    pub patience: usize,
    /// Learning rate of Adam.
    pub rate: f64,
    /// Decoupled weight decay: a step reduces a weight by `rate · weight_decay` of itself.
    pub weight_decay: f64,
    /// Least correlation with a variable that makes a parameter an input of its network, as a multiple of what the
    /// best of all parameters reaches by chance.
    pub strictness: f64,
    /// What it costs to take a variable for zero that is not, where the opposite costs 1.
    #[serde(default = "one")]
    pub missed_weight: f64,
    /// Seed of the initial weights.
    pub seed: u64,
}

fn one() -> f64 {
    1.0
}

impl Default for PropSettings {
    fn default() -> Self {
        PropSettings {
            parameters: ParameterSettings::default(),
            inputs: 32,
            hidden: 16,
            epochs: 500,
            patience: 50,
            rate: 5e-3,
            weight_decay: 0.1,
            strictness: 1.0,
            missed_weight: one(),
            seed: 0,
        }
    }
}

impl PropSettings {
    /// Number of inputs of a network when there are so many parameters.
    pub(super) fn inputs_of(&self, parameters: usize) -> usize {
        match self.inputs {
            0 => parameters,
            most => most.min(parameters),
        }
    }

    /// Refuses values with which training cannot work.
    pub fn validate(&self) -> Result<(), LearnError> {
        self.parameters.validate()?;
        let wrong = |name, message: String| Err(LearnError::Setting { name, message });
        for (name, value) in [
            ("hidden", self.hidden),
            ("epochs", self.epochs),
            ("patience", self.patience),
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
        if !(0.0..=10.0).contains(&self.weight_decay) {
            let found = self.weight_decay;
            return wrong("weight-decay", format!("{found}; expected from 0 to 10"));
        }
        if !(0.0..=100.0).contains(&self.strictness) {
            let found = self.strictness;
            return wrong("strictness", format!("{found}; expected from 0 to 100"));
        }
        if !(1e-3..=1e3).contains(&self.missed_weight) {
            let found = self.missed_weight;
            return wrong(
                "missed-weight",
                format!("{found}; expected from 0.001 to 1000"),
            );
        }
        Ok(())
    }
}

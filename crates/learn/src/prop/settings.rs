//! How the small networks are trained.

use serde::{Deserialize, Serialize};

use crate::{LearnError, ParameterSettings};

/// Settings of `prop`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropSettings {
    /// What the networks see.
    pub parameters: ParameterSettings,
    /// How many parameters a network looks at, at most: those most correlated with its variable.
    pub inputs: usize,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// Steps of training, at most; each sees the whole training set.
    pub epochs: usize,
    /// A variable stops when its validation loss has not improved for this many steps.
    pub patience: usize,
    /// Learning rate of Adam.
    pub rate: f64,
    /// Decoupled weight decay, per step and unit of rate.
    pub weight_decay: f64,
    /// How much a parameter must be correlated with a variable for its network to look at it, in units of what the
    /// best of all parameters reaches by chance.
    pub strictness: f64,
    /// Seed of the first weights.
    pub seed: u64,
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
            seed: 0,
        }
    }
}

impl PropSettings {
    /// Refuses values that cannot work.
    pub fn validate(&self) -> Result<(), LearnError> {
        self.parameters.validate()?;
        let wrong = |name, message: String| Err(LearnError::Setting { name, message });
        for (name, value) in [
            ("inputs", self.inputs),
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
        Ok(())
    }
}

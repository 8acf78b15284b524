//! `prop` as settings and arrays for a file, and back, with everything checked.

use idpas_base::container::tensor;
use safetensors::SafeTensors;
use serde::Deserialize;

use super::networks::Networks;
use super::{Prop, PropSettings};
use crate::{ParameterSpace, Stored};

const PREFIX: &str = "prop";
const VARIABLES: &str = "prop.variables";
const CHOSEN: &str = "prop.chosen";
const FIRST: &str = "prop.first";
const SECOND: &str = "prop.second";
const CONSTANTS: &str = "prop.constants";
const PROBABILITIES: &str = "prop.probabilities";

impl Prop {
    pub(super) fn to_stored(&self) -> Stored {
        let Networks {
            width,
            hidden,
            first,
            second,
        } = &self.networks;
        let count = self.variables.len();
        let mut tensors = self.space.to_tensors(PREFIX);
        tensors.extend([
            tensor::u32s(VARIABLES, &self.variables),
            tensor::u32s(CHOSEN, &self.chosen).shaped(&[count, width - 1]),
            tensor::f32s(FIRST, first).shaped(&[count, *hidden, *width]),
            tensor::f32s(SECOND, second).shaped(&[count, hidden + 1]),
            tensor::u32s(CONSTANTS, &self.constants),
            tensor::f32s(PROBABILITIES, &self.probabilities),
        ]);
        Stored {
            settings: serde_json::to_value(self.settings).unwrap_or_default(),
            tensors,
        }
    }

    /// Restores the predictor from what [`store`](crate::Predictor::store) returned.
    pub fn restore(settings: &serde_json::Value, tensors: &SafeTensors) -> Result<Self, String> {
        let settings =
            PropSettings::deserialize(settings).map_err(|e| format!("its settings: {e}"))?;
        settings.validate().map_err(|e| e.to_string())?;
        let space = ParameterSpace::from_tensors(PREFIX, tensors)?;
        let prop = Prop {
            settings,
            networks: Networks {
                width: settings.inputs_of(space.dimensions()) + 1,
                hidden: settings.hidden,
                first: tensor::take_f32s(tensors, FIRST)?,
                second: tensor::take_f32s(tensors, SECOND)?,
            },
            space,
            variables: tensor::take_u32s(tensors, VARIABLES)?,
            chosen: tensor::take_u32s(tensors, CHOSEN)?,
            constants: tensor::take_u32s(tensors, CONSTANTS)?,
            probabilities: tensor::take_f32s(tensors, PROBABILITIES)?,
        };
        prop.check()?;
        Ok(prop)
    }

    fn check(&self) -> Result<(), String> {
        let Networks {
            width,
            hidden,
            first,
            second,
        } = &self.networks;
        let count = self.variables.len();
        let sized = |each: Option<usize>| each.and_then(|each| each.checked_mul(count));
        if Some(first.len()) != sized(hidden.checked_mul(*width))
            || Some(second.len()) != sized(hidden.checked_add(1))
            || Some(self.chosen.len()) != sized(Some(width - 1))
        {
            return Err(format!("the weights are not those of {count} networks"));
        }
        if !first.iter().chain(second).all(|w| w.is_finite()) {
            return Err("a weight is not finite".into());
        }
        let dimensions = self.space.dimensions();
        if self.chosen.iter().any(|&p| p as usize >= dimensions) {
            return Err("a network looks at a parameter that is not there".into());
        }
        let ascending = |ids: &[u32]| ids.is_sorted_by(|a, b| a < b);
        if !ascending(&self.variables) || !ascending(&self.constants) {
            return Err("the variables are not in order".into());
        }
        let all = &self.probabilities;
        if all.len() != self.constants.len() || !all.iter().all(|p| (0.0..=1.0).contains(p)) {
            return Err("the constant variables have not one probability each".into());
        }
        Ok(())
    }
}

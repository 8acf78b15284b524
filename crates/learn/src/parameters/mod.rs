//! The numbers that make one instance of a family different from the next.
//!
//! Most numbers of a family never change, and those that do are often copies of each other: a demand appears in
//! costs, rows and coefficients. Training finds the numbers that vary, keeps one of each set of affine images, and,
//! if there are still too many, replaces them by their principal components.
//!
//! | number | while learning | in a new instance |
//! | --- | --- | --- |
//! | entry of the matrix that is not there | is 0 | is 0 if it was missing in training too, else the mean |
//! | cost, bound or side of a missing column or row | is left out | is the mean |
//! | infinite in some instances only | becomes 1, finite ones 0 | likewise |

mod components;
mod learn;
mod merge;
mod number;
mod store;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use idpas_graph::{Identities, Registry};
use idpas_mip::Model;
use serde::{Deserialize, Serialize};

use crate::LearnError;
use number::Key;

/// Standardised values are clamped to ±this.
const REACH: f64 = 10.0;

/// How the numbers that vary are found and reduced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterSettings {
    /// Most dimensions; if more numbers vary, they are replaced by this many principal components.
    pub max_dimensions: usize,
    /// A number varies if two of its values differ by more than this, relative to the larger.
    pub tolerance: f64,
    /// Two numbers are merged if their standardised values never differ by more than this. It is not tiny because
    /// numbers in files are rounded.
    pub merge_tolerance: f64,
}

impl Default for ParameterSettings {
    fn default() -> Self {
        ParameterSettings {
            max_dimensions: 4096,
            tolerance: 1e-9,
            merge_tolerance: 1e-3,
        }
    }
}

impl ParameterSettings {
    /// Refuses values that cannot work.
    pub fn validate(&self) -> Result<(), LearnError> {
        let wrong = |name, message: String| Err(LearnError::Setting { name, message });
        if self.max_dimensions == 0 {
            return wrong("max-dimensions", "0; expected at least 1".into());
        }
        for (name, value) in [
            ("tolerance", self.tolerance),
            ("merge-tolerance", self.merge_tolerance),
        ] {
            if !(value > 0.0 && value < 1.0) {
                return wrong(name, format!("{value}; expected between 0 and 1"));
            }
        }
        Ok(())
    }
}

/// The numbers that vary within a family, and how an instance is expressed by them.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpace {
    /// The numbers, sorted by key.
    numbers: Vec<Number>,
    /// For each key, the index of its number in `numbers`.
    slots: HashMap<Key, u32, FixedState>,
    /// Principal components, if there are more numbers than dimensions: rows as long as `numbers`, scaled so that the
    /// training values of each have standard deviation 1.
    components: Option<Vec<f32>>,
    /// Standard deviation of the training instances along each dimension, in units of standardised numbers.
    spread: Vec<f64>,
    /// How many numbers vary, before affine images are merged.
    varying: usize,
}

/// A number that varies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    key: Key,
    /// Whether the value is 1 if infinite and 0 if finite, instead of the number itself.
    flag: bool,
    /// Value in an instance that does not have the number: 0 for matrix entries that some instances lack; `None` means
    /// the mean.
    absent: Option<f64>,
    mean: f64,
    deviation: f64,
}

impl ParameterSpace {
    fn new(
        numbers: Vec<Number>,
        components: Option<Vec<f32>>,
        spread: Vec<f64>,
        varying: usize,
    ) -> Self {
        let keys = numbers.iter().zip(0..);
        ParameterSpace {
            slots: keys.map(|(number, slot)| (number.key, slot)).collect(),
            numbers,
            components,
            spread,
            varying,
        }
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.spread.len()
    }

    /// How many numbers vary, after affine images are merged.
    pub fn distinct(&self) -> usize {
        self.numbers.len()
    }

    /// How many numbers vary, before affine images are merged.
    pub fn varying(&self) -> usize {
        self.varying
    }

    /// Standard deviation of the training instances along each dimension: 1 for a number, more for a component that
    /// several numbers share. [`values`](Self::values) multiplied by this have the distances of the numbers
    /// themselves.
    pub fn spread(&self) -> &[f64] {
        &self.spread
    }

    /// An instance as standardised values: over the training set, each has mean 0 and standard deviation 1.
    pub fn values(&self, model: &Model, identities: &Identities, registry: &Registry) -> Vec<f64> {
        let mut values: Vec<f64> = self.numbers.iter().map(Number::missing).collect();
        number::visit(model, identities, registry, |key, value| {
            if let Some(&slot) = self.slots.get(&key) {
                let slot = slot as usize;
                values[slot] = self.numbers[slot].standardised(value);
            }
        });
        let Some(components) = &self.components else {
            return values;
        };
        let along = |component: &[f32]| {
            let pairs = component.iter().zip(&values);
            let sum: f64 = pairs.map(|(&c, v)| f64::from(c) * v).sum();
            sum.clamp(-REACH, REACH)
        };
        components.chunks(self.numbers.len()).map(along).collect()
    }
}

impl Number {
    fn standardised(&self, value: f64) -> f64 {
        let value = match self.flag {
            true => f64::from(u8::from(value.is_infinite())),
            false => value,
        };
        let z = (value - self.mean) / self.deviation;
        // If a number that was always finite in training is infinite, it is ignored.
        if z.is_finite() {
            z.clamp(-REACH, REACH)
        } else {
            0.0
        }
    }

    fn missing(&self) -> f64 {
        self.absent.map_or(0.0, |value| self.standardised(value))
    }
}

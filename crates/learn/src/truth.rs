//! The targets of training that a pool gives for the variables of its instance.

use idpas_mip::Model;
use idpas_pools::pool::{Pool, Weighting};

/// How a variable is treated in training and evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Continuous: neither learned nor measured.
    Continuous = 0,
    /// An integer between 0 and 1 that may be either.
    Binary = 1,
    /// Another integer that may be zero.
    Integer = 2,
    /// Discrete, but fixed or never zero: learned but not measured, because there is nothing to predict.
    Settled = 3,
}

impl Class {
    const ALL: [Class; 4] = [
        Class::Continuous,
        Class::Binary,
        Class::Integer,
        Class::Settled,
    ];

    /// The class of each column.
    pub fn of(model: &Model) -> Vec<Class> {
        let class = |j: usize| {
            let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
            if !model.is_integer(j) {
                Class::Continuous
            } else if lower == upper || lower > 0.0 || upper < 0.0 {
                Class::Settled
            } else if model.is_binary(j) {
                Class::Binary
            } else {
                Class::Integer
            }
        };
        (0..model.num_columns()).map(class).collect()
    }

    pub(crate) fn from_code(code: u8) -> Option<Class> {
        Class::ALL.into_iter().find(|class| *class as u8 == code)
    }
}

/// Overwrites scores where no prediction is needed: NaN for continuous columns, and 0 or 1 for scored columns whose
/// bounds leave no choice.
pub(crate) fn settle(model: &Model, classes: &[Class], scores: &mut [f32]) {
    for (j, score) in scores.iter_mut().enumerate() {
        match classes[j] {
            Class::Continuous => *score = f32::NAN,
            Class::Settled if !score.is_nan() => {
                let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
                *score = f32::from(u8::from(lower > 0.0 || upper < 0.0));
            }
            _ => {}
        }
    }
}

/// The targets of training for an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The class of each column.
    pub classes: Vec<Class>,
    /// For each column, the weighted share of solutions in which it is not zero, between 0 and 1.
    pub targets: Vec<f32>,
    /// Whether each column is not zero in the best solution.
    pub best: Vec<bool>,
}

impl Truth {
    /// The targets of an instance from its pool.
    pub fn new(model: &Model, pool: &Pool, weighting: Weighting) -> Self {
        let best = pool.solutions.first();
        Truth {
            classes: Class::of(model),
            targets: pool.targets(weighting),
            // Pools hold discrete values as exact integers.
            best: best.map_or_else(
                || vec![false; model.num_columns()],
                |solution| solution.values.iter().map(|value| *value != 0.0).collect(),
            ),
        }
    }

    /// The targets of discrete columns; NaN for the others.
    pub fn discrete_targets(&self) -> Vec<f32> {
        let pairs = self.targets.iter().zip(&self.classes);
        pairs
            .map(|(target, class)| match class {
                Class::Continuous => f32::NAN,
                _ => *target,
            })
            .collect()
    }
}

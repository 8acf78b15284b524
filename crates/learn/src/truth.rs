//! What a pool says about the variables of its instance.

use idpas_mip::Model;
use idpas_pools::pool::{Pool, Weighting};

/// What a variable counts as when predictions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Continuous: neither learned nor judged.
    Continuous = 0,
    /// Free to be zero or one.
    Binary = 1,
    /// A general integer that may be zero.
    Integer = 2,
    /// Discrete, but fixed or never zero: learned, not judged, since there is nothing to choose.
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

/// Brings scores in line with what needs no prediction: `NaN` for continuous columns, and 0 or 1 for scored columns whose
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

/// What a pool says about the variables of its instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// What each column counts as.
    pub classes: Vec<Class>,
    /// For each column the weighted share of solutions in which it is not zero.
    pub targets: Vec<f32>,
    /// Whether each column is not zero in the best solution.
    pub best: Vec<bool>,
}

impl Truth {
    /// From an instance and its pool.
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

    /// Targets of discrete columns; `NaN` elsewhere.
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

//! Turns scores into probabilities by Platt scaling, p' = σ(a·logit(p) + b), for binaries and for other integers.

mod fit;

use serde::{Deserialize, Serialize};

use crate::truth::Class;
pub use fit::CalibrationFit;

/// The smallest slope, above 0 so that a calibration never reverses the order of scores.
const SMALLEST_SLOPE: f64 = 0.01;

/// A Platt scaling: a straight line from logits to logits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Platt {
    /// The factor a, at least 0.01.
    pub slope: f64,
    /// The offset b.
    pub offset: f64,
}

impl Default for Platt {
    /// The scaling that changes nothing.
    fn default() -> Self {
        Platt {
            slope: 1.0,
            offset: 0.0,
        }
    }
}

impl Platt {
    /// The calibrated score. Keeps the order of scores; NaN, which means no score, stays NaN.
    pub fn apply(&self, score: f32) -> f32 {
        if *self == Platt::default() {
            return score;
        }
        sigmoid(self.slope * logit(f64::from(score)) + self.offset) as f32
    }
}

/// The Platt scalings of both kinds of discrete variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The scaling for binaries.
    pub binaries: Platt,
    /// The scaling for other integers.
    pub integers: Platt,
}

impl Calibration {
    /// Calibrates the scores of an instance, by column; those that are not predicted stay as they are.
    pub fn apply(&self, classes: &[Class], scores: &mut [f32]) {
        for (class, score) in classes.iter().zip(scores) {
            match class {
                Class::Binary => *score = self.binaries.apply(*score),
                Class::Integer => *score = self.integers.apply(*score),
                _ => {}
            }
        }
    }

    /// Refuses numbers that no fit can give.
    pub fn validate(&self) -> Result<(), String> {
        for (kind, platt) in [("binaries", self.binaries), ("integers", self.integers)] {
            let Platt { slope, offset } = platt;
            if !(slope.is_finite() && slope >= SMALLEST_SLOPE && offset.is_finite()) {
                return Err(format!(
                    "the calibration of {kind} has slope {slope} and offset {offset}; \
                     expected a slope of at least {SMALLEST_SLOPE} and finite numbers"
                ));
            }
        }
        Ok(())
    }
}

/// ln(p / (1 − p)); infinite at 0 and 1.
fn logit(p: f64) -> f64 {
    p.ln() - (-p).ln_1p()
}

/// 1 / (1 + e^(−x)), exact at both ends.
fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        x.exp() / (1.0 + x.exp())
    }
}

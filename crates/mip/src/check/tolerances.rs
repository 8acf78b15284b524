//! How far off a solution may be, and vectors that cannot be evaluated.

/// How far a solution may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// For rows and bounds, per `max(1, |side|)`.
    pub feasibility: f64,
    /// For the distance of an integer column from the nearest integer.
    pub integrality: f64,
}

impl Default for Tolerances {
    /// 1e-6 for both, as in most solvers.
    fn default() -> Self {
        Self {
            feasibility: 1e-6,
            integrality: 1e-6,
        }
    }
}

impl Tolerances {
    /// Refuses tolerances that are negative, NaN, or accept everything.
    pub fn validate(&self) -> Result<(), CheckError> {
        for (what, value, limit) in [
            ("feasibility", self.feasibility, 1.0),
            ("integrality", self.integrality, 0.5),
        ] {
            if !(0.0..limit).contains(&value) {
                return Err(CheckError::Tolerance { what, value, limit });
            }
        }
        Ok(())
    }
}

/// A vector that cannot be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// Not one value for each column.
    #[error("the solution has {found} values where the model has {expected} columns")]
    Length {
        /// Values given.
        found: usize,
        /// Columns of the model.
        expected: usize,
    },
    /// NaN or an infinity among the values.
    #[error("the value of column `{column}` is {value}, not a finite number")]
    NotFinite {
        /// The column's name.
        column: String,
        /// Its value.
        value: f64,
    },
    /// A tolerance that makes no sense.
    #[error("the {what} tolerance is {value}; expected at least 0 and less than {limit}")]
    Tolerance {
        /// `feasibility` or `integrality`.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be below.
        limit: f64,
    },
}

//! Tolerances of the feasibility check, and errors for vectors that cannot be checked.

/// How far a solution may be off and still count as feasible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Allowed violation of a row or bound with the side `s`, as a multiple of `max(1, |s|)`.
    pub feasibility: f64,
    /// Allowed distance of an integer column's value from the nearest integer.
    pub integrality: f64,
}

impl Default for Tolerances {
    /// 1e-6 for both, as most solvers have it.
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

/// A vector or a tolerance with which no check is possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The vector does not have one value for each column.
    #[error("the solution has {found} values where the model has {expected} columns")]
    Length {
        /// Values given.
        found: usize,
        /// Columns of the model.
        expected: usize,
    },
    /// A value is NaN or infinite.
    #[error("the value of column `{column}` is {value}, not a finite number")]
    NotFinite {
        /// The column's name.
        column: String,
        /// Its value.
        value: f64,
    },
    /// A tolerance is negative, NaN, or so large that it would accept everything.
    #[error("the {what} tolerance is {value}; expected at least 0 and less than {limit}")]
    Tolerance {
        /// `feasibility` or `integrality`.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The value that it must be below.
        limit: f64,
    },
}

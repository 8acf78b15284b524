//! The result of a check.

use std::fmt;

use crate::numbers;

/// What is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A row's side.
    Row,
    /// A column's bound.
    Bound,
    /// A column's integrality.
    Integrality,
}

/// One violation, within its tolerance or beyond.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// What is violated.
    pub kind: ViolationKind,
    /// Index of the row, or of the column for bounds and integrality.
    pub index: usize,
    /// Name of that row or column.
    pub name: String,
    /// The row's activity, or the column's value.
    pub value: f64,
    /// The lower side or bound; for integrality the nearest integer.
    pub lower: f64,
    /// The upper side or bound; for integrality the nearest integer.
    pub upper: f64,
    /// How far the value is off, in absolute terms.
    pub violation: f64,
    /// How far it may be off within tolerance, in absolute terms.
    pub allowed: f64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ViolationKind::Row => "activity of row",
            ViolationKind::Bound => "value of column",
            ViolationKind::Integrality => "value of integer column",
        };
        let (need, side) = if self.lower == self.upper {
            ("", self.lower)
        } else if self.value <= self.lower {
            ("at least ", self.lower)
        } else {
            ("at most ", self.upper)
        };
        let (name, value) = (&self.name, Short(self.value));
        let (side, off) = (Short(side), Short(self.violation));
        write!(
            f,
            "the {what} `{name}` is {value}, must be {need}{side}, is off by {off}"
        )
    }
}

/// A number in its shortest decimal form.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        numbers::push(&mut text, self.0);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Whether every row, bound and integer column is within its tolerance.
    pub feasible: bool,
    /// The objective with its constant, exact and correctly rounded.
    pub objective: f64,
    /// The row violated most in relation to its tolerance; `None` if no row is violated at all.
    pub worst_row: Option<Violation>,
    /// The bound violated most in relation to its tolerance; `None` if no bound is violated at all.
    pub worst_bound: Option<Violation>,
    /// The integer column farthest from an integer; `None` if all have integer values.
    pub worst_integrality: Option<Violation>,
    /// Number of rows violated beyond tolerance.
    pub violated_rows: usize,
    /// Number of columns whose bounds are violated beyond tolerance.
    pub violated_bounds: usize,
    /// Number of integer columns whose value is farther from an integer than the tolerance.
    pub violated_integrality: usize,
    pub(super) largest: [f64; 3],
}

impl Report {
    /// The largest absolute violation of a row, 0 if there is none.
    pub fn max_row_violation(&self) -> f64 {
        self.largest[0]
    }

    /// The largest absolute violation of a bound, 0 if there is none.
    pub fn max_bound_violation(&self) -> f64 {
        self.largest[1]
    }

    /// The largest distance of an integer column's value from an integer, 0 if there is none.
    pub fn max_integrality_violation(&self) -> f64 {
        self.largest[2]
    }
}

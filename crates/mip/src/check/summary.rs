//! What a check found, in the form in which it goes into files and over pipes.

use serde::{Deserialize, Serialize};

use super::{Report, Violation};

/// The result of a check with the worst violation of each kind; infinite bounds are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSummary {
    /// Whether every row, bound and integrality holds within the tolerances.
    pub feasible: bool,
    /// Objective value, exact.
    pub objective: f64,
    /// Largest violation of a row; 0 if there is none.
    pub max_row_violation: f64,
    /// Largest violation of a column's bound; 0 if there is none.
    pub max_bound_violation: f64,
    /// Largest distance of a discrete column's value from an integer; 0 if there is none.
    pub max_integrality_violation: f64,
    /// The row that is violated most, if any is.
    pub worst_row: Option<ViolationSummary>,
    /// The column whose bounds are violated most, if any are.
    pub worst_bound: Option<ViolationSummary>,
    /// The discrete column furthest from an integer, if any is off one.
    pub worst_integrality: Option<ViolationSummary>,
}

/// One violated row or column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ViolationSummary {
    /// Name of the row or column.
    pub name: String,
    /// Activity of the row, or value of the column.
    pub value: f64,
    /// Lower side or bound; `None` if it is −∞.
    pub lower: Option<f64>,
    /// Upper side or bound; `None` if it is +∞.
    pub upper: Option<f64>,
    /// By how much `value` is outside.
    pub violation: f64,
}

impl From<&Violation> for ViolationSummary {
    fn from(violation: &Violation) -> Self {
        let finite = |x: f64| x.is_finite().then_some(x);
        ViolationSummary {
            name: violation.name.clone(),
            value: violation.value,
            lower: finite(violation.lower),
            upper: finite(violation.upper),
            violation: violation.violation,
        }
    }
}

impl From<&Report> for CheckSummary {
    fn from(report: &Report) -> Self {
        let summary = |worst: &Option<Violation>| worst.as_ref().map(ViolationSummary::from);
        CheckSummary {
            feasible: report.feasible,
            objective: report.objective,
            max_row_violation: report.max_row_violation(),
            max_bound_violation: report.max_bound_violation(),
            max_integrality_violation: report.max_integrality_violation(),
            worst_row: summary(&report.worst_row),
            worst_bound: summary(&report.worst_bound),
            worst_integrality: summary(&report.worst_integrality),
        }
    }
}

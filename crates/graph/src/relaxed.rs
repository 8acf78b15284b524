//! What the features need of a solved linear relaxation. This crate knows no solver, so its caller lends the numbers.

use idpas_mip::Model;

use crate::GraphError;
use crate::error::expect_length;

/// Where a column stands in the optimal basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// At its lower bound.
    Lower,
    /// In the basis.
    Basic,
    /// At its upper bound.
    Upper,
    /// Free, outside the basis, at zero.
    Zero,
    /// Outside the basis, at no bound.
    Nonbasic,
}

/// An optimal solution of the linear relaxation, in the model's own sense: nothing is negated yet when maximising.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed<'a> {
    /// A value per column.
    pub values: &'a [f64],
    /// A reduced cost per column.
    pub reduced_costs: &'a [f32],
    /// A basis status per column.
    pub column_basis: &'a [Basis],
    /// A dual value per row.
    pub duals: &'a [f32],
    /// Per row: [`AT_LEFT`](Self::AT_LEFT) and [`AT_RIGHT`](Self::AT_RIGHT), the sides that are reached.
    pub tight: &'a [u8],
}

impl Relaxed<'_> {
    /// The bit of a row at its left-hand side.
    pub const AT_LEFT: u8 = 1;
    /// The bit of a row at its right-hand side.
    pub const AT_RIGHT: u8 = 2;

    /// Refuses a relaxation of another model.
    pub(crate) fn check(&self, model: &Model) -> Result<(), GraphError> {
        let (n, m) = (model.num_columns(), model.num_rows());
        expect_length("relaxed values", self.values.len(), n)?;
        expect_length("reduced costs", self.reduced_costs.len(), n)?;
        expect_length("basis statuses", self.column_basis.len(), n)?;
        expect_length("dual values", self.duals.len(), m)?;
        expect_length("tight rows", self.tight.len(), m)
    }
}

//! The solution of a linear relaxation, as far as features need it. This crate knows no solver, so the caller passes
//! it.

use idpas_mip::Model;

use crate::GraphError;
use crate::error::expect_length;

/// Status of a column in the optimal basis.
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

/// An optimal solution of the linear relaxation, in the model's own sense: nothing is negated when maximising.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed<'a> {
    /// Value of each column.
    pub values: &'a [f64],
    /// Reduced cost of each column.
    pub reduced_costs: &'a [f32],
    /// Basis status of each column.
    pub column_basis: &'a [Basis],
    /// Dual value of each row.
    pub duals: &'a [f32],
    /// For each row, the sides that are reached: a combination of [`AT_LEFT`](Self::AT_LEFT) and
    /// [`AT_RIGHT`](Self::AT_RIGHT).
    pub tight: &'a [u8],
}

impl Relaxed<'_> {
    /// Bit of a row whose left-hand side is reached.
    pub const AT_LEFT: u8 = 1;
    /// Bit of a row whose right-hand side is reached.
    pub const AT_RIGHT: u8 = 2;

    /// Refuses a relaxation whose arrays do not have the model's sizes.
    pub(crate) fn check(&self, model: &Model) -> Result<(), GraphError> {
        let (n, m) = (model.num_columns(), model.num_rows());
        expect_length("relaxed values", self.values.len(), n)?;
        expect_length("reduced costs", self.reduced_costs.len(), n)?;
        expect_length("basis statuses", self.column_basis.len(), n)?;
        expect_length("dual values", self.duals.len(), m)?;
        expect_length("tight rows", self.tight.len(), m)
    }
}

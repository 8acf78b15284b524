//! Converts a pool's relaxation into the form that features need.

use idpas_graph::{Basis, Relaxed};
use idpas_pools::pool::Relaxation;
use idpas_solver::BasisStatus;

/// A relaxation with its basis in the types of the crate `idpas_graph`.
pub(crate) struct Borrowed<'a> {
    relaxation: &'a Relaxation,
    basis: Vec<Basis>,
}

impl<'a> Borrowed<'a> {
    pub(crate) fn new(relaxation: &'a Relaxation) -> Self {
        let status = |status: &BasisStatus| match status {
            BasisStatus::Lower => Basis::Lower,
            BasisStatus::Basic => Basis::Basic,
            BasisStatus::Upper => Basis::Upper,
            BasisStatus::Zero => Basis::Zero,
            _ => Basis::Nonbasic,
        };
        Borrowed {
            basis: relaxation.column_basis.iter().map(status).collect(),
            relaxation,
        }
    }

    pub(crate) fn view(&self) -> Relaxed<'_> {
        Relaxed {
            values: &self.relaxation.values,
            reduced_costs: &self.relaxation.reduced_costs,
            column_basis: &self.basis,
            duals: &self.relaxation.duals,
            // The bits have the same meaning in both crates.
            tight: &self.relaxation.row_sides,
        }
    }
}

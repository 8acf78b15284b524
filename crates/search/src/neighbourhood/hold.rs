//! Holding what is not free.

use idpas_mip::Model;
use idpas_solver::BoundChange;

/// Holds every discrete column at its value in a solution, rounded, but for those that are free.
pub fn hold(model: &Model, values: &[f64], is_free: impl Fn(usize) -> bool) -> Vec<BoundChange> {
    (0..values.len())
        .filter(|&j| model.is_integer(j) && !is_free(j))
        .map(|j| BoundChange::fixed(j, values[j].round()))
        .collect()
}

//! Whether a relaxation belongs to a model.

use idpas_mip::{Model, Relaxation};

use crate::GraphError;
use crate::error::expect_length;

/// Refuses a relaxation of another model. Activities and the basis of rows are not looked at: no feature needs them.
pub(crate) fn check(relaxation: &Relaxation, model: &Model) -> Result<(), GraphError> {
    let (n, m) = (model.num_columns(), model.num_rows());
    expect_length("relaxed values", relaxation.values.len(), n)?;
    expect_length("reduced costs", relaxation.reduced_costs.len(), n)?;
    expect_length("basis statuses", relaxation.column_basis.len(), n)?;
    expect_length("dual values", relaxation.duals.len(), m)?;
    expect_length("tight rows", relaxation.row_sides.len(), m)
}

//! The features of rows.

use idpas_mip::{Matrix, Model, Relaxation};

use crate::raw::{bound, direction, flag, is_finite, narrow};
use crate::{FeatureSet, RowFeature, Table};

/// The features of all rows, from the matrix by rows.
pub(crate) fn table(
    model: &Model,
    matrix: &Matrix,
    relaxed: Option<&Relaxation>,
    set: FeatureSet,
) -> Table {
    let features = set.row_features();
    let mut table = Table::zeros(model.num_rows(), features.len());
    let turn = direction(model.sense);
    let cost_norm = norm(&model.columns.cost);
    for (i, row) in table.data.chunks_exact_mut(features.len()).enumerate() {
        for (slot, &feature) in row.iter_mut().zip(features) {
            let value = match (feature, relaxed) {
                (RowFeature::Cosine, _) => turn * cosine(model, matrix, i, cost_norm),
                (RowFeature::Degree, _) => {
                    matrix.entries(i).filter(|&(_, a)| a != 0.0).count() as f64
                }
                (RowFeature::Tight, Some(relaxed)) => flag(relaxed.row_sides[i].any()),
                (RowFeature::Dual, Some(relaxed)) => turn * relaxed.duals[i],
                (RowFeature::Tight | RowFeature::Dual, None) => 0.0,
                // Filled in later from a profile, if there is one.
                (RowFeature::SideDeviation | RowFeature::DualDeviation, _) => 0.0,
                _ => side(model.rows.lower[i], model.rows.upper[i], feature),
            };
            *slot = narrow(value);
        }
    }
    table
}

/// A feature that depends only on the two sides of a row.
fn side(left: f64, right: f64, feature: RowFeature) -> f64 {
    let (has_left, has_right) = (is_finite(left), is_finite(right));
    match feature {
        RowFeature::RightHandSide if has_right => right,
        RowFeature::RightHandSide => bound(left),
        RowFeature::IsLess => flag(has_right && !has_left),
        RowFeature::IsGreater => flag(has_left && !has_right),
        RowFeature::IsEqual => flag(has_left && has_right && left == right),
        RowFeature::IsRanged => flag(has_left && has_right && left != right),
        RowFeature::Left => bound(left),
        RowFeature::Right => bound(right),
        _ => 0.0,
    }
}

/// Cosine of the angle between a row and the objective as it is in the model; 0 if either is zero.
fn cosine(model: &Model, matrix: &Matrix, i: usize, cost_norm: f64) -> f64 {
    let range = matrix.starts()[i]..matrix.starts()[i + 1];
    let row_norm = norm(&matrix.values()[range]);
    if row_norm == 0.0 || cost_norm == 0.0 {
        return 0.0;
    }
    // Each factor is divided by its norm first, so that no product can overflow.
    let product = matrix
        .entries(i)
        .map(|(j, a)| (a / row_norm) * (model.columns.cost[j] / cost_norm));
    product.sum::<f64>().clamp(-1.0, 1.0)
}

/// The Euclidean norm, scaled by the largest entry so that no square can overflow or vanish.
fn norm(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares = values.iter().map(|a| (a / largest).powi(2));
    largest * squares.sum::<f64>().sqrt()
}

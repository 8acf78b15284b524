//! The edges, row by row, and their features.

use idpas_mip::Matrix;

use crate::raw::narrow;
use crate::{Adjacency, EdgeFeature, FeatureSet, Table};

/// Edges and their features, from the matrix by rows. Entries that are zero are not edges.
pub(crate) fn table(matrix: &Matrix, set: FeatureSet) -> (Adjacency, Table) {
    let features = set.edge_features();
    let count = matrix.nonzeros();
    let mut starts = Vec::with_capacity(matrix.majors() + 1);
    let mut neighbours = Vec::with_capacity(count);
    let mut data = Vec::with_capacity(count * features.len());
    starts.push(0);
    for i in 0..matrix.majors() {
        let entries = || matrix.entries(i).filter(|&(_, a)| a != 0.0);
        let largest = entries().fold(0.0, |most: f64, (_, a)| most.max(a.abs()));
        for (j, a) in entries() {
            neighbours.push(j as u32);
            data.extend(features.iter().map(|feature| match feature {
                EdgeFeature::Coefficient => narrow(a),
                EdgeFeature::RowScaled => narrow(a / largest),
                // Filled in later from a profile, if there is one.
                EdgeFeature::CoefficientDeviation => 0.0,
            }));
        }
        starts.push(neighbours.len() as u32);
    }
    let width = features.len();
    (Adjacency { starts, neighbours }, Table { width, data })
}

//! The number of columns in the tables of a graph.

use crate::FeatureSet;

/// Number of features of each variable, row and edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Widths {
    /// Features of a variable, with the columns of its identity.
    pub variable: usize,
    /// Features of a row.
    pub row: usize,
    /// Features of an edge.
    pub edge: usize,
}

impl Widths {
    /// The widths of a set; with `identity_bits`, variables also have that many bits and a flag for unknown
    /// identities.
    pub fn new(set: FeatureSet, identity_bits: Option<usize>) -> Self {
        Widths {
            variable: set.variable_features().len() + identity_bits.map_or(0, |bits| bits + 1),
            row: set.row_features().len(),
            edge: set.edge_features().len(),
        }
    }
}

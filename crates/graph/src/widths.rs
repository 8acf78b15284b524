//! How wide the tables of a graph are.

use crate::FeatureSet;

/// How many numbers a graph has on each variable, row and edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Widths {
    /// On a variable, identity included.
    pub variable: usize,
    /// On a row.
    pub row: usize,
    /// On an edge.
    pub edge: usize,
}

impl Widths {
    /// Of a set, with the bits of an identity and the flag of an unknown one if `identity_bits` is given.
    pub fn new(set: FeatureSet, identity_bits: Option<usize>) -> Self {
        Widths {
            variable: set.variable_features().len() + identity_bits.map_or(0, |bits| bits + 1),
            row: set.row_features().len(),
            edge: set.edge_features().len(),
        }
    }
}

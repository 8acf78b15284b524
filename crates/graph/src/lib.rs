//! Models as bipartite graphs: a node per variable and per row, an edge per non-zero, numbers on all of them.

mod bipartite;
mod error;

pub use bipartite::{Adjacency, Bipartite, Table};
pub use error::GraphError;

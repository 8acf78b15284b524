//! The graph itself: a node per variable, a node per row, an edge per non-zero.

use crate::GraphError;

/// Numbers in rows of equal width, one row after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Numbers in a row.
    pub width: usize,
    /// All rows.
    pub data: Vec<f32>,
}

impl Table {
    /// Zeros.
    pub fn zeros(rows: usize, width: usize) -> Self {
        Table {
            width,
            data: vec![0.0; rows * width],
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    /// Row `i`, to change.
    pub fn row_mut(&mut self, i: usize) -> &mut [f32] {
        &mut self.data[i * self.width..(i + 1) * self.width]
    }
}

/// Neighbours of nodes, node after node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    /// Where each node's neighbours begin, and the end: one entry more than nodes.
    pub starts: Vec<u32>,
    /// The neighbours.
    pub neighbours: Vec<u32>,
}

impl Adjacency {
    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where the neighbours of a node are in [`neighbours`](Self::neighbours).
    pub fn range(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// The neighbours of a node.
    pub fn of(&self, node: usize) -> &[u32] {
        &self.neighbours[self.range(node)]
    }
}

/// A bipartite graph with features. Edges are numbered row by row: edge `k` is the `k`-th entry of
/// `by_row.neighbours`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bipartite {
    /// Features of variables.
    pub variables: Table,
    /// Features of rows.
    pub rows: Table,
    /// Features of edges.
    pub edges: Table,
    /// The variables in each row.
    pub by_row: Adjacency,
    /// The rows of each variable.
    pub by_variable: Adjacency,
    /// The edge behind each entry of `by_variable.neighbours`.
    pub edge_of: Vec<u32>,
}

impl Bipartite {
    /// A graph from its edges by row; the other direction is derived.
    pub fn new(
        variables: Table,
        rows: Table,
        edges: Table,
        by_row: Adjacency,
    ) -> Result<Self, GraphError> {
        let fault = |what: &str| Err(GraphError::Shape { what: what.into() });
        let count = by_row.neighbours.len();
        if by_row.nodes() != rows.rows() || edges.rows() != count {
            return fault("the rows or edges do not match their features");
        }
        let sorted = by_row.starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if !sorted || by_row.starts.last().map(|&end| end as usize) != Some(count) {
            return fault("the rows' edges do not begin where they should");
        }
        let n = variables.rows();
        if by_row.neighbours.iter().any(|&j| j as usize >= n) {
            return fault("an edge leads to a variable that is not there");
        }
        let mut starts = vec![0u32; n + 1];
        for &j in &by_row.neighbours {
            starts[j as usize + 1] += 1;
        }
        for j in 0..n {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0u32; count];
        let mut edge_of = vec![0u32; count];
        for i in 0..by_row.nodes() {
            for k in by_row.range(i) {
                let slot = &mut next[by_row.neighbours[k] as usize];
                neighbours[*slot as usize] = i as u32;
                edge_of[*slot as usize] = k as u32;
                *slot += 1;
            }
        }
        Ok(Bipartite {
            variables,
            rows,
            edges,
            by_row,
            by_variable: Adjacency { starts, neighbours },
            edge_of,
        })
    }

    /// How many edges there are.
    pub fn num_edges(&self) -> usize {
        self.by_row.neighbours.len()
    }
}

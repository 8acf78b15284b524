//! The graph itself: a node per variable, a node per row, an edge per non-zero.

use crate::GraphError;

/// A table of numbers, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Number of columns.
    pub width: usize,
    /// All numbers, row after row.
    pub data: Vec<f32>,
}

impl Table {
    /// A table of zeros.
    pub fn zeros(rows: usize, width: usize) -> Self {
        Table {
            width,
            data: vec![0.0; rows * width],
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f32] {
        &mut self.data[i * self.width..(i + 1) * self.width]
    }
}

/// The neighbours of all nodes of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    /// `starts[node]..starts[node + 1]` is the range of a node's neighbours: one entry more than there are nodes.
    pub starts: Vec<u32>,
    /// The neighbours of all nodes, node after node.
    pub neighbours: Vec<u32>,
}

impl Adjacency {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The range of a node's neighbours in [`neighbours`](Self::neighbours).
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
    /// For each row, the variables in it.
    pub by_row: Adjacency,
    /// For each variable, the rows it is in.
    pub by_variable: Adjacency,
    /// For each entry of `by_variable.neighbours`, the number of its edge.
    pub edge_of: Vec<u32>,
}

impl Bipartite {
    /// A graph from its edges by row; `by_variable` and `edge_of` are derived from them.
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

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.by_row.neighbours.len()
    }
}

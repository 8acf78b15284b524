//! Prepares a graph for the passes: checks it, forms groups, and orders its edges in both directions.

use idpas_graph::{Adjacency, Bipartite, Table};

use crate::parallel::{Group, groups};
use crate::{Config, NnError, Real};

/// What the passes need in addition to the graph.
#[derive(Default)]
pub(crate) struct Plan<T> {
    variable_groups: Vec<Group>,
    row_groups: Vec<Group>,
    /// For each edge in the order of rows, its index in the order of variables.
    by_variable: Vec<u32>,
    /// Edge features in the order of rows, and in the order of variables.
    features: [Vec<T>; 2],
}

/// One direction of messages. Edges are numbered by their targets.
pub(crate) struct Flow<'a, T> {
    pub(crate) targets: &'a Adjacency,
    pub(crate) sources: &'a Adjacency,
    /// For each edge in the order of sources, its number.
    pub(crate) positions: &'a [u32],
    pub(crate) features: &'a [T],
    pub(crate) target_groups: &'a [Group],
    pub(crate) source_groups: &'a [Group],
}

impl<T: Real> Plan<T> {
    /// Checks and prepares a graph.
    pub(crate) fn prepare(&mut self, graph: &Bipartite, config: &Config) -> Result<(), NnError> {
        check(graph, config)?;
        self.variable_groups = groups(&graph.by_variable);
        self.row_groups = groups(&graph.by_row);
        self.by_variable.resize(graph.num_edges(), 0);
        for (at, &edge) in graph.edge_of.iter().enumerate() {
            self.by_variable[edge as usize] = at as u32;
        }
        let [by_row, by_variable] = &mut self.features;
        by_row.clear();
        by_row.extend(graph.edges.data.iter().map(|&value| T::from_f32(value)));
        by_variable.clear();
        for &edge in &graph.edge_of {
            let row = graph.edges.row(edge as usize);
            by_variable.extend(row.iter().map(|&value| T::from_f32(value)));
        }
        Ok(())
    }

    /// The direction from variables to rows.
    pub(crate) fn to_rows<'a>(&'a self, graph: &'a Bipartite) -> Flow<'a, T> {
        Flow {
            targets: &graph.by_row,
            sources: &graph.by_variable,
            positions: &graph.edge_of,
            features: &self.features[0],
            target_groups: &self.row_groups,
            source_groups: &self.variable_groups,
        }
    }

    /// The direction from rows to variables.
    pub(crate) fn to_variables<'a>(&'a self, graph: &'a Bipartite) -> Flow<'a, T> {
        Flow {
            targets: &graph.by_variable,
            sources: &graph.by_row,
            positions: &self.by_variable,
            features: &self.features[1],
            target_groups: &self.variable_groups,
            source_groups: &self.row_groups,
        }
    }

    pub(crate) fn variable_groups(&self) -> &[Group] {
        &self.variable_groups
    }

    pub(crate) fn row_groups(&self) -> &[Group] {
        &self.row_groups
    }
}

fn check(graph: &Bipartite, config: &Config) -> Result<(), NnError> {
    let widths = [
        ("variable", &graph.variables, config.variable_width),
        ("row", &graph.rows, config.row_width),
        ("edge", &graph.edges, config.edge_width),
    ];
    for (what, table, expected) in widths {
        let Table { width, ref data } = *table;
        if width != expected && !(width == 0 && data.is_empty()) {
            return Err(NnError::Width {
                what,
                found: width,
                expected,
            });
        }
    }
    let edges = graph.num_edges();
    let fault = |what| Err(NnError::Graph { what });
    let nodes = |table: &Table, adjacency: &Adjacency, width| {
        table.data.len() == adjacency.nodes() * width && !adjacency.starts.is_empty()
    };
    if !nodes(&graph.variables, &graph.by_variable, config.variable_width)
        || !nodes(&graph.rows, &graph.by_row, config.row_width)
        || graph.edges.data.len() != edges * config.edge_width
        || graph.edge_of.len() != edges
    {
        return fault("features and edges differ in number");
    }
    let sides = [
        (&graph.by_row, graph.by_variable.nodes()),
        (&graph.by_variable, graph.by_row.nodes()),
    ];
    for (adjacency, others) in sides {
        let starts = &adjacency.starts;
        if starts.windows(2).any(|pair| pair[0] > pair[1])
            || starts.first() != Some(&0)
            || starts.last().map(|&end| end as usize) != Some(edges)
            || adjacency.neighbours.len() != edges
        {
            return fault("the nodes' edges do not begin where they should");
        }
        if adjacency.neighbours.iter().any(|&n| n as usize >= others) {
            return fault("an edge leads to a node that is not there");
        }
    }
    if graph.edge_of.iter().any(|&edge| edge as usize >= edges) {
        return fault("an entry by variable stands for an edge that is not there");
    }
    Ok(())
}

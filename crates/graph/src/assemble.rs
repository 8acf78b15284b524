//! The last step to the graph that a network reads: appends identities to the features.

use crate::error::expect_length;
use crate::{Bipartite, FeatureSet, GraphError, PRIOR_INSTANCES, RawGraph, Table};

/// The identities of the variables of one instance, as numbers below 2^`bits` − 1.
#[derive(Clone, Copy, Debug)]
pub struct IdentityColumns<'a> {
    /// Identity of each variable; `None` if unknown.
    pub index: &'a [Option<u32>],
    /// Number of bits that write an identity: [`Registry::bits`](crate::Registry::bits).
    pub bits: usize,
}

/// Which identities a graph shows.
///
/// The zero rate and the deviations from what is usual reveal an identity, so they are blanked wherever the identity
/// is not shown.
#[derive(Clone, Copy, Debug)]
pub enum IdentityInput<'a> {
    /// No identity columns at all.
    Off,
    /// There are identity columns, and every variable counts as unknown: for dropout of a whole graph, or an instance
    /// of another family.
    Unknown {
        /// Number of bits that write an identity.
        bits: usize,
    },
    /// Every known identity is shown.
    All(IdentityColumns<'a>),
    /// All known identities are shown except those dropped.
    Dropped {
        /// The identities.
        identity: IdentityColumns<'a>,
        /// For each variable, whether its identity is hidden.
        dropped: &'a [bool],
    },
}

impl IdentityInput<'_> {
    /// Number of bits that write an identity; `None` if there are no identity columns.
    /// [`Widths::new`](crate::Widths::new) takes this.
    pub fn bits(&self) -> Option<usize> {
        match self {
            IdentityInput::Off => None,
            IdentityInput::Unknown { bits } => Some(*bits),
            IdentityInput::All(identity) | IdentityInput::Dropped { identity, .. } => {
                Some(identity.bits)
            }
        }
    }

    /// The identity shown for variable `j`; `None` if it is unknown or hidden.
    fn shown(&self, j: usize) -> Option<u32> {
        match self {
            IdentityInput::Off | IdentityInput::Unknown { .. } => None,
            IdentityInput::All(identity) => identity.index[j],
            IdentityInput::Dropped { identity, dropped } => {
                identity.index[j].filter(|_| !dropped[j])
            }
        }
    }

    fn check(&self, variables: usize) -> Result<(), GraphError> {
        if let IdentityInput::Dropped { dropped, .. } = self {
            expect_length("entries of the dropout mask", dropped.len(), variables)?;
        }
        let (IdentityInput::All(identity) | IdentityInput::Dropped { identity, .. }) = self else {
            return Ok(());
        };
        expect_length("identities", identity.index.len(), variables)?;
        let codes = 1u64.checked_shl(identity.bits as u32).unwrap_or(u64::MAX);
        match identity.index.iter().flatten().max() {
            Some(&most) if u64::from(most) + 1 >= codes => Err(GraphError::Shape {
                what: format!("identity {most} does not fit in {} bits", identity.bits),
            }),
            _ => Ok(()),
        }
    }
}

/// The graph that a network reads, from a standardised one.
///
/// With identities on, each variable gets the bits of its identity plus one, lowest bit first, and a flag that is 1 if
/// the identity is unknown. So a known identity never has bits that are all zero.
pub fn assemble(mut graph: RawGraph, identity: IdentityInput<'_>) -> Result<Bipartite, GraphError> {
    identity.check(graph.variables.rows())?;
    blank_unseen(&mut graph, &identity);
    let variables = match identity.bits() {
        None => graph.variables,
        Some(bits) => with_identity(&graph.variables, &identity, bits),
    };
    Bipartite::new(variables, graph.rows, graph.edges, graph.by_row)
}

/// Blanks the features that would reveal an identity that is not shown.
fn blank_unseen(graph: &mut RawGraph, identity: &IdentityInput<'_>) {
    let columns = graph.set.revealing_variable_features();
    for j in 0..graph.variables.rows() {
        if identity.shown(j).is_none() {
            blank(graph.variables.row_mut(j), &columns);
        }
    }
    let columns = graph.set.revealing_edge_features();
    for (edge, &j) in graph.by_row.neighbours.iter().enumerate() {
        if identity.shown(j as usize).is_none() {
            blank(graph.edges.row_mut(edge), &columns);
        }
    }
    // Rows have no identity columns; their features are blanked when no variable shows its identity.
    if matches!(identity, IdentityInput::Off | IdentityInput::Unknown { .. }) {
        let columns = graph.set.revealing_row_features();
        for i in 0..graph.rows.rows() {
            blank(graph.rows.row_mut(i), &columns);
        }
    }
}

fn with_identity(raw: &Table, identity: &IdentityInput<'_>, bits: usize) -> Table {
    let mut table = Table::zeros(raw.rows(), raw.width + bits + 1);
    for j in 0..raw.rows() {
        let (features, code) = table.row_mut(j).split_at_mut(raw.width);
        features.copy_from_slice(raw.row(j));
        match identity.shown(j) {
            Some(index) => {
                let number = u64::from(index) + 1;
                for (bit, slot) in code[..bits.min(64)].iter_mut().enumerate() {
                    *slot = (number >> bit & 1) as f32;
                }
            }
            None => code[bits] = 1.0,
        }
    }
    table
}

fn blank(row: &mut [f32], columns: &[usize]) {
    for &column in columns {
        row[column] = 0.0;
    }
}

/// The logit of each variable of an assembled graph by past solutions alone: of its [non-zero
/// frequency](crate::nonzero_frequency) over `instances`. 0 where the graph shows no rate.
pub fn prior(graph: &Bipartite, set: FeatureSet, instances: usize) -> Vec<f32> {
    let variables = 0..graph.variables.rows();
    let Some([rate, known]) = set.zero_rate_columns() else {
        return variables.map(|_| 0.0).collect();
    };
    let (count, more) = (instances as f32, PRIOR_INSTANCES as f32);
    let logit = |j: usize| {
        let row = graph.variables.row(j);
        if row[known] == 0.0 {
            return 0.0;
        }
        let zeros = row[rate].clamp(0.0, 1.0) * count;
        ((count - zeros + more) / (zeros + more)).ln()
    };
    variables.map(logit).collect()
}

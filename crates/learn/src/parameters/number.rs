//! The numbers of a model, each under a key that does not depend on the order of the file.

use idpas_graph::{Identities, IdentityKey, Registry};
use idpas_mip::Model;

/// Identifies a number of a model by the identities of its row and column. Costs, bounds and sides have only one of
/// the two, and one of the codes below in place of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) row: u32,
    pub(super) column: u32,
}

// Codes that stand in place of an identity; there are never so many names that one of them could be an identity.

const COST: u32 = u32::MAX;
const LOWER: u32 = u32::MAX - 1;
const UPPER: u32 = u32::MAX - 2;

impl Key {
    /// Whether this is an entry of the matrix, which is zero where it is not stored.
    pub(super) fn is_entry(self) -> bool {
        self.row < UPPER && self.column < UPPER
    }
}

/// Calls `visit` with all numbers of a model whose rows and columns are known.
pub(super) fn visit(
    model: &Model,
    identities: &Identities,
    registry: &Registry,
    mut see: impl FnMut(Key, f64),
) {
    let rows = row_identities(model, identities, registry);
    for (row, i) in rows.iter().zip(0..) {
        if let Some(row) = *row {
            let side = |column| Key { row, column };
            see(side(LOWER), model.rows.lower[i]);
            see(side(UPPER), model.rows.upper[i]);
        }
    }
    for (column, j) in identities.index.iter().zip(0..) {
        let Some(column) = *column else { continue };
        let of = |row| Key { row, column };
        see(of(COST), model.columns.cost[j]);
        see(of(LOWER), model.columns.lower[j]);
        see(of(UPPER), model.columns.upper[j]);
        for (i, value) in model.matrix.entries(j) {
            if let Some(row) = rows[i] {
                see(Key { row, column }, value);
            }
        }
    }
}

/// The identity of each row: by name, or by position if the family goes by position and this instance fits.
fn row_identities(model: &Model, identities: &Identities, registry: &Registry) -> Vec<Option<u32>> {
    let names = registry.row_names();
    match identities.by {
        IdentityKey::Name => {
            let all = model.rows.names.iter();
            all.map(|name| names.find(name).map(|i| i as u32)).collect()
        }
        IdentityKey::Position => {
            let fits = identities.known_rows > 0.0;
            let all = 0..model.num_rows() as u32;
            all.map(|i| fits.then_some(i)).collect()
        }
    }
}

//! Which variable of one instance is which variable of another: identities by name, learned from
//! training instances and stored with the model.

mod fit;
mod history;
mod parts;

use idpas_mip::{Model, Names};

pub use fit::{Fit, Identities};
use history::History;
pub use parts::{RegistryParts, RegistrySummary};

/// What makes two variables of different instances the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityKey {
    /// Their names.
    #[default]
    Name,
    /// Their positions, because the names of the family change from instance to instance.
    Position,
}

/// The identities of a family of instances.
///
/// Add all training instances first, then their targets: should the key change from names to
/// positions or back, the numbers of identities change and the targets seen are forgotten.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    columns: Names,
    rows: Names,
    key: IdentityKey,
    instances: u32,
    /// Columns of all instances whose names were known before, and how many could have been.
    shared: u64,
    comparable: u64,
    /// The counts of columns and rows, if all instances agree.
    column_count: Option<u32>,
    row_count: Option<u32>,
    history: History,
}

/// The end of a name in storage. Names that contain it are never registered, hence always unknown.
const NUL: char = '\0';

impl Registry {
    /// A registry that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns the names of an instance, new ones in order of appearance.
    pub fn add_instance(&mut self, model: &Model) {
        let (before, n) = (self.columns.len(), model.num_columns());
        let old = register(&mut self.columns, &model.columns.names);
        register(&mut self.rows, &model.rows.names);
        self.shared += old as u64;
        // An instance larger than all before it must not look unstable for being large.
        self.comparable += before.min(n) as u64;
        let agreed = |count: Option<u32>, new: usize| match u32::try_from(new).ok() {
            new if self.instances == 0 => new,
            new => count.filter(|_| count == new),
        };
        self.column_count = agreed(self.column_count, n);
        self.row_count = agreed(self.row_count, model.num_rows());
        self.instances += 1;
        let key = self.decide();
        if key != self.key {
            self.key = key;
            self.history = History::default();
        }
    }

    /// Whether instances share at least half of their column names.
    pub fn stable(&self) -> bool {
        2 * self.shared >= self.comparable
    }

    /// What identities go by.
    pub fn key(&self) -> IdentityKey {
        self.key
    }

    /// How many instances were added.
    pub fn instances(&self) -> usize {
        self.instances as usize
    }

    /// How many identities there are.
    pub fn len(&self) -> usize {
        match self.key {
            IdentityKey::Name => self.columns.len(),
            IdentityKey::Position => self.column_count.unwrap_or(0) as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a column name; nothing if unknown or if identities go by position.
    pub fn index(&self, name: &str) -> Option<u32> {
        match self.key {
            IdentityKey::Name => self.columns.find(name).map(|index| index as u32),
            IdentityKey::Position => None,
        }
    }

    /// The column names; they are the identities only if those go by name.
    pub fn names(&self) -> &Names {
        &self.columns
    }

    /// The row names, which have no identity in the graph and serve to restore an order.
    pub fn row_names(&self) -> &Names {
        &self.rows
    }

    /// How many bits write an identity.
    ///
    /// Identity `k` is written as `k + 1`, so that all-zero bits are never a known one; `n`
    /// identities need ⌈log2(n + 1)⌉ bits, which is one more than ⌈log2 n⌉ only for powers of two.
    pub fn bits(&self) -> usize {
        (usize::BITS - self.len().leading_zeros()).max(1) as usize
    }

    fn decide(&self) -> IdentityKey {
        if !self.stable() && self.column_count.is_some() {
            IdentityKey::Position
        } else {
            IdentityKey::Name
        }
    }
}

/// Adds the names that are new; returns how many were not.
fn register(known: &mut Names, names: &Names) -> usize {
    let storable = names.iter().filter(|name| !name.contains(NUL));
    storable.filter(|name| known.push(name).is_err()).count()
}

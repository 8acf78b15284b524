//! Recognises the variables of one instance in another: identities by name, learned from training instances and stored
//! with the model.

mod fit;
mod history;
mod parts;

use idpas_mip::{Model, Names};

pub use fit::{Fit, Identities};
use history::History;
pub use parts::{RegistryParts, RegistrySummary};

/// The property by which variables of different instances are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityKey {
    /// They have the same name.
    #[default]
    Name,
    /// They have the same position, because in this family names change from instance to instance.
    Position,
}

/// The identities of a family of instances.
///
/// Add all training instances first, then their targets. If the key changes from names to positions or back, the
/// numbers of identities change, and the targets added so far are forgotten.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    columns: Names,
    rows: Names,
    key: IdentityKey,
    instances: u32,
    /// Number of columns, over all instances, whose names earlier instances had.
    shared: u64,
    /// The greatest possible value of `shared`.
    comparable: u64,
    /// The number of columns; `None` if instances differ in it.
    column_count: Option<u32>,
    /// The number of rows; `None` if instances differ in it.
    row_count: Option<u32>,
    history: History,
}

/// Ends a name in storage. Names that contain it are never registered, so they are always unknown.
const NUL: char = '\0';

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers the names of an instance, new ones in order of appearance.
    pub fn add_instance(&mut self, model: &Model) {
        let (before, n) = (self.columns.len(), model.num_columns());
        let old = register(&mut self.columns, &model.columns.names);
        register(&mut self.rows, &model.rows.names);
        self.shared += old as u64;
        // At most as many names as were known before can be shared, so that large instances do not look unstable.
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

    /// Whether instances share at least half of their column names, so that names can serve as identities.
    pub fn stable(&self) -> bool {
        2 * self.shared >= self.comparable
    }

    /// Whether identities go by name or by position.
    pub fn key(&self) -> IdentityKey {
        self.key
    }

    /// Number of instances that were added.
    pub fn instances(&self) -> usize {
        self.instances as usize
    }

    /// Number of identities.
    pub fn len(&self) -> usize {
        match self.key {
            IdentityKey::Name => self.columns.len(),
            IdentityKey::Position => self.column_count.unwrap_or(0) as usize,
        }
    }

    /// Whether there are no identities.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a column name; `None` if it is unknown or if identities go by position.
    pub fn index(&self, name: &str) -> Option<u32> {
        match self.key {
            IdentityKey::Name => self.columns.find(name).map(|index| index as u32),
            IdentityKey::Position => None,
        }
    }

    /// All column names; they are the identities only if those go by name.
    pub fn names(&self) -> &Names {
        &self.columns
    }

    /// All row names. Rows have no identity in the graph; their names serve to restore an order.
    pub fn row_names(&self) -> &Names {
        &self.rows
    }

    /// Number of bits that write an identity.
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

/// Adds names that are new to `known`; returns how many of `names` were known before.
fn register(known: &mut Names, names: &Names) -> usize {
    let storable = names.iter().filter(|name| !name.contains(NUL));
    storable.filter(|name| known.push(name).is_err()).count()
}

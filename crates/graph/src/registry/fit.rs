//! Matches the columns and rows of an instance with those that a registry knows.

use idpas_mip::Model;

use super::{IdentityKey, Registry};
use crate::IdentityColumns;

/// The identities of an instance's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Identities {
    /// For each column, the number of its identity; `None` if unknown.
    pub index: Vec<Option<u32>>,
    /// Share of discrete columns that are known, between 0 and 1; of all columns if none is discrete.
    pub known_discrete: f64,
    /// Share of rows that are known, between 0 and 1.
    pub known_rows: f64,
    /// Whether identities go by name or by position.
    pub by: IdentityKey,
}

impl Identities {
    /// How much of the instance is known.
    pub fn fit(&self) -> Fit {
        Fit {
            columns: self.known_discrete,
            rows: self.known_rows,
        }
    }

    /// The identities as input of [`assemble`](crate::assemble); `bits` is [`Registry::bits`].
    pub fn columns(&self, bits: usize) -> IdentityColumns<'_> {
        IdentityColumns {
            index: &self.index,
            bits,
        }
    }
}

/// How much of an instance a registry knows, as shares between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Fit {
    /// Share of the discrete columns that are known. By position: 1 if the number of columns is that of training, else
    /// 0.
    pub columns: f64,
    /// Share of the rows that are known. By position: 0 if training had one number of rows and this is another, else
    /// 1.
    pub rows: f64,
}

impl Fit {
    /// Usual threshold for [`is_known`](Self::is_known).
    pub const KNOWN: f64 = 0.5;

    /// Whether the instance belongs to the family: at least `threshold` of its columns are known. Rows do not count,
    /// because their names are often made up by the program that wrote the file.
    pub fn is_known(&self, threshold: f64) -> bool {
        self.columns >= threshold
    }
}

impl Registry {
    /// The identities of an instance's columns.
    pub fn identify(&self, model: &Model) -> Identities {
        let n = model.num_columns();
        let index: Vec<Option<u32>> = match self.key {
            IdentityKey::Name => model
                .columns
                .names
                .iter()
                .map(|name| self.index(name))
                .collect(),
            IdentityKey::Position if n == self.len() => (0..n as u32).map(Some).collect(),
            IdentityKey::Position => vec![None; n],
        };
        let known_rows = match (self.key, self.row_count) {
            (IdentityKey::Name, _) => {
                let names = &model.rows.names;
                share(names.iter().map(|name| self.rows.find(name).is_some()))
            }
            (IdentityKey::Position, Some(count)) => {
                f64::from(u8::from(count as usize == model.num_rows()))
            }
            (IdentityKey::Position, None) => 1.0,
        };
        let any_discrete = model.has_integers();
        let counted = (0..n).filter(|&j| !any_discrete || model.is_integer(j));
        Identities {
            known_discrete: share(counted.map(|j| index[j].is_some())),
            index,
            known_rows,
            by: self.key,
        }
    }

    /// How much of an instance the registry knows.
    pub fn fit(&self, model: &Model) -> Fit {
        self.identify(model).fit()
    }
}

/// The share of `true`, between 0 and 1; 1 if there is nothing.
fn share(known: impl Iterator<Item = bool>) -> f64 {
    let (count, yes) = known.fold((0u64, 0u64), |(count, yes), is| {
        (count + 1, yes + u64::from(is))
    });
    if count == 0 {
        1.0
    } else {
        yes as f64 / count as f64
    }
}

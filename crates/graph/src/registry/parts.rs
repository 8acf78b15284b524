//! A registry as arrays that a file can hold, and back, with everything checked.

use idpas_mip::Names;

use super::history::History;
use super::{IdentityKey, NUL, Registry};
use crate::GraphError;
use crate::error::expect_length;

/// The single numbers of a registry.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RegistrySummary {
    /// Whether identities go by name or by position.
    pub key: IdentityKey,
    /// Number of column names stored; 0 if identities go by position.
    pub columns: u64,
    /// Number of row names stored; 0 if identities go by position.
    pub rows: u64,
    /// Number of instances that were added.
    pub instances: u32,
    /// Number of columns, over all instances, whose names earlier instances had.
    pub shared: u64,
    /// The greatest possible value of `shared`.
    pub comparable: u64,
    /// The number of columns; `None` if instances differ in it.
    pub column_count: Option<u32>,
    /// The number of rows; `None` if instances differ in it.
    pub row_count: Option<u32>,
}

/// A registry as a summary and arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct RegistryParts {
    /// The single numbers.
    pub summary: RegistrySummary,
    /// Column names, each ended by a NUL.
    pub column_names: Vec<u8>,
    /// Row names, each ended by a NUL.
    pub row_names: Vec<u8>,
    /// For each identity, the sum of its non-zero rates.
    pub nonzero_sums: Vec<f64>,
    /// For each identity, the number of rates in that sum.
    pub counts: Vec<u64>,
}

impl Registry {
    /// The pieces of this registry.
    pub fn to_parts(&self) -> RegistryParts {
        // Names that are not identities would only make the file larger.
        let none = Names::new();
        let (columns, rows) = match self.key {
            IdentityKey::Name => (&self.columns, &self.rows),
            IdentityKey::Position => (&none, &none),
        };
        let mut history = self.history.clone();
        history.sums.resize(self.len(), 0.0);
        history.counts.resize(self.len(), 0);
        RegistryParts {
            summary: RegistrySummary {
                key: self.key,
                columns: columns.len() as u64,
                rows: rows.len() as u64,
                instances: self.instances,
                shared: self.shared,
                comparable: self.comparable,
                column_count: self.column_count,
                row_count: self.row_count,
            },
            column_names: join(columns),
            row_names: join(rows),
            nonzero_sums: history.sums,
            counts: history.counts,
        }
    }

    /// A registry from its parts, which are checked.
    pub fn from_parts(parts: RegistryParts) -> Result<Self, GraphError> {
        let summary = parts.summary;
        let registry = Registry {
            columns: split("column", &parts.column_names, summary.columns)?,
            rows: split("row", &parts.row_names, summary.rows)?,
            key: summary.key,
            instances: summary.instances,
            shared: summary.shared,
            comparable: summary.comparable,
            column_count: summary.column_count,
            row_count: summary.row_count,
            history: History {
                sums: parts.nonzero_sums,
                counts: parts.counts,
            },
        };
        registry.check()?;
        Ok(registry)
    }

    fn check(&self) -> Result<(), GraphError> {
        if self.shared > self.comparable || self.comparable > u64::MAX / 2 {
            return Err(GraphError::damaged(format!(
                "{} of {} names shared",
                self.shared, self.comparable
            )));
        }
        if self.key != self.decide() {
            return Err(GraphError::damaged(
                "the registry's key and counts disagree",
            ));
        }
        let named = !(self.columns.is_empty() && self.rows.is_empty());
        if self.key == IdentityKey::Position && named {
            return Err(GraphError::damaged("a registry by position has names"));
        }
        let History { sums, counts } = &self.history;
        expect_length("sums of non-zero rates", sums.len(), self.len())?;
        expect_length("counts of non-zero rates", counts.len(), self.len())?;
        for (k, (&sum, &count)) in sums.iter().zip(counts).enumerate() {
            if !(sum >= 0.0 && sum <= count as f64) {
                return Err(GraphError::Value {
                    what: format!("the sum of {count} non-zero rates of identity {k}"),
                    found: sum,
                    expected: "at least 0 and at most their count",
                });
            }
        }
        Ok(())
    }
}

fn join(names: &Names) -> Vec<u8> {
    let mut blob = Vec::new();
    for name in names.iter() {
        blob.extend_from_slice(name.as_bytes());
        blob.push(NUL as u8);
    }
    blob
}

fn split(what: &'static str, blob: &[u8], count: u64) -> Result<Names, GraphError> {
    let text = std::str::from_utf8(blob)
        .map_err(|error| GraphError::damaged(format!("the {what} names: {error}")))?;
    let mut names = Names::new();
    for name in text.split_terminator(NUL) {
        names
            .push(name)
            .map_err(|_| GraphError::damaged(format!("{what} `{name}` is registered twice")))?;
    }
    if !(text.is_empty() || text.ends_with(NUL)) {
        return Err(GraphError::damaged(format!(
            "the last {what} name is cut off"
        )));
    }
    if names.len() as u64 != count {
        return Err(GraphError::damaged(format!(
            "{} {what} names, expected {count}",
            names.len()
        )));
    }
    Ok(names)
}

//! All differences between two models, coefficient by coefficient. Rows and columns are matched by name.

use std::collections::BTreeMap;
use std::fmt;

use idpas_mip::{Model, Names};

/// A difference between a first and a second model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// One minimises, the other maximises.
    Sense,
    /// The objectives have different constants.
    Constant {
        /// The constant in the first model.
        from: f64,
        /// The constant in the second model.
        to: f64,
    },
    /// Only one of the models has this row or column.
    Only {
        /// `row` or `column`.
        what: &'static str,
        /// Name of the row or column.
        name: String,
        /// Whether it is the first model that has it.
        in_first: bool,
    },
    /// A row has different sides.
    Sides {
        /// Name of the row.
        row: String,
        /// Lower and upper side in the first model.
        from: (f64, f64),
        /// Lower and upper side in the second model.
        to: (f64, f64),
    },
    /// A column has different bounds.
    Bounds {
        /// Name of the column.
        column: String,
        /// Lower and upper bound in the first model.
        from: (f64, f64),
        /// Lower and upper bound in the second model.
        to: (f64, f64),
    },
    /// A column is integer in only one of the models.
    Kind {
        /// Name of the column.
        column: String,
    },
    /// A column has different objective coefficients.
    Cost {
        /// Name of the column.
        column: String,
        /// The coefficient in the first model.
        from: f64,
        /// The coefficient in the second model.
        to: f64,
    },
    /// A matrix entry differs; an absent entry counts as zero.
    Entry {
        /// Name of the row.
        row: String,
        /// Name of the column.
        column: String,
        /// The entry in the first model.
        from: f64,
        /// The entry in the second model.
        to: f64,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Sense => write!(f, "the sense of the objective"),
            Change::Constant { from, to } => write!(f, "the objective's constant: {from} → {to}"),
            Change::Only {
                what,
                name,
                in_first,
            } => {
                let which = if *in_first { "first" } else { "second" };
                write!(f, "{what} {name}: only in the {which}")
            }
            Change::Sides { row, from, to } => {
                write!(
                    f,
                    "row {row}: [{}, {}] → [{}, {}]",
                    from.0, from.1, to.0, to.1
                )
            }
            Change::Bounds { column, from, to } => {
                write!(
                    f,
                    "column {column}: [{}, {}] → [{}, {}]",
                    from.0, from.1, to.0, to.1
                )
            }
            Change::Kind { column } => write!(f, "column {column}: integrality"),
            Change::Cost { column, from, to } => write!(f, "cost of {column}: {from} → {to}"),
            Change::Entry {
                row,
                column,
                from,
                to,
            } => {
                write!(f, "coefficient of {column} in {row}: {from} → {to}")
            }
        }
    }
}

/// All differences between two models. Rows and columns are matched by name; their order does not matter.
pub fn compare(first: &Model, second: &Model) -> Vec<Change> {
    let mut changes = Vec::new();
    if first.sense != second.sense {
        changes.push(Change::Sense);
    }
    if first.objective_constant != second.objective_constant {
        changes.push(Change::Constant {
            from: first.objective_constant,
            to: second.objective_constant,
        });
    }
    only("row", &first.rows.names, &second.rows.names, &mut changes);
    only(
        "column",
        &first.columns.names,
        &second.columns.names,
        &mut changes,
    );
    for (i, row) in first.rows.names.iter().enumerate() {
        if let Some(k) = second.rows.names.find(row) {
            let from = (first.rows.lower[i], first.rows.upper[i]);
            let to = (second.rows.lower[k], second.rows.upper[k]);
            if from != to {
                changes.push(Change::Sides {
                    row: row.into(),
                    from,
                    to,
                });
            }
        }
    }
    for (j, column) in first.columns.names.iter().enumerate() {
        if let Some(k) = second.columns.names.find(column) {
            compare_column(first, second, (j, k), column, &mut changes);
        }
    }
    changes
}

fn only(what: &'static str, first: &Names, second: &Names, changes: &mut Vec<Change>) {
    for (names, others, in_first) in [(first, second, true), (second, first, false)] {
        for name in names.iter().filter(|name| others.find(name).is_none()) {
            changes.push(Change::Only {
                what,
                name: name.into(),
                in_first,
            });
        }
    }
}

fn compare_column(
    first: &Model,
    second: &Model,
    (j, k): (usize, usize),
    column: &str,
    changes: &mut Vec<Change>,
) {
    let (a, b) = (&first.columns, &second.columns);
    if a.kind[j] != b.kind[k] {
        changes.push(Change::Kind {
            column: column.into(),
        });
    }
    if a.cost[j] != b.cost[k] {
        changes.push(Change::Cost {
            column: column.into(),
            from: a.cost[j],
            to: b.cost[k],
        });
    }
    let (from, to) = ((a.lower[j], a.upper[j]), (b.lower[k], b.upper[k]));
    if from != to {
        changes.push(Change::Bounds {
            column: column.into(),
            from,
            to,
        });
    }
    // Entries by the first model's row index. Rows that only one model has were reported before.
    let mut entries: BTreeMap<usize, (f64, f64)> = first
        .matrix
        .entries(j)
        .map(|(i, value)| (i, (value, 0.0)))
        .collect();
    for (i, value) in second.matrix.entries(k) {
        if let Some(i) = first.rows.names.find(second.rows.names.get(i)) {
            entries.entry(i).or_default().1 = value;
        }
    }
    for (i, (from, to)) in entries {
        let row = first.rows.names.get(i);
        if from != to && second.rows.names.find(row).is_some() {
            changes.push(Change::Entry {
                row: row.into(),
                column: column.into(),
                from,
                to,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind};

    use super::*;

    #[test]
    fn names_each_kind_of_change() {
        let model = |cost: f64, upper: f64, side: f64, value: f64| {
            let mut b = ModelBuilder::new("m", Sense::Minimize);
            let x = b.column("x", VarKind::Integer, 0.0, upper, cost).unwrap();
            let y = b.column("y", VarKind::Continuous, 0.0, 1.0, 1.0).unwrap();
            b.row("r", side, side, [(x, 1.0), (y, value)]).unwrap();
            b.build().unwrap()
        };
        let first = model(1.0, 5.0, 2.0, 3.0);
        assert!(compare(&first, &first).is_empty());
        let changes: Vec<String> = compare(&first, &model(2.0, 6.0, 4.0, 0.0))
            .iter()
            .map(Change::to_string)
            .collect();
        assert_eq!(
            changes,
            [
                "row r: [2, 2] → [4, 4]",
                "cost of x: 1 → 2",
                "column x: [0, 5] → [0, 6]",
                "coefficient of y in r: 3 → 0",
            ]
        );
    }
}

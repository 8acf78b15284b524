//! A model as arrays that takes changes, for solvers that get the whole model anew for every run.

use std::ops::Range;

use idpas_mip::{Matrix, Model, Sense, VarKind};

use super::{Failed, ModelChanges, Outcome};
use crate::{BoundChange, Indicator, NewColumn, NewRow};

/// The model as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Whether the objective is minimised or maximised.
    pub sense: Sense,
    /// The constant of the objective.
    pub constant: f64,
    /// Objective coefficients by column.
    pub cost: Vec<f64>,
    /// Lower bounds by column.
    pub lower: Vec<f64>,
    /// Upper bounds by column.
    pub upper: Vec<f64>,
    /// Kinds by column.
    pub kind: Vec<VarKind>,
    /// The rows.
    pub rows: RowWise,
    /// Rows that hold only where a column has a value.
    pub indicators: Vec<Indicator>,
}

/// Rows with their entries, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowWise {
    /// Left-hand sides.
    pub lower: Vec<f64>,
    /// Right-hand sides.
    pub upper: Vec<f64>,
    /// Where the entries of each row begin; one more at the end.
    pub starts: Vec<usize>,
    /// Columns of the entries.
    pub columns: Vec<i32>,
    /// Values of the entries.
    pub values: Vec<f64>,
}

impl RowWise {
    fn of(model: &Model) -> Self {
        let matrix = model.matrix.transposed(model.num_rows());
        RowWise {
            lower: model.rows.lower.clone(),
            upper: model.rows.upper.clone(),
            starts: matrix.starts().to_vec(),
            columns: matrix.indices().iter().map(|&j| j as i32).collect(),
            values: matrix.values().to_vec(),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// The entries of a row: columns and values.
    pub fn entries(&self, row: usize) -> (&[i32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    fn push(&mut self, row: &NewRow) {
        self.lower.push(row.lower);
        self.upper.push(row.upper);
        for &(column, value) in &row.entries {
            self.columns.push(column as i32);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    fn delete(&mut self, rows: Range<usize>) {
        let entries = self.starts[rows.start]..self.starts[rows.end];
        self.columns.drain(entries.clone());
        self.values.drain(entries.clone());
        self.lower.drain(rows.clone());
        self.upper.drain(rows.clone());
        self.starts.drain(rows.clone());
        for start in &mut self.starts[rows.start..] {
            *start -= entries.len();
        }
    }
}

/// Whether a row has a column twice. Solvers differ in what they make of it: HiGHS refuses it, so all do.
fn has_a_column_twice(row: &NewRow) -> bool {
    let mut columns: Vec<usize> = row.entries.iter().map(|entry| entry.0).collect();
    columns.sort_unstable();
    columns.windows(2).any(|pair| pair[0] == pair[1])
}

impl Recorded {
    /// A copy of a model.
    pub fn of(model: &Model) -> Self {
        Recorded {
            sense: model.sense,
            constant: model.objective_constant,
            cost: model.columns.cost.clone(),
            lower: model.columns.lower.clone(),
            upper: model.columns.upper.clone(),
            kind: model.columns.kind.clone(),
            rows: RowWise::of(model),
            indicators: Vec::new(),
        }
    }

    /// How many columns there are.
    pub fn num_columns(&self) -> usize {
        self.cost.len()
    }

    /// The matrix by columns.
    pub fn by_columns(&self) -> Matrix {
        let mut rows = Matrix::new();
        for row in 0..self.rows.len() {
            let (columns, values) = self.rows.entries(row);
            for (&column, &value) in columns.iter().zip(values) {
                rows.push(column as usize, value);
            }
            rows.close();
        }
        rows.transposed(self.num_columns())
    }
}

impl ModelChanges for Recorded {
    fn nonzeros(&self) -> usize {
        self.rows.columns.len()
    }

    fn change_column_bounds(&mut self, changes: &[BoundChange]) -> Outcome {
        refuse_nan(changes)?;
        for change in changes {
            self.lower[change.index] = change.lower;
            self.upper[change.index] = change.upper;
        }
        Ok(())
    }

    fn change_row_bounds(&mut self, changes: &[BoundChange]) -> Outcome {
        refuse_nan(changes)?;
        for change in changes {
            self.rows.lower[change.index] = change.lower;
            self.rows.upper[change.index] = change.upper;
        }
        Ok(())
    }

    fn change_costs(&mut self, changes: &[(usize, f64)]) -> Outcome {
        if changes.iter().any(|change| !change.1.is_finite()) {
            return Err(Failed);
        }
        for &(column, cost) in changes {
            self.cost[column] = cost;
        }
        Ok(())
    }

    fn change_objective(&mut self, sense: Sense, constant: f64) -> Outcome {
        if !constant.is_finite() {
            return Err(Failed);
        }
        self.sense = sense;
        self.constant = constant;
        Ok(())
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Outcome {
        let is_wrong = |c: &NewColumn| c.lower.is_nan() || c.upper.is_nan() || !c.cost.is_finite();
        if columns.iter().any(is_wrong) {
            return Err(Failed);
        }
        for column in columns {
            self.cost.push(column.cost);
            self.lower.push(column.lower);
            self.upper.push(column.upper);
            self.kind.push(column.kind);
        }
        Ok(())
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Outcome {
        if rows.iter().any(is_wrong) {
            return Err(Failed);
        }
        for row in rows {
            self.rows.push(row);
        }
        Ok(())
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Outcome {
        self.rows.delete(rows);
        Ok(())
    }

    fn add_indicators(&mut self, indicators: &[Indicator]) -> Outcome {
        if indicators.iter().any(|indicator| is_wrong(&indicator.row)) {
            return Err(Failed);
        }
        self.indicators.extend_from_slice(indicators);
        Ok(())
    }
}

/// Difference up to which a lower side above its upper side is a rounding error.
const CROSSED: f64 = 1e-9;

/// The two sides, equal if they cross by a rounding error, as tightening of bounds leaves them; `None` if nothing is between
/// them. Solvers make of sides that cross whatever they like.
pub fn in_order(lower: f64, upper: f64) -> Option<(f64, f64)> {
    if lower <= upper {
        Some((lower, upper))
    } else if lower - upper <= CROSSED * lower.abs().max(1.0) {
        Some((lower, lower))
    } else {
        None
    }
}

fn refuse_nan(changes: &[BoundChange]) -> Outcome {
    match changes.iter().any(|c| c.lower.is_nan() || c.upper.is_nan()) {
        true => Err(Failed),
        false => Ok(()),
    }
}

fn is_wrong(row: &NewRow) -> bool {
    row.lower.is_nan()
        || row.upper.is_nan()
        || row.entries.iter().any(|entry| !entry.1.is_finite())
        || has_a_column_twice(row)
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError};

    use super::*;

    fn row(upper: f64, entries: &[(usize, f64)]) -> NewRow {
        NewRow {
            lower: f64::NEG_INFINITY,
            upper,
            entries: entries.to_vec(),
        }
    }

    fn recorded() -> Result<Recorded, ModelError> {
        let mut b = ModelBuilder::new("two", Sense::Minimize);
        let x = b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        let y = b.column("y", VarKind::Continuous, 0.0, 2.0, 3.0)?;
        b.row("a", 0.0, 1.0, [(x, 1.0), (y, 2.0)])?;
        b.row("b", 0.0, 1.0, [(y, 3.0)])?;
        Ok(Recorded::of(&b.build()?))
    }

    #[test]
    fn rows_come_and_go() -> Result<(), ModelError> {
        let mut model = recorded()?;
        assert_eq!(model.rows.entries(0), (&[0, 1][..], &[1.0, 2.0][..]));
        let before = model.clone();
        let added = [row(4.0, &[(1, 5.0)]), row(6.0, &[]), row(7.0, &[(0, 8.0)])];
        assert_eq!(model.add_rows(&added), Ok(()));
        assert_eq!(model.delete_rows(2..4), Ok(()));
        assert_eq!(model.rows.entries(2), (&[0][..], &[8.0][..]));
        assert_eq!(model.rows.upper, [1.0, 1.0, 7.0]);
        assert_eq!(model.delete_rows(2..3), Ok(()));
        assert_eq!(model, before);
        assert_eq!(model.delete_rows(0..1), Ok(()));
        assert_eq!(model.rows.entries(0), (&[1][..], &[3.0][..]));
        Ok(())
    }

    #[test]
    fn the_matrix_by_columns_is_the_same_matrix() -> Result<(), ModelError> {
        let matrix = recorded()?.by_columns();
        assert_eq!(matrix.starts(), [0, 1, 3]);
        assert_eq!(matrix.indices(), [0, 0, 1]);
        assert_eq!(matrix.values(), [1.0, 2.0, 3.0]);
        Ok(())
    }

    #[test]
    fn what_is_no_row_is_refused_and_changes_nothing() -> Result<(), ModelError> {
        let mut model = recorded()?;
        let before = model.clone();
        let twice = row(1.0, &[(0, 1.0), (1, 1.0), (0, 2.0)]);
        let not_a_number = row(f64::NAN, &[]);
        for wrong in [twice, not_a_number] {
            assert_eq!(model.add_rows(&[row(1.0, &[]), wrong]), Err(Failed));
        }
        let change = BoundChange::fixed(0, f64::NAN);
        assert_eq!(model.change_column_bounds(&[change]), Err(Failed));
        assert_eq!(model, before);
        Ok(())
    }
}

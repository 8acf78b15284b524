//! A model in the form that Xpress takes: rows with a kind, a right-hand side and a range, by columns.

use std::ffi::c_int;

use idpas_mip::{Matrix, Sense, VarKind};

use super::ffi::INFINITY;
use crate::backend::{self, Recorded};

/// The arrays of a model.
pub(super) struct Arrays {
    pub(super) maximise: bool,
    /// The constant of the objective.
    pub(super) constant: f64,
    pub(super) cost: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Kinds of rows by their letters.
    pub(super) kinds: Vec<u8>,
    /// Right-hand sides of rows.
    pub(super) rhs: Vec<f64>,
    /// How far below its right-hand side a row with two sides may be.
    pub(super) range: Vec<f64>,
    /// Where the entries of each column begin; one more at the end.
    pub(super) starts: Vec<c_int>,
    /// Rows of the entries.
    pub(super) rows: Vec<c_int>,
    /// Values of the entries.
    pub(super) values: Vec<f64>,
    /// Which columns are integers.
    pub(super) integers: Vec<c_int>,
    pub(super) indicators: Vec<RowIndicator>,
}

/// A row that holds only where a binary column has a value.
#[derive(Debug, PartialEq)]
pub(super) struct RowIndicator {
    pub(super) row: c_int,
    pub(super) column: c_int,
    pub(super) at_one: bool,
}

/// A row as Xpress has it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    kind: u8,
    rhs: f64,
    range: f64,
}

/// Zero is at least one: what a row without entries says that never holds.
const NEVER: Side = Side {
    kind: b'G',
    rhs: 1.0,
    range: 0.0,
};

impl Side {
    /// `None` if there is nothing between the two sides. Xpress would take a range without its sign, and so another row.
    fn of(lower: f64, upper: f64) -> Option<Self> {
        let (lower, upper) = in_order(lower, upper)?;
        let (kind, rhs, range) = match (lower > -INFINITY, upper < INFINITY) {
            (false, false) => (b'N', 0.0, 0.0),
            (false, true) => (b'L', upper, 0.0),
            (true, false) => (b'G', lower, 0.0),
            (true, true) if lower == upper => (b'E', upper, 0.0),
            (true, true) => (b'R', upper, upper - lower),
        };
        Some(Side { kind, rhs, range })
    }
}

/// The two sides, as Xpress has them; `None` if nothing is between them.
fn in_order(lower: f64, upper: f64) -> Option<(f64, f64)> {
    if lower >= INFINITY || upper <= -INFINITY {
        return None;
    }
    let (lower, upper) = backend::in_order(lower, upper)?;
    Some((lower.max(-INFINITY), upper.min(INFINITY)))
}

/// Rows, one after the other.
#[derive(Default)]
struct Rows {
    matrix: Matrix,
    sides: Vec<Side>,
}

impl Rows {
    fn push(&mut self, side: Side, entries: impl IntoIterator<Item = (usize, f64)>) {
        for (column, value) in entries {
            self.matrix.push(column, value);
        }
        self.matrix.close();
        self.sides.push(side);
    }

    /// Adds a row with these sides.
    fn push_between(
        &mut self,
        lower: f64,
        upper: f64,
        entries: impl IntoIterator<Item = (usize, f64)>,
    ) {
        match Side::of(lower, upper) {
            Some(side) => self.push(side, entries),
            None => self.push(NEVER, []),
        }
    }
}

impl Arrays {
    /// The arrays of a model, or of its relaxation, which is without integers and without indicators.
    pub(super) fn of(model: &Recorded, relaxation: bool) -> Self {
        let mut rows = Rows::default();
        for i in 0..model.rows.len() {
            let (columns, values) = model.rows.entries(i);
            let entries = columns.iter().map(|&j| j as usize);
            let entries = entries.zip(values.iter().copied());
            rows.push_between(model.rows.lower[i], model.rows.upper[i], entries);
        }
        let mut indicators = Vec::new();
        let mut integers = Vec::new();
        if !relaxation {
            indicators = add_indicators(model, &mut rows);
            let is_integer = |&j: &usize| model.kind[j] == VarKind::Integer;
            let all = (0..model.num_columns()).filter(is_integer);
            integers = all.map(|j| j as c_int).collect();
        }
        let mut is_impossible = false;
        let bounds = model.lower.iter().zip(&model.upper);
        let (lower, upper) = bounds
            .map(|(&lower, &upper)| {
                let bounds = in_order(lower, upper);
                is_impossible |= bounds.is_none();
                bounds.unwrap_or((0.0, 0.0))
            })
            .unzip();
        if is_impossible {
            // Xpress refuses bounds that cross, so a row says it.
            rows.push(NEVER, []);
        }
        let matrix = rows.matrix.transposed(model.num_columns());
        Arrays {
            maximise: model.sense == Sense::Maximize,
            constant: model.constant,
            cost: model.cost.clone(),
            lower,
            upper,
            kinds: rows.sides.iter().map(|side| side.kind).collect(),
            rhs: rows.sides.iter().map(|side| side.rhs).collect(),
            range: rows.sides.iter().map(|side| side.range).collect(),
            starts: matrix.starts().iter().map(|&s| s as c_int).collect(),
            rows: matrix.indices().iter().map(|&i| i as c_int).collect(),
            values: matrix.values().to_vec(),
            integers,
            indicators,
        }
    }
}

/// Adds the rows of indicators. Xpress refuses one whose column is fixed: there the row holds always or never.
fn add_indicators(model: &Recorded, rows: &mut Rows) -> Vec<RowIndicator> {
    let mut added = Vec::new();
    for indicator in &model.indicators {
        let (column, row) = (indicator.column, &indicator.row);
        let entries = row.entries.iter().copied();
        if model.lower[column] == model.upper[column] {
            if (model.lower[column] > 0.5) == indicator.at_one {
                rows.push_between(row.lower, row.upper, entries);
            }
            continue;
        }
        added.push(RowIndicator {
            row: rows.sides.len() as c_int,
            column: column as c_int,
            at_one: indicator.at_one,
        });
        rows.push_between(row.lower, row.upper, entries);
    }
    added
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError};

    use super::*;
    use crate::backend::ModelChanges;
    use crate::{BoundChange, Indicator, NewRow};

    const INF: f64 = f64::INFINITY;

    fn side(kind: u8, rhs: f64, range: f64) -> Option<Side> {
        Some(Side { kind, rhs, range })
    }

    #[test]
    fn kinds_of_rows() {
        assert_eq!(Side::of(-INF, INF), side(b'N', 0.0, 0.0));
        assert_eq!(Side::of(-1e30, 3.0), side(b'L', 3.0, 0.0));
        assert_eq!(Side::of(2.0, 1e20), side(b'G', 2.0, 0.0));
        assert_eq!(Side::of(2.0, 2.0), side(b'E', 2.0, 0.0));
        assert_eq!(Side::of(2.0, 5.0), side(b'R', 5.0, 3.0));
        assert_eq!(Side::of(2.0 + 1e-12, 2.0), side(b'E', 2.0 + 1e-12, 0.0));
        for (lower, upper) in [(3.0, 2.0), (INF, INF), (-INF, -INF), (1.0, -1e21)] {
            assert_eq!(Side::of(lower, upper), None, "{lower} {upper}");
        }
    }

    /// Two columns, the first of them binary, and a row.
    fn model() -> Result<Recorded, ModelError> {
        let mut b = ModelBuilder::new("two", Sense::Maximize);
        let x = b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        let y = b.column("y", VarKind::Continuous, -INF, 2.0, 3.0)?;
        b.row("a", 0.0, 1.0, [(x, 1.0), (y, 2.0)])?;
        Ok(Recorded::of(&b.build()?))
    }

    fn bounds(index: usize, lower: f64, upper: f64) -> [BoundChange; 1] {
        [BoundChange {
            index,
            lower,
            upper,
        }]
    }

    #[test]
    fn a_model_and_its_relaxation() -> Result<(), ModelError> {
        let model = model()?;
        let arrays = Arrays::of(&model, false);
        assert!(arrays.maximise);
        assert_eq!((arrays.kinds, arrays.rhs), (vec![b'R'], vec![1.0]));
        assert_eq!(arrays.lower, [0.0, -1e20]);
        assert_eq!((arrays.starts, arrays.rows), (vec![0, 1, 2], vec![0, 0]));
        assert_eq!(arrays.values, [1.0, 2.0]);
        assert_eq!(arrays.integers, [0]);
        assert!(Arrays::of(&model, true).integers.is_empty());
        Ok(())
    }

    #[test]
    fn what_cannot_be_is_a_row_that_never_holds() -> Result<(), ModelError> {
        let mut crossed = model()?;
        assert_eq!(crossed.change_row_bounds(&bounds(0, 2.0, 1.0)), Ok(()));
        let arrays = Arrays::of(&crossed, true);
        assert_eq!((arrays.kinds, arrays.rhs), (vec![b'G'], vec![1.0]));
        assert!(arrays.values.is_empty());
        let mut crossed = model()?;
        assert_eq!(crossed.change_column_bounds(&bounds(1, 2.0, 1.0)), Ok(()));
        let arrays = Arrays::of(&crossed, true);
        assert_eq!((arrays.kinds[1], arrays.rhs[1]), (b'G', 1.0));
        assert_eq!(arrays.rows, [0, 0]);
        assert!(arrays.lower[1] <= arrays.upper[1]);
        Ok(())
    }

    #[test]
    fn indicators_of_free_and_of_fixed_columns() -> Result<(), ModelError> {
        let mut model = model()?;
        let indicator = Indicator {
            column: 0,
            at_one: true,
            row: NewRow {
                lower: -INF,
                upper: 1.0,
                entries: vec![(1, 4.0)],
            },
        };
        assert_eq!(model.add_indicators(&[indicator]), Ok(()));
        let arrays = Arrays::of(&model, false);
        let expected = RowIndicator {
            row: 1,
            column: 0,
            at_one: true,
        };
        assert_eq!(arrays.indicators, [expected]);
        assert_eq!(arrays.kinds, [b'R', b'L']);
        assert_eq!(Arrays::of(&model, true).kinds, [b'R']);
        for (value, rows) in [(0.0, 1), (1.0, 2)] {
            let fix = [BoundChange::fixed(0, value)];
            assert_eq!(model.change_column_bounds(&fix), Ok(()));
            let arrays = Arrays::of(&model, false);
            assert_eq!(arrays.kinds.len(), rows);
            assert!(arrays.indicators.is_empty());
        }
        Ok(())
    }
}

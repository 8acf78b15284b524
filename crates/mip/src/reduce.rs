//! A model without its fixed columns.
//!
//! When most columns of a large model are fixed, the rest is small. A solver's presolve would find that out too, but
//! it goes over the whole model each time.
//!
//! ```
//! use idpas_mip::propagate::Bounds;
//! use idpas_mip::reduce::Reduced;
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! let mut b = ModelBuilder::new("", Sense::Minimize);
//! let x = b.column("x", VarKind::Integer, 0.0, 9.0, 1.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 9.0, 2.0)?;
//! b.row("sum", 5.0, 5.0, [(x, 1.0), (y, 1.0)])?;
//! let model = b.build()?;
//! let mut bounds = Bounds::of(&model);
//! (bounds.lower[y], bounds.upper[y]) = (3.0, 3.0);
//! let reduced = Reduced::new(&model, &bounds).expect("no conflict");
//! assert_eq!(reduced.model().num_columns(), 1);
//! assert_eq!(reduced.model().rows.upper, [2.0]);
//! assert_eq!(reduced.expand(&[2.0]), [2.0, 3.0]);
//! # Ok::<(), idpas_mip::ModelError>(())
//! ```

use crate::propagate::{Bounds, Conflict};
use crate::{Columns, Matrix, Model, Names, Rows};

/// Allowed violation of a row without free columns, as a multiple of `max(1, sum of its absolute terms)`.
const TOLERANCE: f64 = 1e-6;
/// A row that can be violated by at most this multiple of `max(1, sum of its absolute terms)` is left out.
const SLACK: f64 = 1e-9;

/// A model without its fixed columns, and the way back to the original.
#[derive(Clone, Debug)]
pub struct Reduced {
    model: Model,
    /// For each column of `model`, its index in the original.
    free: Vec<usize>,
    /// Values of all columns of the original; those of free columns are placeholders.
    values: Vec<f64>,
}

/// The activity of a row, divided into fixed and free columns.
#[derive(Clone, Copy, Default)]
struct Activity {
    /// Sum of the terms of fixed columns.
    fixed: f64,
    /// Sum of the absolute values of the terms, by which rounding errors are judged.
    size: f64,
    /// Least sum of the terms of free columns.
    least: f64,
    /// Greatest sum of the terms of free columns.
    greatest: f64,
    /// Number of free columns.
    free: usize,
}

impl Reduced {
    /// Removes the columns whose bounds are equal, and the rows that hold for all values of the others. Fails if a row
    /// without free columns is violated.
    ///
    /// # Panics
    /// If `bounds` does not have bounds for each column.
    pub fn new(model: &Model, bounds: &Bounds) -> Result<Self, Conflict> {
        let n = model.num_columns();
        assert!(bounds.lower.len() == n && bounds.upper.len() == n);
        let is_free = |j: usize| bounds.lower[j] < bounds.upper[j];
        let mut rows = vec![Activity::default(); model.num_rows()];
        let mut constant = model.objective_constant;
        for j in 0..n {
            let (lower, upper) = (bounds.lower[j], bounds.upper[j]);
            if is_free(j) {
                for (i, a) in model.matrix.entries(j) {
                    let row = &mut rows[i];
                    row.free += 1;
                    row.least += if a > 0.0 { a * lower } else { a * upper };
                    row.greatest += if a > 0.0 { a * upper } else { a * lower };
                }
            } else if lower != 0.0 {
                constant += model.columns.cost[j] * lower;
                for (i, a) in model.matrix.entries(j) {
                    rows[i].fixed += a * lower;
                    rows[i].size += (a * lower).abs();
                }
            }
        }
        let (kept_rows, place) = keep(model, &rows)?;
        let free: Vec<usize> = (0..n).filter(|&j| is_free(j)).collect();
        let mut matrix = Matrix::new();
        for &j in &free {
            for (i, a) in model.matrix.entries(j) {
                if let Some(row) = place[i] {
                    matrix.push(row, a);
                }
            }
            matrix.close();
        }
        let of = |values: &[f64]| free.iter().map(|&j| values[j]).collect::<Vec<f64>>();
        let columns = Columns {
            names: names(free.iter().map(|&j| model.columns.names.get(j))),
            cost: of(&model.columns.cost),
            lower: of(&bounds.lower),
            upper: of(&bounds.upper),
            kind: free.iter().map(|&j| model.columns.kind[j]).collect(),
        };
        let side = |sides: &[f64]| {
            let shifted = kept_rows.iter().map(|&i| sides[i] - rows[i].fixed);
            shifted.collect::<Vec<f64>>()
        };
        Ok(Reduced {
            model: Model {
                name: model.name.clone(),
                sense: model.sense,
                objective_name: model.objective_name.clone(),
                objective_constant: constant,
                columns,
                rows: Rows {
                    names: names(kept_rows.iter().map(|&i| model.rows.names.get(i))),
                    lower: side(&model.rows.lower),
                    upper: side(&model.rows.upper),
                },
                matrix,
            },
            free,
            values: bounds.lower.clone(),
        })
    }

    /// The reduced model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Turns a solution of the reduced model into one of the original.
    ///
    /// # Panics
    /// If there is not one value for each column of the reduced model.
    pub fn expand(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.free.len(), "a value for each column");
        let mut all = self.values.clone();
        for (&j, &value) in self.free.iter().zip(values) {
            all[j] = value;
        }
        all
    }

    /// Turns a solution of the original into one of the reduced model.
    ///
    /// # Panics
    /// If there is not one value for each column of the original.
    pub fn project(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.values.len(), "a value for each column");
        self.free.iter().map(|&j| values[j]).collect()
    }
}

/// The rows to keep, by index, and for each row of the model its index among the kept ones (`None` if removed).
fn keep(model: &Model, rows: &[Activity]) -> Result<(Vec<usize>, Vec<Option<usize>>), Conflict> {
    let mut kept = Vec::new();
    let mut place = vec![None; rows.len()];
    for (i, row) in rows.iter().enumerate() {
        let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
        if row.free == 0 {
            let allowed = TOLERANCE * row.size.max(1.0);
            if row.fixed < lower - allowed || row.fixed > upper + allowed {
                return Err(Conflict { row: i });
            }
            continue;
        }
        let (least, greatest) = (row.fixed + row.least, row.fixed + row.greatest);
        let slack = SLACK * row.size.max(1.0);
        // Infinite terms of both signs give NaN; then the row is kept.
        if least >= lower - slack && greatest <= upper + slack {
            continue;
        }
        place[i] = Some(kept.len());
        kept.push(i);
    }
    Ok((kept, place))
}

fn names<'a>(all: impl Iterator<Item = &'a str>) -> Names {
    let mut names = Names::new();
    for name in all {
        // Cannot fail: the names were unique in the original.
        let _ = names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelBuilder, Sense, VarKind};

    fn model() -> Model {
        let mut b = ModelBuilder::new("m", Sense::Maximize);
        b.objective("obj", 7.0);
        let x = b.column("x", VarKind::Integer, 0.0, 4.0, 1.0).unwrap();
        let y = b.column("y", VarKind::Integer, -2.0, 2.0, 3.0).unwrap();
        let z = b
            .column("z", VarKind::Continuous, 0.0, f64::INFINITY, -1.0)
            .unwrap();
        b.row("a", f64::NEG_INFINITY, 6.0, [(x, 1.0), (y, 2.0)])
            .unwrap();
        b.row("b", 1.0, f64::INFINITY, [(y, 1.0), (z, -1.0)])
            .unwrap();
        b.row("c", 0.0, 4.0, [(x, 1.0)]).unwrap();
        b.build().unwrap()
    }

    fn fixed(columns: &[(usize, f64)]) -> Bounds {
        let mut bounds = Bounds::of(&model());
        for &(j, value) in columns {
            (bounds.lower[j], bounds.upper[j]) = (value, value);
        }
        bounds
    }

    #[test]
    fn what_is_fixed_moves_to_the_sides_and_the_constant() {
        let model = model();
        let reduced = Reduced::new(&model, &fixed(&[(1, 2.0)])).unwrap();
        let left = reduced.model();
        left.validate().unwrap();
        assert_eq!(left.objective_constant, 13.0);
        // Row c holds by the bounds of x.
        let names: Vec<&str> = left.rows.names.iter().collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(left.rows.upper, [2.0, f64::INFINITY]);
        assert_eq!(left.rows.lower, [f64::NEG_INFINITY, -1.0]);
        let all = reduced.expand(&[1.0, 0.5]);
        assert_eq!(all, [1.0, 2.0, 0.5]);
        assert_eq!(reduced.project(&all), [1.0, 0.5]);
        assert_eq!(left.objective(&[1.0, 0.5]), model.objective(&all));
    }

    #[test]
    fn with_nothing_fixed_only_rows_that_hold_by_themselves_go() {
        let model = model();
        let reduced = Reduced::new(&model, &Bounds::of(&model)).unwrap();
        assert_eq!(reduced.model().columns, model.columns);
        // At most 4 + 2·2 is too much for a.
        assert_eq!(reduced.model().num_rows(), 2);
    }

    #[test]
    fn a_violated_row_is_a_conflict() {
        let model = model();
        let all = [(0, 4.0), (1, 2.0), (2, 0.0)];
        assert_eq!(Reduced::new(&model, &fixed(&all)).unwrap_err().row, 0);
        let all = [(0, 2.0), (1, 2.0), (2, 0.0)];
        let reduced = Reduced::new(&model, &fixed(&all)).unwrap();
        assert_eq!(reduced.model().num_columns(), 0);
        assert_eq!(reduced.expand(&[]), [2.0, 2.0, 0.0]);
    }
}

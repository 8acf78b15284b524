//! Bound propagation: tightens the bounds of columns by what the rows imply.
//!
//! The least and greatest activity of a row follow from the bounds of its columns. If all other columns take their
//! most favourable values, what is left of the row's side bounds the remaining column. Every row is relaxed by the
//! tolerance within which [`check`](crate::check) accepts it and by an allowance for rounding: no solution that the
//! check accepts and that keeps to bounds and integrality exactly is cut off, and a [`Conflict`] proves that there is
//! none. One that uses the tolerance of a column's bound may be cut off: a large coefficient makes more of it than the
//! tolerance of the row.

use crate::{INFINITE_BOUND, Matrix, Model};

/// Tolerance of rows within which solutions must not be cut off, as a multiple of `max(1, |side|)`.
const FEASIBILITY: f64 = 1e-6;
/// Distance from an integer up to which a bound counts as that integer.
const INTEGRALITY: f64 = 1e-6;
/// Allowance for rounding errors of a sum, as a multiple of the sum of its terms' absolute values.
pub(crate) const ROUNDING: f64 = 1e-10;
/// Share of a column's range by which a continuous bound must move to count; smaller moves could go on without end.
const PROGRESS: f64 = 1e-3;

/// Lower and upper bounds of all columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bounds, −∞ if none.
    pub lower: Vec<f64>,
    /// Upper bounds, +∞ if none.
    pub upper: Vec<f64>,
}

impl Bounds {
    /// The bounds that the model itself has.
    pub fn of(model: &Model) -> Self {
        Bounds {
            lower: model.columns.lower.clone(),
            upper: model.columns.upper.clone(),
        }
    }
}

/// A record of changed bounds, so that they can be undone.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// (column, lower, upper) before each change.
    changes: Vec<(usize, f64, f64)>,
    /// Number of matrix entries that propagation has looked at: a measure of time that is the same on every machine.
    pub work: u64,
}

impl Trail {
    /// Fixes column `j` to `value` in `bounds`, and records its old bounds.
    pub fn fix(&mut self, j: usize, value: f64, bounds: &mut Bounds) {
        self.changes.push((j, bounds.lower[j], bounds.upper[j]));
        (bounds.lower[j], bounds.upper[j]) = (value, value);
    }

    /// Restores the bounds as they were before all recorded changes.
    pub fn undo(&mut self, bounds: &mut Bounds) {
        for (j, lower, upper) in self.changes.drain(..).rev() {
            (bounds.lower[j], bounds.upper[j]) = (lower, upper);
        }
    }

    /// Forgets the recorded changes, which become permanent.
    pub fn commit(&mut self) {
        self.changes.clear();
    }
}

/// A proof that no solution lies within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Index of the row that cannot hold.
    pub row: usize,
}

/// The least and greatest activity of a row; infinite terms are counted, not summed.
#[derive(Clone, Copy, Debug, Default)]
struct Activity {
    least: f64,
    least_infinite: usize,
    greatest: f64,
    greatest_infinite: usize,
    /// Sum of the absolute values of all finite terms, for the rounding allowance.
    size: f64,
    /// Upper limit of how much a single term can vary.
    widest: f64,
}

/// The least and greatest value of the term `value · x` for x in `[lower, upper]`.
pub(crate) fn term(value: f64, lower: f64, upper: f64) -> (f64, f64) {
    if value > 0.0 {
        (value * lower, value * upper)
    } else {
        (value * upper, value * lower)
    }
}

impl Activity {
    fn add(&mut self, (least, greatest): (f64, f64)) {
        if least.is_finite() {
            self.least += least;
            self.size += least.abs();
        } else {
            self.least_infinite += 1;
        }
        if greatest.is_finite() {
            self.greatest += greatest;
            self.size += greatest.abs();
        } else {
            self.greatest_infinite += 1;
        }
    }

    /// The least and greatest activity without one term, whose least and greatest values are given.
    fn others(&self, (least, greatest): (f64, f64)) -> (f64, f64) {
        let without =
            |sum: f64, infinite: usize, term: f64, none: f64| match (infinite, term.is_finite()) {
                (0, _) => sum - term,
                (1, false) => sum,
                _ => none,
            };
        (
            without(self.least, self.least_infinite, least, f64::NEG_INFINITY),
            without(
                self.greatest,
                self.greatest_infinite,
                greatest,
                f64::INFINITY,
            ),
        )
    }
}

/// Propagates bounds in one model. Keeps the model's matrix by rows.
#[derive(Clone, Debug)]
pub struct Propagator<'a> {
    model: &'a Model,
    by_row: Matrix,
}

impl<'a> Propagator<'a> {
    /// Prepares to propagate in `model`.
    pub fn new(model: &'a Model) -> Self {
        let by_row = model.matrix.transposed(model.num_rows());
        Propagator { model, by_row }
    }

    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// The model's matrix by rows.
    pub fn by_row(&self) -> &Matrix {
        &self.by_row
    }

    /// Tightens `bounds`, in at most `rounds` sweeps over the rows whose columns have changed.
    ///
    /// ```
    /// use idpas_mip::{ModelBuilder, Sense, VarKind};
    /// use idpas_mip::propagate::{Bounds, Propagator};
    /// let mut b = ModelBuilder::new("", Sense::Minimize);
    /// let x = b.column("x", VarKind::Integer, 0.0, f64::INFINITY, 1.0)?;
    /// let y = b.column("y", VarKind::Continuous, 1.0, 5.0, 1.0)?;
    /// b.row("r", f64::NEG_INFINITY, 10.0, [(x, 2.0), (y, 1.0)])?;
    /// let model = b.build()?;
    /// let mut bounds = Bounds::of(&model);
    /// Propagator::new(&model).tighten(&mut bounds, 5).expect("no conflict");
    /// assert_eq!(bounds.upper[x], 4.0);
    /// # Ok::<(), idpas_mip::ModelError>(())
    /// ```
    pub fn tighten(&self, bounds: &mut Bounds, rounds: usize) -> Result<(), Conflict> {
        let all = (0..self.model.num_rows()).collect();
        self.sweep(bounds, all, rounds, &mut Trail::default())
    }

    /// Tightens `bounds` after those of `columns` have changed, and records every change in `trail`, so that it can be
    /// undone.
    pub fn tighten_after(
        &self,
        columns: &[usize],
        bounds: &mut Bounds,
        rounds: usize,
        trail: &mut Trail,
    ) -> Result<(), Conflict> {
        self.sweep(bounds, self.rows_of(columns), rounds, trail)
    }

    fn rows_of(&self, columns: &[usize]) -> Vec<usize> {
        let entries = columns.iter().flat_map(|&j| self.model.matrix.entries(j));
        let mut rows: Vec<usize> = entries.map(|(i, _)| i).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn sweep(
        &self,
        bounds: &mut Bounds,
        mut due: Vec<usize>,
        rounds: usize,
        trail: &mut Trail,
    ) -> Result<(), Conflict> {
        for _ in 0..rounds {
            if due.is_empty() {
                break;
            }
            let mut changed = Vec::new();
            for row in due {
                trail.work += self.by_row.entries(row).len() as u64;
                self.tighten_by_row(row, bounds, trail, &mut changed)?;
            }
            changed.sort_unstable();
            changed.dedup();
            due = self.rows_of(&changed);
        }
        Ok(())
    }

    /// Whether row `i` can still hold with this activity.
    fn possible(&self, i: usize, activity: &Activity) -> bool {
        let (lower, upper) = (self.model.rows.lower[i], self.model.rows.upper[i]);
        let above = activity.least_infinite == 0
            && activity.least > upper + allowance(upper) + ROUNDING * activity.size;
        let below = activity.greatest_infinite == 0
            && activity.greatest < lower - allowance(lower) - ROUNDING * activity.size;
        !above && !below
    }

    fn activity(&self, i: usize, bounds: &Bounds) -> Activity {
        let terms = || {
            let entries = self.by_row.entries(i);
            entries.map(|(j, value)| term(value, bounds.lower[j], bounds.upper[j]))
        };
        // Most rows have finite terms only. This loop has no branches, and its sums do not depend on each other.
        let (mut least, mut greatest) = (0.0, 0.0);
        let (mut below, mut above) = (0.0, 0.0);
        let (mut narrowest, mut widest) = (0.0f64, 0.0f64);
        for (low, high) in terms() {
            least += low;
            greatest += high;
            below += low.abs();
            above += high.abs();
            let width = high - low;
            narrowest = if width < narrowest { width } else { narrowest };
            widest = if width > widest { width } else { widest };
        }
        let size = below + above;
        if size.is_finite() {
            return Activity {
                least,
                greatest,
                size,
                // Crossed bounds of a column are reported where columns are tightened, so the row must not count as
                // loose.
                widest: if narrowest < 0.0 {
                    f64::INFINITY
                } else {
                    widest
                },
                ..Activity::default()
            };
        }
        let mut activity = Activity {
            widest: f64::INFINITY,
            ..Activity::default()
        };
        for term in terms() {
            activity.add(term);
        }
        activity
    }

    /// Whether row `i` cannot tighten any column: the distance between its activity and its sides is at least as large
    /// as any term can vary.
    fn is_loose(&self, i: usize, activity: &Activity) -> bool {
        let (lower, upper) = (self.model.rows.lower[i], self.model.rows.upper[i]);
        let above = upper + allowance(upper) - activity.least;
        let below = activity.greatest - lower + allowance(lower);
        above >= activity.widest && below >= activity.widest
    }

    fn tighten_by_row(
        &self,
        row: usize,
        bounds: &mut Bounds,
        trail: &mut Trail,
        changed: &mut Vec<usize>,
    ) -> Result<(), Conflict> {
        let activity = self.activity(row, bounds);
        if !self.possible(row, &activity) {
            return Err(Conflict { row });
        }
        let unbounded = activity.least_infinite > 1 && activity.greatest_infinite > 1;
        if unbounded || self.is_loose(row, &activity) {
            return Ok(());
        }
        let (lower, upper) = (self.model.rows.lower[row], self.model.rows.upper[row]);
        for (j, value) in self.by_row.entries(row) {
            let own = term(value, bounds.lower[j], bounds.upper[j]);
            let (least, greatest) = activity.others(own);
            // The row implies for the term: lower − greatest of the others ≤ term ≤ upper − least of the others.
            let slack = ROUNDING * activity.size;
            let most = upper + allowance(upper) - least + slack;
            let fewest = lower - allowance(lower) - greatest - slack;
            let (new_lower, new_upper) = if value > 0.0 {
                (fewest / value, most / value)
            } else {
                (most / value, fewest / value)
            };
            let old = (j, bounds.lower[j], bounds.upper[j]);
            match self.tighten_column(j, new_lower, new_upper, bounds) {
                Moved::No => {}
                Moved::Yes => {
                    trail.changes.push(old);
                    changed.push(j);
                }
                Moved::Crossed => {
                    trail.changes.push(old);
                    return Err(Conflict { row });
                }
            }
        }
        Ok(())
    }

    fn tighten_column(&self, j: usize, lower: f64, upper: f64, bounds: &mut Bounds) -> Moved {
        let old = (bounds.lower[j], bounds.upper[j]);
        let (moved, (lower, upper)) = narrow(self.model.is_integer(j), (lower, upper), old);
        (bounds.lower[j], bounds.upper[j]) = (lower, upper);
        moved
    }
}

/// What tightening did to a column's bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    No,
    Yes,
    Crossed,
}

/// The bounds `old` of a column, made narrower by those that a row implies where that counts as progress.
pub(crate) fn narrow(integer: bool, implied: (f64, f64), old: (f64, f64)) -> (Moved, (f64, f64)) {
    let (mut lower, mut upper) = implied;
    if integer {
        lower = (lower - INTEGRALITY).ceil();
        upper = (upper + INTEGRALITY).floor();
    }
    let range = old.1 - old.0;
    let step = if integer {
        0.5
    } else {
        (PROGRESS * range).max(FEASIBILITY)
    };
    let counts = |new: f64, old: f64, by: f64| {
        new.abs() < INFINITE_BOUND && (old.is_infinite() || by > step)
    };
    let mut new = old;
    if counts(lower, old.0, lower - old.0) && lower > old.0 {
        new.0 = lower;
    }
    if counts(upper, old.1, old.1 - upper) && upper < old.1 {
        new.1 = upper;
    }
    if new.0 > new.1 {
        // The relaxed bounds cross: a conflict for an integer column; a continuous one may be at the limit of its
        // tolerance.
        if integer || new.0 > new.1 + allowance(new.1) {
            return (Moved::Crossed, new);
        }
        return (Moved::No, old);
    }
    let moved = if new == old { Moved::No } else { Moved::Yes };
    (moved, new)
}

/// The distance by which a solution may be beyond `side` and still be accepted.
pub(crate) fn allowance(side: f64) -> f64 {
    if side.is_finite() {
        FEASIBILITY * side.abs().max(1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelBuilder, Sense, VarKind};

    const INF: f64 = f64::INFINITY;

    /// Columns as (kind, lower, upper), rows as (lower, upper, coefficients).
    fn bounds_of(
        columns: &[(VarKind, f64, f64)],
        rows: &[(f64, f64, &[f64])],
    ) -> Result<Vec<(f64, f64)>, Conflict> {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        for (j, &(kind, lower, upper)) in columns.iter().enumerate() {
            b.column(&format!("x{j}"), kind, lower, upper, 0.0)
                .expect("a column");
        }
        for (i, &(lower, upper, coefficients)) in rows.iter().enumerate() {
            let entries = coefficients.iter().copied().enumerate();
            b.row(&format!("r{i}"), lower, upper, entries)
                .expect("a row");
        }
        let model = b.build().expect("a model");
        let mut bounds = Bounds::of(&model);
        Propagator::new(&model).tighten(&mut bounds, 10)?;
        Ok(bounds.lower.into_iter().zip(bounds.upper).collect())
    }

    #[test]
    fn bounds_follow_through_rows_and_signs() {
        use VarKind::Integer;
        let x = (Integer, 0.0, INF);
        // x0 + 2 x1 ≤ 7 bounds both; x1 − x2 = 0 passes it on; −x2 + x3 ≥ 1 bounds x3 from below only.
        let bounds = bounds_of(
            &[x, x, x, x],
            &[
                (-INF, 7.0, &[1.0, 2.0]),
                (0.0, 0.0, &[0.0, 1.0, -1.0]),
                (1.0, INF, &[0.0, 0.0, -1.0, 1.0]),
            ],
        );
        assert_eq!(
            bounds,
            Ok(vec![(0.0, 7.0), (0.0, 3.0), (0.0, 3.0), (1.0, INF)])
        );
    }

    #[test]
    fn two_infinite_terms_say_nothing_and_one_is_bounded_by_the_others() {
        use VarKind::Integer;
        let free = (Integer, -INF, INF);
        let row: &[f64] = &[1.0, 1.0];
        assert_eq!(
            bounds_of(&[free, free], &[(2.0, 2.0, row)]),
            Ok(vec![(-INF, INF); 2])
        );
        assert_eq!(
            bounds_of(&[free, (Integer, -1.0, 3.0)], &[(2.0, 2.0, row)]),
            Ok(vec![(-1.0, 3.0), (-1.0, 3.0)])
        );
    }

    #[test]
    fn conflicts_name_their_row() {
        use VarKind::{Continuous, Integer};
        let row: &[f64] = &[1.0, 1.0];
        let zero = (Integer, 0.0, 0.0);
        let free: (f64, f64, &[f64]) = (-INF, INF, row);
        assert_eq!(
            bounds_of(&[zero, zero], &[free, (1.0, 1.0, row)]),
            Err(Conflict { row: 1 })
        );
        // 2 x = 1 has no integer solution, and a continuous one.
        let half: (f64, f64, &[f64]) = (1.0, 1.0, &[2.0]);
        let conflict = bounds_of(&[(Integer, 0.0, 1.0)], &[half]);
        assert_eq!(conflict, Err(Conflict { row: 0 }));
        let found = bounds_of(&[(Continuous, 0.0, 1.0)], &[half]).expect("no conflict");
        assert!((found[0].0 - 0.5).abs() < 1e-5 && (found[0].1 - 0.5).abs() < 1e-5);
    }

    #[test]
    fn bounds_that_cross_are_found_in_a_loose_row() {
        let mut b = ModelBuilder::new("", Sense::Minimize);
        let kind = VarKind::Integer;
        let columns = ["x", "y"].map(|name| b.column(name, kind, 0.0, 3.0, 0.0).expect("a column"));
        b.row("r", -100.0, 100.0, columns.map(|j| (j, 1.0)))
            .expect("a row");
        let model = b.build().expect("a model");
        let propagator = Propagator::new(&model);
        let mut bounds = Bounds::of(&model);
        assert_eq!(propagator.tighten(&mut bounds, 1), Ok(()));
        bounds.lower[columns[0]] = 4.0;
        assert_eq!(propagator.tighten(&mut bounds, 1), Err(Conflict { row: 0 }));
    }

    /// One unit of room decides whether a row leaves all bounds alone or tightens one.
    #[test]
    fn a_row_with_just_enough_room_leaves_bounds_alone() {
        let x = (VarKind::Integer, 0.0, 4.0);
        let row: &[f64] = &[2.0, -1.0];
        let same = Ok(vec![(0.0, 4.0); 2]);
        assert_eq!(bounds_of(&[x, x], &[(-4.0, 8.0, row)]), same);
        assert_eq!(bounds_of(&[x, x], &[(-INF, 8.0, row)]), same);
        assert_eq!(bounds_of(&[x, x], &[(-INF, 4.0, row)]), same);
        assert_eq!(
            bounds_of(&[x, x], &[(-INF, 3.0, row)]),
            Ok(vec![(0.0, 3.0), (0.0, 4.0)])
        );
        assert_eq!(
            bounds_of(&[x, x], &[(7.0, INF, row)]),
            Ok(vec![(4.0, 4.0), (0.0, 1.0)])
        );
    }

    #[test]
    fn what_is_within_tolerance_is_no_conflict() {
        let edge = 1.0 + 5e-7;
        let columns = [(VarKind::Continuous, edge, 2.0)];
        assert!(bounds_of(&columns, &[(-INF, 1.0, &[1.0])]).is_ok());
        assert!(bounds_of(&columns, &[(-INF, 0.9, &[1.0])]).is_err());
    }
}

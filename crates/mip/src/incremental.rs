//! Bound propagation for many small changes in a row.
//!
//! A dive fixes one column after the other. To sum up each row anew after each of them takes most of the time in a
//! large model, so this keeps the least and greatest activity of every row and changes them with the bounds. What it
//! may conclude is the same as in [`propagate`](crate::propagate): no solution that the check accepts is cut off,
//! unless it uses the tolerance of a column's bound or of integrality.
//!
//! ```
//! use idpas_mip::incremental::Incremental;
//! use idpas_mip::propagate::{Bounds, Propagator};
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! let mut b = ModelBuilder::new("", Sense::Minimize);
//! let x = b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 1.0, 1.0)?;
//! b.row("one", 1.0, 1.0, [(x, 1.0), (y, 1.0)])?;
//! let model = b.build()?;
//! let propagator = Propagator::new(&model);
//! let mut state = Incremental::new(&propagator, Bounds::of(&model));
//! let before = state.mark();
//! state.set(x, 1.0, 1.0);
//! state.propagate(1_000).expect("no conflict");
//! assert_eq!(state.bounds().upper[y], 0.0);
//! state.undo(before);
//! assert_eq!(state.bounds().upper[y], 1.0);
//! # Ok::<(), idpas_mip::ModelError>(())
//! ```

use std::collections::VecDeque;

use crate::propagate::{Bounds, Conflict, Moved, Propagator, ROUNDING, allowance, narrow, term};
use crate::{Matrix, Model};

/// The least and greatest activity of a row; infinite terms are counted, not summed.
#[derive(Clone, Copy, Debug, Default)]
struct RowState {
    least: f64,
    greatest: f64,
    least_infinite: u32,
    greatest_infinite: u32,
    /// The greatest that the sum of the absolute values of all finite terms has been, for the rounding allowance.
    size: f64,
    /// Upper limit of how much a single term can vary, from the bounds at the beginning.
    widest: f64,
    /// The same for terms of columns that are not in `Incremental::wide`.
    widest_binary: f64,
}

/// Rows shorter than this are looked at as a whole.
const SHORT: usize = 16;

/// Bounds with the activities that follow from them.
#[derive(Clone, Debug)]
pub struct Incremental<'a> {
    model: &'a Model,
    by_row: &'a Matrix,
    bounds: Bounds,
    rows: Vec<RowState>,
    /// The entries of each long row whose columns are not binary. A counter or a capacity moves with each change of its
    /// row, while the many binaries of the row are far from being tightened.
    wide: Matrix,
    /// (column, lower, upper) before each change.
    trail: Vec<(u32, f64, f64)>,
    /// Rows that may tighten a column.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Rows that are not looked at.
    ignored: Vec<bool>,
}

impl<'a> Incremental<'a> {
    /// The state at `bounds`, of which nothing has been concluded yet.
    pub fn new(propagator: &'a Propagator<'a>, bounds: Bounds) -> Self {
        let (model, by_row) = (propagator.model(), propagator.by_row());
        let mut wide = Matrix::new();
        let rows = (0..model.num_rows()).map(|i| row_state(by_row, i, &bounds, &mut wide));
        Incremental {
            model,
            by_row,
            rows: rows.collect(),
            wide,
            bounds,
            trail: Vec::new(),
            queue: VecDeque::new(),
            queued: vec![false; model.num_rows()],
            ignored: vec![false; model.num_rows()],
        }
    }

    /// The bounds as they are now.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The bounds as they are now, for keeps.
    pub fn into_bounds(self) -> Bounds {
        self.bounds
    }

    /// Whether column `j` has one value left.
    pub fn is_fixed(&self, j: usize) -> bool {
        self.bounds.lower[j] >= self.bounds.upper[j]
    }

    /// Looks at row `i` no more, because it cannot hold.
    pub fn ignore(&mut self, i: usize) {
        self.ignored[i] = true;
    }

    /// The present moment, to come back to by [`undo`](Self::undo).
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Restores the bounds of an earlier moment.
    pub fn undo(&mut self, mark: usize) {
        self.clear();
        while self.trail.len() > mark {
            let Some((j, lower, upper)) = self.trail.pop() else {
                return;
            };
            self.change(j as usize, lower, upper, false);
        }
    }

    /// Gives column `j` new bounds within its old ones.
    pub fn set(&mut self, j: usize, lower: f64, upper: f64) {
        let old = (j as u32, self.bounds.lower[j], self.bounds.upper[j]);
        self.trail.push(old);
        self.change(j, lower, upper, true);
    }

    /// Draws all conclusions from the bounds set so far, as long as at most `most` entries of the matrix have to be
    /// looked at; beyond that, conclusions are missed, none is wrong. After a conflict the caller should
    /// [`undo`](Self::undo) something.
    pub fn propagate(&mut self, most: u64) -> Result<(), Conflict> {
        let mut work = 0;
        while let Some(row) = self.queue.pop_front() {
            let row = row as usize;
            self.queued[row] = false;
            match self.tighten_by_row(row) {
                Ok(looked_at) => work += looked_at as u64,
                Err(conflict) => {
                    self.clear();
                    return Err(conflict);
                }
            }
            if work > most {
                break;
            }
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        for row in self.queue.drain(..) {
            self.queued[row as usize] = false;
        }
    }

    fn change(&mut self, j: usize, lower: f64, upper: f64, enqueue: bool) {
        let old = (self.bounds.lower[j], self.bounds.upper[j]);
        (self.bounds.lower[j], self.bounds.upper[j]) = (lower, upper);
        let model = self.model;
        for (i, value) in model.matrix.entries(j) {
            let (least, greatest) = term(value, lower, upper);
            let (old_least, old_greatest) = term(value, old.0, old.1);
            let row = &mut self.rows[i];
            let grown = replace(&mut row.least, &mut row.least_infinite, old_least, least)
                + replace(
                    &mut row.greatest,
                    &mut row.greatest_infinite,
                    old_greatest,
                    greatest,
                );
            row.size += grown;
            // A side that a change moves away from cannot tighten anything.
            let nearer = (least != old_least && model.rows.upper[i].is_finite())
                || (greatest != old_greatest && model.rows.lower[i].is_finite());
            if enqueue && nearer && !self.queued[i] && !self.ignored[i] && !self.is_loose(i) {
                self.queued[i] = true;
                self.queue.push_back(i as u32);
            }
        }
    }

    /// Whether row `i` holds in any case and cannot tighten any column.
    fn is_loose(&self, i: usize) -> bool {
        let (above, below) = self.room(i);
        let widest = self.rows[i].widest;
        above >= widest && below >= widest
    }

    /// How far the least activity is from the upper side, and the greatest from the lower side.
    fn room(&self, i: usize) -> (f64, f64) {
        let row = &self.rows[i];
        let (lower, upper) = (self.model.rows.lower[i], self.model.rows.upper[i]);
        let slack = ROUNDING * row.size;
        let above = upper + allowance(upper) + slack - row.least;
        let below = row.greatest - lower + allowance(lower) + slack;
        (above, below)
    }

    /// Tightens the columns of a row, and says how many entries it looked at.
    fn tighten_by_row(&mut self, i: usize) -> Result<usize, Conflict> {
        let (mut above, mut below) = self.room(i);
        let row = self.rows[i];
        if (row.least_infinite == 0 && above < 0.0) || (row.greatest_infinite == 0 && below < 0.0) {
            return Err(Conflict { row: i });
        }
        if row.least_infinite > 1 {
            above = f64::INFINITY;
        }
        if row.greatest_infinite > 1 {
            below = f64::INFINITY;
        }
        if above.is_infinite() && below.is_infinite() {
            return Ok(1);
        }
        let by_row = self.by_row;
        let length = by_row.entries(i).len();
        if length >= SHORT && above >= row.widest_binary && below >= row.widest_binary {
            let range = self.wide.starts()[i]..self.wide.starts()[i + 1];
            for at in range.clone() {
                let j = self.wide.indices()[at] as usize;
                self.tighten(i, (j, self.wide.values()[at]), &row, (above, below))?;
            }
            return Ok(range.len());
        }
        // The room stays what it was at the beginning of the loop, which is less than can be concluded but never wrong:
        // a row that changed comes up again.
        for entry in by_row.entries(i) {
            self.tighten(i, entry, &row, (above, below))?;
        }
        Ok(length)
    }

    /// Tightens one column of row `i`, which has this state and this room.
    fn tighten(
        &mut self,
        i: usize,
        (j, value): (usize, f64),
        row: &RowState,
        (above, below): (f64, f64),
    ) -> Result<(), Conflict> {
        let old = (self.bounds.lower[j], self.bounds.upper[j]);
        let (least, greatest) = term(value, old.0, old.1);
        let width = greatest - least;
        if width <= above && width <= below {
            return Ok(());
        }
        // The only infinite term is bounded by all others; finite ones are not as long as there is one.
        let most = match (row.least_infinite, least.is_finite()) {
            (0, _) => least + above,
            (1, false) => above,
            _ => f64::INFINITY,
        };
        let fewest = match (row.greatest_infinite, greatest.is_finite()) {
            (0, _) => greatest - below,
            (1, false) => -below,
            _ => f64::NEG_INFINITY,
        };
        let implied = if value > 0.0 {
            (fewest / value, most / value)
        } else {
            (most / value, fewest / value)
        };
        match narrow(self.model.is_integer(j), implied, old) {
            (Moved::No, _) => {}
            (Moved::Yes, (lower, upper)) => self.set(j, lower, upper),
            (Moved::Crossed, _) => return Err(Conflict { row: i }),
        }
        Ok(())
    }
}

/// Replaces one term of a sum, and says by how much the sum of absolute values may have grown.
fn replace(sum: &mut f64, infinite: &mut u32, old: f64, new: f64) -> f64 {
    if old == new {
        return 0.0;
    }
    if old.is_finite() {
        *sum -= old;
    } else {
        *infinite -= 1;
    }
    if new.is_finite() {
        *sum += new;
        (new.abs() - if old.is_finite() { old.abs() } else { 0.0 }).max(0.0)
    } else {
        *infinite += 1;
        0.0
    }
}

fn row_state(by_row: &Matrix, i: usize, bounds: &Bounds, wide: &mut Matrix) -> RowState {
    let mut row = RowState::default();
    let long = by_row.entries(i).len() >= SHORT;
    for (j, value) in by_row.entries(i) {
        let (least, greatest) = term(value, bounds.lower[j], bounds.upper[j]);
        if least.is_finite() {
            row.least += least;
            row.size += least.abs();
        } else {
            row.least_infinite += 1;
        }
        if greatest.is_finite() {
            row.greatest += greatest;
            row.size += greatest.abs();
        } else {
            row.greatest_infinite += 1;
        }
        row.widest = row.widest.max(greatest - least);
        if bounds.lower[j] >= 0.0 && bounds.upper[j] <= 1.0 {
            row.widest_binary = row.widest_binary.max(greatest - least);
        } else if long {
            wide.push(j, value);
        }
    }
    wide.close();
    row
}

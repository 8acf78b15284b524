//! The trust region: solutions in which at most Δ of the selected variables have another value than predicted.
//!
//! ```text
//!   Σ 1[x_i ≠ 0]  +  Σ (1 − x_i)  ≤  Δ
//!   zeros            ones
//! ```
//!
//! A column between 0 and 1, or −1 and 0, is its own indicator. Any other gets a new binary z with l·z ≤ x ≤ u·z. Where no
//! usable bound is known, solvers that have indicators of their own are told that z = 0 means x = 0; with others the column
//! is left out. A link by bounds is the stronger one, so it is used wherever there are bounds. With Δ = 0 the columns are fixed by their bounds, and no row is added: a row would only be in the way of presolve.

use idpas_mip::propagate::Bounds;
use idpas_mip::{Model, Sense, VarKind};
use idpas_solver::{BoundChange, Indicator, LoadedModel, NewColumn, NewRow, SolverError};

use crate::Selection;

/// With a larger bound, z at the edge of a solver's integrality tolerance would let x move by whole units.
const LARGEST_FACTOR: f64 = 1e6;

/// A trust region, ready to be laid on a loaded model.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What it restricts; the columns it cannot restrict have been taken out.
    pub selection: Selection,
    /// At most so many of them may have another value.
    pub delta: usize,
    /// Integers taken out, since no finite bound is known from which an indicator could be made.
    pub left_out: usize,
    /// Integers that get an indicator, with their bounds.
    indicators: Vec<(usize, f64, f64)>,
    /// Integers without usable bounds, whose indicator is left to the solver.
    native: Vec<usize>,
    /// Columns that are their own indicator: (column, coefficient).
    own: Vec<(usize, f64)>,
}

/// What [`Region::apply`] added and fixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Columns fixed by their bounds.
    pub fixed: usize,
    /// Columns added behind those of the model.
    pub new_columns: usize,
    /// Rows added behind those of the model.
    pub new_rows: usize,
}

impl Region {
    /// The region of at most `delta(n)` changes, where n is how many columns can be restricted. `bounds` are the
    /// model's, or tighter ones that follow from its rows; `has_indicators` says whether the
    /// solver has indicators of its own.
    pub fn new(
        selection: Selection,
        delta: impl Fn(usize) -> usize,
        bounds: &Bounds,
        has_indicators: bool,
    ) -> Self {
        if delta(selection.len()) == 0 {
            return Region::by_bounds(selection, 0);
        }

        let mut selection = selection;
        let integers = std::mem::take(&mut selection.zero_integers);
        let all = integers.len();
        let mut own: Vec<(usize, f64)> =
            selection.zero_binaries.iter().map(|&j| (j, 1.0)).collect();
        own.extend(selection.one_binaries.iter().map(|&j| (j, -1.0)));
        let mut indicators = Vec::new();
        let mut native = Vec::new();
        for j in integers {
            // Propagation may have shown that zero is impossible; the indicator's rows need an interval with it.
            let (lower, upper) = (bounds.lower[j].min(0.0), bounds.upper[j].max(0.0));
            if lower < -LARGEST_FACTOR || upper > LARGEST_FACTOR {
                if has_indicators {
                    native.push(j);
                    selection.zero_integers.push(j);
                }
                continue;
            }
            let (lower, upper) = (lower.ceil(), upper.floor());
            match (lower, upper) {
                // Propagation fixed it at zero: it never counts.
                (0.0, 0.0) => {}
                (0.0, 1.0) => own.push((j, 1.0)),
                (-1.0, 0.0) => own.push((j, -1.0)),
                _ => indicators.push((j, lower, upper)),
            }
            selection.zero_integers.push(j);
        }
        let left_out = all - selection.zero_integers.len();
        match delta(selection.len()) {
            // A share of what is left can be less than one column, where one of all selected was more.
            0 => Region::by_bounds(selection, left_out),
            delta => Region {
                selection,
                delta,
                left_out,
                indicators,
                native,
                own,
            },
        }
    }

    /// The region in which nothing may change: no column or row is added.
    fn by_bounds(selection: Selection, left_out: usize) -> Self {
        Region {
            selection,
            delta: 0,
            left_out,
            indicators: Vec::new(),
            native: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Whether the region is the whole model.
    pub fn is_everything(&self) -> bool {
        self.delta >= self.selection.len()
    }

    /// Whether `x`, a solution of the model, is in the region.
    pub fn contains(&self, x: &[f64]) -> bool {
        self.selection.flips(x) <= self.delta
    }

    /// Restricts `loaded`, which has the columns of the model and no others yet; they keep their places.
    pub fn apply(&self, loaded: &mut dyn LoadedModel) -> Result<Applied, SolverError> {
        if self.is_everything() {
            return Ok(Applied::default());
        }
        if self.delta == 0 {
            let fix = |(index, value): (usize, f64)| BoundChange::fixed(index, value);
            let fixed: Vec<BoundChange> = self.selection.targets().map(fix).collect();
            loaded.set_column_bounds(&fixed)?;
            return Ok(Applied {
                fixed: fixed.len(),
                ..Applied::default()
            });
        }
        let indicator = NewColumn {
            kind: VarKind::Integer,
            lower: 0.0,
            upper: 1.0,
            cost: 0.0,
        };
        let new_columns = self.indicators.len() + self.native.len();
        let mut added = loaded.add_columns(&vec![indicator; new_columns])?;
        let mut rows = Vec::new();
        let mut count = self.own.clone();
        count.extend(added.clone().map(|z| (z, 1.0)));
        for (&(x, lower, upper), z) in self.indicators.iter().zip(&mut added) {
            if upper > 0.0 {
                rows.push(link(f64::NEG_INFINITY, 0.0, x, z, -upper));
            }
            if lower < 0.0 {
                rows.push(link(0.0, f64::INFINITY, x, z, -lower));
            }
        }
        rows.push(NewRow {
            lower: f64::NEG_INFINITY,
            upper: self.delta as f64 - self.selection.one_binaries.len() as f64,
            entries: count,
        });
        loaded.add_rows(&rows)?;
        let native: Vec<Indicator> = self.native.iter().zip(added).map(zero_unless).collect();
        loaded.add_indicators(&native)?;
        Ok(Applied {
            fixed: 0,
            new_columns,
            new_rows: rows.len(),
        })
    }

    /// `x` with a value for each column that [`apply`](Self::apply) adds.
    pub fn extend(&self, x: &[f64]) -> Vec<f64> {
        let mut values = x.to_vec();
        if !self.is_everything() {
            let linked = self.indicators.iter().map(|&(j, _, _)| j);
            let columns = linked.chain(self.native.iter().copied());
            values.extend(columns.map(|j| f64::from(x[j].round() != 0.0)));
        }
        values
    }
}

/// x = 0 where z = 0.
fn zero_unless((&x, z): (&usize, usize)) -> Indicator {
    Indicator {
        column: z,
        at_one: false,
        row: NewRow {
            lower: 0.0,
            upper: 0.0,
            entries: vec![(x, 1.0)],
        },
    }
}

/// lower ≤ x + factor·z ≤ upper
fn link(lower: f64, upper: f64, x: usize, z: usize, factor: f64) -> NewRow {
    NewRow {
        lower,
        upper,
        entries: vec![(x, 1.0), (z, factor)],
    }
}

/// A row that asks for an objective better than `objective` by at least `step`.
pub(crate) fn cut_off(model: &Model, objective: f64, step: f64) -> NewRow {
    let target = objective - model.objective_constant;
    let (lower, upper) = match model.sense {
        Sense::Minimize => (f64::NEG_INFINITY, target - step),
        Sense::Maximize => (target + step, f64::INFINITY),
    };
    let cost = model.columns.cost.iter().enumerate();
    NewRow {
        lower,
        upper,
        entries: cost
            .filter(|(_, c)| **c != 0.0)
            .map(|(j, &c)| (j, c))
            .collect(),
    }
}

//! A model inside a solver, changes to it, and the data by which its solutions are evaluated without asking the solver.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use idpas_mip::{Model, Sense, VarKind};

use super::watch::Objective;
use super::{Engine, Failed, failed};
use crate::{
    BoundChange, Control, Gate, Indicator, LoadedModel, LpResult, NewColumn, NewRow, Offers,
    Params, SolveResult, SolverError, Start,
};

/// A model that an [`Engine`] holds.
pub struct Loaded<E> {
    /// `None` if the solver did not stop in time and was left to itself with the model.
    pub(super) engine: Option<E>,
    /// Receives solutions from outside while a solve runs; `None` if nobody offers any.
    pub(super) offers: Option<Offers>,
    /// Where a solve pauses; `None` if nobody wants it to.
    pub(super) gate: Option<Gate>,
    pub(super) objective: Objective,
    /// Lower bound of each column; those of integers are rounded inward.
    pub(super) lower: Vec<f64>,
    /// Upper bound of each column; those of integers are rounded inward.
    pub(super) upper: Vec<f64>,
    pub(super) kind: Vec<VarKind>,
    pub(super) row_lower: Vec<f64>,
    pub(super) row_upper: Vec<f64>,
}

/// Distance up to which a bound beyond an integer counts as that integer.
const WHOLE: f64 = 1e-9;

/// The bounds of a column, rounded inward for integers. HiGHS's presolve calls some feasible models infeasible if
/// integers have fractional bounds.
fn whole(kind: VarKind, lower: f64, upper: f64) -> (f64, f64) {
    match kind {
        VarKind::Continuous => (lower, upper),
        // Adding zero turns −0 into 0.
        VarKind::Integer => ((lower - WHOLE).ceil() + 0.0, (upper + WHOLE).floor() + 0.0),
    }
}

/// The bounds that the solver gets: rounded inward, unless no integer is left between them. A model with such a column is
/// never run.
fn shown(kind: VarKind, lower: f64, upper: f64) -> (f64, f64) {
    let (low, high) = whole(kind, lower, upper);
    if low <= high {
        (low, high)
    } else {
        (lower, upper)
    }
}

/// Refuses counts that do not fit into the 32 bits with which solvers count.
fn countable<E: Engine>(what: &'static str, count: usize) -> Result<(), SolverError> {
    if count < c_int::MAX as usize {
        Ok(())
    } else {
        Err(SolverError::TooLarge {
            what,
            count,
            solver: E::NAME,
        })
    }
}

pub(super) fn within(what: &'static str, index: usize, count: usize) -> Result<(), SolverError> {
    if index < count {
        Ok(())
    } else {
        Err(SolverError::NoSuchIndex { what, index, count })
    }
}

/// Changes sorted by index, with only the last one for each index: the form that solvers need.
fn ascending<T: Copy>(changes: &[T], index: impl Fn(&T) -> usize) -> Vec<T> {
    let mut sorted = changes.to_vec();
    sorted.sort_by_key(&index);
    let mut out: Vec<T> = Vec::with_capacity(sorted.len());
    for change in sorted {
        match out.last_mut() {
            Some(last) if index(last) == index(&change) => *last = change,
            _ => out.push(change),
        }
    }
    out
}

/// Changes of bounds in the form that solvers need, if every row or column exists.
fn checked(
    changes: &[BoundChange],
    what: &'static str,
    count: usize,
) -> Result<Vec<BoundChange>, SolverError> {
    for change in changes {
        within(what, change.index, count)?;
    }
    Ok(ascending(changes, |c| c.index))
}

/// What a solver said no to.
fn refused<E: Engine>(action: &'static str) -> impl FnOnce(Failed) -> SolverError {
    move |Failed| failed::<E>(action, "it refused the values")
}

impl<E: Engine> Loaded<E> {
    /// Loads a model: `build` makes the engine from it. The model that it gets has the bounds of integers rounded inward
    /// where that leaves them a value.
    pub fn new(
        model: &Model,
        build: impl FnOnce(&Model) -> Result<E, SolverError>,
    ) -> Result<Self, SolverError> {
        model
            .validate()
            .map_err(|e| failed::<E>("load the model", e.to_string()))?;
        countable::<E>("rows", model.num_rows())?;
        countable::<E>("columns", model.num_columns())?;
        countable::<E>("entries", model.matrix.nonzeros())?;
        let columns = &model.columns;
        let all = 0..model.num_columns();
        let bounds = |of: fn(VarKind, f64, f64) -> (f64, f64)| -> (Vec<f64>, Vec<f64>) {
            let one = |j: usize| of(columns.kind[j], columns.lower[j], columns.upper[j]);
            all.clone().map(one).unzip()
        };
        let (lower, upper) = bounds(shown);
        let engine = if lower == columns.lower && upper == columns.upper {
            build(model)?
        } else {
            let mut rounded = model.clone();
            (rounded.columns.lower, rounded.columns.upper) = (lower, upper);
            build(&rounded)?
        };
        let (lower, upper) = bounds(whole);
        Ok(Loaded {
            engine: Some(engine),
            offers: None,
            gate: None,
            objective: Objective {
                sense: model.sense,
                constant: model.objective_constant,
                cost: Arc::new(columns.cost.clone()),
            },
            lower,
            upper,
            kind: columns.kind.clone(),
            row_lower: model.rows.lower.clone(),
            row_upper: model.rows.upper.clone(),
        })
    }

    /// The engine, unless it was left to itself when it did not stop in time.
    pub(super) fn engine(&mut self) -> Result<&mut E, SolverError> {
        self.engine
            .as_mut()
            .ok_or(SolverError::Abandoned { solver: E::NAME })
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.engine.is_none()
    }

    pub(super) fn is_discrete(&self) -> bool {
        self.kind.contains(&VarKind::Integer)
    }

    /// Whether some integer column has no integer between its bounds.
    pub(super) fn has_empty_column(&self) -> bool {
        (0..self.kind.len())
            .any(|j| self.kind[j] == VarKind::Integer && self.lower[j] > self.upper[j])
    }

    /// Whether every row may have the activity zero.
    pub(super) fn admits_zero_rows(&self) -> bool {
        self.row_lower.iter().all(|&l| l <= 0.0) && self.row_upper.iter().all(|&u| u >= 0.0)
    }

    /// Fails if a row names a column that does not exist.
    fn check_row(&self, row: &NewRow) -> Result<(), SolverError> {
        let mut entries = row.entries.iter();
        entries.try_for_each(|&(column, _)| within("column", column, self.kind.len()))
    }
}

impl<E: Engine> LoadedModel for Loaded<E> {
    fn num_columns(&self) -> usize {
        self.kind.len()
    }

    fn num_rows(&self) -> usize {
        self.row_lower.len()
    }

    fn set_column_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        let changes = checked(changes, "column", self.kind.len())?;
        let rounded = |of: fn(VarKind, f64, f64) -> (f64, f64), kinds: &[VarKind]| {
            let one = |change: &BoundChange| {
                let (lower, upper) = of(kinds[change.index], change.lower, change.upper);
                BoundChange {
                    index: change.index,
                    lower,
                    upper,
                }
            };
            changes.iter().map(one).collect::<Vec<_>>()
        };
        let to_show = rounded(shown, &self.kind);
        self.engine()?
            .model()
            .change_column_bounds(&to_show)
            .map_err(refused::<E>("change column bounds"))?;
        for change in rounded(whole, &self.kind) {
            self.lower[change.index] = change.lower;
            self.upper[change.index] = change.upper;
        }
        Ok(())
    }

    fn set_row_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        let changes = checked(changes, "row", self.row_lower.len())?;
        self.engine()?
            .model()
            .change_row_bounds(&changes)
            .map_err(refused::<E>("change row sides"))?;
        for change in changes {
            self.row_lower[change.index] = change.lower;
            self.row_upper[change.index] = change.upper;
        }
        Ok(())
    }

    fn set_costs(&mut self, changes: &[(usize, f64)]) -> Result<(), SolverError> {
        for &(index, _) in changes {
            within("column", index, self.kind.len())?;
        }
        let changes = ascending(changes, |c| c.0);
        self.engine()?
            .model()
            .change_costs(&changes)
            .map_err(refused::<E>("change the objective"))?;
        let costs = Arc::make_mut(&mut self.objective.cost);
        for (index, cost) in changes {
            costs[index] = cost;
        }
        Ok(())
    }

    fn set_objective(&mut self, sense: Sense, constant: f64) -> Result<(), SolverError> {
        self.engine()?
            .model()
            .change_objective(sense, constant)
            .map_err(refused::<E>("change the objective"))?;
        self.objective.sense = sense;
        self.objective.constant = constant;
        Ok(())
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        let first = self.num_columns();
        countable::<E>("columns", first + columns.len())?;
        let bounded = |of: fn(VarKind, f64, f64) -> (f64, f64)| {
            let one = |column: &NewColumn| {
                let (lower, upper) = of(column.kind, column.lower, column.upper);
                NewColumn {
                    lower,
                    upper,
                    ..*column
                }
            };
            columns.iter().map(one).collect::<Vec<_>>()
        };
        self.engine()?
            .model()
            .add_columns(&bounded(shown))
            .map_err(refused::<E>("add columns"))?;
        let costs = Arc::make_mut(&mut self.objective.cost);
        for column in bounded(whole) {
            costs.push(column.cost);
            self.lower.push(column.lower);
            self.upper.push(column.upper);
            self.kind.push(column.kind);
        }
        Ok(first..self.num_columns())
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        let first = self.num_rows();
        for row in rows {
            self.check_row(row)?;
        }
        countable::<E>("rows", first + rows.len())?;
        let entries: usize = rows.iter().map(|row| row.entries.len()).sum();
        let inside = self.engine()?.model();
        countable::<E>("entries", inside.nonzeros() + entries)?;
        inside.add_rows(rows).map_err(|Failed| {
            failed::<E>(
                "add rows",
                "it refused the values (a column twice in a row?)",
            )
        })?;
        self.row_lower.extend(rows.iter().map(|row| row.lower));
        self.row_upper.extend(rows.iter().map(|row| row.upper));
        Ok(first..self.num_rows())
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Result<(), SolverError> {
        if rows.is_empty() {
            return self.engine().map(drop);
        }
        within("row", rows.end - 1, self.num_rows())?;
        self.engine()?
            .model()
            .delete_rows(rows.clone())
            .map_err(|Failed| failed::<E>("delete rows", "it refused the range"))?;
        self.row_lower.drain(rows.clone());
        self.row_upper.drain(rows);
        Ok(())
    }

    fn add_indicators(&mut self, indicators: &[Indicator]) -> Result<bool, SolverError> {
        if !E::INDICATORS {
            return Ok(false);
        }
        for indicator in indicators {
            let column = indicator.column;
            within("column", column, self.kind.len())?;
            self.check_row(&indicator.row)?;
            let is_binary = self.kind[column] == VarKind::Integer
                && self.lower[column] >= 0.0
                && self.upper[column] <= 1.0;
            if !is_binary {
                let why = format!("column number {column} of an indicator is not binary");
                return Err(failed::<E>("add indicators", why));
            }
        }
        self.engine()?
            .model()
            .add_indicators(indicators)
            .map_err(refused::<E>("add indicators"))?;
        Ok(true)
    }

    fn pause_at(&mut self, gate: &Gate) -> bool {
        self.gate = E::PAUSES.then(|| gate.clone());
        E::PAUSES
    }

    fn accept(&mut self, offers: &Offers) -> bool {
        self.offers = E::TAKES_OFFERS.then(|| offers.clone());
        E::TAKES_OFFERS
    }

    fn solve(
        &mut self,
        params: &Params,
        start: Option<&Start>,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        super::run::solve(self, params, start, control)
    }

    fn solve_relaxation(
        &mut self,
        params: &Params,
        control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        super::run::solve_relaxation(self, params, control)
    }
}

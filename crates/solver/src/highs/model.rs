//! A model inside HiGHS, and changes to it.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use idpas_mip::{Model, Sense, VarKind};

use super::ffi::{Arrays, Failed, Handle, RowArrays};
use super::watch::Objective;
use super::{NAME, failed};
use crate::{
    BoundChange, Control, Gate, LoadedModel, LpResult, NewColumn, NewRow, Offers, Params,
    SolveResult, SolverError, Start,
};

/// A model loaded into HiGHS, and the data by which callbacks evaluate a solution without asking HiGHS.
pub(super) struct HighsModel {
    pub(super) handle: Handle,
    /// Whether HiGHS did not stop in time and was left to itself with the model, which can then no longer be used.
    pub(super) abandoned: bool,
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

pub(super) fn sense_code(sense: Sense) -> c_int {
    match sense {
        Sense::Minimize => highs_sys::kHighsObjSenseMinimize,
        Sense::Maximize => highs_sys::kHighsObjSenseMaximize,
    }
}

fn kind_code(kind: VarKind) -> c_int {
    match kind {
        VarKind::Continuous => highs_sys::kHighsVarTypeContinuous,
        VarKind::Integer => highs_sys::kHighsVarTypeInteger,
    }
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

/// The bounds that HiGHS gets: rounded inward, unless no integer is left between them. A model with such a column is
/// never run.
fn shown(kind: VarKind, lower: f64, upper: f64) -> (f64, f64) {
    let (low, high) = whole(kind, lower, upper);
    if low <= high {
        (low, high)
    } else {
        (lower, upper)
    }
}

/// The lower and upper bounds of all columns, each computed by `of`.
fn bounds_by(
    columns: impl Iterator<Item = (VarKind, f64, f64)>,
    of: fn(VarKind, f64, f64) -> (f64, f64),
) -> (Vec<f64>, Vec<f64>) {
    columns
        .map(|(kind, lower, upper)| of(kind, lower, upper))
        .unzip()
}

/// Refuses counts that do not fit into the 32 bits with which HiGHS counts.
fn countable(what: &'static str, count: usize) -> Result<(), SolverError> {
    if count < c_int::MAX as usize {
        Ok(())
    } else {
        Err(SolverError::TooLarge {
            what,
            count,
            solver: NAME,
        })
    }
}

impl HighsModel {
    pub(super) fn new(model: &Model) -> Result<Self, SolverError> {
        model
            .validate()
            .map_err(|e| failed("load the model", e.to_string()))?;
        countable("rows", model.num_rows())?;
        countable("columns", model.num_columns())?;
        countable("entries", model.matrix.nonzeros())?;
        let starts: Vec<c_int> = model.matrix.starts().iter().map(|&s| s as c_int).collect();
        let indices: Vec<c_int> = model.matrix.indices().iter().map(|&i| i as c_int).collect();
        let integrality: Vec<c_int> = model.columns.kind.iter().map(|&k| kind_code(k)).collect();
        let columns = || {
            let bounds = model.columns.lower.iter().zip(&model.columns.upper);
            let kinds = model.columns.kind.iter().zip(bounds);
            kinds.map(|(&kind, (&lower, &upper))| (kind, lower, upper))
        };
        let (lower, upper) = bounds_by(columns(), shown);
        let mut handle = Handle::new();
        handle
            .pass_model(&Arrays {
                sense: sense_code(model.sense),
                constant: model.objective_constant,
                cost: &model.columns.cost,
                lower: &lower,
                upper: &upper,
                row_lower: &model.rows.lower,
                row_upper: &model.rows.upper,
                starts: &starts,
                indices: &indices,
                values: model.matrix.values(),
                integrality: &integrality,
            })
            .map_err(|Failed| {
                failed(
                    "load the model",
                    "it refused the arrays (a coefficient of 1e15 or more?)",
                )
            })?;
        let (lower, upper) = bounds_by(columns(), whole);
        Ok(HighsModel {
            handle,
            abandoned: false,
            offers: None,
            gate: None,
            objective: Objective {
                sense: model.sense,
                constant: model.objective_constant,
                cost: Arc::new(model.columns.cost.clone()),
            },
            lower,
            upper,
            kind: model.columns.kind.clone(),
            row_lower: model.rows.lower.clone(),
            row_upper: model.rows.upper.clone(),
        })
    }

    /// Fails if the model was left to HiGHS when it did not stop in time.
    pub(super) fn usable(&self) -> Result<(), SolverError> {
        if self.abandoned {
            Err(SolverError::Abandoned { solver: NAME })
        } else {
            Ok(())
        }
    }

    pub(super) fn is_discrete(&self) -> bool {
        self.kind.contains(&VarKind::Integer)
    }

    /// Whether some integer column has no integer between its bounds.
    pub(super) fn has_empty_column(&self) -> bool {
        (0..self.kind.len())
            .any(|j| self.kind[j] == VarKind::Integer && self.lower[j] > self.upper[j])
    }
}

pub(super) fn within(what: &'static str, index: usize, count: usize) -> Result<(), SolverError> {
    if index < count {
        Ok(())
    } else {
        Err(SolverError::NoSuchIndex { what, index, count })
    }
}

/// Changes sorted by index, with only the last one for each index: the form that HiGHS needs.
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

/// Changes of bounds, as arrays for HiGHS.
struct BoundArrays {
    set: Vec<c_int>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl BoundArrays {
    fn new(changes: &[BoundChange], what: &'static str, count: usize) -> Result<Self, SolverError> {
        for change in changes {
            within(what, change.index, count)?;
        }
        let changes = ascending(changes, |c| c.index);
        Ok(BoundArrays {
            set: changes.iter().map(|c| c.index as c_int).collect(),
            lower: changes.iter().map(|c| c.lower).collect(),
            upper: changes.iter().map(|c| c.upper).collect(),
        })
    }

    /// The new bounds, with the kinds of their columns.
    fn columns(&self, kinds: &[VarKind]) -> impl Iterator<Item = (VarKind, f64, f64)> {
        let bounds = self.lower.iter().zip(&self.upper);
        let columns = self.set.iter().zip(bounds);
        columns.map(|(&index, (&lower, &upper))| (kinds[index as usize], lower, upper))
    }

    /// Makes the same changes in our own copy of the bounds.
    fn apply(&self, lower: &mut [f64], upper: &mut [f64]) {
        for (at, &index) in self.set.iter().enumerate() {
            lower[index as usize] = self.lower[at];
            upper[index as usize] = self.upper[at];
        }
    }
}

impl LoadedModel for HighsModel {
    fn num_columns(&self) -> usize {
        self.kind.len()
    }

    fn num_rows(&self) -> usize {
        self.row_lower.len()
    }

    fn set_column_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        self.usable()?;
        let mut arrays = BoundArrays::new(changes, "column", self.num_columns())?;
        let (lower, upper) = bounds_by(arrays.columns(&self.kind), shown);
        self.handle
            .change_column_bounds(&arrays.set, &lower, &upper)
            .map_err(|Failed| failed("change column bounds", "it refused the values"))?;
        (arrays.lower, arrays.upper) = bounds_by(arrays.columns(&self.kind), whole);
        arrays.apply(&mut self.lower, &mut self.upper);
        Ok(())
    }

    fn set_row_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        self.usable()?;
        let arrays = BoundArrays::new(changes, "row", self.num_rows())?;
        self.handle
            .change_row_bounds(&arrays.set, &arrays.lower, &arrays.upper)
            .map_err(|Failed| failed("change row sides", "it refused the values"))?;
        arrays.apply(&mut self.row_lower, &mut self.row_upper);
        Ok(())
    }

    fn set_costs(&mut self, changes: &[(usize, f64)]) -> Result<(), SolverError> {
        self.usable()?;
        for &(index, _) in changes {
            within("column", index, self.num_columns())?;
        }
        let changes = ascending(changes, |c| c.0);
        let set: Vec<c_int> = changes.iter().map(|c| c.0 as c_int).collect();
        let cost: Vec<f64> = changes.iter().map(|c| c.1).collect();
        self.handle
            .change_costs(&set, &cost)
            .map_err(|Failed| failed("change the objective", "it refused the values"))?;
        let costs = Arc::make_mut(&mut self.objective.cost);
        for (index, cost) in changes {
            costs[index] = cost;
        }
        Ok(())
    }

    fn set_objective(&mut self, sense: Sense, constant: f64) -> Result<(), SolverError> {
        self.usable()?;
        self.handle
            .change_objective(sense_code(sense), constant)
            .map_err(|Failed| failed("change the objective", "it refused the values"))?;
        self.objective.sense = sense;
        self.objective.constant = constant;
        Ok(())
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        self.usable()?;
        let first = self.num_columns();
        countable("columns", first + columns.len())?;
        let cost: Vec<f64> = columns.iter().map(|c| c.cost).collect();
        let bounds = || columns.iter().map(|c| (c.kind, c.lower, c.upper));
        let (lower, upper) = bounds_by(bounds(), shown);
        let integrality: Vec<c_int> = columns.iter().map(|c| kind_code(c.kind)).collect();
        self.handle
            .add_columns(&cost, &lower, &upper, &integrality)
            .map_err(|Failed| failed("add columns", "it refused the values"))?;
        Arc::make_mut(&mut self.objective.cost).extend(cost);
        let (lower, upper) = bounds_by(bounds(), whole);
        self.lower.extend(lower);
        self.upper.extend(upper);
        self.kind.extend(columns.iter().map(|c| c.kind));
        Ok(first..self.num_columns())
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        self.usable()?;
        let first = self.num_rows();
        let mut arrays = RowArrays::default();
        for row in rows {
            arrays.lower.push(row.lower);
            arrays.upper.push(row.upper);
            arrays.starts.push(arrays.indices.len() as c_int);
            for &(column, value) in &row.entries {
                within("column", column, self.num_columns())?;
                arrays.indices.push(column as c_int);
                arrays.values.push(value);
            }
        }
        countable("rows", first + rows.len())?;
        countable("entries", self.handle.num_nonzeros() + arrays.values.len())?;
        self.handle.add_rows(&arrays).map_err(|Failed| {
            failed(
                "add rows",
                "it refused the values (a column twice in a row?)",
            )
        })?;
        self.row_lower.extend(arrays.lower);
        self.row_upper.extend(arrays.upper);
        Ok(first..self.num_rows())
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Result<(), SolverError> {
        self.usable()?;
        if rows.is_empty() {
            return Ok(());
        }
        within("row", rows.end - 1, self.num_rows())?;
        self.handle
            .delete_rows(rows.start, rows.end - 1)
            .map_err(|Failed| failed("delete rows", "it refused the range"))?;
        self.row_lower.drain(rows.clone());
        self.row_upper.drain(rows);
        Ok(())
    }

    fn pause_at(&mut self, gate: &Gate) -> bool {
        self.gate = Some(gate.clone());
        true
    }

    fn accept(&mut self, offers: &Offers) -> bool {
        self.offers = Some(offers.clone());
        true
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

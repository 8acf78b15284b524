//! The two traits that a backend implements.

use std::ops::Range;
use std::path::Path;

use idpas_mip::{Model, Sense, VarKind};

use crate::backend::Engine;

use crate::{Control, Gate, LpResult, Offers, Params, SolveResult, SolverError, Start};

/// What a backend can do beyond what every one can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It takes solutions while it runs ([`LoadedModel::accept`]).
    pub offers: bool,
    /// It can be paused ([`LoadedModel::pause_at`]).
    pub pauses: bool,
    /// It takes rows that hold only where a column has a value ([`LoadedModel::add_indicators`]).
    pub indicators: bool,
    /// It fills a pool in one solve ([`Params::pool`]).
    pub pools: bool,
    /// It uses more than one thread for one model.
    pub threads: bool,
}

impl Abilities {
    /// Those of an engine, which knows all but whether it uses threads.
    pub fn of_engine<E: Engine>(threads: bool) -> Self {
        Abilities {
            offers: E::TAKES_OFFERS,
            pauses: E::PAUSES,
            indicators: E::INDICATORS,
            pools: E::POOLS,
            threads,
        }
    }
}

/// A backend.
pub trait Solver: Send + Sync {
    /// Its name, as in [`by_name`](crate::by_name).
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> String;

    /// The library that it was loaded from; `None` if it is a part of the program.
    fn library(&self) -> Option<&Path> {
        None
    }

    /// What it can do beyond what every backend can.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// Hands a model over, as arrays.
    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError>;
}

/// New bounds for a row or column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundChange {
    /// Which row or column.
    pub index: usize,
    /// Its lower bound.
    pub lower: f64,
    /// Its upper bound.
    pub upper: f64,
}

impl BoundChange {
    /// Holds a row or column at a value.
    pub fn fixed(index: usize, value: f64) -> Self {
        BoundChange {
            index,
            lower: value,
            upper: value,
        }
    }

    /// Holds the discrete columns of a model at their values, as far as these are known, that is finite.
    pub fn fixed_discrete(model: &Model, values: &[f64]) -> Vec<Self> {
        (0..values.len())
            .filter(|&j| model.is_integer(j) && values[j].is_finite())
            .map(|j| BoundChange::fixed(j, values[j]))
            .collect()
    }
}

/// A row to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRow {
    /// Left-hand side, −∞ if none.
    pub lower: f64,
    /// Right-hand side, +∞ if none.
    pub upper: f64,
    /// (column, coefficient), each column at most once.
    pub entries: Vec<(usize, f64)>,
}

/// A row that holds only where a binary column has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Indicator {
    /// The binary column.
    pub column: usize,
    /// The row holds where the column is one if this is true, where it is zero if not.
    pub at_one: bool,
    /// The row.
    pub row: NewRow,
}

/// A column to add; rows added later may use it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewColumn {
    /// Continuous or integer.
    pub kind: VarKind,
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
    /// Objective coefficient.
    pub cost: f64,
}

/// A model inside a solver: can be changed and solved again.
pub trait LoadedModel: Send {
    /// How many columns it has now.
    fn num_columns(&self) -> usize;

    /// How many rows it has now.
    fn num_rows(&self) -> usize;

    /// Changes bounds of columns.
    fn set_column_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError>;

    /// Changes sides of rows.
    fn set_row_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError>;

    /// Changes objective coefficients: (column, coefficient).
    fn set_costs(&mut self, changes: &[(usize, f64)]) -> Result<(), SolverError>;

    /// Changes the objective's sense and constant.
    fn set_objective(&mut self, sense: Sense, constant: f64) -> Result<(), SolverError>;

    /// Adds columns at the end and says which indices they got.
    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError>;

    /// Adds rows at the end and says which indices they got.
    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError>;

    /// Deletes rows; those behind them move up.
    fn delete_rows(&mut self, rows: Range<usize>) -> Result<(), SolverError>;

    /// Adds rows that hold only where a binary column has a value. They stay until the end and have no indices. Says whether
    /// the backend can; without any to add, nothing else happens.
    fn add_indicators(&mut self, _indicators: &[Indicator]) -> Result<bool, SolverError> {
        Ok(false)
    }

    /// From now on, takes solutions from `offers` while it solves: better ones become its incumbent, infeasible ones
    /// are ignored. Says whether the backend can.
    fn accept(&mut self, _offers: &Offers) -> bool {
        false
    }

    /// From now on, pauses at `gate` while that is shut. Says whether the backend can.
    fn pause_at(&mut self, _gate: &Gate) -> bool {
        false
    }

    /// Solves the model as it is now. Nothing of an earlier solve is used unless it is given as the start.
    fn solve(
        &mut self,
        params: &Params,
        start: Option<&Start>,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError>;

    /// Solves the linear relaxation of the model as it is now. Bounds of integers may be rounded inward.
    fn solve_relaxation(
        &mut self,
        params: &Params,
        control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError>;
}

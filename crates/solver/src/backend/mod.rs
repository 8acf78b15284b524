//! What all backends share: the thread that a solve runs on, limits that hold, starts that are completed, events in order,
//! and the verdict at the end. A backend is an [`Engine`], its solver's own object, and [`Loaded`] makes it a
//! [`LoadedModel`](crate::LoadedModel).
//!
//! A solver that keeps nothing from one run to the next can be handed the whole model each time; then [`Recorded`] takes the
//! changes, and the engine has only to build and to run.

mod loaded;
mod own_clock;
mod recorded;
mod run;
mod start;
mod thread;
mod watch;

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use idpas_mip::{BasisStatus, Sense};

use crate::{BoundChange, Indicator, NewColumn, NewRow, Params, SolverError, Termination};

pub use loaded::Loaded;
pub use recorded::{Recorded, RowWise, in_order};

/// A call that the solver refused or failed at. Its log may tell why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// Answer of a call without a result.
pub type Outcome = Result<(), Failed>;

/// A model that takes changes.
///
/// Indices were checked before, changes are sorted by index with one change for each, and bounds of integers are whole.
pub trait ModelChanges {
    /// Changes bounds of columns.
    fn change_column_bounds(&mut self, changes: &[BoundChange]) -> Outcome;

    /// Changes sides of rows.
    fn change_row_bounds(&mut self, changes: &[BoundChange]) -> Outcome;

    /// Changes objective coefficients.
    fn change_costs(&mut self, changes: &[(usize, f64)]) -> Outcome;

    /// Changes the objective's sense and constant.
    fn change_objective(&mut self, sense: Sense, constant: f64) -> Outcome;

    /// Adds columns without entries at the end.
    fn add_columns(&mut self, columns: &[NewColumn]) -> Outcome;

    /// Adds rows at the end.
    fn add_rows(&mut self, rows: &[NewRow]) -> Outcome;

    /// Deletes rows; those behind them move up.
    fn delete_rows(&mut self, rows: Range<usize>) -> Outcome;

    /// Adds rows that hold only where a column has a value. Never called where
    /// [`Engine::INDICATORS`] is false.
    fn add_indicators(&mut self, _indicators: &[Indicator]) -> Outcome {
        Err(Failed)
    }

    /// How many entries the matrix has.
    fn nonzeros(&self) -> usize;
}

/// A solver's own object with a model inside.
///
/// A model with an integer column without any value between its bounds, or without columns, is never run.
pub trait Engine: Send + Sized + 'static {
    /// The name of the backend, as in [`by_name`](crate::by_name).
    const NAME: &'static str;
    /// Whether it asks for solutions while it runs ([`Message::Wanted`]).
    const TAKES_OFFERS: bool;
    /// Whether it sends [`Message::Check`] often enough to be paused.
    const PAUSES: bool;
    /// Whether it takes rows that hold only where a binary column has a value.
    const INDICATORS: bool;
    /// Whether it looks for several good solutions in one run ([`Params::pool`]).
    const POOLS: bool = false;

    /// The model inside, as it is changed.
    fn model(&mut self) -> &mut dyn ModelChanges;

    /// Forgets earlier runs and sets the options of the next one.
    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError>;

    /// Hands over a solution to start the next run from. A solver may refuse it, the caller still has it.
    fn start_from(&mut self, values: &[f64]);

    /// Runs until it ends by itself or the handler asks it to stop. A panic of the handler must not pass through code of
    /// another language: it is kept, the run is stopped, and the panic raised again after it.
    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome;

    /// What the last run found, if that was a run of the model and not of its relaxation.
    fn found(&self) -> Found;

    /// What the last run found, if that was a run of the relaxation.
    fn relaxation(&self) -> LpFound;
}

/// What a run may do.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// Gaps, threads, seed, and options by the solver's own names, which are set last. Limits are below.
    pub params: &'a Params,
    /// Time limit in seconds; it may be zero.
    pub time_limit: Option<f64>,
    /// Most nodes of the search tree.
    pub node_limit: Option<u64>,
    /// Run the linear relaxation.
    pub relaxation: bool,
}

/// What a run of the model found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Why it stopped.
    pub termination: Termination,
    /// Solutions, best first: at least the best one, if there is any.
    pub solutions: Vec<Vec<f64>>,
    /// The bound, if there is one.
    pub bound: Option<f64>,
    /// Nodes of the search tree.
    pub nodes: u64,
    /// Simplex iterations.
    pub lp_iterations: u64,
}

impl Found {
    /// Nothing, for this reason.
    pub fn nothing(termination: Termination) -> Self {
        Found {
            termination,
            solutions: Vec::new(),
            bound: None,
            nodes: 0,
            lp_iterations: 0,
        }
    }
}

/// What a run of the relaxation found.
#[derive(Clone, Debug)]
pub struct LpFound {
    /// Why it stopped.
    pub termination: Termination,
    /// The solution, if it is optimal.
    pub solution: Option<LpSolution>,
    /// Simplex iterations.
    pub iterations: u64,
}

impl LpFound {
    /// Nothing, for this reason.
    pub fn nothing(termination: Termination) -> Self {
        LpFound {
            termination,
            solution: None,
            iterations: 0,
        }
    }
}

/// A solution of the relaxation. Duals and reduced costs say by how much the objective value changes with a side or bound,
/// whether it is minimised or maximised.
#[derive(Clone, Debug)]
pub struct LpSolution {
    /// Values by column.
    pub values: Vec<f64>,
    /// Reduced costs by column.
    pub reduced_costs: Vec<f64>,
    /// Activities by row.
    pub activities: Vec<f64>,
    /// Duals by row.
    pub duals: Vec<f64>,
    /// Where each column stands in the basis.
    pub column_basis: Vec<BasisStatus>,
    /// Where each row stands in the basis.
    pub row_basis: Vec<BasisStatus>,
}

/// A message of a solver while it runs.
#[derive(Debug)]
pub enum Message<'a> {
    /// Text of its log.
    Log(&'a str),
    /// A feasible solution of the model as it was handed over, before presolve.
    Solution {
        /// Values by column.
        values: &'a [f64],
        /// The best bound at that time.
        bound: f64,
    },
    /// The solver can take a solution of the model as it was handed over: the handler puts it into `answer`.
    Wanted {
        /// The solution, if there is one.
        answer: &'a mut Option<Vec<f64>>,
    },
    /// The solver asks whether to stop.
    Check {
        /// The state of the search, if there is one.
        mip: Option<Status>,
    },
}

/// The state of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// The best bound.
    pub bound: f64,
    /// Nodes of the search tree so far.
    pub nodes: u64,
    /// Simplex iterations so far.
    pub lp_iterations: u64,
}

/// Receives messages of a solver; returning `true` asks it to stop.
pub type Handler<'a> = dyn FnMut(Message<'_>) -> bool + Send + 'a;

/// Everything that a callback into foreign code needs of a handler: the place for its panic, which must not unwind through
/// that code, and that nothing is told after it.
pub(crate) struct Receiver<'r, 'h> {
    handler: &'r mut Handler<'h>,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'r, 'h> Receiver<'r, 'h> {
    pub(crate) fn new(handler: &'r mut Handler<'h>) -> Self {
        Receiver {
            handler,
            panic: None,
        }
    }

    /// Passes a message on and says whether the solver is to stop.
    pub(crate) fn tell(&mut self, message: Message<'_>) -> bool {
        if self.panic.is_some() {
            return true;
        }
        let told = catch_unwind(AssertUnwindSafe(|| (self.handler)(message)));
        told.unwrap_or_else(|panic| {
            self.panic = Some(panic);
            true
        })
    }

    /// Raises the handler's panic again, if there was one.
    pub(crate) fn finish(self) {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
    }
}

/// Why there is no result before the first run.
pub(crate) fn not_run() -> Termination {
    Termination::Trouble("it did not run".into())
}

/// An error of the backend `E`.
pub(crate) fn failed<E: Engine>(action: &'static str, message: impl Into<String>) -> SolverError {
    SolverError::Backend {
        solver: E::NAME,
        action,
        message: message.into(),
    }
}

//! One interface to MIP solvers.
//!
//! A [`Solver`] loads a [`Model`](idpas_mip::Model) from arrays and gives back a [`LoadedModel`], which can be
//! changed and solved again without rebuilding. A solve says why it stopped ([`Termination`]) apart from what is
//! known ([`SolveResult`]: best solution, bound, every distinct solution found), reports [`Event`]s while it
//! runs, and ends early when its [`Interrupt`] is raised from any thread. A time limit and an interrupt ask the solver to
//! stop; a [`HardStop`] ends the call whether it obeys or not. Whether what a solver found is a solution of the model as it
//! was read, the [`Judge`](judge::Judge) says.
//!
//! ```
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! use idpas_solver::{Control, Params, Termination};
//!
//! let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
//! let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
//! b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])?;
//!
//! let solver = idpas_solver::by_name("highs")?;
//! let mut loaded = solver.load(&b.build()?)?;
//! let result = loaded.solve(&Params::default(), None, &mut Control::default())?;
//! assert_eq!(result.termination, Termination::Optimal);
//! assert_eq!(result.best.expect("a solution").values, [0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new backend is one module with an [`Engine`](backend::Engine), a line in [`by_name`] or a call of [`register`], and a
//! test that runs [`conformance::run`] on it.

pub mod backend;
pub mod conformance;
mod error;
mod events;
mod gate;
mod guard;
pub mod gurobi;
pub mod highs;
pub mod judge;
mod library;
mod params;
mod pool;
mod result;
pub mod scip;
mod solver;
pub mod xpress;

use std::sync::{Mutex, PoisonError};

pub use error::SolverError;
pub use events::{Control, Event, HardStop, Interrupt, Observer, Offers};
pub use gate::Gate;
pub use guard::Guarded;
pub use library::look_in_packages;
pub use params::{Params, PoolSearch, Start};
pub use pool::{DistinctSolutions, Identity};
pub use result::{FoundSolution, LpResult, SolveResult, StartOutcome, Termination, relative_gap};
pub use solver::{Abilities, BoundChange, Indicator, LoadedModel, NewColumn, NewRow, Solver};

/// The names that [`by_name`] knows.
pub const NAMES: &[&str] = &["highs", "scip", "xpress", "gurobi"];

/// Opens a backend.
pub type Opener = fn() -> Result<Box<dyn Solver>, SolverError>;

/// Backends that a caller brought.
static REGISTERED: Mutex<Vec<(&'static str, Opener)>> = Mutex::new(Vec::new());

/// Makes [`by_name`] open a backend of the caller's under this name, before any of its own, [guarded](Guarded).
pub fn register(name: &'static str, open: Opener) {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|(other, _)| *other != name);
    registered.push((name, open));
}

/// The backend with this name. All but HiGHS are loaded when they are first asked for.
pub fn by_name(name: &str) -> Result<Box<dyn Solver>, SolverError> {
    let registered = REGISTERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, open)| *open);
    if let Some(open) = registered {
        return Ok(Box::new(Guarded::Owned(open()?)));
    }
    match name {
        "highs" => Ok(Box::new(highs::Highs)),
        "scip" => Ok(Box::new(scip::Scip::new()?)),
        "xpress" => Ok(Box::new(xpress::Xpress::new()?)),
        "gurobi" => Ok(Box::new(gurobi::Gurobi::new()?)),
        _ => Err(SolverError::UnknownSolver {
            name: name.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}

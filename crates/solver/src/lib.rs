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
//! A new backend is one module that implements the two traits, a line in [`by_name`], and a test that runs
//! [`conformance::run`] on it.

pub mod conformance;
mod error;
mod events;
mod gate;
pub mod highs;
pub mod judge;
mod params;
mod pool;
mod result;
mod solver;

pub use error::SolverError;
pub use events::{Control, Event, HardStop, Interrupt, Observer, Offers};
pub use gate::Gate;
pub use params::{Params, Start};
pub use pool::{DistinctSolutions, Identity};
pub use result::{FoundSolution, LpResult, SolveResult, StartOutcome, Termination, relative_gap};
pub use solver::{BoundChange, LoadedModel, NewColumn, NewRow, Solver};

/// The names that [`by_name`] knows.
pub const NAMES: &[&str] = &["highs"];

/// The backend with this name.
pub fn by_name(name: &str) -> Result<Box<dyn Solver>, SolverError> {
    match name {
        "highs" => Ok(Box::new(highs::Highs)),
        _ => Err(SolverError::UnknownSolver {
            name: name.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}

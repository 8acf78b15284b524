//! What can go wrong in a search, apart from the model having no solution.

use idpas_solver::SolverError;

/// A search that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Not one score for each column.
    #[error("{found} scores for a model with {expected} columns")]
    Scores {
        /// Scores given.
        found: usize,
        /// Columns of the model.
        expected: usize,
    },
    /// A setting that means nothing.
    #[error("setting {name} is {value}; expected {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The solver failed, and there is no solution to go on with.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The thread that looks after a stage could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

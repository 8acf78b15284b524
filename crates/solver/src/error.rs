//! What can go wrong in a solver, apart from the model having no solution.

/// A solver that cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// No backend has this name.
    #[error("unknown solver `{name}`; known: {known}")]
    UnknownSolver {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A solver that is loaded while the program runs is not there.
    #[error("{solver} was not found: looked in {looked}. {install}")]
    NotInstalled {
        /// The solver.
        solver: &'static str,
        /// Where it was looked for.
        looked: String,
        /// What to do about it.
        install: &'static str,
    },
    /// The library of a solver cannot be used.
    #[error("{solver}: {path} cannot be used: {message}. {install}")]
    Library {
        /// The solver.
        solver: &'static str,
        /// The library.
        path: String,
        /// What is wrong with it.
        message: String,
        /// What to do about it.
        install: &'static str,
    },
    /// A parameter out of its range.
    #[error("parameter {name}: {message}")]
    Parameter {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// More rows, columns or entries than the backend can count.
    #[error("the model has {count} {what}, more than {solver} can count")]
    TooLarge {
        /// Rows, columns or entries.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The backend.
        solver: &'static str,
    },
    /// A change or start that names a row or column the model does not have.
    #[error("{what} {index} does not exist: the model has {count}")]
    NoSuchIndex {
        /// Row or column.
        what: &'static str,
        /// The index asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An earlier solve of this loaded model did not stop in time and was left behind with it.
    #[error("{solver} did not stop in time in an earlier solve and kept the model; load it again")]
    Abandoned {
        /// The backend.
        solver: &'static str,
    },
    /// The backend refused or failed.
    #[error("{solver} failed to {action}: {message}")]
    Backend {
        /// The backend.
        solver: &'static str,
        /// What it was doing.
        action: &'static str,
        /// What it said.
        message: String,
    },
}

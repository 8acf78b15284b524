//! What can go wrong with pools, their folder, and the work on them.

use std::io;
use std::path::Path;

use idpas_base::container::ContainerError;
use idpas_mip::check::CheckError;
use idpas_mip::{ReadError, WriteError};
use idpas_solver::SolverError;

/// A failure in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A pool or other file of arrays that cannot be used.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// A manifest, list or other text file that does not say what it should.
    #[error("{path}:{line}: {message}")]
    Text {
        /// The file.
        path: String,
        /// The line.
        line: usize,
        /// What was found and expected.
        message: String,
    },
    /// A list or folder of instances that cannot be used.
    #[error("{path}: {message}")]
    Input {
        /// The list or folder.
        path: String,
        /// What was found and expected.
        message: String,
    },
    /// A setting out of its range.
    #[error("{name}: {message}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What was found and expected.
        message: String,
    },
    /// An instance for which no pool can be made.
    #[error("{0}")]
    NoPool(NoPool),
    /// A model or solution file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A vector could not be evaluated.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// Why an instance has no pool although nothing broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPool {
    /// The instance has no solution.
    #[error("the instance is infeasible")]
    Infeasible,
    /// The objective has no limit, or, where the solver cannot tell, there is no solution.
    #[error("the instance is unbounded or infeasible")]
    Unbounded,
    /// Time or nodes ran out first.
    #[error("no solution was found within the limits")]
    NothingFound,
    /// The collection was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl PoolError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        PoolError::Io {
            path: path.display().to_string(),
            source,
        }
    }

    pub(crate) fn json(path: &Path, error: &serde_json::Error) -> Self {
        PoolError::Text {
            path: path.display().to_string(),
            line: error.line(),
            message: error.to_string(),
        }
    }

    pub(crate) fn input(path: &Path, message: impl Into<String>) -> Self {
        PoolError::Input {
            path: path.display().to_string(),
            message: message.into(),
        }
    }
}

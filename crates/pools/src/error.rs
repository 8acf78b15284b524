//! Errors of pools, of their folders, and of the work on them.

use std::io;
use std::path::Path;

use idpas_base::container::ContainerError;
use idpas_mip::check::CheckError;
use idpas_mip::{ReadError, WriteError};
use idpas_search::SearchError;
use idpas_solver::SolverError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file or folder.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A pool or other file of arrays that is damaged or of another kind.
    #[error(transparent)]
    File(#[from] ContainerError),
    /// A manifest, list or other text file with wrong content.
    #[error("{path}:{line}: {message}")]
    Text {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// What was found and what was expected.
        message: String,
    },
    /// A list or folder of instances that cannot be used.
    #[error("{path}: {message}")]
    Input {
        /// The list or folder.
        path: String,
        /// What was found and what was expected.
        message: String,
    },
    /// A setting out of its range.
    #[error("{name}: {message}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What was found and what was expected.
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
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Why an instance has no pool although there was no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPool {
    /// The instance has no solution.
    #[error("the instance is infeasible")]
    Infeasible,
    /// The objective is unbounded, or the solver cannot tell whether it is that or there is no solution.
    #[error("the instance is unbounded or infeasible")]
    Unbounded,
    /// The time or node limit was reached before a solution was found.
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

//! Errors of learning, of predicting, and of the files of both.

use std::path::Path;

use idpas_base::container::ContainerError;
use idpas_graph::GraphError;
use idpas_mip::{ReadError, WriteError};
use idpas_nn::NnError;
use idpas_pools::PoolError;
use idpas_solver::SolverError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file or folder.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A folder of pools that cannot be learned from.
    #[error("{path}: {message}")]
    Examples {
        /// The folder or file.
        path: String,
        /// What was found and what was expected.
        message: String,
    },
    /// A model or checkpoint with unusable content.
    #[error("{path}: the {what} cannot be used: {why}")]
    File {
        /// The file.
        path: String,
        /// `model` or `checkpoint`.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// An unfinished training of the same model exists, and the caller said neither to resume nor to discard it.
    #[error("{path}: a training of this model was interrupted after {epochs} epochs")]
    Unfinished {
        /// Path of the checkpoint.
        path: String,
        /// Number of epochs it has finished.
        epochs: usize,
    },
    /// A setting out of its range.
    #[error("{name}: {message}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What was found and what was expected.
        message: String,
    },
    /// The work was interrupted before there was a result.
    #[error("interrupted")]
    Interrupted,
    /// Threads could not be started; what the system said.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// Another of several processes that train together has failed; it has the error itself.
    #[error("rank {rank}: {message}")]
    OtherRank {
        /// Number of the process.
        rank: usize,
        /// What it said.
        message: String,
    },
    /// One of several processes that train together has died.
    #[error("rank {rank} has died: its process was killed, or its node failed")]
    LostRank {
        /// Number of the process.
        rank: usize,
    },
    /// Several processes cannot train together; says why.
    #[error("{0}")]
    Ranks(String),
    /// An error with a pool or manifest.
    #[error(transparent)]
    Pools(#[from] PoolError),
    /// A file of arrays that is damaged or of another kind.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// An error of making a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An error of the network.
    #[error(transparent)]
    Network(#[from] NnError),
    /// A model file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An error of the solver that solves relaxations.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl LearnError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        LearnError::Io {
            path: path.display().to_string(),
            source,
        }
    }

    pub(crate) fn pools(path: &Path, message: impl Into<String>) -> Self {
        LearnError::Examples {
            path: path.display().to_string(),
            message: message.into(),
        }
    }
}

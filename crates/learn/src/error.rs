//! What can go wrong when learning, predicting, and with the files of both.

use std::path::Path;

use idpas_base::container::ContainerError;
use idpas_graph::GraphError;
use idpas_mip::{ReadError, WriteError};
use idpas_nn::NnError;
use idpas_pools::PoolError;
use idpas_solver::SolverError;

/// A failure in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder of pools that cannot be learned from.
    #[error("{path}: {message}")]
    Examples {
        /// The folder or file.
        path: String,
        /// What was found and expected.
        message: String,
    },
    /// A model or checkpoint that does not hold what it should.
    #[error("{path}: the {what} cannot be used: {why}")]
    File {
        /// The file.
        path: String,
        /// `model` or `checkpoint`.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A training that was begun and not finished lies in the way.
    #[error("{path}: a training of this model was interrupted after {epochs} epochs")]
    Unfinished {
        /// The checkpoint.
        path: String,
        /// How far it got.
        epochs: usize,
    },
    /// A setting out of its range.
    #[error("{name}: {message}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What was found and expected.
        message: String,
    },
    /// The work was interrupted before there was a result.
    #[error("interrupted")]
    Interrupted,
    /// Threads could not be started; what the system said.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// Pools and manifests.
    #[error(transparent)]
    Pools(#[from] PoolError),
    /// A file of arrays that cannot be used.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A graph could not be made.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The network refused.
    #[error(transparent)]
    Network(#[from] NnError),
    /// A model file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The solver of relaxations failed.
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

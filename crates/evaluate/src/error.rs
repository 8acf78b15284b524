//! What can go wrong with studies and results.

use std::io;
use std::path::Path;

use idpas_mip::WriteError;

/// A failure in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A study file that does not say what it should.
    #[error("{path}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default())]
    Study {
        /// The file.
        path: String,
        /// The line, if it is known.
        line: Option<usize>,
        /// What was found and expected.
        message: String,
    },
    /// A file among the results that is damaged or something else.
    #[error("{path}: this is no {what}: {message}")]
    Damaged {
        /// The file.
        path: String,
        /// What it should be.
        what: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A folder that holds no results.
    #[error("{path}: there are no results of a study here")]
    NoResults {
        /// The folder.
        path: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl EvaluateError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        EvaluateError::Io {
            path: path.display().to_string(),
            source,
        }
    }

    pub(crate) fn damaged(path: &Path, what: &'static str, error: &serde_json::Error) -> Self {
        EvaluateError::Damaged {
            path: path.display().to_string(),
            what,
            message: error.to_string(),
        }
    }
}

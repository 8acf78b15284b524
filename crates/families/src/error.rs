//! Errors of making and writing instances.

use std::io;

use idpas_mip::{ModelError, ReadError, WriteError};

/// Why a family, an instance or a folder of instances could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// The name of a size that does not exist.
    #[error("unknown size `{found}`; expected tiny, small, large or hard")]
    UnknownSize {
        /// The name that was given.
        found: String,
    },
    /// The name of a file format that does not exist.
    #[error("unknown format `{found}`; expected mps.gz, mps, lp or lp.gz")]
    UnknownFormat {
        /// The name that was given.
        found: String,
    },
    /// The model of an instance is not valid.
    #[error("instance {number} of {family}: {source}")]
    Model {
        /// Name of the family.
        family: String,
        /// The instance's number.
        number: u64,
        /// What is not valid.
        source: ModelError,
    },
    /// The infrastructure that was drawn does not have what its size needs.
    #[error("{family}: {message}")]
    Reference {
        /// Name of the family.
        family: String,
        /// What is missing.
        message: String,
    },
    /// An input file is not what it must be.
    #[error("{}: {message}", place(file, *line))]
    Input {
        /// The file.
        file: String,
        /// The line, counted from 1; `None` if the problem is not at one line.
        line: Option<u64>,
        /// What was found and what was expected.
        message: String,
    },
    /// A model file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The operating system could not read or write a file.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// The folder already holds another family.
    #[error("{folder} already holds {found}, not {asked}; choose another folder")]
    OtherFamily {
        /// The folder.
        folder: String,
        /// The family in the folder's manifest.
        found: String,
        /// The family that was to be written.
        asked: String,
    },
    /// A name that cannot be written in LP format so that it can be read back.
    #[error("name `{name}` cannot be written as LP: it uses `~`, which stands for `>` there")]
    LpName {
        /// The name.
        name: String,
    },
    /// A specification of what varies that cannot be used.
    #[error("{file}: {message}")]
    Spec {
        /// The specification's file, or how the caller named it.
        file: String,
        /// Which entry, what was found and what was expected.
        message: String,
    },
    /// The caller ended the work.
    #[error("interrupted after {done} of {total} instances; the files written are whole")]
    Interrupted {
        /// Number of instances written.
        done: u64,
        /// Number of instances to write.
        total: u64,
    },
}

fn place(file: &str, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}

impl FamilyError {
    /// An error of the operating system with the file that it is about.
    pub(crate) fn io(file: &std::path::Path, source: io::Error) -> Self {
        FamilyError::Io {
            file: file.display().to_string(),
            source,
        }
    }
}

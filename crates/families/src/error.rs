//! What can go wrong while a family is made.

use std::io;

use idpas_mip::{ModelError, ReadError, WriteError};

/// Why an instance, a reference or a folder of instances could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// A size no family has.
    #[error("unknown size `{found}`; expected tiny, small, large or hard")]
    UnknownSize {
        /// What was asked for.
        found: String,
    },
    /// A file format we do not write.
    #[error("unknown format `{found}`; expected mps.gz, mps, lp or lp.gz")]
    UnknownFormat {
        /// What was asked for.
        found: String,
    },
    /// The model breaks a rule every model must keep.
    #[error("instance {number} of {family}: {source}")]
    Model {
        /// The family.
        family: String,
        /// The instance's number.
        number: u64,
        /// The rule.
        source: ModelError,
    },
    /// The infrastructure cannot hold what its size asks for.
    #[error("{family}: {message}")]
    Reference {
        /// The family.
        family: String,
        /// What is missing.
        message: String,
    },
    /// An input file is not what it must be.
    #[error("{}: {message}", place(file, *line))]
    Input {
        /// The file.
        file: String,
        /// The line, counted from 1, where there is one.
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
    /// The operating system refused.
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
        /// What its manifest says.
        found: String,
        /// What was to be written.
        asked: String,
    },
    /// A name that a format needs to write in another way, and cannot without loss.
    #[error("name `{name}` cannot be written as LP: it uses `~`, which stands for `>` there")]
    LpName {
        /// The name.
        name: String,
    },
    /// A specification of what varies that cannot be applied.
    #[error("{file}: {message}")]
    Spec {
        /// The specification's file, or how the caller named it.
        file: String,
        /// Which entry, what was found and what was expected.
        message: String,
    },
    /// The caller asked to stop.
    #[error("interrupted after {done} of {total} instances; the files written are whole")]
    Interrupted {
        /// Instances written.
        done: u64,
        /// Instances asked for.
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
    /// An operating system's refusal, with the file it was about.
    pub(crate) fn io(file: &std::path::Path, source: io::Error) -> Self {
        FamilyError::Io {
            file: file.display().to_string(),
            source,
        }
    }
}

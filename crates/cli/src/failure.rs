//! How a command ends: with text and a code, or with an error, its code, and a hint where the next step is plain.

use idpas_mip::check::CheckError;
use idpas_mip::{Problem, ReadError, WriteError};
use idpas_solver::SolverError;

/// Ran, but found no solution or found it infeasible.
pub(crate) const NOTHING: u8 = 1;
/// Bad usage or input.
pub(crate) const USAGE: u8 = 2;
/// The solver or the program itself failed.
pub(crate) const INTERNAL: u8 = 3;
/// Stopped by Ctrl-C, with what there was kept.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command that ran: what goes to stdout, and its exit code.
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) code: u8,
}

impl Done {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Done {
            text: text.into(),
            code: 0,
        }
    }

    pub(crate) fn with_code(self, code: u8) -> Self {
        Done { code, ..self }
    }
}

/// A command that could not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Read(_) | Failure::Write(_) | Failure::Check(_) | Failure::Usage(_) => USAGE,
            Failure::Solver(SolverError::Parameter { .. } | SolverError::UnknownSolver { .. }) => {
                USAGE
            }
            Failure::Solver(_) | Failure::Internal(_) => INTERNAL,
        }
    }

    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Failure::Read(ReadError { problem, .. }) => match problem {
                Problem::Truncated { .. } | Problem::Gzip(_) => "copy or download the file again",
                Problem::Unsupported { .. } => {
                    "reformulate it with linear rows and integer columns"
                }
                Problem::UnknownFormat { .. } => "idpas reads MPS and LP files, plain or gzipped",
                Problem::UnknownSection { .. } => {
                    "is this an MPS or LP file, and not cut or edited?"
                }
                Problem::DuplicateName { .. } => {
                    "names must be unique: they are identities across instances"
                }
                _ => return None,
            },
            Failure::Write(WriteError::Name { .. }) => {
                "write the other format, or rename it in the model"
            }
            Failure::Solver(SolverError::Parameter { .. }) => "see `idpas solve --help`",
            _ => return None,
        })
    }
}

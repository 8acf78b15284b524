//! What can go wrong with studies, their runs and results, and with tuning.

use std::io;
use std::path::Path;

use idpas_base::process::{CommandError, Interrupted};
use idpas_learn::{LearnError, UnfitModel};
use idpas_mip::{ReadError, WriteError};
use idpas_pools::PoolError;
use idpas_search::Method;
use idpas_search::tuned::TunedError;
use idpas_solver::SolverError;

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
    /// The work was interrupted. Calling again goes on where it stopped.
    #[error("interrupted")]
    Interrupted,
    /// Something is left that would not have been done before the deadline. Calling again goes on where it stopped.
    #[error("the time is over")]
    TimeOver,
    /// What is left is being made by other processes, and was not to be waited for.
    #[error("other processes make the rest")]
    WithOthers,
    /// Something was looked for and is not there, or was made from something else.
    #[error("not made yet")]
    NotMade,
    /// A command of the cluster's scheduler that could not be run, or that refused.
    #[error("{command}: {message}")]
    Cluster {
        /// The command.
        command: String,
        /// What it or the system said.
        message: String,
    },
    /// A benchmark for which nobody says where its instances are.
    #[error("{path}: benchmark `{benchmark}` names neither a family nor instances")]
    NoInstances {
        /// The study's file.
        path: String,
        /// The benchmark.
        benchmark: String,
    },
    /// A benchmark was asked for that the study does not have.
    #[error("{path}: no benchmark is called `{name}`; known: {}", .known.join(", "))]
    NoBenchmark {
        /// The study file.
        path: String,
        /// The name that was asked for.
        name: String,
        /// The names of its benchmarks.
        known: Vec<String>,
    },
    /// A folder of instances was given to a study that has no use for it.
    #[error("every benchmark of {path} names its own instances")]
    InstancesUnused {
        /// The study's file.
        path: String,
    },
    /// Something about a request, a folder or a command that cannot be as it is.
    #[error("{0}")]
    Input(String),
    /// A setting of a tuning that makes no sense.
    #[error(transparent)]
    Tuning(#[from] TuningProblem),
    /// A trained model that a method cannot use.
    #[error("method `{method}`: {why}")]
    Misfit {
        /// The method.
        method: Method,
        /// What does not fit.
        why: UnfitModel,
    },
    /// A command could not be started or watched.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A search for a tuning could not be prepared.
    #[error("cannot run a search: {0}")]
    Search(String),
    /// A file of tuned settings that cannot be read.
    #[error(transparent)]
    Tuned(#[from] TunedError),
    /// Pools and folders of instances.
    #[error(transparent)]
    Pools(#[from] PoolError),
    /// Trained models and their scores.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A model file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A solution file could not be read.
    #[error(transparent)]
    Solution(ReadError),
    /// The solver could not be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What makes no sense about a tuning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningProblem {
    /// No time, or no instances.
    #[error("time limit and count: expected more than 0")]
    NotPositive,
    /// A budget for the paper's grid, which has none.
    #[error("a budget is for a race; the paper's grid takes what it takes")]
    BudgetForGrid,
    /// A method that the paper's grid is not about.
    #[error("method `{0}`: is not in the paper, so its grid says nothing of it")]
    NotInPaper(Method),
    /// A method for which the paper names no best settings.
    #[error("method `{0}`: the paper does not say which settings are best for it")]
    NotStated(Method),
    /// A method without settings, or whose settings fit one instance only.
    #[error("method `{0}`: has no settings to choose for other instances")]
    NothingToChoose(Method),
    /// A tuning that was switched off.
    #[error("tuning is off")]
    Off,
    /// A plan without candidates.
    #[error("there is nothing to choose from")]
    NoCandidates,
}

impl From<Interrupted> for EvaluateError {
    fn from(_: Interrupted) -> Self {
        EvaluateError::Interrupted
    }
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

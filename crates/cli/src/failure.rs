//! How a command ends: with text and a code, or with an error, its code, and a hint where the next step is plain.

use idpas::{LearnFamilyError, SeriesError, SolveError};
use idpas_base::container::ContainerError;
use idpas_base::process::CommandError;
use idpas_evaluate::{EvaluateError, TuningProblem};
use idpas_families::FamilyError;
use idpas_learn::LearnError;
use idpas_mip::check::CheckError;
use idpas_mip::{Problem, ReadError, WriteError};
use idpas_pools::PoolError;
use idpas_search::SearchError;
use idpas_solver::SolverError;

use crate::output::tell;

pub(crate) use idpas_base::exit::{INTERNAL, INTERRUPTED, NOTHING, USAGE};

/// A command that ended: what goes to stdout, its exit code, and what went wrong, if something did.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) text: String,
    /// Whether the text is for programs, so that it reaches files and pipes as it is.
    pub(crate) is_data: bool,
    pub(crate) code: u8,
    pub(crate) failure: Option<Failure>,
}

impl Done {
    /// A text for people.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Done {
            text: text.into(),
            ..Done::default()
        }
    }

    /// A text for programs.
    pub(crate) fn data(text: impl Into<String>) -> Self {
        Done {
            is_data: true,
            ..Done::text(text)
        }
    }

    /// Tells the user that the work goes on when the command is run again, and ends with the code of an interrupt.
    pub(crate) fn interrupted() -> Self {
        tell("interrupted: run the same command again to go on");
        Done::default().with_code(INTERRUPTED)
    }

    /// Tells the user that the time is used and work is left, which is as it was asked for.
    pub(crate) fn time_over() -> Self {
        tell("the time is over: run the same command again to go on");
        Done::default()
    }

    /// Nothing to print but the error.
    pub(crate) fn failed(failure: Failure) -> Self {
        Done::default().with_failure(Some(failure))
    }

    pub(crate) fn with_code(self, code: u8) -> Self {
        Done { code, ..self }
    }

    pub(crate) fn with_failure(self, failure: Option<Failure>) -> Self {
        Done { failure, ..self }
    }
}

/// A command that could not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Solution(ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Family(#[from] FamilyError),
    #[error(transparent)]
    Pools(#[from] PoolError),
    #[error(transparent)]
    Evaluate(EvaluateError),
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Solve(SolveError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("--option {name}: {message}")]
    Option {
        name: String,
        message: String,
        solver: String,
    },
    /// Several processes were started to train together, and this program cannot.
    #[cfg(not(feature = "mpi"))]
    #[error("{0}")]
    WithoutMpi(String),
    /// The work was done, and there is nothing to show for it.
    #[error("{0}")]
    Nothing(String),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Internal(String),
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Solver(error) => Failure::Solver(error),
            SolveError::Solution(error) => Failure::Solution(error),
            SolveError::Prediction(error) => Failure::Learn(error),
            SolveError::Plan(error) => Failure::Usage(error.to_string()),
            SolveError::History(error) => Failure::Usage(format!("--history {error}")),
            SolveError::Search(SearchError::Setting { .. }) => Failure::Usage(error.to_string()),
            other => Failure::Solve(other),
        }
    }
}

/// Errors of the crates below count as what they are; messages of options get the names of flags.
impl From<EvaluateError> for Failure {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Pools(error) => Failure::Pools(error),
            EvaluateError::Learn(error) => Failure::Learn(error),
            EvaluateError::Read(error) => Failure::Read(error),
            EvaluateError::Solution(error) => Failure::Solution(error),
            EvaluateError::Write(error) => Failure::Write(error),
            EvaluateError::Solver(error) => Failure::Solver(error),
            EvaluateError::Command(error) => Failure::Command(error),
            EvaluateError::NoInstances { .. } => {
                Failure::Usage(format!("{error}; add --instances DIR"))
            }
            EvaluateError::Cluster { .. } => Failure::Internal(error.to_string()),
            EvaluateError::NoBenchmark { .. } => Failure::Usage(format!("--only: {error}")),
            EvaluateError::InstancesUnused { path } => {
                let why = format!("--instances: every benchmark of {path} names its own");
                Failure::Usage(why)
            }
            EvaluateError::Tuning(TuningProblem::NotPositive) => {
                Failure::Usage("--time-limit and --count: expected more than 0".into())
            }
            EvaluateError::Tuning(TuningProblem::BudgetForGrid) => {
                let why = "--budget is for a race; the paper's grid takes what it takes";
                Failure::Usage(why.into())
            }
            other => Failure::Evaluate(other),
        }
    }
}

impl From<LearnFamilyError> for Failure {
    fn from(error: LearnFamilyError) -> Self {
        match error {
            LearnFamilyError::Collect(error) => Failure::Pools(error),
            LearnFamilyError::Train(error) => Failure::Learn(error),
            LearnFamilyError::Evaluate(error) => Failure::from(error),
            LearnFamilyError::NothingCollected(_) => Failure::Nothing(error.to_string()),
            other => Failure::Usage(other.to_string()),
        }
    }
}

impl From<SeriesError> for Failure {
    fn from(error: SeriesError) -> Self {
        match error {
            SeriesError::Read(error) => Failure::Read(error),
            SeriesError::Write(error) => Failure::Write(error),
            SeriesError::Record(error) => Failure::from(error),
            SeriesError::Pools(error) => Failure::Pools(error),
            SeriesError::Learn(error) => Failure::Learn(error),
            SeriesError::Solver(error) => Failure::Solver(error),
            SeriesError::Solve(error) => Failure::from(error),
            SeriesError::TimeLimit(_) => Failure::Usage(format!("--time-limit: {error}")),
            SeriesError::Way(error) => Failure::Usage(format!("--way: {error}")),
            SeriesError::NoSeries(_) | SeriesError::Busy(_) => {
                Failure::Usage(format!("--out: {error}"))
            }
            other => Failure::Usage(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Internal(error.to_string())
    }
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Read(_)
            | Failure::Solution(_)
            | Failure::Write(_)
            | Failure::Check(_)
            | Failure::Family(_)
            | Failure::Option { .. }
            | Failure::Usage(_) => USAGE,
            #[cfg(not(feature = "mpi"))]
            Failure::WithoutMpi(_) => USAGE,
            Failure::Nothing(_) => NOTHING,
            Failure::Evaluate(EvaluateError::Interrupted) => INTERRUPTED,
            Failure::Evaluate(
                EvaluateError::Search(_) | EvaluateError::Tuning(TuningProblem::NoCandidates),
            ) => INTERNAL,
            Failure::Evaluate(_) => USAGE,
            Failure::Pools(PoolError::Solver(_) | PoolError::Search(_)) => INTERNAL,
            Failure::Pools(_) => USAGE,
            Failure::Learn(
                LearnError::Solver(_)
                | LearnError::Network(_)
                | LearnError::Threads(_)
                | LearnError::LostRank { .. },
            ) => INTERNAL,
            Failure::Learn(LearnError::Interrupted) => INTERRUPTED,
            Failure::Learn(_) => USAGE,
            Failure::Solver(
                SolverError::Parameter { .. }
                | SolverError::UnknownSolver { .. }
                | SolverError::NotInstalled { .. }
                | SolverError::Library { .. },
            ) => USAGE,
            Failure::Solver(_) | Failure::Solve(_) | Failure::Command(_) | Failure::Internal(_) => {
                INTERNAL
            }
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
            Failure::Solution(ReadError {
                problem: Problem::Truncated { .. } | Problem::Gzip(_),
                ..
            }) => "copy or download the file again",
            Failure::Write(WriteError::Name { .. }) => {
                "write another format, or rename it in the model"
            }
            Failure::Option { solver, .. } => match solver.as_str() {
                "highs" => {
                    "HiGHS lists its options at https://ergo-code.github.io/HiGHS/stable/options/definitions"
                }
                "scip" => {
                    "SCIP lists its parameters at https://www.scipopt.org/doc/html/PARAMETERS.php"
                }
                _ => "the solver's manual lists its options",
            },
            Failure::Learn(LearnError::Unfinished { .. }) => {
                "add --resume to go on with it, or --restart to begin anew"
            }
            Failure::Learn(LearnError::LostRank { .. }) => {
                "--resume goes on from the last checkpoint, with any number of ranks"
            }
            #[cfg(not(feature = "mpi"))]
            Failure::WithoutMpi(_) => {
                "start it once, or build with MPI (libopenmpi-dev or libmpich-dev): cargo build --release -p idpas-cli \
                 --features mpi"
            }
            Failure::Learn(LearnError::Container(ContainerError::Damaged {
                what: "model",
                ..
            })) => "models are made by `idpas train`",
            Failure::Pools(PoolError::File(ContainerError::Damaged { what: "pool", .. }))
            | Failure::Learn(LearnError::Pools(PoolError::File(ContainerError::Damaged {
                what: "pool",
                ..
            }))) => "`idpas collect` makes damaged pools again when it is run again",
            Failure::Evaluate(EvaluateError::Study { .. }) => {
                "docs/evaluation.md lists what a study says; studies/ has some"
            }
            Failure::Evaluate(EvaluateError::NoResults { .. }) => {
                "results are made by `idpas evaluate STUDY.toml --out RESULTS`"
            }
            Failure::Solver(SolverError::Parameter { .. }) => "see `idpas solve --help`",
            Failure::Solver(
                SolverError::UnknownSolver { .. }
                | SolverError::NotInstalled { .. }
                | SolverError::Library { .. },
            ) => "`idpas solvers` lists the solvers that are there",
            _ => return None,
        })
    }
}

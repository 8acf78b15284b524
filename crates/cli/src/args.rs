//! The command line's arguments, as clap sees them.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
pub(crate) use idpas_base::overrides::seconds;
use idpas_mip::solution::SolutionFormat;

use crate::commands::assess::AssessArgs;
use crate::commands::child::ChildArgs;
use crate::commands::collect::CollectArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::evaluate::EvaluateArgs;
use crate::commands::generate::FamilyCommand;
use crate::commands::learn::LearnArgs;
use crate::commands::pool::PoolCommand;
use crate::commands::predict::PredictArgs;
use crate::commands::report::ReportArgs;
use crate::commands::series::SeriesArgs;
use crate::commands::solve::SearchArgs;
use crate::commands::status::StatusArgs;
use crate::commands::train::TrainArgs;
use crate::commands::tune::TuneArgs;

/// Learns from the MIPs you have solved and solves the next one better and faster.
#[derive(Debug, Parser)]
#[command(
    name = "idpas",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit codes: 0 done, 1 ran but found no solution or some instances failed, 2 bad usage or input, \
3 solver or internal error, 130 interrupted."
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Say less: no progress, no warnings
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        display_order = 900
    )]
    quiet: bool,

    /// Say more: the solver's own log
    #[arg(short, long, global = true, display_order = 901)]
    verbose: bool,
}

/// How much to tell on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

impl Args {
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Which program's solution file to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolutionStyle {
    /// HiGHS's own, with row activities
    #[default]
    Highs,
    /// SCIP's
    Scip,
    /// MIPLIB's, which HiGHS and SCIP read too
    Miplib,
    /// Gurobi's
    Gurobi,
}

impl From<SolutionStyle> for SolutionFormat {
    fn from(style: SolutionStyle) -> Self {
        match style {
            SolutionStyle::Highs => SolutionFormat::Highs,
            SolutionStyle::Scip => SolutionFormat::Scip,
            SolutionStyle::Miplib => SolutionFormat::Miplib,
            SolutionStyle::Gurobi => SolutionFormat::Gurobi,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a model's size and kind
    Inspect(InspectArgs),
    /// Solve a model; the solution is checked in the original model before it is written
    Solve(SolveArgs),
    /// Check a solution exactly: worst row, bound and integrality violation
    Check(CheckArgs),
    /// Solve the linear relaxation: values, duals, reduced costs, basis
    Relax(RelaxArgs),
    /// List the solvers that are there, what they can do, and how to get the others
    Solvers(SolversArgs),
    /// Write a model in another format
    Convert(ConvertArgs),
    /// Say what differs between two models, by name; exits with 1 if anything does
    Diff(DiffArgs),
    /// Generate instances of a benchmark family, or vary a model of your own
    Generate {
        /// Which family
        #[command(subcommand)]
        family: FamilyCommand,
    },
    /// Solve instances as they come, learning from each; run again to go on
    Series(SeriesArgs),
    /// Learn from a folder of instances: collect, train, tune and judge in one go
    Learn(LearnArgs),
    /// Collect a pool of good solutions for every instance of a folder; run again to resume
    Collect(CollectArgs),
    /// One turn of a collection, in a process of its own
    #[command(hide = true)]
    CollectWorker,
    /// Show how far a collection or a study is, and its jobs on a cluster
    Status(StatusArgs),
    /// Show a pool of solutions, export it, or import solutions into it
    Pool {
        /// What to do
        #[command(subcommand)]
        command: PoolCommand,
    },
    /// Train a predictor of which variables are zero, on collected pools
    Train(TrainArgs),
    /// Score the discrete variables of an instance: how likely each is not zero
    Predict(PredictArgs),
    /// Judge trained models on pools they did not learn from
    Assess(AssessArgs),
    /// Choose the settings of a search on validation instances; run again to resume
    Tune(TuneArgs),
    /// Compare methods on instances, with equal time, threads and seeds; run again to resume
    Evaluate(EvaluateArgs),
    /// Write one page with the tables and figures of an evaluation or a series
    Report(ReportArgs),
    /// The whole loop on a small family, in minutes, ending with the report
    Demo(DemoArgs),
    /// Another command, in a process of its own
    #[command(hide = true)]
    Child(ChildArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages
    Man {
        /// Folder to write them to
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Model file: MPS or LP, plain or gzipped
    pub(crate) file: PathBuf,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    /// Model file: MPS or LP, plain or gzipped
    pub(crate) file: PathBuf,
    /// Seconds, from opening the file on
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<f64>,
    /// Write the best solution here; kept up to date while solving
    #[arg(long, value_name = "OUT.sol")]
    pub(crate) solution: Option<PathBuf>,
    /// Whose solution file to write
    #[arg(long, value_enum, default_value_t)]
    pub(crate) solution_format: SolutionStyle,
    /// Start from this solution file; columns it does not list are searched
    #[arg(long, value_name = "IN.sol")]
    pub(crate) start: Option<PathBuf>,
    /// Stop at this relative gap between solution and bound
    #[arg(long, value_name = "GAP", default_value_t = 1e-4, value_parser = non_negative)]
    pub(crate) gap: f64,
    /// Threads of the solver
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Seed of the solver's random choices
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=2147483647))]
    pub(crate) seed: u32,
    /// Stop after this many nodes of the search tree
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Solver to use; `idpas solvers` lists them
    #[arg(long, default_value = "highs")]
    pub(crate) solver: String,
    /// An option of the solver by its own name; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) options: Vec<(String, String)>,
    /// Write time, objective and bound of each incumbent to this CSV file
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) trajectory: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
    /// Searching with a model
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Model file: MPS or LP, plain or gzipped
    pub(crate) file: PathBuf,
    /// Solution file of HiGHS, SCIP, MIPLIB, Gurobi or CPLEX
    pub(crate) solution: PathBuf,
    /// Allowed violation of rows and bounds, relative to the side where it is above 1
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, value_parser = non_negative)]
    pub(crate) tolerance: f64,
    /// Allowed distance of integer columns from an integer
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, value_parser = non_negative)]
    pub(crate) integrality: f64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SolversArgs {
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RelaxArgs {
    /// Model file: MPS or LP, plain or gzipped
    pub(crate) file: PathBuf,
    /// Seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<f64>,
    /// Solver to use; `idpas solvers` lists them
    #[arg(long, default_value = "highs")]
    pub(crate) solver: String,
    /// Write name, value, reduced cost and basis status of each column to this CSV file
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) columns: Option<PathBuf>,
    /// Write name, activity, dual and basis status of each row to this CSV file
    #[arg(long, value_name = "OUT.csv")]
    pub(crate) rows: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    /// Model file: MPS or LP, plain or gzipped
    pub(crate) file: PathBuf,
    /// File to write: .mps or .lp, with .gz to compress
    pub(crate) out: PathBuf,
}

fn non_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number, 0 or more".into()),
    }
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("expected NAME=VALUE".into()),
    }
}

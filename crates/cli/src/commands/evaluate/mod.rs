//! `idpas evaluate`: methods on instances, with equal time, threads and seeds; everything that is missing is made.

mod cluster;
mod display;
mod plan;

use std::ffi::OsString;
use std::path::PathBuf;

use idpas_base::deadline::Deadline;
use idpas_base::words::parse_duration;
use idpas_evaluate::run::{StudyOutcome, StudyRuns, Until};
use idpas_evaluate::{EvaluateError, StudyRequest, report, run_study};
use idpas_pools::collect::Shard;

use crate::args::{OutputFormat, Verbosity};
use crate::cluster::SlurmArgs;
use crate::failure::{Done, Failure, NOTHING};
use crate::output::json;
use crate::processes;
use display::StudyDisplay;

#[derive(Debug, clap::Args)]
pub(crate) struct EvaluateArgs {
    /// What to compare, on what, for how long (TOML; see docs/evaluation.md)
    study: PathBuf,
    /// Folder for everything that is made; run the same command again to make only what is missing
    #[arg(long, value_name = "RESULTS")]
    out: PathBuf,
    /// Folder of instances for a benchmark that names neither a family nor instances
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Run this benchmark of the study, by its name; several if given several times, all by default
    #[arg(long, value_name = "BENCHMARK")]
    only: Vec<String>,
    /// Stop after this
    #[arg(long, value_enum, default_value_t)]
    until: Until,
    /// Do the i-th of n parts of the runs, and help with the rest: all shards that run share pools and tuning, and finish
    /// the part of one that died; by default as a Slurm array or Kubernetes indexed job says
    #[arg(long, value_name = "i/n")]
    shard: Option<String>,
    /// Runs at a time; as many as have a core (per thread) of their own by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// End after this time, such as `30m`: nothing is begun that would not be done by then, but for trainings, which go on
    /// from where they were
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    end_in: Option<f64>,
    /// For one of many processes that come and go, such as a task of a cluster: end when others train all models that are
    /// left, and print no table
    #[arg(long)]
    passing: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    cluster: SlurmArgs,
    /// Print a manifest of Kubernetes whose indexed jobs run the study with this image; see docs/cluster.md
    #[arg(
        long,
        value_name = "IMAGE",
        requires = "volume",
        conflicts_with = "slurm",
        help_heading = "Cluster",
        display_order = 330
    )]
    kubernetes: Option<String>,
    /// With --kubernetes: the claim of the volume that all pods share, and where it is mounted; the results are on it
    #[arg(
        long,
        value_name = "CLAIM:PATH",
        requires = "kubernetes",
        help_heading = "Cluster",
        display_order = 331
    )]
    volume: Option<String>,
}

impl EvaluateArgs {
    /// A study into a folder, everything else as by default.
    pub(super) fn new(study: PathBuf, out: PathBuf) -> Self {
        EvaluateArgs {
            study,
            out,
            instances: None,
            only: Vec::new(),
            until: Until::Runs,
            shard: None,
            jobs: None,
            end_in: None,
            passing: false,
            format: OutputFormat::Text,
            cluster: SlurmArgs::default(),
            kubernetes: None,
            volume: None,
        }
    }
}

pub(crate) fn run(args: &EvaluateArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let commands = processes::commands()?;
    let options = command_options(verbosity);
    let mut request = StudyRequest::read(&args.study, &args.out, &commands)?;
    request.instances = args.instances.as_deref();
    request.only = &args.only;
    request.until = args.until;
    request.shard = match &args.shard {
        Some(text) => text.parse()?,
        None => Shard::from_environment(|name| std::env::var(name).ok()).unwrap_or_default(),
    };
    request.jobs = args.jobs.map(usize::from);
    request.command_options = &options;
    request.deadline = args.end_in.map_or(Deadline::default(), Deadline::after);
    request.passing = args.passing;
    if args.cluster.slurm || args.kubernetes.is_some() {
        return cluster::run(args, &request);
    }
    args.cluster.refuse_settings()?;
    let display = StudyDisplay::new(verbosity);
    match run_study(&request, &|event| display.show(event)) {
        Err(EvaluateError::Interrupted) => Ok(Done::interrupted()),
        Err(error) => Err(error.into()),
        Ok(StudyOutcome::Ran(runs)) => print(*runs, args.format),
        Ok(StudyOutcome::TimeOver) => Ok(Done::time_over()),
        Ok(StudyOutcome::Part { incomplete }) => {
            let code = if incomplete { NOTHING } else { 0 };
            Ok(Done::text(format!("{}\n", args.out.display())).with_code(code))
        }
        Ok(_) => Ok(Done::text(format!("{}\n", args.out.display()))),
    }
}

/// How much the commands of an evaluation are to tell.
fn command_options(verbosity: Verbosity) -> Vec<OsString> {
    match verbosity {
        Verbosity::Quiet => vec!["--quiet".into()],
        Verbosity::Verbose => vec!["--verbose".into()],
        Verbosity::Normal => Vec::new(),
    }
}

/// The table of what was run, and how it went.
fn print(runs: StudyRuns, format: OutputFormat) -> Result<Done, Failure> {
    let done = match format {
        OutputFormat::Json => json(&runs.analysis)?,
        OutputFormat::Text => Done::text(report::text(&runs.analysis)),
    };
    let code = if runs.incomplete { NOTHING } else { 0 };
    let failure = runs.failed.map(Failure::from);
    Ok(done.with_code(code).with_failure(failure))
}

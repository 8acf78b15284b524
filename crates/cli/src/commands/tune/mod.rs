//! `idpas tune`: the settings of a search, chosen on validation instances.

mod display;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use idpas_evaluate::{EvaluateError, TuneRequest, tune};
use idpas_search::Method;
use idpas_search::tuned::{Grid, sidecar};

use crate::args::{OutputFormat, Verbosity, seconds};
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::processes;
use crate::target::refuse_unwritable;
use display::TuneDisplay;
use report::{TuneJson, text};

#[derive(Debug, clap::Args)]
pub(crate) struct TuneArgs {
    /// Trained model
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// Folder of instances, or folder of pools, whose validation set is used then
    #[arg(long, value_name = "DIR|POOLS")]
    instances: PathBuf,
    /// Seconds for each instance, as the search will have them
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: f64,
    /// Method to choose settings for: `idpas`, or with the paper's grid what the model is for
    #[arg(long, value_name = "M")]
    method: Option<Method>,
    /// How to choose
    #[arg(long, value_enum, default_value_t)]
    grid: Grid,
    /// Seconds of solving that a race may take, about; by default a twelfth of the paper's grid
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget: Option<f64>,
    /// Instances to use, at most
    #[arg(long, value_name = "N", default_value_t = 30)]
    count: usize,
    /// Searches at a time; one per processor (and thread of the solver) by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads of each search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of the solver's random choices
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=2147483647))]
    seed: u32,
    /// File for the choice and its evidence; by default beside the model, where `idpas solve` finds it. Commands that run
    /// at the same time with the same file share the work
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(crate) fn run(args: &TuneArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let out = args.out.clone().unwrap_or_else(|| sidecar(&args.model));
    refuse_unwritable([&out], &args.model)?;
    let commands = processes::commands()?;
    let request = TuneRequest {
        method: args.method,
        grid: args.grid,
        budget: args.budget,
        count: args.count,
        jobs: args.jobs.map(usize::from),
        threads: args.threads,
        seed: args.seed,
        out: Some(&out),
        ..TuneRequest::new(&args.model, &args.instances, args.time_limit, &commands)
    };
    let display = TuneDisplay::new(verbosity);
    let tuning = tune(&request, &|event| display.show(event));
    display.finish();
    let tuning = match tuning {
        Err(EvaluateError::Interrupted) => return Ok(Done::interrupted()),
        tuning => tuning?,
    };
    let shown = TuneJson::of(&tuning);
    match args.format {
        OutputFormat::Json => json(&shown),
        OutputFormat::Text => Ok(text(&shown, clock.elapsed().as_secs_f64())),
    }
}

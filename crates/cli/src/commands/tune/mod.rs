//! `idpas tune`: the settings of a search, chosen on validation instances.

pub(super) mod display;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use idpas_base::deadline::Deadline;
use idpas_base::words::parse_duration;
use idpas_evaluate::EvaluateError;
use idpas_evaluate::tune::{TuneOverrides, TuneRequest, tune};
use idpas_search::tuned::sidecar;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::processes;
use crate::target::refuse_unwritable;
use display::TuneDisplay;
use report::{TuneJson, text};

#[derive(Debug, clap::Args)]
pub(crate) struct TuneArgs {
    /// Trained model
    #[arg(long, value_name = "MODEL", display_order = 1)]
    model: PathBuf,
    /// Folder of instances, or folder of pools, whose validation set is used then
    #[arg(long, value_name = "DIR|POOLS", display_order = 2)]
    instances: PathBuf,
    #[command(flatten)]
    settings: TuneOverrides,
    /// File for the choice and its evidence; by default beside the model, where `idpas solve` finds it. Commands that run
    /// at the same time with the same file share the work
    #[arg(long, value_name = "FILE", display_order = 200)]
    out: Option<PathBuf>,
    /// End after this time, such as `30m`: no search is begun that would not be done by then
    #[arg(long, value_name = "TIME", value_parser = parse_duration, display_order = 205)]
    end_in: Option<f64>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, display_order = 210)]
    format: OutputFormat,
}

pub(crate) fn run(args: &TuneArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let out = args.out.clone().unwrap_or_else(|| sidecar(&args.model));
    refuse_unwritable([&out], &args.model)?;
    let commands = processes::commands()?;
    let request = TuneRequest {
        model: &args.model,
        instances: &args.instances,
        settings: args.settings.clone(),
        out: Some(&out),
        commands: &commands,
        deadline: args.end_in.map_or(Deadline::default(), Deadline::after),
    };
    let display = TuneDisplay::new(verbosity);
    let tuning = tune(&request, &|event| display.show(event));
    display.finish();
    let tuning = match tuning {
        Err(EvaluateError::Interrupted) => return Ok(Done::interrupted()),
        Err(EvaluateError::TimeOver) => return Ok(Done::time_over()),
        tuning => tuning?,
    };
    let shown = TuneJson::of(&tuning);
    match args.format {
        OutputFormat::Json => json(&shown),
        OutputFormat::Text => Ok(text(&shown, clock.elapsed().as_secs_f64())),
    }
}

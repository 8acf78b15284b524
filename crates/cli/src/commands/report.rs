//! `idpas report`: one page with the tables and figures of an evaluation.

use std::path::PathBuf;

use clap::ValueEnum;
use idpas_evaluate::analysis::{Clock, analyse};
use idpas_evaluate::report::{html, text};
use idpas_evaluate::results::Results;
use idpas_mip::files::save_bytes;

use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::target::refuse_unwritable;

/// When time begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ClockName {
    /// When the instance file is opened
    #[default]
    EndToEnd,
    /// When the solver is first asked, as in the paper
    Solver,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Folder of results, as `idpas evaluate` made it
    results: PathBuf,
    /// File to write the page to
    #[arg(long, value_name = "report.html")]
    out: Option<PathBuf>,
    /// When time begins in figures, tests and integrals; the tables have the integral of the other clock beside it
    #[arg(long, value_enum, default_value_t)]
    clock: ClockName,
    /// How to print the tables
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl ReportArgs {
    /// Of a folder, to a page.
    pub(super) fn new(results: PathBuf, out: PathBuf) -> Self {
        ReportArgs {
            results,
            out: Some(out),
            clock: ClockName::EndToEnd,
            format: OutputFormat::Text,
        }
    }
}

pub(crate) fn run(args: &ReportArgs) -> Result<Done, Failure> {
    if let Some(out) = &args.out {
        refuse_unwritable([out], &args.results)?;
    }
    let clock = match args.clock {
        ClockName::EndToEnd => Clock::EndToEnd,
        ClockName::Solver => Clock::Solver,
    };
    let analysis = analyse(&Results::new(&args.results), clock)?;
    if let Some(out) = &args.out {
        save_bytes(out, html(&analysis).as_bytes())?;
    }
    match args.format {
        OutputFormat::Json => json(&analysis),
        OutputFormat::Text => {
            let mut said = text(&analysis);
            if let Some(out) = &args.out {
                said.push_str(&format!("\n{}\n", out.display()));
            }
            Ok(Done::text(said))
        }
    }
}

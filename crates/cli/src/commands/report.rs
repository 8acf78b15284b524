//! `idpas report`: one page with the tables and figures of an evaluation.

use std::path::PathBuf;

use idpas_evaluate::analysis::Clock;
use idpas_evaluate::report;

use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::target::refuse_unwritable;

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Folder of results, as `idpas evaluate` made it
    results: PathBuf,
    /// File to write the page to
    #[arg(long, value_name = "report.html")]
    out: Option<PathBuf>,
    /// When time begins in figures, tests and integrals; the tables have the integral of the other clock beside it
    #[arg(long, value_enum, default_value_t)]
    clock: Clock,
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
            clock: Clock::EndToEnd,
            format: OutputFormat::Text,
        }
    }
}

pub(crate) fn run(args: &ReportArgs) -> Result<Done, Failure> {
    if let Some(out) = &args.out {
        refuse_unwritable([out], &args.results)?;
    }
    let analysis = report::write(&args.results, args.out.as_deref(), args.clock)?;
    match args.format {
        OutputFormat::Json => json(&analysis),
        OutputFormat::Text => {
            let mut text = report::text(&analysis);
            if let Some(out) = &args.out {
                text.push_str(&format!("\n{}\n", out.display()));
            }
            Ok(Done::text(text))
        }
    }
}

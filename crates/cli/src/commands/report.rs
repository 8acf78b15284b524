//! `idpas report`: one page with the tables and figures of an evaluation or of a series.

use std::path::PathBuf;

use idpas_evaluate::analysis::Clock;
use idpas_evaluate::{report, series};
use serde::Serialize;

use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::target::refuse_unwritable;

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Folder of results, as `idpas evaluate` made it, or of a series, as `idpas series` made it
    results: PathBuf,
    /// File to write the page to
    #[arg(long, value_name = "report.html")]
    out: Option<PathBuf>,
    /// When time begins in figures, tests and integrals; the tables have the integral of the other clock beside it.
    /// The time of a series always begins when the instance is opened
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

    /// The numbers in the format that was asked for; as text, the file that was written is named below them.
    fn print<T: Serialize>(&self, numbers: &T, text: fn(&T) -> String) -> Result<Done, Failure> {
        match self.format {
            OutputFormat::Json => json(numbers),
            OutputFormat::Text => {
                let mut text = text(numbers);
                if let Some(out) = &self.out {
                    text.push_str(&format!("\n{}\n", out.display()));
                }
                Ok(Done::text(text))
            }
        }
    }
}

pub(crate) fn run(args: &ReportArgs) -> Result<Done, Failure> {
    if let Some(out) = &args.out {
        refuse_unwritable([out], &args.results)?;
    }
    let out = args.out.as_deref();
    if series::is_series(&args.results) {
        if args.clock != Clock::EndToEnd {
            return Err(Failure::Usage(format!(
                "--clock: {} holds a series, whose time begins when an instance is opened; leave --clock out",
                args.results.display()
            )));
        }
        let summary = series::write(&args.results, out)?;
        return args.print(&summary, series::text);
    }
    let analysis = report::write(&args.results, out, args.clock)?;
    args.print(&analysis, report::text)
}

//! `idpas demo`: the whole loop on a small family, in minutes, ending with the report.

use std::path::PathBuf;

use idpas_evaluate::study::DEMO;
use idpas_mip::files::save_bytes;

use super::evaluate::{self, EvaluateArgs};
use super::report::{self, ReportArgs};
use crate::args::Verbosity;
use crate::failure::{Done, Failure};
use crate::output::tell;

#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Folder for everything that is made; run the same command again to go on where it stopped
    #[arg(long, value_name = "DIR", default_value = "idpas-demo")]
    out: PathBuf,
}

pub(crate) fn run(args: &DemoArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    std::fs::create_dir_all(&args.out)
        .map_err(|e| Failure::Usage(format!("{}: {e}", args.out.display())))?;
    let study = args.out.join("demo.toml");
    save_bytes(&study, DEMO.as_bytes())?;
    let results = args.out.join("results");
    if verbosity > Verbosity::Quiet {
        tell(&format!("what is compared: {}", study.display()));
    }
    let evaluated = evaluate::run(&EvaluateArgs::new(study, results.clone()), verbosity)?;
    if evaluated.code > crate::failure::NOTHING {
        return Ok(evaluated);
    }
    let page = args.out.join("report.html");
    Ok(report::run(&ReportArgs::new(results, page))?.with_code(evaluated.code))
}

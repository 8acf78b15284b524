//! `idpas demo`: the whole loop on a small family, in minutes, ending with the report.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, Size, generate};
use idpas_mip::files::save_bytes;

use super::evaluate::{self, EvaluateArgs};
use super::learn::{self, LearnArgs};
use super::report::{self, ReportArgs};
use crate::args::Verbosity;
use crate::failure::{Done, Failure, INTERRUPTED, NOTHING};
use crate::output::tell_lines;

/// What is compared in the end.
const STUDY: &str = include_str!("study.toml");
/// Instances to learn from, and those that come after them, on which methods are compared.
const LEARN: u64 = 24;
const TEST: u64 = 8;
/// Seconds for learning.
const BUDGET: f64 = 240.0;
/// Seconds of a solve.
const SOLVE: f64 = 10.0;

#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Folder for everything that is made; run the same command again to go on where it stopped
    #[arg(long, value_name = "DIR", default_value = "idpas-demo")]
    out: PathBuf,
}

pub(crate) fn run(args: &DemoArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let out = &args.out;
    let say = |text: String| {
        if verbosity > Verbosity::Quiet {
            tell_lines(&text);
        }
    };
    std::fs::create_dir_all(out).map_err(|e| Failure::Usage(format!("{}: {e}", out.display())))?;
    let instances = out.join("instances");
    let learn_from = instances.join("learn");
    made(&learn_from, 1, LEARN)?;
    made(&instances.join("test"), LEARN + 1, TEST)?;
    say(format!(
        "{LEARN} instances of a small network to learn from, {TEST} to compare on: {}",
        instances.display()
    ));
    let guide = out.join("guide.safetensors");
    say(format!(
        "\n$ idpas learn {} --out {} --budget {}m --time-limit {SOLVE}",
        learn_from.display(),
        guide.display(),
        BUDGET / 60.0
    ));
    let learned = learn::run(&LearnArgs::new(learn_from, guide, BUDGET, SOLVE), verbosity)?;
    if learned.code == INTERRUPTED {
        return Ok(learned);
    }
    say(learned.text);
    let study = out.join("demo.toml");
    save_bytes(&study, STUDY.as_bytes())?;
    let results = out.join("results");
    say(format!(
        "$ idpas evaluate {} --out {}",
        study.display(),
        results.display()
    ));
    let evaluated = evaluate::run(&EvaluateArgs::new(study, results.clone()), verbosity)?;
    if evaluated.code > NOTHING {
        return Ok(evaluated);
    }
    let page = out.join("report.html");
    Ok(report::run(&ReportArgs::new(results, page))?.with_code(evaluated.code))
}

/// Makes the folder of instances that begins with number `first`, unless it is there.
fn made(folder: &Path, first: u64, count: u64) -> Result<(), Failure> {
    if folder.exists() {
        return Ok(());
    }
    let part = folder.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    let family = Mmcnp::new(Size::Small, 1)?;
    let options = GenerateOptions {
        first,
        ..GenerateOptions::new(&part, count)
    };
    generate(&family, &options, &|_| ControlFlow::Continue(()))?;
    std::fs::rename(&part, folder).map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))
}

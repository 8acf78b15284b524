//! `idpas assess`: the quality of models' scores on pools from which they did not learn.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use idpas_learn::metrics::{KindSummary, Statistic, Summary};
use idpas_learn::{Assessment, Examples, TrainedModel, assess, on_threads};
use idpas_pools::split::Part;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity};
use crate::commands::predict::IdentityName;
use crate::failure::{Done, Failure};
use crate::output::json;
use crate::signals::flag_on_signals;
use crate::terminal;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PartName {
    /// What the models learned from
    Train,
    /// What their weights and calibration were chosen by
    Validation,
    /// What they have not seen
    #[default]
    Test,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AssessArgs {
    /// Folder of pools, as `idpas collect` made it
    pools: PathBuf,
    /// Trained model; may be repeated
    #[arg(long, value_name = "MODEL", required = true)]
    model: Vec<PathBuf>,
    /// On which set
    #[arg(long, value_enum, default_value_t)]
    part: PartName,
    /// Whether to go by which variable is which
    #[arg(long, value_enum, default_value_t)]
    identity: IdentityName,
    /// Folder of the instances, if they are no longer where they were collected; by default they are looked for beside the
    /// pools, too
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Threads; one per processor by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct AssessJson {
    model: String,
    predictor: &'static str,
    instances: Vec<String>,
    summary: Summary,
}

pub(crate) fn run(args: &AssessArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let examples = Examples::open_with(&args.pools, args.instances.clone())?;
    let part = match args.part {
        PartName::Train => Part::Train,
        PartName::Validation => Part::Validation,
        PartName::Test => Part::Test,
    };
    if examples.names(part).is_empty() {
        let pools = args.pools.display();
        return Err(Failure::Usage(format!(
            "{pools}: no instance of this set has a pool"
        )));
    }
    let flag = flag_on_signals()?;
    let bar = match verbosity {
        Verbosity::Quiet => ProgressBar::hidden(),
        _ => ProgressBar::with_draw_target(Some(0), terminal::live()),
    };
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    let mut all = Vec::new();
    for path in &args.model {
        let model = TrainedModel::read(path)?;
        bar.set_message(path.display().to_string());
        let judged = on_threads(args.threads, || {
            assess(&model, &examples, part, args.identity.into(), |done, of| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
                !flag.load(std::sync::atomic::Ordering::Relaxed)
            })
        })?;
        all.push((path, model.predictor.kind().as_str(), judged?));
    }
    bar.finish_and_clear();
    if args.format == OutputFormat::Json {
        let shown: Vec<AssessJson> = all
            .into_iter()
            .map(|(path, predictor, judged)| AssessJson {
                model: path.display().to_string(),
                predictor,
                instances: judged.names,
                summary: judged.summary,
            })
            .collect();
        return json(&shown);
    }
    Ok(Done::text(table(&all)))
}

/// The result as a Markdown table, which can be copied into a document.
fn table(all: &[(&PathBuf, &str, Assessment)]) -> String {
    let mut text = String::from(
        "| model | kind | AUC | zeros at 50 % | at 70 % | at 90 % | log loss | calibration error |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (path, _, judged) in all {
        let name = path.file_stem().unwrap_or(path.as_os_str());
        for (kind, of) in [
            ("binaries", &judged.summary.binaries),
            ("integers", &judged.summary.integers),
            ("all", &judged.summary.all),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {kind} {}", name.display(), row(of));
        }
    }
    text
}

fn row(of: &KindSummary) -> String {
    let percent = |value: Option<Statistic>| match value {
        Some(value) => format!("{:.2} %", 100.0 * value.mean),
        None => "-".into(),
    };
    let plain = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.4}"));
    let [half, most, nearly] = of.precision.map(percent);
    format!(
        "| {} | {half} | {most} | {nearly} | {} | {} |",
        plain(of.auc.map(|auc| auc.mean)),
        plain(of.log_loss.map(|loss| loss.mean)),
        plain(of.calibration_error),
    )
}

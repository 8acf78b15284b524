//! `idpas train`: a predictor from a folder of pools.

pub(super) mod display;
mod several;

use std::path::PathBuf;

use idpas_base::launcher::launched;
use idpas_learn::metrics::{KindSummary, Summary};
use idpas_learn::train::ranks::{Alone, Ranks};
use idpas_learn::train::{Begin, Stopped, TrainControl, TrainProgress};
use idpas_learn::{Examples, Learned, LearnedSet, Train, TrainOverrides, TrainedModel};
use idpas_pools::split::Part;
use idpas_search::ScoreOrigin;
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure, INTERRUPTED};
use crate::output::{Lines, json, tell};
use crate::signals::flag_on_signals;
use crate::target::refuse_unwritable;
use display::TrainDisplay;

#[derive(Debug, clap::Args)]
#[command(after_help = several::help())]
pub(crate) struct TrainArgs {
    /// Folder of pools, as `idpas collect` made it
    pools: PathBuf,
    /// File to write the model to; log, plot and checkpoint are kept beside it
    #[arg(long, value_name = "MODEL", display_order = 1)]
    out: PathBuf,
    #[command(flatten)]
    settings: TrainOverrides,
    /// Folder of the instances, if they are no longer where they were collected; by default they are looked for beside the
    /// pools, too
    #[arg(long, value_name = "DIR", display_order = 2)]
    instances: Option<PathBuf>,
    /// Threads; one per processor by default. On several ranks, threads of each
    #[arg(long, value_name = "N", display_order = 200)]
    threads: Option<usize>,
    /// Go on with a training that was interrupted
    #[arg(long, conflicts_with = "restart", display_order = 210)]
    resume: bool,
    /// Throw an interrupted training away and begin anew
    #[arg(long, display_order = 220)]
    restart: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, display_order = 230)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct TrainJson<'a> {
    model: String,
    predictor: &'static str,
    training_instances: usize,
    validation_instances: usize,
    epochs: Option<usize>,
    best_epoch: Option<usize>,
    stopped: Option<&'static str>,
    seconds: f64,
    validation: &'a Option<Summary>,
    validation_without_identity: &'a Option<Summary>,
    sets: Vec<SetJson>,
}

/// A set of scores that the model can give a search.
#[derive(Serialize)]
struct SetJson {
    origin: ScoreOrigin,
    /// What it is worth beside the others, at most 1.
    weight: f64,
    /// Quality on the validation set; `null` if that is empty.
    validation: Option<Summary>,
}

pub(crate) fn run(args: &TrainArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let begin = match (args.resume, args.restart) {
        (true, _) => Begin::Resume,
        (_, true) => Begin::Restart,
        _ => Begin::New,
    };
    let train = Train {
        recipe: args.settings.recipe(),
        out: Some(args.out.clone()),
        begin,
        time_limit: args.settings.time_limit,
        threads: args.threads,
    };
    match launched() {
        Some(launched) => several::run(args, &train, launched, verbosity),
        None => lead(args, &train, &Alone, verbosity),
    }
}

/// Trains, as the only process or as the first of several, and reports the result.
fn lead(
    args: &TrainArgs,
    train: &Train,
    ranks: &dyn Ranks,
    verbosity: Verbosity,
) -> Result<Done, Failure> {
    refuse_unwritable([&args.out], &args.pools)?;
    let examples = Examples::open_with(&args.pools, args.instances.clone())?;
    if examples.missing() > 0 && verbosity > Verbosity::Quiet {
        let missing = examples.missing();
        tell(&format!(
            "note: {missing} instances have no pool and are left out"
        ));
    }
    if examples.names(Part::Validation).is_empty() && verbosity > Verbosity::Quiet {
        tell(
            "warning: no instance of the validation set has a pool: the training loss chooses the weights",
        );
    }
    let flag = flag_on_signals()?;
    let mut display = TrainDisplay::new(verbosity);
    let learned = {
        let mut show = |progress: &TrainProgress<'_>| display.show(progress);
        let mut control = TrainControl {
            interrupt: Some(&flag),
            observer: Some(&mut show),
        };
        train.lead(&examples, ranks, &mut control)
    };
    display.finish();
    let learned = learned?;
    let interrupted = learned.stopped == Some(Stopped::Interrupted);
    if interrupted {
        tell("interrupted: the best weights so far are kept; --resume goes on");
    }
    if learned.without_relaxation > 0 && verbosity > Verbosity::Quiet {
        let count = learned.without_relaxation;
        tell(&format!(
            "warning: {count} pools have no linear relaxation; their features of it are zeros"
        ));
    }
    let code = if interrupted { INTERRUPTED } else { 0 };
    Ok(report(args, &learned)?.with_code(code))
}

fn report(args: &TrainArgs, learned: &Learned) -> Result<Done, Failure> {
    let training = &learned.model.training;
    let stopped = learned.stopped.map(|stopped| match stopped {
        Stopped::Epochs => "all epochs done",
        Stopped::Patience => "no improvement",
        Stopped::TimeLimit => "time limit",
        _ => "interrupted",
    });
    if args.format == OutputFormat::Json {
        return json(&TrainJson {
            model: args.out.display().to_string(),
            predictor: learned.model.predictor.kind().as_str(),
            training_instances: training.training_instances,
            validation_instances: training.validation_instances,
            epochs: training.epochs.map(|[done, _]| done),
            best_epoch: training.epochs.map(|[_, best]| best),
            stopped,
            seconds: learned.seconds,
            validation: &training.validation,
            validation_without_identity: &training.validation_without_identity,
            sets: sets(&learned.model),
        });
    }
    let mut lines = Lines::default();
    lines.add("model", args.out.display());
    lines.add("predictor", learned.model.predictor.kind().as_str());
    lines.add(
        "instances",
        format!(
            "{} training, {} validation",
            training.training_instances, training.validation_instances
        ),
    );
    if let Some([done, best]) = training.epochs {
        let why = stopped.unwrap_or_default();
        lines.add("epochs", format!("{done} ({why}), best {best}"));
    }
    lines.add("time", format!("{:.1} s", learned.seconds));
    if let Some(summary) = &training.validation {
        lines.add("validation", on_one_line(summary));
    }
    if let Some(summary) = &training.validation_without_identity {
        lines.add("  unnamed", on_one_line(summary));
    }
    for set in sets(&learned.model) {
        if let Some(words) = set.words() {
            lines.add("set", words);
        }
    }
    Ok(lines.done())
}

/// The sets of scores that the model can give a search.
fn sets(model: &TrainedModel) -> Vec<SetJson> {
    let json = |set: LearnedSet| SetJson {
        origin: set.origin,
        weight: model.weight(set.origin),
        validation: set.validation,
    };
    model.sets().into_iter().map(json).collect()
}

impl SetJson {
    /// How good it is on validation, on one line; nothing if that was not measured.
    fn words(&self) -> Option<String> {
        let all = &self.validation.as_ref()?.all;
        let (loss, auc) = (all.log_loss?.mean, all.auc);
        let auc = auc.map_or(String::new(), |auc| format!(", AUC {:.3}", auc.mean));
        let (origin, weight) = (self.origin, self.weight);
        Some(format!(
            "{origin}: log loss {loss:.4}{auc}, weight {weight:.2}"
        ))
    }
}

/// The measures that matter for the search, on one line.
fn on_one_line(summary: &Summary) -> String {
    let kind = |name: &str, kind: &KindSummary| {
        let auc = kind.auc.map(|auc| format!("{name} AUC {:.3}", auc.mean))?;
        let precision = kind.precision[2].map_or(String::new(), |precision| {
            format!(", zeros at 90 % {:.1} %", 100.0 * precision.mean)
        });
        Some(auc + &precision)
    };
    let all = [
        kind("binaries", &summary.binaries),
        kind("integers", &summary.integers),
    ];
    let kinds: Vec<String> = all.into_iter().flatten().collect();
    if kinds.is_empty() {
        "nothing to judge".into()
    } else {
        kinds.join("; ")
    }
}

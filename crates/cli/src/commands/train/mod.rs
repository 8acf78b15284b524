//! `idpas train`: a predictor from a folder of pools.

mod display;

use std::path::PathBuf;

use clap::ValueEnum;
use idpas_graph::FeatureSet;
use idpas_learn::metrics::{KindSummary, Summary};
use idpas_learn::train::{Begin, Control, Progress, Schedule, Settings, Stopped, finish};
use idpas_learn::{Examples, Learned, NearestSettings, PredictorKind, PropSettings, Recipe, learn};
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure, INTERRUPTED};
use crate::output::{Lines, json, tell};
use crate::signals::flag_on_signals;
use crate::target::refuse_unwritable;
use display::TrainDisplay;

/// On or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// With it
    #[default]
    On,
    /// Without it
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PredictorName {
    /// A graph attention network over variables and rows
    #[default]
    Gnn,
    /// One small network per variable on the parameters that vary
    Prop,
    /// How often each variable was not zero
    ZeroFrequency,
    /// Solutions of the most similar training instances
    Nearest,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FeatureName {
    /// The paper's 15 of variables, 4 of rows, 1 of edges
    Paper,
    /// The paper's, bounds, sides, senses, degrees, and how often the variable was zero
    #[default]
    Full,
    /// What of these needs no linear relaxation
    Light,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WeightName {
    /// All solutions of a pool alike
    #[default]
    Uniform,
    /// Better solutions count for more
    Energy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ScheduleName {
    /// Up over the first twentieth, then down along a cosine
    #[default]
    Cosine,
    /// Always the same
    Constant,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TrainArgs {
    /// Folder of pools, as `idpas collect` made it
    pools: PathBuf,
    /// File to write the model to; log, plot and checkpoint are kept beside it
    #[arg(long, value_name = "MODEL")]
    out: PathBuf,
    /// What to train
    #[arg(long, value_enum, default_value_t)]
    predictor: PredictorName,
    /// Whether the network sees which variable is which
    #[arg(long, value_enum, default_value_t)]
    identity: Switch,
    /// What the network sees
    #[arg(long, value_enum, default_value_t)]
    features: FeatureName,
    /// How the solutions of a pool are weighted
    #[arg(long, value_enum, default_value_t)]
    weights: WeightName,
    /// Passes over the training set, at most
    #[arg(long, value_name = "N", default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Stop when the validation loss has not improved for this many epochs
    #[arg(long, value_name = "N", default_value_t = Settings::default().patience)]
    patience: usize,
    /// Stop after this many seconds of training
    #[arg(long, value_name = "S")]
    time_limit: Option<f64>,
    /// Graphs in a batch
    #[arg(long, value_name = "N", default_value_t = Settings::default().batch)]
    batch: usize,
    /// Learning rate at its highest
    #[arg(long, value_name = "RATE", default_value_t = Settings::default().rate)]
    rate: f64,
    /// How the learning rate goes
    #[arg(long, value_enum, default_value_t)]
    schedule: ScheduleName,
    /// Share of identities hidden in training, so that the network can do without
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().identity_dropout)]
    identity_dropout: f64,
    /// Decoupled weight decay
    #[arg(long, value_name = "DECAY", default_value_t = Settings::default().weight_decay)]
    weight_decay: f64,
    /// Width of embeddings and of each attention head
    #[arg(long, value_name = "N", default_value_t = Settings::default().embedding)]
    embedding: usize,
    /// Attention heads
    #[arg(long, value_name = "N", default_value_t = Settings::default().heads)]
    heads: usize,
    /// Rounds of attention from variables to rows and back
    #[arg(long, value_name = "N", default_value_t = Settings::default().rounds)]
    rounds: usize,
    /// Add a node's old embedding to the new one, and normalise
    #[arg(long, value_enum, default_value_t)]
    residual_norm: Switch,
    /// Neighbours that `nearest` asks; by default the validation set chooses
    #[arg(long, value_name = "N")]
    neighbours: Option<usize>,
    /// Seed of weights, order and dropout
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; one per processor by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Go on with a training that was interrupted
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Throw an interrupted training away and begin anew
    #[arg(long)]
    restart: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl TrainArgs {
    fn weighting(&self) -> Weighting {
        match self.weights {
            WeightName::Uniform => Weighting::Uniform,
            WeightName::Energy => Weighting::Energy,
        }
    }

    fn recipe(&self) -> Recipe {
        let weighting = self.weighting();
        match self.predictor {
            PredictorName::ZeroFrequency => Recipe::ZeroFrequency(weighting),
            PredictorName::Nearest => {
                let settings = NearestSettings {
                    neighbours: self.neighbours,
                    ..NearestSettings::default()
                };
                Recipe::Nearest(settings, weighting)
            }
            PredictorName::Prop => {
                let settings = PropSettings {
                    seed: self.seed,
                    ..PropSettings::default()
                };
                Recipe::Prop(settings, weighting)
            }
            PredictorName::Gnn => Recipe::Gnn(Settings {
                features: match self.features {
                    FeatureName::Paper => FeatureSet::Paper,
                    FeatureName::Full => FeatureSet::Full,
                    FeatureName::Light => FeatureSet::Light,
                },
                identity: self.identity == Switch::On,
                identity_dropout: self.identity_dropout,
                weighting,
                epochs: self.epochs,
                patience: self.patience,
                batch: self.batch,
                rate: self.rate,
                schedule: match self.schedule {
                    ScheduleName::Cosine => Schedule::Cosine,
                    ScheduleName::Constant => Schedule::Constant,
                },
                weight_decay: self.weight_decay,
                embedding: self.embedding,
                heads: self.heads,
                rounds: self.rounds,
                residual_norm: self.residual_norm == Switch::On,
                seed: self.seed,
                ..Settings::default()
            }),
        }
    }
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
}

pub(crate) fn run(args: &TrainArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    refuse_unwritable([&args.out], &args.pools)?;
    let examples = Examples::open(&args.pools)?;
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
    let begin = match (args.resume, args.restart) {
        (true, _) => Begin::Resume,
        (_, true) => Begin::Restart,
        _ => Begin::New,
    };
    let recipe = args.recipe();
    let flag = flag_on_signals()?;
    let mut display = TrainDisplay::new(verbosity);
    let learned = in_pool(args.threads, || {
        let mut show = |progress: &Progress<'_>| display.show(progress);
        let mut control = Control {
            interrupt: Some(&flag),
            observer: Some(&mut show),
        };
        learn(
            &examples,
            &args.out,
            &recipe,
            begin,
            args.time_limit,
            &mut control,
        )
    });
    display.finish();
    let learned = learned??;
    learned.model.write(&args.out)?;
    let interrupted = learned.stopped == Some(Stopped::Interrupted);
    if interrupted {
        tell("interrupted: the best weights so far are kept; --resume goes on");
    } else if recipe.kind() == PredictorKind::Gnn {
        finish(&args.out)?;
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

/// Runs work on as many threads as asked for.
pub(crate) fn in_pool<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Internal(format!("cannot start threads: {e}")))?;
    Ok(pool.install(work))
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
        lines.add("validation", told(summary));
    }
    if let Some(summary) = &training.validation_without_identity {
        lines.add("  unnamed", told(summary));
    }
    Ok(lines.done())
}

/// The measures that matter for the search, on one line.
fn told(summary: &Summary) -> String {
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
    let told: Vec<String> = all.into_iter().flatten().collect();
    if told.is_empty() {
        "nothing to judge".into()
    } else {
        told.join("; ")
    }
}

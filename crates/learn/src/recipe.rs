//! Training of any kind of predictor, from a folder of pools to a model.

use std::path::Path;
use std::time::Instant;

use idpas_graph::Registry;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use idpas_search::ScoreOrigin;
use serde::Serialize;

use crate::assess::assess;
use crate::calibration::{Calibration, CalibrationFit};
use crate::model::{TrainedModel, Training};
use crate::nearest::NearestSettings;
use crate::predict::{PredictOptions, UseIdentity};
use crate::predictor::{Predictor, PredictorKind};
use crate::prop::PropSettings;
use crate::sets::{SetJudge, SetSource};
use crate::train::ranks::{Alone, Ranks};
use crate::train::{self, Begin, Stage, Stopped, TrainControl};
use crate::truth::Truth;
use crate::watch::Watch;
use crate::{Examples, LearnError, Nearest, Prop, ZeroFrequency};

/// A kind of predictor to train, with its settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Recipe {
    /// The graph attention network.
    Gnn(train::Settings),
    /// One small network per variable.
    Prop(PropSettings, Weighting),
    /// Counts how often variables are not zero.
    ZeroFrequency(Weighting),
    /// Remembers the training instances and asks the most similar ones.
    Nearest(NearestSettings, Weighting),
}

impl Recipe {
    /// The kind of predictor that it makes.
    pub fn kind(&self) -> PredictorKind {
        match self {
            Recipe::Gnn(_) => PredictorKind::Gnn,
            Recipe::Prop(..) => PredictorKind::Prop,
            Recipe::ZeroFrequency(_) => PredictorKind::ZeroFrequency,
            Recipe::Nearest(..) => PredictorKind::Nearest,
        }
    }
}

/// The result of [`learn`].
pub struct Learned {
    /// The model, not yet written.
    pub model: TrainedModel,
    /// Why the training ended; `None` for kinds that are not trained in epochs.
    pub stopped: Option<Stopped>,
    /// Number of instances without a relaxation, although the features need one.
    pub without_relaxation: usize,
    /// Time of the training in seconds.
    pub seconds: f64,
}

/// Trains a predictor on a folder of pools. `path` is the file to which the caller will write the model: the graph
/// network keeps its checkpoint, log and plot beside it.
pub fn learn(
    examples: &Examples,
    path: &Path,
    recipe: &Recipe,
    begin: Begin,
    time_limit: Option<f64>,
    control: &mut TrainControl,
) -> Result<Learned, LearnError> {
    learn_with(examples, path, recipe, begin, time_limit, &Alone, control)
}

/// As [`learn`], as rank 0 of processes that train together. Only a graph network is trained so; for other kinds the
/// other ranks have nothing to do.
pub(crate) fn learn_with(
    examples: &Examples,
    path: &Path,
    recipe: &Recipe,
    begin: Begin,
    time_limit: Option<f64>,
    ranks: &dyn Ranks,
    control: &mut TrainControl,
) -> Result<Learned, LearnError> {
    match recipe {
        Recipe::Gnn(settings) => {
            let outcome = train::lead(examples, path, settings, begin, time_limit, ranks, control)?;
            network(examples, settings, outcome)
        }
        Recipe::Prop(settings, weighting) => {
            let train = |registry: &Registry, watch: Watch| -> Trained {
                let made = Prop::train(examples, registry, settings, *weighting, watch)?;
                Ok(Box::new(made))
            };
            simple(examples, *weighting, settings, train, control)
        }
        Recipe::ZeroFrequency(weighting) => {
            let train = |registry: &Registry, watch: Watch| -> Trained {
                let made = ZeroFrequency::train(examples, registry, *weighting, watch)?;
                Ok(Box::new(made))
            };
            simple(examples, *weighting, &(), train, control)
        }
        Recipe::Nearest(settings, weighting) => {
            let train = |registry: &Registry, watch: Watch| -> Trained {
                let made = Nearest::train(examples, registry, settings, *weighting, watch)?;
                Ok(Box::new(made))
            };
            simple(examples, *weighting, settings, train, control)
        }
    }
}

type Trained = Result<Box<dyn Predictor>, LearnError>;

fn network(
    examples: &Examples,
    settings: &train::Settings,
    outcome: train::Outcome,
) -> Result<Learned, LearnError> {
    let [training_instances, validation_instances] = outcome.instances;
    Ok(Learned {
        model: TrainedModel {
            predictor: Box::new(outcome.predictor),
            registry: outcome.registry,
            calibration: outcome.calibration,
            training: Training {
                program: idpas_base::PROGRAM.into(),
                pools_sha256: examples.fingerprint()?,
                training_instances,
                validation_instances,
                settings: to_value(settings),
                epochs: Some([outcome.epochs, outcome.best_epoch]),
                validation: outcome.validation,
                validation_without_identity: outcome.validation_without_identity,
            },
            past: outcome.past,
            other_sets: outcome.other_sets,
        },
        stopped: Some(outcome.stopped),
        without_relaxation: outcome.without_relaxation,
        seconds: outcome.seconds,
    })
}

/// Trains, calibrates and measures the kinds of predictors that are not trained in epochs.
fn simple(
    examples: &Examples,
    weighting: Weighting,
    settings: &impl Serialize,
    train: impl FnOnce(&Registry, Watch) -> Trained,
    control: &mut TrainControl,
) -> Result<Learned, LearnError> {
    let clock = Instant::now();
    let registry = train::register(examples, weighting, control)?;
    let predictor = control.watched(Stage::Training, |watch| train(&registry, watch))?;
    let mut model = TrainedModel {
        predictor,
        registry,
        calibration: Calibration::default(),
        training: Training {
            program: idpas_base::PROGRAM.into(),
            // Filled in when all pools have been read.
            pools_sha256: String::new(),
            training_instances: examples.names(Part::Train).len(),
            validation_instances: examples.names(Part::Validation).len(),
            settings: to_value(settings),
            epochs: None,
            validation: None,
            validation_without_identity: None,
        },
        past: None,
        other_sets: Vec::new(),
    };
    let total = 2 * model.training.validation_instances;
    model.calibration = calibrate(&model, examples, weighting, total, control)?;
    if model.training.validation_instances > 0 {
        let judged = assess(
            &model,
            examples,
            Part::Validation,
            UseIdentity::On,
            |done, _| {
                control
                    .report(Stage::Judging, total / 2 + done, total)
                    .is_ok()
            },
        )?;
        model.training.validation = Some(judged.summary);
    }
    if model.predictor.kind() != PredictorKind::ZeroFrequency {
        let judge = SetJudge {
            source: examples,
            registry: &model.registry,
            fitted: weighting,
            // As the predictor itself was measured.
            measured: Weighting::Uniform,
        };
        let frequencies = ScoreOrigin::ZeroFrequency;
        let judged = judge.judge(frequencies, &SetSource::Frequencies, control)?;
        model.other_sets.push(judged);
    }
    model.training.pools_sha256 = examples.fingerprint()?;
    Ok(Learned {
        model,
        stopped: None,
        without_relaxation: 0,
        seconds: clock.elapsed().as_secs_f64(),
    })
}

fn calibrate(
    model: &TrainedModel,
    examples: &Examples,
    weighting: Weighting,
    total: usize,
    control: &mut TrainControl,
) -> Result<Calibration, LearnError> {
    let mut fit = CalibrationFit::new();
    let options = PredictOptions {
        identity: UseIdentity::On,
        ..PredictOptions::default()
    };
    for (done, name) in examples.names(Part::Validation).iter().enumerate() {
        let example = examples.load(name)?;
        let truth = Truth::new(&example.model, &example.pool, weighting);
        let relaxation = example.pool.relaxation.as_ref();
        let scores = model.score(&example.model, relaxation, &options)?.scores;
        fit.add(&truth.classes, &scores, &truth.targets);
        control.report(Stage::Judging, done + 1, total)?;
    }
    Ok(fit.fit())
}

/// Settings as JSON. Cannot fail: numbers and names always have a JSON form.
fn to_value(settings: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(settings).unwrap_or_default()
}

//! What a method predicts about an instance. That it can predict nothing is a warning: the solver works without.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use idpas_base::container;
use idpas_graph::Fit;
use idpas_learn::{
    Instance, LearnError, Nearest, PredictOptions, Prediction, PredictorKind, Seconds,
    TrainedModel, UseIdentity,
};
use idpas_mip::files::Input;
use idpas_mip::{Model, Relaxation, solution};
use idpas_search::{LateScores, Method, oracle_scores};
use idpas_solver::HardStop;
use serde::Serialize;

use super::decide::is_identity_aware;
use crate::commands::train::in_pool;
use crate::failure::Failure;

/// The share of the time left that the linear relaxation may take.
const RELAXATION_SHARE: f64 = 0.5;
/// Solutions of past instances that are tried as starts.
const STARTS: usize = 3;

/// What is known about an instance before the search.
#[derive(Default)]
pub(super) struct Guess {
    pub(super) scores: Option<Vec<f32>>,
    pub(super) starts: Vec<Vec<f64>>,
    pub(super) bound: Option<f64>,
    pub(super) relaxation: Option<Relaxation>,
    pub(super) told: Option<Told>,
    pub(super) warnings: Vec<String>,
}

/// A prediction, told.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) predictor: &'static str,
    pub(super) with_identity: bool,
    pub(super) known_columns: f64,
    pub(super) known_rows: f64,
    pub(super) seconds: Seconds,
}

/// Who predicts, and with how much of everything. It owns what it needs, so that a prediction can go on, unheard, when
/// the time is over.
#[derive(Clone)]
pub(super) struct Asking {
    pub(super) trained: Option<Arc<TrainedModel>>,
    pub(super) oracle: Option<PathBuf>,
    pub(super) method: Method,
    pub(super) solver: String,
    pub(super) threads: usize,
    /// When nobody waits for the answer any more.
    pub(super) stop: HardStop,
}

impl Asking {
    pub(super) fn ask(&self, model: &Model) -> Result<Guess, Failure> {
        match (self.method, self.trained.as_deref(), self.oracle.as_deref()) {
            (Method::Solver, ..) => Ok(Guess::default()),
            (Method::Oracle, _, Some(path)) => oracle(path, model),
            (Method::ZeroFrequency, Some(trained), _) => Ok(frequencies(trained, model)),
            (_, Some(trained), _) => self.predict(trained, model),
            _ => Ok(Guess::default()),
        }
    }

    /// Asks in the middle of a search: what helps it, and what is to be told afterwards. That nobody can answer ends
    /// nothing that has begun.
    pub(super) fn advise(&self, model: &Model) -> (LateScores, Guess) {
        let mut guess = self.ask(model).unwrap_or_else(|failure| Guess {
            warnings: vec![format!("{failure}; nothing but past zeros is known")],
            ..Guess::default()
        });
        let advice = LateScores {
            scores: guess.scores.take(),
            relaxation: guess.relaxation.take(),
            bound: guess.bound,
        };
        (advice, guess)
    }

    /// Scores that need neither relaxation nor network, for the beginning of a staged search: how often variables were
    /// zero in training.
    pub(super) fn early(&self, model: &Model) -> Option<Vec<f32>> {
        let trained = self.trained.as_deref().filter(|trained| {
            trained.predictor.kind() == PredictorKind::Gnn && is_identity_aware(trained)
        })?;
        match self.method {
            Method::Idpas => frequencies(trained, model).scores,
            _ => None,
        }
    }

    fn predict(&self, trained: &TrainedModel, model: &Model) -> Result<Guess, Failure> {
        let options = PredictOptions {
            identity: match self.method {
                Method::Pas | Method::PasPlus => UseIdentity::Off,
                _ if !is_identity_aware(trained) => UseIdentity::Off,
                _ => UseIdentity::Auto,
            },
            relaxation_limit: self.stop.left().map(|left| left * RELAXATION_SHARE),
            solver: self.solver.clone(),
            stop: self.stop.clone(),
            ..PredictOptions::default()
        };
        let predicted = in_pool(Some(self.threads), || trained.predict(model, &options))?;
        Ok(match predicted {
            Ok(prediction) => self.guess(trained, model, prediction),
            Err(error) => nothing(&error),
        })
    }

    fn guess(&self, trained: &TrainedModel, model: &Model, prediction: Prediction) -> Guess {
        let mut warnings = prediction.warnings.clone();
        let mut starts = Vec::new();
        if trained.predictor.kind() == PredictorKind::Nearest && prediction.with_identity {
            starts = past_solutions(trained, model).unwrap_or_else(|why| {
                warnings.push(format!("no solutions of past instances: {why}"));
                Vec::new()
            });
        }
        let discrete = |j: &usize| model.is_integer(*j);
        let silent = (0..model.num_columns())
            .filter(discrete)
            .all(|j| prediction.scores[j].is_nan());
        if silent {
            warnings.push("nothing is predicted: the solver works alone".into());
        }
        let told = told(trained, prediction.fit, prediction.with_identity);
        Guess {
            bound: (prediction.relaxation.as_ref()).map(|lp| lp.bound(model.sense)),
            relaxation: prediction.relaxation,
            scores: Some(prediction.scores),
            starts,
            told: Some(Told {
                seconds: prediction.seconds,
                ..told
            }),
            warnings,
        }
    }
}

fn told(trained: &TrainedModel, fit: Fit, with_identity: bool) -> Told {
    Told {
        predictor: trained.predictor.kind().as_str(),
        with_identity,
        known_columns: fit.columns,
        known_rows: fit.rows,
        seconds: Seconds::default(),
    }
}

fn nothing(error: &LearnError) -> Guess {
    Guess {
        warnings: vec![format!("{error}; the solver works alone")],
        ..Guess::default()
    }
}

fn oracle(path: &Path, model: &Model) -> Result<Guess, Failure> {
    let file = solution::read(&Input::path(path), model).map_err(Failure::Solution)?;
    let mut warnings = Vec::new();
    for warning in &file.warnings {
        warnings.push(format!("{}: {}", path.display(), warning.message));
    }
    Ok(Guess {
        scores: Some(oracle_scores(model, &file.solution.values)),
        warnings,
        ..Guess::default()
    })
}

/// How often variables were not zero in training, which files of all kinds know alike.
fn frequencies(trained: &TrainedModel, model: &Model) -> Guess {
    let clock = Instant::now();
    let identities = trained.registry.identify(model);
    let fit = identities.fit();
    let known = fit.is_known(Fit::KNOWN);
    let mut told = told(trained, fit, known);
    if !known {
        let share = 100.0 * fit.columns;
        let warning = format!(
            "the model knows {share:.0} % of the discrete variables: nothing is predicted, the solver works alone"
        );
        return Guess {
            told: Some(told),
            warnings: vec![warning],
            ..Guess::default()
        };
    }
    let mut warnings = Vec::new();
    if trained.goes_by_position() {
        warnings.push("names are not stable in this family: variables go by position".into());
    }
    let scores = trained.frequencies(model, &identities);
    told.seconds.scores = clock.elapsed().as_secs_f64();
    Guess {
        scores: Some(scores),
        told: Some(told),
        warnings,
        ..Guess::default()
    }
}

/// The best solutions of the most similar training instances.
fn past_solutions(trained: &TrainedModel, model: &Model) -> Result<Vec<Vec<f64>>, String> {
    const KIND: container::Kind = container::Kind {
        key: "predictor",
        format: "idpas-predictor",
        version: 1,
    };
    type Nothing = BTreeMap<String, serde_json::Value>;
    // A model knows its predictor as one of many; what it stores is the way to what only this one can do.
    let stored = trained.predictor.store();
    let bytes = container::encode(KIND, &Nothing::new(), &stored.tensors)?;
    let (_, tensors) =
        container::decode::<Nothing>(KIND, &bytes).map_err(|fault| format!("{fault:?}"))?;
    let nearest = Nearest::restore(&stored.settings, &tensors)?;
    let instance = Instance {
        model,
        relaxation: None,
        identities: &trained.registry.identify(model),
        registry: &trained.registry,
        with_identity: true,
    };
    Ok(nearest.solutions(&instance, STARTS))
}

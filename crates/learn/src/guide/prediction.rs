//! What a guide tells a search about an instance. That it can tell nothing is a warning: the solver works without.

use idpas_graph::Fit;
use idpas_mip::{Model, Relaxation};
use idpas_search::{Method, PredictionReport, ScoreOrigin, ScoreSet};
use idpas_solver::HardStop;

use super::Guide;
use super::by_name::{ByName, known_share};
use crate::predictor::Instance;
use crate::threads::on_threads;
use crate::{LearnError, PredictOptions, Prediction, PredictorKind, TrainedModel, UseIdentity};

/// The share of the time left that the linear relaxation may take.
const RELAXATION_SHARE: f64 = 0.5;
/// Solutions of past instances that the paper's methods try as starts.
const STARTS: usize = 3;

/// What is known about an instance before or during a search.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    /// For each column the predicted probability that it is not zero; NaN where nothing is predicted. The paper's
    /// methods go by these.
    pub scores: Option<Vec<f32>>,
    /// Sets of scores for the staged search, the one that was best on validation first.
    pub sets: Vec<ScoreSet>,
    /// Solutions to start from, the most promising first; NaN where a value is not known.
    pub starts: Vec<Vec<f64>>,
    /// A bound of the instance.
    pub bound: Option<f64>,
    /// The linear relaxation, if it was solved.
    pub relaxation: Option<Relaxation>,
    /// What the predictor reports beside its scores.
    pub report: Option<PredictionReport>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Everything a prediction needs beside the model and the guide.
#[derive(Clone, Debug)]
pub struct PredictionRequest {
    /// The method that asks; it decides whether identities are used.
    pub method: Method,
    /// Name of the solver of the linear relaxation.
    pub solver: String,
    /// Threads of the network.
    pub threads: usize,
    /// When nobody waits for the answer any more.
    pub stop: HardStop,
}

impl Guide {
    /// What is known when a search begins. For the staged search this is what goes by names alone and takes milliseconds:
    /// past zeros and past solutions; for `warm-start` it is one past solution; and for other methods it is all that the
    /// guide [predicts](Self::predict).
    pub fn initial_guidance(
        &self,
        model: &Model,
        request: &PredictionRequest,
    ) -> Result<Guidance, LearnError> {
        match request.method {
            Method::Idpas => Ok(ByName::new(&self.trained, model).sets()),
            Method::WarmStart => Ok(ByName::new(&self.trained, model).past_solution()),
            _ => self.predict(model, request),
        }
    }

    /// Whether the guide knows more than it says at the beginning: whether there is a network to be asked during the
    /// search.
    pub fn has_late_guidance(&self, method: Method) -> bool {
        method == Method::Idpas && self.trained.predictor.kind() == PredictorKind::Gnn
    }

    /// What the network says, with the linear relaxation and its bound, for a search that has begun.
    pub fn late_guidance(
        &self,
        model: &Model,
        request: &PredictionRequest,
    ) -> Result<Guidance, LearnError> {
        let mut guidance = self.predict(model, request)?;
        let scores = guidance.scores.take();
        let known = scores.filter(|scores| known_share(model, scores) >= Fit::KNOWN);
        guidance.sets.extend(known.map(|scores| ScoreSet {
            weight: self.trained.weight(ScoreOrigin::Network),
            ..ScoreSet::new(ScoreOrigin::Network, scores)
        }));
        Ok(guidance)
    }

    /// The scores that a method of the paper goes by, the linear relaxation solved on the way if the predictor looks at
    /// it; for the staged search, those of the model's own predictor.
    pub fn predict(
        &self,
        model: &Model,
        request: &PredictionRequest,
    ) -> Result<Guidance, LearnError> {
        let trained = &*self.trained;
        match request.method {
            Method::ZeroFrequency => return Ok(ByName::new(trained, model).frequencies()),
            Method::Nearest => return Ok(ByName::new(trained, model).nearest(STARTS)),
            _ => {}
        }
        let options = PredictOptions {
            identity: match request.method {
                Method::Pas | Method::PasPlus => UseIdentity::Off,
                _ if !trained.predictor.is_identity_aware() => UseIdentity::Off,
                _ => UseIdentity::Auto,
            },
            relaxation_limit: request.stop.left().map(|left| left * RELAXATION_SHARE),
            solver: request.solver.clone(),
            stop: request.stop.clone(),
            ..PredictOptions::default()
        };
        let predicted = on_threads(Some(request.threads), || trained.predict(model, &options))?;
        Ok(match predicted {
            Ok(prediction) => guidance(trained, model, prediction),
            Err(error) => Guidance {
                warnings: vec![format!("{error}; the solver works alone")],
                ..Guidance::default()
            },
        })
    }
}

fn guidance(trained: &TrainedModel, model: &Model, prediction: Prediction) -> Guidance {
    let mut warnings = prediction.warnings.clone();
    let instance = Instance {
        model,
        relaxation: None,
        identities: &trained.registry.identify(model),
        registry: &trained.registry,
        with_identity: prediction.with_identity,
    };
    let starts = trained.predictor.starts(&instance, STARTS);
    let is_silent = (0..model.num_columns())
        .filter(|&j| model.is_integer(j))
        .all(|j| prediction.scores[j].is_nan());
    if is_silent {
        warnings.push("nothing is predicted: the solver works alone".into());
    }
    let report = report(trained, prediction.fit, prediction.with_identity);
    Guidance {
        bound: (prediction.relaxation.as_ref()).map(|lp| lp.bound(model.sense)),
        relaxation: prediction.relaxation,
        scores: Some(prediction.scores),
        starts,
        report: Some(PredictionReport {
            seconds: prediction.seconds,
            ..report
        }),
        warnings,
        ..Guidance::default()
    }
}

/// The report of a prediction that took no time.
pub(super) fn report(trained: &TrainedModel, fit: Fit, with_identity: bool) -> PredictionReport {
    PredictionReport {
        predictor: trained.predictor.kind().as_str().into(),
        with_identity,
        known_columns: fit.columns,
        known_rows: fit.rows,
        ..PredictionReport::default()
    }
}

//! What a guide tells a search about an instance. That it can tell nothing is a warning: the solver works without.

use std::time::Instant;

use idpas_graph::Fit;
use idpas_mip::{Model, Relaxation};
use idpas_search::{Method, PredictionReport};
use idpas_solver::HardStop;

use super::Guide;
use crate::predictor::Instance;
use crate::threads::on_threads;
use crate::{LearnError, PredictOptions, Prediction, PredictorKind, TrainedModel, UseIdentity};

/// The share of the time left that the linear relaxation may take.
const RELAXATION_SHARE: f64 = 0.5;
/// Solutions of past instances that are tried as starts.
const STARTS: usize = 3;

/// What is known about an instance before or during a search.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    /// For each column the predicted probability that it is not zero; NaN where nothing is predicted.
    pub scores: Option<Vec<f32>>,
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
    /// Scores that need neither relaxation nor network, for the beginning of a staged search: how often variables were
    /// not zero in training. None where everything that the guide knows is there at once anyway.
    pub fn early_scores(&self, model: &Model, method: Method) -> Option<Vec<f32>> {
        let predictor = &self.trained.predictor;
        let takes_time = predictor.kind() == PredictorKind::Gnn && predictor.is_identity_aware();
        match method {
            Method::Idpas if takes_time => frequencies(&self.trained, model).scores,
            _ => None,
        }
    }

    /// All that the guide knows about an instance, its linear relaxation solved on the way if the predictor looks at it.
    pub fn predict(
        &self,
        model: &Model,
        request: &PredictionRequest,
    ) -> Result<Guidance, LearnError> {
        let trained = &*self.trained;
        if request.method == Method::ZeroFrequency {
            return Ok(frequencies(trained, model));
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
    }
}

fn report(trained: &TrainedModel, fit: Fit, with_identity: bool) -> PredictionReport {
    PredictionReport {
        predictor: trained.predictor.kind().as_str().into(),
        with_identity,
        known_columns: fit.columns,
        known_rows: fit.rows,
        ..PredictionReport::default()
    }
}

/// How often variables were not zero in training, which files of all kinds know alike.
fn frequencies(trained: &TrainedModel, model: &Model) -> Guidance {
    let clock = Instant::now();
    let identities = trained.registry.identify(model);
    let fit = identities.fit();
    let is_known = fit.is_known(Fit::KNOWN);
    let mut report = report(trained, fit, is_known);
    if !is_known {
        let share = 100.0 * fit.columns;
        let warning = format!(
            "the model knows {share:.0} % of the discrete variables: nothing is predicted, the solver works alone"
        );
        return Guidance {
            report: Some(report),
            warnings: vec![warning],
            ..Guidance::default()
        };
    }
    let mut warnings = Vec::new();
    if trained.goes_by_position() {
        warnings.push("names are not stable in this family: variables go by position".into());
    }
    let scores = trained.frequencies(model, &identities);
    report.seconds.scores = clock.elapsed().as_secs_f64();
    Guidance {
        scores: Some(scores),
        report: Some(report),
        warnings,
        ..Guidance::default()
    }
}

//! From a model file of an instance to scores, the linear relaxation solved on the way.

use std::time::Instant;

use idpas_graph::{Fit, IdentityKey};
use idpas_mip::{Model, Relaxation};
use idpas_search::PredictionSeconds;
use idpas_solver::{Control, HardStop, Params};

use crate::predictor::Instance;
use crate::truth::{Class, settle};
use crate::{LearnError, TrainedModel};

/// Whether a prediction goes by identities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseIdentity {
    /// If the model knows enough of the instance.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// How to predict.
#[derive(Clone, Debug)]
pub struct PredictOptions {
    /// Whether to go by identities.
    pub identity: UseIdentity,
    /// The share of discrete variables that must be known, for [`UseIdentity::Auto`].
    pub threshold: f64,
    /// PredictionSeconds for the linear relaxation.
    pub relaxation_limit: Option<f64>,
    /// Who solves it.
    pub solver: String,
    /// Stops it, whatever it is doing.
    pub stop: HardStop,
}

impl Default for PredictOptions {
    fn default() -> Self {
        PredictOptions {
            identity: UseIdentity::Auto,
            threshold: Fit::KNOWN,
            relaxation_limit: None,
            solver: "highs".into(),
            stop: HardStop::default(),
        }
    }
}

/// Scores of an instance.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// P(x ≠ 0) by column; `NaN` for continuous columns, and where there is nothing to say.
    pub scores: Vec<f32>,
    /// How much of the instance the model knows.
    pub fit: Fit,
    /// Whether identities were used.
    pub with_identity: bool,
    /// The linear relaxation, if it was solved on the way; its value is a bound of the instance.
    pub relaxation: Option<Relaxation>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Where the time went.
    pub seconds: PredictionSeconds,
}

impl TrainedModel {
    /// Scores an instance, solving its linear relaxation if the predictor looks at it.
    ///
    /// Columns and rows are brought into the order of training first, so that the file's order decides nothing, not
    /// even the vertex at which the solver of the relaxation ends.
    pub fn predict(
        &self,
        model: &Model,
        options: &PredictOptions,
    ) -> Result<Prediction, LearnError> {
        let clock = Instant::now();
        let order = self.registry.order(model);
        let ordered = order.as_ref().map(|order| order.apply(model));
        let inner = ordered.as_ref().unwrap_or(model);
        let mut warnings = Vec::new();
        let mut relaxation = None;
        let mut relaxed: Option<Relaxation> = None;
        let mut solving = 0.0;
        if self.predictor.needs_relaxation() {
            let solver = idpas_solver::by_name(&options.solver)?;
            let params = Params {
                time_limit: options.relaxation_limit,
                ..Params::default()
            };
            let mut control = Control {
                stop: options.stop.clone(),
                ..Control::default()
            };
            let lp = solver
                .load(inner)?
                .solve_relaxation(&params, &mut control)?;
            solving = lp.time;
            match lp.solution {
                Some(solution) => {
                    relaxation = Some(solution.clone().to_single());
                    relaxed = Some(solution);
                }
                None => warnings.push(format!(
                    "the linear relaxation was not solved ({}), so scores go without it",
                    lp.termination.as_str()
                )),
            }
        }
        let mut prediction = self.score(inner, relaxation.as_ref(), options)?;
        if let Some(order) = &order {
            prediction.scores = order.restore(&prediction.scores);
            relaxed = relaxed.map(|relaxed| order.restore_relaxation(&relaxed));
        }
        prediction.relaxation = relaxed;
        prediction.warnings.splice(0..0, warnings);
        prediction.seconds = PredictionSeconds {
            relaxation: solving,
            scores: (clock.elapsed().as_secs_f64() - solving).max(0.0),
        };
        Ok(prediction)
    }

    /// Scores an instance whose relaxation is known, in the order it comes.
    pub fn score(
        &self,
        model: &Model,
        relaxation: Option<&Relaxation>,
        options: &PredictOptions,
    ) -> Result<Prediction, LearnError> {
        let clock = Instant::now();
        let identities = self.registry.identify(model);
        let fit = identities.fit();
        let mut warnings = Vec::new();
        let with_identity = match options.identity {
            UseIdentity::On => true,
            UseIdentity::Off => false,
            UseIdentity::Auto => fit.is_known(options.threshold),
        };
        if self.registry.key() == IdentityKey::Position && with_identity {
            warnings.push("names are not stable in this family: variables go by position".into());
        }
        if !with_identity && options.identity == UseIdentity::Auto {
            warnings.push(format!(
                "the model knows {:.0} % of the discrete variables: {}",
                100.0 * fit.columns,
                if self.predictor.works_without_identity() {
                    "scores go by structure alone"
                } else {
                    "this predictor has nothing to say about them"
                }
            ));
        }
        let classes = Class::of(model);
        let mut scores = if with_identity || self.predictor.works_without_identity() {
            self.predictor.scores(&Instance {
                model,
                relaxation,
                identities: &identities,
                registry: &self.registry,
                with_identity,
            })?
        } else {
            vec![f32::NAN; model.num_columns()]
        };
        self.calibration.apply(&classes, &mut scores);
        settle(model, &classes, &mut scores);
        Ok(Prediction {
            scores,
            fit,
            with_identity,
            relaxation: None,
            warnings,
            seconds: PredictionSeconds {
                relaxation: 0.0,
                scores: clock.elapsed().as_secs_f64(),
            },
        })
    }
}

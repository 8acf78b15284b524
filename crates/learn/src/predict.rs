//! From an instance to scores; solves the linear relaxation where the predictor needs it.

use std::time::Instant;

use idpas_graph::{Fit, IdentityKey};
use idpas_mip::{Model, Relaxation};
use idpas_search::PredictionSeconds;
use idpas_solver::{Control, HardStop, Params};

use crate::predictor::Instance;
use crate::truth::{Class, settle};
use crate::{LearnError, TrainedModel};

/// Whether a prediction uses identities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseIdentity {
    /// Yes if the model knows enough of the instance.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Options of a prediction.
#[derive(Clone, Debug)]
pub struct PredictOptions {
    /// Whether identities are used.
    pub identity: UseIdentity,
    /// Least share of discrete variables, between 0 and 1, that must be known for [`UseIdentity::Auto`] to use
    /// identities.
    pub threshold: f64,
    /// Time limit of the linear relaxation, in seconds; `None` means no limit.
    pub relaxation_limit: Option<f64>,
    /// Name of the solver for the linear relaxation.
    pub solver: String,
    /// Stops the solver and ends the prediction when set.
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

/// The scores of an instance, and how they were made.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// P(x ≠ 0) of each column; NaN for continuous columns, and where the model has no score.
    pub scores: Vec<f32>,
    /// How much of the instance the model knows.
    pub fit: Fit,
    /// Whether identities were used.
    pub with_identity: bool,
    /// The linear relaxation, if it was solved; its value is a bound on the instance's objective.
    pub relaxation: Option<Relaxation>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Time that the prediction took.
    pub seconds: PredictionSeconds,
}

/// The warning that variables are recognised by their position.
pub(crate) const BY_POSITION: &str =
    "names are not stable in this family: variables go by position";

/// What a network does with an instance whose names it does not know.
pub(crate) const BY_STRUCTURE: &str = "scores go by structure alone";

/// The warning that too few names are known, and what follows from that.
pub(crate) fn unknown(fit: &Fit, consequence: &str) -> String {
    let share = 100.0 * fit.columns;
    format!("the model knows {share:.0} % of the discrete variables: {consequence}")
}

impl TrainedModel {
    /// Predicts scores for an instance. Solves its linear relaxation if the predictor needs it.
    ///
    /// Columns and rows are brought into the order of training first, so that the order in the file has no influence,
    /// not even on the vertex at which the relaxation's solver ends.
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

    /// Predicts scores for an instance whose relaxation is known. Columns and rows stay in their order.
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
            warnings.push(BY_POSITION.into());
        }
        if !with_identity && options.identity == UseIdentity::Auto {
            warnings.push(unknown(
                &fit,
                match self.predictor.works_without_identity() {
                    true => BY_STRUCTURE,
                    false => "this predictor has nothing to say about them",
                },
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

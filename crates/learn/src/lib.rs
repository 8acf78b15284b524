//! Predictors of which discrete variables are zero: how they are trained, judged, kept and asked.
//!
//! | to | call |
//! | --- | --- |
//! | read training data one instance at a time | [`Examples`] |
//! | train the graph network, with resume | [`train::train`] |
//! | train any kind of predictor | [`learn`] |
//! | keep a trained model in a file, and read it back | [`TrainedModel`] |
//! | get scores for a new instance, its relaxation solved on the way | [`TrainedModel::predict`] |
//! | judge a model on a set of pools | [`assess`] |
//!
//! A score is P(x ≠ 0). This crate prints nothing.

mod assess;
mod calibration;
mod error;
mod examples;
mod frequency;
mod gnn;
pub mod metrics;
mod model;
mod nearest;
mod parameters;
mod predict;
mod predictor;
mod prop;
mod recipe;
mod relaxed;
mod source;
pub mod train;
mod truth;
mod watch;

pub use assess::{Assessment, assess};
pub use calibration::{Calibration, CalibrationFit, Platt};
pub use error::LearnError;
pub use examples::{Example, Examples};
pub use frequency::ZeroFrequency;
pub use gnn::Gnn;
pub use model::{TrainedModel, Training};
pub use nearest::{Nearest, NearestSettings};
pub use parameters::{ParameterSettings, ParameterSpace};
pub use predict::{PredictOptions, Prediction, Seconds, UseIdentity};
pub use predictor::{Instance, Predictor, PredictorKind, Stored};
pub use prop::{Prop, PropSettings};
pub use recipe::{Learned, Recipe, learn};
pub use source::Source;
pub use truth::{Class, Truth};
pub use watch::{Progress, Watch};

/// From a logit to a probability.
fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

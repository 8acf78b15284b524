//! Predictors of which discrete variables are zero: training, evaluation, storage and use.
//!
//! A score is P(x ≠ 0), between 0 and 1. This crate prints nothing.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use idpas_families::mmcnp::Mmcnp;
//! use idpas_families::{GenerateOptions, Size, generate};
//! use idpas_learn::{Examples, PredictOptions, Recipe, TrainedModel, learn, train};
//! use idpas_pools::collect::{CollectSettings, fill_pool};
//! use idpas_pools::inputs::find_instances;
//! use idpas_pools::manifest::{Manifest, SplitRule, pool_path};
//! use idpas_pools::pool::InstanceInfo;
//!
//! // A folder of instances, and one of pools; `idpas collect` makes the latter in parallel.
//! let folder = tempfile::tempdir()?;
//! let (instances, pools) = (folder.path().join("instances"), folder.path().join("pools"));
//! std::fs::create_dir(&pools)?;
//! let family = Mmcnp::new(Size::Tiny, 1)?;
//! generate(&family, &GenerateOptions::new(&instances, 6), &|_| ControlFlow::Continue(()))?;
//! let settings = CollectSettings { time_limit: 20.0, nodes: Some(1), rounds: Some(1), ..CollectSettings::default() };
//! let inputs = find_instances(&instances)?;
//! let split = SplitRule { proportions: "4/1/1".parse()?, seed: 0 };
//! Manifest::plan(&pools, None, &inputs, &settings, split)?.write(&pools)?;
//! let solver = idpas_solver::by_name(&settings.solver)?;
//! for input in &inputs {
//!     let model = idpas_mip::read_model(&input.path)?.model;
//!     let hash = idpas_pools::instance_hash(&input.path)?;
//!     let info = InstanceInfo::new(&input.name, &hash, &model);
//!     let pool = fill_pool(&model, info, Vec::new(), &settings, &*solver, &Default::default())?;
//!     pool.write(pool_path(&pools, &input.name))?;
//! }
//!
//! // Training, and the model as a file.
//! let tiny = train::Settings { epochs: 2, embedding: 8, heads: 2, ..Default::default() };
//! let path = folder.path().join("model.safetensors");
//! let examples = Examples::open(&pools)?;
//! let mut control = train::TrainControl::default();
//! let learned = learn(&examples, &path, &Recipe::Gnn(tiny), train::Begin::New, None, &mut control)?;
//! learned.model.write(&path)?;
//!
//! // Scores for an instance.
//! let model = TrainedModel::read(&path)?;
//! let instance = idpas_mip::read_model(&inputs[0].path)?.model;
//! let prediction = model.predict(&instance, &PredictOptions::default())?;
//! assert!(prediction.with_identity);
//! assert_eq!(prediction.scores.len(), instance.num_columns());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | read training data one instance at a time | [`Examples`] |
//! | train the graph network, with resume | [`train::train`] |
//! | train any kind of predictor | [`learn`] |
//! | keep a trained model in a file, and read it back | [`TrainedModel`] |
//! | get scores for a new instance, its relaxation solved on the way | [`TrainedModel::predict`] |
//! | judge a model on a set of pools | [`assess`] |
//! | hand all sets of scores and past solutions to a search | [`Guide`] |

mod assess;
mod calibration;
mod error;
mod examples;
mod frequency;
mod gnn;
mod guide;
pub mod metrics;
mod model;
mod nearest;
mod overrides;
mod parameters;
mod predict;
mod predictor;
mod prop;
mod recipe;
mod sets;
mod source;
mod threads;
pub mod train;
mod truth;
mod watch;

pub use assess::{Assessment, assess};
pub use calibration::{Calibration, CalibrationFit, Platt};
pub use error::LearnError;
pub use examples::{Example, Examples};
pub use frequency::{ZeroFrequency, history_scores};
pub use gnn::Gnn;
pub use guide::{Guidance, Guide, History, PastSolutions, PredictionRequest, Train, UnfitModel};
pub use model::{TrainedModel, Training};
pub use nearest::{Nearest, NearestSettings};
pub use overrides::{Switch, TrainOverrides};
pub use parameters::{ParameterSettings, ParameterSpace};
pub use predict::{PredictOptions, Prediction, UseIdentity};
pub use predictor::{Instance, Predictor, PredictorKind, Stored};
pub use prop::{Prop, PropSettings};
pub use recipe::{Learned, Recipe, learn};
pub use sets::LearnedSet;
pub use source::Source;
pub use threads::on_threads;
pub use truth::{Class, Truth};
pub use watch::{PieceProgress, Watch};

/// The probability that belongs to a logit.
fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

//! Training of the graph network.
//!
//! The loss of a graph is the binary cross-entropy of its discrete variables against the share of pool solutions in
//! which each is not zero, averaged over these variables; that is exactly the mean over solutions, since cross-entropy
//! is linear in the target. A batch's loss is the mean over its graphs, and so is its gradient.
//!
//! Everything random comes from the seed, by epoch and instance, and sums are taken in a fixed order. So a training
//! that is killed and resumed ends with the same weights as one that was left alone.

mod batch;
mod beside;
mod checkpoint;
mod control;
mod graphs;
mod history;
mod prepare;
pub mod ranks;
mod run;
mod settings;

#[doc(hidden)]
pub use checkpoint::read_checkpoint;
pub use control::{Stage, TrainControl, TrainProgress};
#[doc(hidden)]
pub use graphs::read_graph;
pub use history::EpochReport;
pub use prepare::register;
pub use run::{Begin, Outcome, Stopped, assist, finish, is_unfinished, lead, train};
pub use settings::{Schedule, Settings, Targets};

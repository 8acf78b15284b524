//! A graph attention network over bipartite graphs, its gradients, its loss and its optimiser.
//!
//! ```text
//!   features → embeddings → (variables → rows → variables) per round → a logit per variable
//! ```
//!
//! Messages are those of GATv2, exactly as in PyTorch Geometric; parameters are one flat vector
//! under PyTorch's names, so checkpoints can be exchanged. Nothing as large as edges × width is
//! ever stored: see `attention`.
//!
//! | to | call |
//! | --- | --- |
//! | make a network | [`Network::new`], [`Network::from_parameters`] |
//! | predict | [`Network::logits`] |
//! | get a loss and its gradient | [`Network::accumulate`] with [`loss::binary_cross_entropy`] |
//! | train | [`Adam::step`] |
//! | find a tensor by name | [`Network::layout`] |
//!
//! Sums are taken in an order that depends on the graph alone: results have the same bits for any
//! number of threads. This crate knows graphs, not models or files, and prints nothing.

mod adam;
mod attention;
mod config;
mod embedding;
mod error;
mod kernels;
mod layout;
pub mod loss;
mod mlp;
mod network;
mod output;
mod pages;
mod parallel;
mod passes;
mod plan;
mod random;
mod real;
mod workspace;

pub use adam::{Adam, clip_norm};
pub use config::Config;
pub use error::NnError;
pub use layout::{Entry, Layout};
pub use network::Network;
pub use parallel::Threads;
pub use real::Real;
pub use workspace::Workspace;

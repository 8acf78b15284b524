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
//! ```
//! use idpas_graph::{Adjacency, Bipartite, Table};
//! use idpas_nn::{Adam, Config, Network, Threads, Workspace, loss};
//!
//! // Three variables, two rows, four edges; one feature on each.
//! let table = |data: &[f32]| Table { width: 1, data: data.to_vec() };
//! let by_row = Adjacency { starts: vec![0, 2, 4], neighbours: vec![0, 1, 1, 2] };
//! let edges = table(&[1.0, 2.0, 1.0, 1.0]);
//! let graph = Bipartite::new(table(&[0.5, -1.0, 0.2]), table(&[1.0, -1.0]), edges, by_row)?;
//!
//! let config = Config { variable_width: 1, row_width: 1, edge_width: 1, ..Config::default() };
//! let mut network = Network::<f32>::new(config, 1)?;
//! let mut workspace = Workspace::new(Threads::One);
//! let mut gradient = vec![0.0; network.parameters().len()];
//! let (targets, weights) = ([1.0, 0.0, 1.0], [1.0 / 3.0; 3]);
//! let entropy = |logits: &[f32], slopes: &mut [f32]| {
//!     loss::binary_cross_entropy(logits, &targets, &weights, slopes)
//! };
//! let before = network.accumulate(&graph, entropy, &mut gradient, &mut workspace)?;
//! Adam::new(gradient.len()).step(network.parameters_mut(), &gradient, 0.001);
//! let after = network.accumulate(&graph, entropy, &mut gradient, &mut workspace)?;
//! assert!(after < before);
//! assert_eq!(network.logits(&graph, &mut workspace)?.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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

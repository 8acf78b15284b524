//! Models as bipartite graphs: a node per variable and per row, an edge per non-zero, with features on all of them.
//!
//! ```
//! use idpas_graph::{FeatureSet, IdentityInput, Registry, Standardiser, assemble, build};
//! # use idpas_mip::{ModelBuilder, Sense, VarKind};
//! # let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
//! # let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
//! # let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
//! # b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])?;
//! # let model = b.build()?;
//! let mut registry = Registry::new();
//! registry.add_instance(&model);
//! let identities = registry.identify(&model);
//!
//! let set = FeatureSet::Light;
//! let mut raw = build(&model, None, set, Some(&registry.history(&identities)))?;
//! let mut standardiser = Standardiser::new(set);
//! standardiser.observe(&raw)?;
//! standardiser.finish().apply(&mut raw)?;
//!
//! let graph = assemble(raw, IdentityInput::All(identities.columns(registry.bits())))?;
//! assert_eq!(graph.num_edges(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | learn which variables of different instances are the same | [`Registry`] |
//! | bring an instance into the registry's order | [`Registry::order`] |
//! | score variables by how often they were not zero | [`Registry::nonzero_frequencies`] |
//! | learn what is usual for each variable, row and entry | [`Profile`] |
//! | make the graph of a model, with raw [features](FeatureSet) | [`build`] |
//! | learn and apply means and scales | [`Standardiser`], [`Standardisation`] |
//! | append identities and get what a network reads | [`assemble`] |
//!
//! This crate knows no solver; the solution of a linear relaxation comes to it as a [`Relaxation`](idpas_mip::Relaxation).

mod assemble;
mod bipartite;
mod edges;
mod error;
mod features;
mod frequency;
mod order;
mod profile;
mod raw;
mod registry;
mod relaxed;
mod rows;
mod set;
mod standardisation;
mod standardise;
mod variables;
mod widths;

pub use assemble::{IdentityColumns, IdentityInput, assemble, prior};
pub use bipartite::{Adjacency, Bipartite, Table};
pub use error::GraphError;
pub use features::{EdgeFeature, RowFeature, VariableFeature};
pub use frequency::{PRIOR_INSTANCES, nonzero_frequency};
pub use order::{Reordering, permuted};
pub use profile::{Deviations, Profile, ProfileParts};
pub use raw::{RawGraph, build};
pub use registry::{Fit, Identities, IdentityKey, Registry, RegistryParts, RegistrySummary};
pub use set::FeatureSet;
pub use standardisation::{CLAMP, Scaling, Standardisation};
pub use standardise::Standardiser;
pub use widths::Widths;

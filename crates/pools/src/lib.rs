//! Training data: pools of good solutions, collected by many workers, with manifests and splits.
//!
//! ```
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! use idpas_pools::collect::{CollectSettings, fill_pool};
//! use idpas_pools::pool::{InstanceInfo, Pool};
//!
//! let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
//! let x = b.column("x", VarKind::Integer, 0.0, 3.0, 3.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 3.0, 4.0)?;
//! b.row("weight", f64::NEG_INFINITY, 9.0, [(x, 2.0), (y, 3.0)])?;
//! let model = b.build()?;
//!
//! let settings = CollectSettings { time_limit: 10.0, keep_gap: 0.3, patience: 5, ..CollectSettings::default() };
//! let solver = idpas_solver::by_name(&settings.solver)?;
//! let instance = InstanceInfo::new("knapsack", "", &model);
//! let pool = fill_pool(&model, instance, Vec::new(), &settings, &*solver, &Default::default())?;
//! assert_eq!(pool.best(), Some(13.0));
//! assert!(pool.solutions.len() > 1);
//! assert_eq!(Pool::from_bytes(&pool.to_bytes()?, "memory")?, pool);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | make the pool of one instance, in this process | [`collect::fill_pool`] |
//! | make the pools of a folder, crash-safe and in parallel | [`collect::collect`] |
//! | see how far that is, and how the labels grew | [`status()`] |
//! | find the instances of a folder of pools that was moved | [`InstanceFiles`] |
//! | add solutions from files to a pool | [`import()`] |
//! | read, write, merge and weigh a pool | [`pool::Pool`] |
//! | find instances in a folder or list | [`inputs`] |
//! | read an instance and its hash in one go | [`read_instance`] |
//! | divide instances into sets for training, validation and test | [`split`](mod@split) |
//! | read which instances, settings and sets a folder of pools has | [`manifest::Manifest`] |
//!
//! The format of pool files is in `docs/pool-format.md`. This crate prints nothing.

pub mod collect;
mod error;
mod growth;
mod hash;
mod import;
pub mod inputs;
mod locate;
pub mod manifest;
pub mod pool;
pub mod series;
mod sketch;
pub mod split;
mod status;

pub use error::{NoPool, PoolError};
pub use growth::Growth;
pub use hash::{Hashes, InstanceFile, columns_hash, instance_hash, read_instance};
pub use import::{Imported, import};
pub use locate::InstanceFiles;
pub use sketch::Sketch;
pub use status::{Status, status};

//! Collecting: one pool per instance, whatever happens to the processes that make them.
//!
//! [`fill_pool`] makes one pool in this process. [`collect`] makes all that are missing, each in a process of its
//! own, several at a time; many such runs may share a folder, where [claims](idpas_base::claim) keep two from making the
//! same pool.
//!
//! ```text
//! POOLS/manifest.json         settings, input hashes, splits
//! POOLS/NAME.safetensors      a pool; appears whole or not at all
//! POOLS/claims/NAME.json      who works on an instance now
//! POOLS/failed/NAME.json      why an instance has no pool
//! ```

mod child;
mod driver;
mod fill;
mod overrides;
mod progress;
mod queue;
mod rounds;
mod settings;
mod shard;
mod state;
mod worker;

use std::path::Path;

pub use driver::{CollectOptions, collect};
pub use fill::fill_pool;
use idpas_base::claim::Claims;
pub use overrides::CollectOverrides;
pub use progress::{CollectProgress, CollectStop, CollectSummary};
pub use settings::CollectSettings;
pub use shard::Shard;
pub use state::{CollectFailure, WorkerOutcome};
pub(crate) use state::{State, state};
pub use worker::WorkerJob;
pub(crate) use worker::imported_solution;

/// Who works on which instance of a folder of pools.
pub fn claims(pools: &Path) -> Claims {
    Claims::new(pools.join("claims"))
}

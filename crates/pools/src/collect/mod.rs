//! Collecting: one pool per instance, whatever happens to the processes that make them.
//!
//! [`fill_pool`] makes one pool by itself, in this process. [`collect`] makes the pools of a family, where instances learn
//! from each other: each has an opening, in which it starts from what its most similar siblings have found; then the time
//! goes to those from which better solutions are expected; and a closing fills each pool. Every such [turn](Turn) is taken in
//! a process of its own, several at a time. Many runs may share a folder, where [claims](idpas_base::claim) keep two from
//! working on the same instance, and see each other's pools through it.
//!
//! ```text
//! POOLS/manifest.json         settings, input hashes, splits
//! POOLS/NAME.safetensors      a pool; appears whole or not at all
//! POOLS/claims/NAME.json      who works on an instance now
//! POOLS/failed/NAME.json      why an instance has no pool
//! ```

mod child;
mod driver;
mod family;
mod fill;
mod leads;
mod overrides;
mod plan;
mod progress;
mod queue;
mod rounds;
mod settings;
mod shard;
mod siblings;
mod standing;
mod state;
mod turn;
mod work;
mod worker;

use std::path::Path;

pub use driver::{CollectOptions, collect};
use idpas_base::claim::Claims;
pub use overrides::CollectOverrides;
pub use progress::{CollectProgress, CollectStop, CollectSummary};
pub use settings::{CollectSettings, Siblings};
pub use shard::Shard;
pub use state::{CollectFailure, WorkerOutcome};
pub(crate) use state::{State, state};
pub use turn::{Lead, Sibling, Turn, TurnKind, TurnPlan};
pub use work::fill_pool;
pub use worker::WorkerJob;
pub use worker::imported_solution;

/// Who works on which instance of a folder of pools.
pub fn claims(pools: &Path) -> Claims {
    Claims::new(pools.join("claims"))
}

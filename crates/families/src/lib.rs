//! Families of related instances: one infrastructure, many instances that differ in a few parameters.
//!
//! An [`InstanceFamily`] fixes an infrastructure from one seed (names, topology, costs: the reference) and makes
//! instances that differ only in a few parameters. Instances are pure functions of (family, size, seed,
//! number): any one can be made again alone, on any machine, byte for byte. Names of rows and columns
//! tell what they stand for and are the same in every instance, so they serve as identities.
//!
//! ```
//! use std::ops::ControlFlow;
//! use idpas_families::{InstanceFamily, GenerateOptions, Size, diff, generate, mmcnp::Mmcnp};
//!
//! let family = Mmcnp::new(Size::Tiny, 1)?;
//! let (monday, tuesday) = (family.instance(1)?.model, family.instance(2)?.model);
//! assert_eq!(monday.columns.names, tuesday.columns.names);
//! assert!(!diff::compare(&monday, &tuesday).is_empty());
//!
//! let folder = tempfile::tempdir()?;
//! let options = GenerateOptions::new(folder.path(), 3);
//! let manifest = generate(&family, &options, &|progress| {
//!     assert!(progress.done <= progress.total);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(manifest.instances[0].name, "inst_0001.mps.gz");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | family | what it decides | what varies |
//! | --- | --- | --- |
//! | [`mmcnp::Mmcnp`] | paths of commodities and trucks per arc | demand |
//! | [`mmcnp::Mmcnp::with_lead_time`] | the same, and dispatches per week that keep lead times | demand |
//! | [`slap::Slap`] | locomotives on a weekly train schedule | bounds per train arc |
//! | [`course::Course`] | blocks of exams into slots | triple co-enrolment |
//! | [`perturb::Perturb`] | any model from a file | what a specification says |
//!
//! [`generate`] writes instances in parallel, with `reference.json` and `manifest.json`;
//! [`diff::compare`] lists the differences between two models. Names that hold `>` are written with `~` in LP
//! files, see [`lp_name`].
//!
//! # A family of your own
//!
//! Implement [`InstanceFamily`]: a name, a seed, the reference as JSON, and a model for a number. This is the whole
//! file `examples/own_family.rs`:
//!
//! ```no_run
#![doc = include_str!("../examples/own_family.rs")]
//! ```
//!
//! This crate knows no solver and prints nothing.

mod circulation;
pub mod course;
pub mod diff;
mod error;
mod family;
mod geography;
pub mod mmcnp;
mod names;
pub mod perturb;
pub mod slap;
mod write;

pub use error::FamilyError;
pub use family::{InputFile, Instance, InstanceFamily, Size};
pub use names::{lp_name, name_of_lp};
pub use write::{
    FileFormat, GenerateOptions, Manifest, Progress, WrittenFile, generate, write_instance,
};

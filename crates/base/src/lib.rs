//! Tools that every crate of idpas may use and that belong to none of them.
//!
//! ```
//! use idpas_base::random::Random;
//! use idpas_base::words::counted;
//!
//! let mut draws = Random::new(7, "example", 0);
//! let mut again = Random::new(7, "example", 0);
//! assert_eq!(draws.below(1000), again.below(1000));
//! assert_eq!(counted(1234, "row"), "1,234 rows");
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | draw random numbers that are the same on every machine | [`random`] |
//! | hash bytes, texts and files | [`hash`] |
//! | keep arrays in files that notice damage | [`container`] |
//! | keep JSON in files that notice damage | [`sealed`] |
//! | share work between processes and machines, and take over from those that died | [`claim`] |
//! | begin nothing that would not be done in time | [`deadline`] |
//! | run commands in processes of their own and watch them | [`process`] |
//! | refuse names in files that would lead out of a folder | [`file_name`] |
//! | know whether a launcher has started this process as one of several | [`launcher`] |
//! | know what an exit code of the program means | [`exit`] |
//! | wait for threads that share a list of work | [`threads`] |
//! | draw charts and figures as SVG | [`svg`] |
//! | declare settings once for flags and files | [`overrides!`] |
//! | write counts and durations for people | [`words`] |
//!
//! Nothing here knows of models, solvers or learning, and nothing is printed.

pub mod claim;
pub mod container;
pub mod deadline;
pub mod exit;
pub mod file_name;
pub mod hash;
pub mod launcher;
pub mod overrides;
pub mod process;
pub mod random;
pub mod sealed;
pub mod svg;
pub mod system;
pub mod threads;
pub mod words;

/// Name and version of the program, as written into files.
pub const PROGRAM: &str = concat!("idpas ", env!("CARGO_PKG_VERSION"));

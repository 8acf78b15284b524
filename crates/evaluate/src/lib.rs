//! Studies: what is compared, what each run came to, statistics over runs, and the report.
//!
//! ```
//! use idpas_evaluate::Study;
//!
//! let text = r#"
//! name = "two methods"
//! time_limit = 10
//! methods = ["solver", "id-pas+"]
//!
//! [[benchmark]]
//! name = "MMCNP"
//! family = "mmcnp"
//! size = "small"
//! train = 20
//! validation = 4
//! test = 10
//! "#;
//! let study = Study::parse(text, "study.toml".as_ref())?;
//! assert_eq!(study.subject().as_deref(), Some("id-pas+"));
//! # Ok::<(), idpas_evaluate::EvaluateError>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | read a study file | [`Study::read`] |
//! | keep and find results of runs | [`results`] |
//! | compute gaps, integrals, wins and tests from them | [`analysis::analyse`] |
//! | compute a statistic of plain numbers | [`statistics`] |
//! | make the page | [`report::html`] |
//!
//! This crate runs nothing and prints nothing: the command line does.

pub mod analysis;
pub mod cores;
mod error;
mod exit;
pub mod fit;
pub mod report;
pub mod results;
pub mod run;
pub mod statistics;
pub mod study;
pub mod tune;

pub use error::{EvaluateError, TuningProblem};
pub use run::{StudyRequest, run_study};
pub use study::Study;
pub use tune::{TuneRequest, tune};

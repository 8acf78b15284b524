//! Tuning, studies and running them, what each run came to, statistics over runs, and the report.
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
//! Running it takes commands of the program `idpas`, which the caller says how to start:
//!
//! ```no_run
//! use idpas_base::process::{Commands, WorkerCommand};
//! use idpas_evaluate::analysis::Clock;
//! use idpas_evaluate::{StudyRequest, report, run_study};
//!
//! let commands = Commands {
//!     program: WorkerCommand::new("/usr/local/bin/idpas"),
//!     interrupted: Default::default(),
//!     terminated: Default::default(),
//! };
//! let request = StudyRequest::read("study.toml".as_ref(), "results".as_ref(), &commands)?;
//! run_study(&request, &|_event| ())?;
//! report::write("results".as_ref(), Some("report.html".as_ref()), Clock::EndToEnd)?;
//! # Ok::<(), idpas_evaluate::EvaluateError>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | choose the settings of a search for a model | [`tune()`] |
//! | know what to expect of a guide, against the plain solver | [`judge()`] |
//! | read a study file | [`Study::read`] |
//! | run a study: instances, pools, models, settings, runs | [`run_study`] |
//! | keep and find results of runs | [`results`] |
//! | compute gaps, integrals, wins and tests from them | [`analysis::analyse`] |
//! | compute a statistic of plain numbers | [`statistics`] |
//! | make the page | [`report::write`], [`report::html`] |
//! | know how far a study is | [`run::study_progress`] |
//! | have a cluster run a study or a collection | [`cluster`] |
//! | keep work on processors of its own | [`cores`] |
//!
//! Progress comes as events, and nothing is printed. Tuning or running a study again goes on where it stopped.

pub mod analysis;
pub mod cluster;
pub mod cores;
mod error;
mod exit;
pub mod judgement;
pub mod report;
pub mod results;
pub mod run;
pub mod series;
mod solving;
pub mod statistics;
pub mod study;
pub mod tune;

pub use error::{EvaluateError, TuningProblem};
pub use judgement::{JudgeRequest, judge};
pub use run::{StudyRequest, run_study};
pub use study::Study;
pub use tune::{TuneRequest, tune};

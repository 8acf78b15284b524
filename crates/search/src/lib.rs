//! From scores to solutions.
//!
//! A score p_i is the predicted probability that variable i is not zero in good solutions. A search selects the
//! variables with the lowest scores ([`Selection`]), restricts the model to solutions in which at most Δ of them are not
//! zero ([`Region`]), and solves that. The paper stops there. With [completion](Settings::completion) the search goes
//! on when a region is infeasible, exhausted or brings nothing more: it widens the region, and at last solves the whole
//! model from the best solution. So a wrong prediction costs time and never the answer, and the bound it reports is
//! that of the original model.
//!
//! ```
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! use idpas_search::{Method, Problem, SearchControl, Settings, Status, search};
//! use idpas_solver::Params;
//!
//! let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
//! let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
//! b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])?;
//! let model = b.build()?;
//!
//! let solver = idpas_solver::by_name("highs")?;
//! let problem = Problem {
//!     // Wrong: the best solution has y = 1.
//!     scores: Some(&[0.9, 0.1]),
//!     ..Problem::new(solver.as_ref(), &model)
//! };
//! let params = Params::with_time_limit(10.0);
//! let outcome = search(&problem, &Settings::default(), &params, &mut SearchControl::default())?;
//! assert_eq!(outcome.status, Status::Optimal);
//! assert_eq!(outcome.solution.expect("a solution").values, [0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | search with scores, start solutions and a method | [`search`], [`Settings`], [`Method`] |
//! | watch or stop a search | [`SearchControl`], [`SearchEvent`] |
//! | know what was selected and what became of it | [`Explain`] |
//! | measure how good a search was over time | [`measure`] |
//! | choose settings on validation instances | [`tune`] |
//! | read and write the settings that were tuned for a model | [`tuned::TunedSettings`] |
//!
//! Where scores come from is not known here: there are no networks or pools, and nothing is printed. The one file that this
//! crate reads and writes is that of tuned settings.

mod amount;
mod board;
mod driver;
mod error;
mod events;
mod explain;
mod kind;
pub mod measure;
mod method;
mod outcome;
mod region;
mod repair;
mod report;
mod selection;
mod settings;
mod staged;
pub mod tune;
pub mod tuned;
mod untrained;

pub use amount::{Amount, AmountError};
pub use driver::{Advice, Early, Problem, search};
pub use error::SearchError;
pub use events::{SearchControl, SearchEvent, SearchObserver};
pub use explain::{Explain, Flip, Part, Reduction};
pub use kind::StageKind;
pub use method::{Method, UnknownMethod, oracle_scores};
pub use outcome::{
    NeighbourhoodReport, Outcome, Solution, StageEnd, StageReport, Status, TrajectoryPoint,
};
pub use region::{Applied, Region};
pub use repair::repair;
pub use report::{
    GuidedReport, Overhead, PredictionReport, PredictionSeconds, Preparation, ReportedPoint,
    ReportedRestriction, ReportedStage, ReportedStart, SettingsOrigin, SolveReport,
};
pub use selection::{Selection, SelectionSettings};
pub use settings::{Band, Schedule, Settings};
pub use staged::{Ranking, Staged};
pub use untrained::relaxation_scores;

//! From scores to solutions.
//!
//! A score p_i is the predicted probability that variable i is not zero in good solutions. Given scores, past solutions,
//! both or neither, [`search`] looks for good solutions of the model, and proves what can be proved.
//!
//! The **staged search**, the method `idpas`, is what it does unless told otherwise: one scheduler over many [sources](Source)
//! of solutions. Past solutions are made to fit; columns that a set of scores is sure about are held at zero, which leaves
//! sub-models so small that a good solution takes a moment; solutions are crossed; neighbourhoods of the best one, chosen by
//! scores, relaxation and success, improve it; and the solver goes on with the whole model in between, or all the time on
//! threads of its own. Each source gets time by what it brings. A wrong prediction costs time and never the answer, and the
//! bound is that of the original model.
//!
//! Two more strategies are there to compare with. The **paper's region** selects the variables with the lowest scores
//! ([`Selection`]), restricts the model to solutions in which at most Δ of them are not zero ([`Region`]), and solves that;
//! with [completion](SearchSettings::completion) it goes on where the paper stops, in wider regions and at last in the whole
//! model. The **plain solver** solves the whole model in one stage.
//!
//! ```
//! use idpas_mip::{ModelBuilder, Sense, VarKind};
//! use idpas_search::{SearchProblem, SearchControl, SearchSettings, SearchStatus, search};
//! use idpas_solver::Params;
//!
//! let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
//! let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
//! let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
//! b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])?;
//! let model = b.build()?;
//!
//! let solver = idpas_solver::by_name("highs")?;
//! let problem = SearchProblem {
//!     // Wrong: the best solution has y = 1.
//!     scores: Some(&[0.9, 0.1]),
//!     ..SearchProblem::new(solver.as_ref(), &model)
//! };
//! let params = Params::with_time_limit(10.0);
//! let outcome = search(&problem, &SearchSettings::default(), &params, &mut SearchControl::default())?;
//! assert_eq!(outcome.status, SearchStatus::Optimal);
//! assert_eq!(outcome.solution.expect("a solution").values, [0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | search with scores, start solutions and a method | [`search`], [`SearchSettings`], [`Method`] |
//! | find a feasible solution fast, or complete a partial one | [`first_solution`] |
//! | watch or stop a search | [`SearchControl`], [`SearchEvent`] |
//! | know what was selected and what became of it | [`Explain`] |
//! | measure how good a search was over time | [`measure`] |
//! | search neighbourhoods of a solution | [`neighbourhood`] |
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
mod first;
mod kind;
pub mod measure;
mod method;
pub mod neighbourhood;
mod outcome;
mod region;
mod repair;
mod report;
mod scores;
mod selection;
mod settings;
mod source;
mod staged;
mod strategies;
pub mod tune;
pub mod tuned;
mod untrained;

pub use amount::{Amount, AmountError};
pub use driver::{LateScores, SearchProblem, search};
pub use error::SearchError;
pub use events::{SearchControl, SearchEvent, SearchObserver};
pub use explain::{Explain, Flip, Reduction, SelectedPart};
pub use first::{FirstSolution, FirstSolutionRequest, first_solution};
pub use kind::{StageKind, UnknownStage};
pub use method::{Method, UnknownMethod, oracle_scores};
pub use outcome::{
    NeighbourhoodReport, SearchOutcome, SearchStatus, StageEnd, StageReport, TrajectoryPoint,
};
pub use region::{Applied, Region};
pub use repair::repair;
pub use report::{
    GuidedReport, Overhead, PredictionReport, PredictionSeconds, Preparation, ReportedPoint,
    ReportedRestriction, ReportedStage, ReportedStart, SettingsOrigin, SolveReport,
};
pub use scores::{ScoreOrigin, ScoreSet};
pub use selection::{Selection, SelectionSettings};
pub use settings::{Band, Schedule, SearchSettings};
pub use source::{Source, SourceReport, UnknownSource};
pub use staged::{Ranking, StagedSettings};
pub use tuned::{TunedSettings, sidecar};
pub use untrained::relaxation_scores;

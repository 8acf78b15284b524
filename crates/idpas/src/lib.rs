//! Learns from the MIPs that were solved before, and solves the next one better.
//!
//! Three calls: collect good solutions of a family of instances, train a guide on them, solve with the guide.
//!
//! ```no_run
#![doc = include_str!("../examples/three_calls.rs")]
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | read and write models and solutions | [`read_model`], [`write_model`], [`solution`] |
//! | collect good solutions of a family, or open a folder of them | [`Family::collect`], [`Family::open`] |
//! | train a guide, keep it in a file, read it back | [`Guide::train`], [`Guide::write`], [`Guide::read`] |
//! | solve, with a guide or without | [`solve()`], [`Solve`], [`SolveControl`] |
//! | get scores without solving | [`Guide::predict`] |
//! | choose search settings for a guide, run studies, write reports | [`evaluate`] |
//!
//! Every solution that comes out was checked, with exact arithmetic, in the model as it was given. Nothing is printed.
//! What is behind each call is in the crates that are re-exported here, one room each.

mod family;
mod solve;

pub use family::{Family, FamilyError};
pub use solve::{
    Amounts, GivenSettings, KnownSolution, PlanError, ReportDetails, SettingsFileError, Solve,
    SolveError, SolvePlan, Solved, Unfit, UnfitMethod, solve, solve_shared, until,
};

pub use idpas_evaluate as evaluate;
pub use idpas_learn::{
    Guidance, Guide, History, LearnError, PredictionRequest, PredictorKind, Recipe, Train,
    TrainedModel, train::Control as TrainControl,
};
pub use idpas_mip::{Model, ModelBuilder, Sense, VarKind, read_model, solution, write_model};
pub use idpas_pools::collect::{
    CollectOptions as Collect, CollectProgress, CollectSettings, CollectStop, CollectSummary,
};
pub use idpas_search::{
    Method, SearchControl as SolveControl, SearchEvent as SolveEvent, SearchOutcome,
    SearchSettings, SearchStatus, SettingsOrigin, SolveReport,
};

//! Learns from the MIPs that were solved before, and solves the next one better.
//!
//! Three calls: collect good solutions of a family of instances, train a guide on them, solve with the guide.
//!
//! ```
//! use idpas::{Collect, CollectSettings, Family, Guide, Recipe, Solve, SolveControl, Train, TrainControl};
//! # use idpas_families::{GenerateOptions, Size, generate, mmcnp::Mmcnp};
//! # let folder = tempfile::tempdir()?;
//! # let instances = folder.path().join("instances");
//! # let mmcnp = Mmcnp::new(Size::Tiny, 1)?;
//! # generate(&mmcnp, &GenerateOptions::new(&instances, 4), &|_| std::ops::ControlFlow::Continue(()))?;
//!
//! // Good solutions of every instance in a folder. A second each is enough here; real models take minutes.
//! let settings = CollectSettings { time_limit: 1.0, ..CollectSettings::default() };
//! let collect = Collect { out: folder.path().join("pools"), settings, ..Collect::default() };
//! let family = Family::collect(&instances, &collect, &mut |_progress| ())?;
//!
//! // What they have in common. `Train::default()` trains the graph network; counting zeros is done at once.
//! let train = Train { recipe: Recipe::ZeroFrequency(Default::default()), ..Train::default() };
//! let guide = Guide::train(&family, &train, &mut TrainControl::default())?;
//!
//! // The next instance, searched first where good solutions were before.
//! let model = idpas::read_model(instances.join("inst_0004.mps.gz"))?.model;
//! let options = Solve::with_time_limit(10.0);
//! let solved = idpas::solve(&model, Some(&guide), &options, &mut SolveControl::default())?;
//! let solution = solved.outcome.solution.ok_or("no solution was found")?;
//! assert!(solution.check.feasible);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same as a whole program is `examples/three_calls.rs`.
//!
//! | to | call |
//! | --- | --- |
//! | read and write models and solutions | [`read_model`], [`write_model`], [`solution`] |
//! | collect good solutions of a family, or open a folder of them | [`Family::collect`], [`Family::open`] |
//! | train a guide, keep it in a file, read it back | [`Guide::train`], [`Guide::write`], [`Guide::read`] |
//! | do all of that at once, and learn what to expect of the guide | [`Learn::run`] |
//! | solve instances as they come, learning from each | [`Series`], [`SeriesOptions`] |
//! | solve, with a guide or without | [`solve()`], [`Solve`], [`SolveControl`] |
//! | get scores without solving | [`Guide::predict`] |
//! | choose search settings for a guide | [`tune()`] |
//! | compare methods in a study, and write the report | [`run_study`], [`report::write`] |
//!
//! Every solution that comes out was checked, with exact arithmetic, in the model as it was given. Nothing is printed.
//! What is behind each call is in the crates that are re-exported here, one room each.

mod family;
mod learn;
mod series;
mod solve;

pub use family::{Family, FamilyFolderError};
pub use learn::{Learn, LearnEvent, LearnFamilyError, LearnObserver, LearnStep, LearnedFamily};
pub use series::{
    Mix, Series, SeriesControl, SeriesError, SeriesEvent, SeriesObserver, SeriesOptions,
    SeriesSolved, SolverOptions, TrainBeside, UnknownWay, Way,
};
pub use solve::{
    Amounts, GivenSettings, KnownSolution, PlanError, ReportDetails, SettingsFileError, Solve,
    SolveError, SolvePlan, Solved, Unfit, UnfitMethod, solve, solve_shared, until,
};

pub use idpas_base::process::{Commands, WorkerCommand};
pub use idpas_evaluate::judgement::{self, Judgement, Verdict};
pub use idpas_evaluate::tune::{TuneEvent, TuneOverrides};
pub use idpas_evaluate::{
    EvaluateError, Study, StudyRequest, TuneRequest, analysis, report, run_study, tune,
};
pub use idpas_learn::{
    Guidance, Guide, History, LearnError, PredictionRequest, PredictorKind, Recipe, Train,
    TrainedModel,
    train::{TrainControl, TrainProgress, ranks},
};
pub use idpas_mip::{Model, ModelBuilder, Sense, VarKind, read_model, solution, write_model};
pub use idpas_pools::collect::{
    CollectOptions as Collect, CollectProgress, CollectSettings, CollectStop, CollectSummary,
};
pub use idpas_search::{
    Method, SearchControl as SolveControl, SearchEvent as SolveEvent, SearchOutcome,
    SearchSettings, SearchStatus, SettingsOrigin, SolveReport,
};

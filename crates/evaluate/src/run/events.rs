//! What a study tells while it runs.

use std::path::Path;

use idpas_mip::Warning;

use crate::EvaluateError;
use crate::results::Record;
use crate::study::{ModelKind, PlannedPart};

/// Called with each event of a study, from several threads.
pub type StudyObserver<'a> = dyn Fn(&StudyEvent<'_>) + Sync + 'a;

/// What a study tells while it runs, from several threads.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum StudyEvent<'a> {
    /// Work on a benchmark begins.
    Planned {
        /// The benchmark.
        benchmark: &'a str,
        /// What there is to do; what is there already is not made again.
        parts: &'a [PlannedPart],
        /// Solves at a time.
        at_a_time: usize,
    },
    /// A stage begins.
    StageBegan {
        /// The benchmark.
        benchmark: &'a str,
        /// The stage.
        stage: StudyStage<'a>,
    },
    /// Another process does a stage that this one waits for.
    WaitingForStage {
        /// The benchmark, as its folder is called.
        benchmark: &'a str,
        /// The stage, as its stamp is called.
        stage: &'a str,
    },
    /// Other processes train models that this one waits for.
    WaitingForModels {
        /// The benchmark.
        benchmark: &'a str,
    },
    /// Some files of a benchmark are copies of others and left out.
    CopiesLeftOut {
        /// The benchmark.
        benchmark: &'a str,
        /// How many.
        copies: usize,
    },
    /// An instance file was read in a way that deserves a warning.
    Warnings {
        /// The file.
        path: &'a Path,
        /// What was odd.
        warnings: &'a [Warning],
    },
    /// A benchmark cannot be finished; the next one begins.
    BenchmarkFailed {
        /// The benchmark.
        benchmark: &'a str,
        /// Why.
        error: &'a EvaluateError,
    },
    /// Runs share processors, so that their times are not comparable to others.
    SharedProcessors,
    /// Runs are about to begin.
    RunsPlanned {
        /// The benchmark.
        benchmark: &'a str,
        /// How many of this process's own part.
        runs: usize,
        /// Seconds of solving of all of them, at most.
        seconds: f64,
        /// Runs at a time.
        jobs: usize,
    },
    /// There is one more run than was planned, of another shard's part.
    RunAdded {
        /// Its time limit in seconds.
        time_limit: f64,
    },
    /// The record of a run is there.
    RunDone {
        /// Its time limit in seconds.
        time_limit: f64,
        /// What the run came to.
        record: &'a Record,
        /// Whether it was made now by this process.
        made: bool,
    },
    /// Other runs on this machine have its processors; a run waits for them.
    WaitingForProcessors,
    /// Nothing is left to begin; other processes make the rest.
    WaitingForRuns,
    /// All runs of a benchmark are over, or the work ends.
    RunsEnded,
}

/// A stage of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StudyStage<'a> {
    /// Instances are generated.
    Generate {
        /// How many.
        instances: usize,
    },
    /// Solutions are collected.
    Collect {
        /// Of how many instances.
        instances: usize,
        /// Seconds for each.
        time_limit: f64,
    },
    /// A model is trained.
    Train {
        /// Which one.
        model: ModelKind,
    },
    /// Settings of a search are chosen.
    Tune {
        /// The label of the method.
        label: &'a str,
    },
    /// The scores of a model are judged on the test instances.
    Judge {
        /// The model, by the name of its file.
        model: &'a str,
    },
}

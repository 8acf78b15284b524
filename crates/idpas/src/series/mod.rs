//! Learning along a series: instances are solved in the order in which they come, each is learned from, and the next one
//! is solved better. There is no training phase.
//!
//! ```
//! use idpas::{Series, SeriesControl, SeriesOptions};
//! # use std::sync::Arc;
//! # use idpas_families::{GenerateOptions, Size, generate, mmcnp::Mmcnp};
//! # let folder = tempfile::tempdir()?;
//! # let days = folder.path().join("days");
//! # let mmcnp = Mmcnp::new(Size::Tiny, 1)?;
//! # generate(&mmcnp, &GenerateOptions::new(&days, 2), &|_| std::ops::ControlFlow::Continue(()))?;
//!
//! let options = SeriesOptions::with_time_limit(5.0);
//! let mut series = Series::open(folder.path().join("state"), options)?;
//! for day in 1..=2 {
//!     let model = idpas::read_model(days.join(format!("inst_{day:04}.mps.gz")))?.model;
//!     let solved = series.solve("orders", &Arc::new(model), &mut SeriesControl::default())?;
//!     println!("{}: {:?}", solved.record.number, solved.record.run.objective);
//! }
//! // Tomorrow, the same folder goes on with the third.
//! assert_eq!(series.records().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is carried along: the best solutions of the latest instances, how often variables were zero in them and which
//! instances are alike (together a [`Guide`]), what each source of the search brought, and which [`Way`] to solve an
//! instance has paid so far: the plain solver, the plain solver from past solutions, or the staged search, each with the
//! solver's own options where other ones bring proofs sooner. What does not help is dropped within a few instances.

mod folder;
mod network;
mod solving;
mod way;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idpas_evaluate::EvaluateError;
use idpas_evaluate::series::SeriesRecord;
use idpas_learn::{Examples, Guide, LearnError};
use idpas_mip::{Model, ReadError, WriteError};
use idpas_pools::PoolError;
use idpas_pools::inputs::InputFile;
use idpas_search::SearchEvent;
use idpas_solver::{Interrupt, Params, SolverError};
use serde::{Deserialize, Serialize};

use crate::{SolveError, Solved};
use folder::Folder;
use network::NetworkTraining;
pub use way::{Mix, SolverOptions, UnknownWay, Way};

/// How the instances of a series are solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SeriesOptions {
    /// Seconds for each instance, from opening its file on.
    pub time_limit: f64,
    /// An instance is solved when the relative gap between solution and bound is at most this.
    pub gap: f64,
    /// Threads of the solver.
    pub threads: usize,
    /// Seed of the solver and of the search.
    pub seed: u32,
    /// Name of the solver.
    pub solver: String,
    /// Take this way for every instance, instead of the one that has paid so far.
    pub way: Option<String>,
    /// Also run the default solver on each instance, in turn with the series' own run, to compare. Nothing is learned from it.
    pub compare: bool,
    /// Train a network beside the solves, on a thread of its own, as soon as there are instances enough.
    pub train: TrainBeside,
}

/// Whether a network is trained while a series goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainBeside {
    /// Counting serves: past solutions, how often variables were zero.
    #[default]
    Off,
    /// A training of at most so many seconds, begun again when half as many instances again have come.
    Seconds(f64),
}

impl Default for SeriesOptions {
    fn default() -> Self {
        let params = Params::default();
        SeriesOptions {
            time_limit: 60.0,
            gap: params.relative_gap,
            threads: params.threads,
            seed: params.seed,
            solver: "highs".into(),
            way: None,
            compare: false,
            train: TrainBeside::Off,
        }
    }
}

impl SeriesOptions {
    /// The defaults with so many seconds for each instance.
    pub fn with_time_limit(seconds: f64) -> Self {
        SeriesOptions {
            time_limit: seconds,
            ..SeriesOptions::default()
        }
    }

    fn validate(&self) -> Result<Option<Way>, SeriesError> {
        if !(self.time_limit > 0.0 && self.time_limit.is_finite()) {
            return Err(SeriesError::TimeLimit(self.time_limit));
        }
        let given = self.way.as_deref().map(str::parse).transpose();
        Ok(given?)
    }
}

/// Something that happens while an instance of a series is solved.
#[derive(Debug)]
#[non_exhaustive]
pub enum SeriesEvent<'a> {
    /// An instance begins.
    Begins {
        /// Its place in the series, from 1 on.
        number: usize,
        /// Its name.
        name: &'a str,
        /// How it is solved.
        way: &'a Way,
    },
    /// An event of the search on the instance.
    Solve(SearchEvent<'a>),
    /// The default solver begins on the same instance, to compare.
    Compares,
    /// Something that the user should know.
    Note(&'a str),
    /// An instance is done and learned from.
    Done(&'a SeriesRecord),
}

/// Receives events.
pub type SeriesObserver<'a> = dyn FnMut(SeriesEvent<'_>) + Send + 'a;

/// Who watches a series and who may stop it.
#[derive(Default)]
pub struct SeriesControl<'a> {
    /// Raised, from any thread, to end the instance under way with its best solution. It is not learned from then, and the
    /// series goes on with it another time.
    pub interrupt: Interrupt,
    /// Receives every event.
    pub observer: Option<&'a mut SeriesObserver<'a>>,
}

impl SeriesControl<'_> {
    fn tell(&mut self, event: SeriesEvent<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }
}

/// An instance of a series that was solved.
#[derive(Clone, Debug)]
pub struct SeriesSolved {
    /// What became of it.
    pub record: SeriesRecord,
    /// The solve with all details: solution, trajectory, stages.
    pub solved: Solved,
    /// The model that it is about.
    pub model: Arc<Model>,
    /// The file of its best solution, if it has one.
    pub solution: Option<PathBuf>,
    /// Whether the record was kept. Not if the solve was interrupted: then the instance is solved again another time.
    pub is_recorded: bool,
}

/// A series that cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// The time limit is none.
    #[error("time limit: {0}; expected seconds above 0")]
    TimeLimit(f64),
    /// A way that does not exist was asked for.
    #[error(transparent)]
    Way(#[from] UnknownWay),
    /// A folder that is not empty and holds no series.
    #[error("{0}: this folder is not empty and holds no series; give another one, or an empty one")]
    NoSeries(String),
    /// Another process goes on with the series right now.
    #[error("{0}: another process goes on with this series; wait until it is done")]
    Busy(String),
    /// A file of the folder cannot be what it should be.
    #[error("{path}: {why}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// Learning was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// An instance cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A record cannot be read or written.
    #[error(transparent)]
    Record(#[from] EvaluateError),
    /// The pools of the series cannot be read or written.
    #[error(transparent)]
    Pools(#[from] PoolError),
    /// Nothing can be learned from the pools of the series.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The solver is not known, or cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// An instance could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl SeriesError {
    fn io(path: &Path, source: io::Error) -> Self {
        SeriesError::Io {
            path: path.display().to_string(),
            source,
        }
    }
}

/// A series of instances, of which each is solved with what those before it have taught.
pub struct Series {
    folder: Folder,
    options: SeriesOptions,
    /// The way that the user asked for.
    given: Option<Way>,
    records: Vec<SeriesRecord>,
    guide: Option<Guide>,
    /// The instances that are remembered, once they were read.
    examples: Option<Examples>,
    network: NetworkTraining,
}

impl Series {
    /// Begins a series in a new or empty folder, or goes on with the one that is there. What an instance that was not done
    /// has left in the folder is removed.
    pub fn open(folder: impl AsRef<Path>, options: SeriesOptions) -> Result<Self, SeriesError> {
        let given = options.validate()?;
        let (folder, records) = Folder::open(folder.as_ref(), &options)?;
        let examples = folder.examples(None)?;
        let guide = examples.as_ref();
        let guide = guide.map(|examples| folder.learned(examples, options.threads));
        let guide = guide.transpose()?;
        let network = NetworkTraining::new(&folder, &options);
        Ok(Series {
            folder,
            options,
            given,
            records,
            guide,
            examples,
            network,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What became of the instances so far, in their order.
    pub fn records(&self) -> &[SeriesRecord] {
        &self.records
    }

    /// The guide that was learned so far, which other commands can use as well; `None` before there is a solution.
    pub fn guide(&self) -> Option<&Guide> {
        self.guide.as_ref()
    }

    /// Those of a list of instances, in its order, that the series has not solved yet. Files are compared by name and
    /// content; one that comes twice in the list is solved twice.
    pub fn remaining(&self, list: &[InputFile]) -> Result<Vec<InputFile>, SeriesError> {
        let mut done: Vec<(&str, &str)> = self
            .records
            .iter()
            .map(|record| (record.name.as_str(), record.sha256.as_str()))
            .collect();
        let mut remaining = Vec::new();
        for file in list {
            let is_named = |done: &(&str, &str)| done.0 == file.name;
            // Only files that may have been solved are read ahead of their turn.
            let place = match done.iter().any(is_named) {
                true => {
                    let sha256 = idpas_pools::instance_hash(&file.path)?;
                    done.iter()
                        .position(|done| *done == (file.name.as_str(), sha256.as_str()))
                }
                false => None,
            };
            match place {
                Some(at) => drop(done.remove(at)),
                None => remaining.push(file.clone()),
            }
        }
        Ok(remaining)
    }
}

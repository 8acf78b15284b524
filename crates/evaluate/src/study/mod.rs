//! A study: which methods, on which instances, for how long, and how their models are made.
//!
//! Written as TOML; `docs/evaluation.md` lists every field. Paths are relative to the file. What a benchmark does not
//! say about collecting, training and tuning, the study's own tables say, and what neither says is left to the defaults
//! of the commands. These tables are the settings that the crates below declare for it.

mod benchmark;
mod methods;
mod plan;
mod validate;

use std::path::Path;

use idpas_learn::TrainOverrides;
use idpas_pools::collect::CollectOverrides;
use idpas_search::Method;
use serde::{Deserialize, Serialize};

use crate::EvaluateError;
use crate::cluster::ClusterSettings;
use crate::tune::TuneOverrides;
pub use benchmark::{Benchmark, FamilyName, Folders};
pub(crate) use methods::has_settings;
pub use methods::{Entry, MethodEntry, ModelKind, slug};
pub use plan::PlannedPart;

/// A study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name, at the top of the report.
    pub name: String,
    /// A sentence on what it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Seconds of each run, from opening the file on.
    pub time_limit: f64,
    /// Threads of each run.
    #[serde(default = "one")]
    pub threads: u16,
    /// Seeds of the solver; each instance is run with each.
    #[serde(default = "zero")]
    pub seeds: Vec<u32>,
    /// The relative gap at which a run ends.
    #[serde(default = "default_gap")]
    pub gap: f64,
    /// The solver under every method that names no other.
    #[serde(default = "default_solver")]
    pub solver: String,
    /// Methods with their tuned or default settings, by name.
    #[serde(default)]
    pub methods: Vec<Method>,
    /// Methods with settings of their own.
    #[serde(default, rename = "method", skip_serializing_if = "Vec::is_empty")]
    pub more_methods: Vec<MethodEntry>,
    /// The method that the others are compared with, by its label; the last learned one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Seconds of one more run of the solver on each test instance, from the best solution of all others, before the
    /// oracle is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_time: Option<f64>,
    /// How pools are collected.
    #[serde(default)]
    pub collect: CollectOverrides,
    /// How networks are trained.
    #[serde(default)]
    pub train: TrainOverrides,
    /// How settings of the search are chosen.
    #[serde(default)]
    pub tune: TuneOverrides,
    /// What is asked of a cluster that runs it.
    #[serde(default, skip_serializing_if = "ClusterSettings::is_empty")]
    pub cluster: ClusterSettings,
    /// The benchmarks.
    #[serde(rename = "benchmark")]
    pub benchmarks: Vec<Benchmark>,
}

fn one() -> u16 {
    1
}

fn zero() -> Vec<u32> {
    vec![0]
}

fn default_gap() -> f64 {
    1e-4
}

fn default_solver() -> String {
    TuneOverrides::SOLVER.into()
}

impl Study {
    /// Reads and checks a study file. Relative paths in it are taken from its folder.
    pub fn read(path: &Path) -> Result<Self, EvaluateError> {
        let text = std::fs::read_to_string(path).map_err(|e| EvaluateError::io(path, e))?;
        let mut study = Study::parse(&text, path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for benchmark in &mut study.benchmarks {
            benchmark.resolve(folder);
        }
        Ok(study)
    }

    /// Parses and checks the text of a study; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, EvaluateError> {
        let wrong = |line: Option<usize>, message: String| EvaluateError::Study {
            path: path.display().to_string(),
            line,
            message,
        };
        let study: Study = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, span.start));
            wrong(line, error.message().to_owned())
        })?;
        study.validate().map_err(|fault| {
            let line = fault.find.and_then(|what| line_with(text, &what));
            wrong(line, fault.message)
        })?;
        Ok(study)
    }

    /// The study as a file that can be put anywhere: its paths begin at the root.
    pub fn to_toml(&self) -> Result<String, EvaluateError> {
        let mut whole = self.clone();
        for benchmark in &mut whole.benchmarks {
            benchmark.absolute();
        }
        toml::to_string(&whole).map_err(|error| EvaluateError::Study {
            path: self.name.clone(),
            line: None,
            message: error.to_string(),
        })
    }

    /// All methods in their order: those by name, then those with settings of their own.
    pub fn entries(&self) -> Vec<Entry> {
        let plain = self.methods.iter().map(|&method| Entry::plain(method));
        let own = self.more_methods.iter().map(MethodEntry::entry);
        let mut all: Vec<Entry> = plain.chain(own).collect();
        // Options are settings too.
        for at in 0..all.len() {
            let of = all[at].settings_of.as_ref();
            let other = of.and_then(|of| all.iter().find(|other| other.label == *of));
            if let (Some(other), true) = (other, all[at].options.is_empty()) {
                all[at].options = other.options.clone();
            }
        }
        all
    }

    /// The label of the method that the others are compared with.
    pub fn subject(&self) -> Option<String> {
        // What has nothing to choose is a baseline, or the ceiling.
        let last = || {
            self.entries()
                .into_iter()
                .rfind(Entry::is_tuned)
                .map(|entry| entry.label)
        };
        self.subject.clone().or_else(last)
    }

    /// The solver that a method runs on.
    pub fn solver_of<'a>(&'a self, entry: &'a Entry) -> &'a str {
        entry.solver.as_deref().unwrap_or(&self.solver)
    }

    /// How the pools of a benchmark are collected: by the study's solver, unless it says otherwise.
    pub fn collect_of(&self, benchmark: &Benchmark) -> CollectOverrides {
        let said = benchmark.collect.or(&self.collect);
        let other = Some(self.solver.clone()).filter(|solver| solver != TuneOverrides::SOLVER);
        CollectOverrides {
            solver: said.solver.clone().or(other),
            ..said
        }
    }

    /// How the models of a benchmark are trained.
    pub fn train_of(&self, benchmark: &Benchmark) -> TrainOverrides {
        benchmark.train_settings.or(&self.train)
    }

    /// How the settings of a benchmark are tuned.
    pub fn tune_of(&self, benchmark: &Benchmark) -> TuneOverrides {
        benchmark.tune.or(&self.tune)
    }

    /// Seconds of each run on a benchmark.
    pub fn time_limit_of(&self, benchmark: &Benchmark) -> f64 {
        benchmark.time_limit.unwrap_or(self.time_limit)
    }
}

/// The line that a byte is in.
fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())]
        .iter()
        .filter(|b| **b == b'\n')
        .count()
        + 1
}

/// The first line that holds a text.
fn line_with(text: &str, what: &str) -> Option<usize> {
    let at = text.lines().position(|line| line.contains(what))?;
    Some(at + 1)
}

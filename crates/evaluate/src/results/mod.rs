//! The folder of results: one file per run, written completely or not at all, and what is needed to read them.
//!
//! ```text
//! RESULTS/study.toml                      the study, as it was run
//! RESULTS/manifest.json                   program, solver, machine, hashes
//! RESULTS/BENCHMARK/benchmark.json        test instances and configurations of the methods
//! RESULTS/BENCHMARK/runs/METHOD/INSTANCE.s0.json
//! RESULTS/BENCHMARK/best/INSTANCE.json    the best value of any run, its solution beside it
//! RESULTS/BENCHMARK/quality/MODEL.json    how good a model's scores are on the test instances
//! ```

mod manifest;
mod quality;
mod record;

use std::path::{Path, PathBuf};

use idpas_base::sealed;
use idpas_mip::files::save_bytes;
use idpas_mip::{Sense, WriteError};
use idpas_search::Method;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::study::slug;
use crate::{EvaluateError, Study};
pub use manifest::{Machine, Manifest};
pub use quality::Quality;
pub(crate) use record::are_same;
pub use record::{Best, Configuration, REFERENCE, Record};

/// Name of the file that holds the study.
pub const STUDY: &str = "study.toml";
/// Name of the file that holds the outline of a benchmark.
const BENCHMARK: &str = "benchmark.json";

/// The instances and methods of a benchmark, once its models are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Name of the benchmark.
    pub name: String,
    /// Origin of its instances.
    pub source: String,
    /// Number of training instances.
    pub train: usize,
    /// Number of validation instances, by which weights and settings are chosen.
    pub validation: usize,
    /// Time limit of each run in seconds.
    pub time_limit: f64,
    /// The test instances.
    pub instances: Vec<TestInstance>,
    /// The methods.
    pub methods: Vec<OutlinedMethod>,
    /// Time of each stage before the runs, in their order.
    #[serde(default)]
    pub stages: Vec<StageTime>,
}

/// The time that a stage took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// Name of the stage.
    pub name: String,
    /// Time in seconds.
    pub seconds: f64,
}

/// A test instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestInstance {
    /// Name of the instance.
    #[serde(deserialize_with = "idpas_base::file_name::deserialize")]
    pub name: String,
    /// Path of its file.
    pub file: PathBuf,
    /// Hash of its content.
    pub sha256: String,
    /// Whether smaller or larger values are better.
    #[serde(with = "sense")]
    pub sense: Sense,
    /// Number of rows.
    pub rows: usize,
    /// Number of binary columns.
    pub binaries: usize,
    /// Number of other integer columns.
    pub integers: usize,
    /// Number of continuous columns.
    pub continuous: usize,
    /// Number of non-zero matrix entries.
    pub nonzeros: usize,
}

/// A method with its configuration on a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutlinedMethod {
    /// Its label in tables.
    pub label: String,
    /// The method.
    pub method: Method,
    /// The configuration of its runs.
    pub configuration: Configuration,
    /// The settings of the search; `None` if they were not tuned.
    #[serde(default)]
    pub tuned: Option<Value>,
    /// Time of tuning in seconds of solving; `None` if the settings were not tuned.
    #[serde(default)]
    pub tuning_seconds: Option<f64>,
    /// The kind of model that it uses; `None` if it uses none.
    #[serde(default)]
    pub model: Option<String>,
}

/// A folder of results.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
}

impl Results {
    /// The results in this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Results {
            folder: folder.into(),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a benchmark.
    pub fn benchmark(&self, name: &str) -> PathBuf {
        self.folder.join(slug(name))
    }

    /// The study that was run here.
    pub fn study(&self) -> Result<Study, EvaluateError> {
        let path = self.folder.join(STUDY);
        if !path.exists() {
            return Err(EvaluateError::NoResults {
                path: self.folder.display().to_string(),
            });
        }
        Study::read(&path)
    }

    /// Path of the record of a run.
    pub fn run_path(&self, benchmark: &str, label: &str, instance: &str, seed: u32) -> PathBuf {
        let runs = self.runs_folder(benchmark, label);
        runs.join(format!("{instance}.s{seed}.json"))
    }

    /// The folder of the records of a method's runs.
    pub fn runs_folder(&self, benchmark: &str, label: &str) -> PathBuf {
        self.benchmark(benchmark).join("runs").join(slug(label))
    }

    /// Path of the best solution of an instance; a file beside it holds its value and origin.
    pub fn best_path(&self, benchmark: &str, instance: &str) -> PathBuf {
        self.benchmark(benchmark)
            .join("best")
            .join(format!("{instance}.sol"))
    }

    /// The outline of a benchmark; `None` if it has not been written yet.
    pub fn outline(&self, benchmark: &str) -> Result<Option<Outline>, EvaluateError> {
        read(
            &self.benchmark(benchmark).join(BENCHMARK),
            "outline of a benchmark",
        )
    }

    /// Writes the outline of a benchmark.
    pub fn write_outline(&self, outline: &Outline) -> Result<(), EvaluateError> {
        // Hundreds of processes may come to the same one.
        if self
            .outline(&outline.name)
            .is_ok_and(|old| old.as_ref() == Some(outline))
        {
            return Ok(());
        }
        write(&self.benchmark(&outline.name).join(BENCHMARK), outline)
    }

    /// The record of a run; `None` if there is none.
    pub fn record(
        &self,
        benchmark: &str,
        label: &str,
        instance: &str,
        seed: u32,
    ) -> Result<Option<Record>, EvaluateError> {
        read(
            &self.run_path(benchmark, label, instance, seed),
            "record of a run",
        )
    }

    /// The best value known of an instance; `None` if there is none.
    pub fn best(&self, benchmark: &str, instance: &str) -> Result<Option<Best>, EvaluateError> {
        let path = self.best_path(benchmark, instance).with_extension("json");
        read(&path, "best value of an instance")
    }
}

/// Reads a JSON file, whose checksum must be right if it has one; `None` if there is no such file.
pub fn read<T: DeserializeOwned>(
    path: &Path,
    what: &'static str,
) -> Result<Option<T>, EvaluateError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(EvaluateError::io(path, e)),
    };
    let value = sealed::from_slice(&text).map_err(|e| EvaluateError::damaged(path, what, &e))?;
    Ok(Some(value))
}

/// Writes a JSON file with a checksum, completely or not at all, and creates the folders above it.
pub fn write(path: &Path, value: &impl Serialize) -> Result<(), EvaluateError> {
    let text = sealed::to_text(value).map_err(|e| EvaluateError::damaged(path, "value", &e))?;
    match save_bytes(path, text.as_bytes()) {
        // Only then, since the folders are there as a rule.
        Err(WriteError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder).map_err(|e| EvaluateError::io(folder, e))?;
            Ok(save_bytes(path, text.as_bytes())?)
        }
        written => Ok(written?),
    }
}

mod sense {
    use super::Sense;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(sense: &Sense, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match sense {
            Sense::Minimize => "minimize",
            Sense::Maximize => "maximize",
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Sense, D::Error> {
        match String::deserialize(from)?.as_str() {
            "minimize" => Ok(Sense::Minimize),
            "maximize" => Ok(Sense::Maximize),
            other => Err(D::Error::custom(format!(
                "`{other}`; expected minimize or maximize"
            ))),
        }
    }
}

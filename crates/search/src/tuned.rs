//! The file of tuned settings that lies beside a trained model: what was chosen, for which model, and the evidence.

use std::io;
use std::path::{Path, PathBuf};

use idpas_base::sealed;
use idpas_mip::WriteError;
use idpas_mip::files::save_bytes;
use serde::{Deserialize, Serialize};

use crate::tune::{Evaluation, RungReport};
use crate::{Method, SearchSettings};

/// Settings that were chosen for a model on validation instances, with everything that led to the choice.
///
/// A search needs `settings` and `model_sha256` only; a file may leave out the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedSettings {
    /// Program and version that made the choice.
    #[serde(default)]
    pub program: String,
    /// The model's file, as it was given.
    #[serde(default)]
    pub model: String,
    /// The hash of the model's file.
    pub model_sha256: String,
    /// The method that settings were chosen for.
    #[serde(default)]
    pub method: Method,
    /// The chosen settings.
    pub settings: SearchSettings,
    /// How the choice was made.
    #[serde(default)]
    pub grid: Grid,
    /// Seconds for each instance.
    #[serde(default)]
    pub time_limit: f64,
    /// Threads of each search.
    #[serde(default)]
    pub threads: u16,
    /// Seed of each search.
    #[serde(default)]
    pub seed: u32,
    /// Seconds of solving that all evaluations took.
    #[serde(default)]
    pub seconds: f64,
    /// Seconds of solving that the paper's grid would have taken on the same instances, counting only points that differ.
    #[serde(default)]
    pub paper_grid_seconds: f64,
    /// The place of the chosen settings among the candidates.
    #[serde(default)]
    pub candidate: usize,
    /// The mean primal gap over the time that the chosen settings had in the last rung.
    #[serde(default)]
    pub cost: Option<f64>,
    /// The instances that candidates were compared on.
    #[serde(default)]
    pub instances: Vec<TuningInstance>,
    /// How the candidates stood after each rung.
    #[serde(default)]
    pub rungs: Vec<RungReport>,
    /// Every evaluation that the choice rests on.
    #[serde(default)]
    pub evaluations: Vec<Evaluation>,
    /// The settings that were compared.
    #[serde(default)]
    pub candidates: Vec<SearchSettings>,
}

/// An instance that settings were compared on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningInstance {
    /// Its name.
    pub name: String,
    /// The hash of its file.
    pub sha256: String,
    /// The value that gaps are measured by: the best one known; `None` if nobody found a solution.
    pub best_known: Option<f64>,
}

/// How settings are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Grid {
    /// Every point of the paper's grid, on every instance, for the full time.
    Paper,
    /// The points of it that the paper found best: zeros among one kind of variables, 70 or 90 % of them, Δ of 1 %.
    PaperBest,
    /// Many settings on few instances for a short time, then the better ones on more for longer.
    #[default]
    Race,
    /// Not at all: the defaults. Studies can say this.
    #[cfg_attr(feature = "clap", value(skip))]
    Off,
}

impl Grid {
    /// Whether it is the paper's grid or a part of it: single regions, each tried in full, and the best one on average is
    /// taken.
    pub fn is_papers(self) -> bool {
        matches!(self, Grid::Paper | Grid::PaperBest)
    }

    /// Whether it has points for a method: the staged search is not in the paper, and for PaS it names no best ones.
    pub fn is_about(self, method: Method) -> bool {
        match self {
            Grid::Paper => method != Method::Idpas,
            Grid::PaperBest => !matches!(method, Method::Idpas | Method::Pas),
            Grid::Race | Grid::Off => true,
        }
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Grid::Paper => "paper",
            Grid::PaperBest => "paper-best",
            Grid::Race => "race",
            Grid::Off => "off",
        })
    }
}

/// A file of tuned settings that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TunedError {
    /// The system does not let us read the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file does not hold tuned settings.
    #[error("{path}: {source}")]
    Content {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Where the settings that were tuned for a model lie: beside its file, ending with `.tune.json`.
pub fn sidecar(model: &Path) -> PathBuf {
    model.with_extension("tune.json")
}

impl TunedSettings {
    /// Reads a file of tuned settings; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, TunedError> {
        let name = || path.display().to_string();
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                let path = name();
                return Err(TunedError::Io { path, source });
            }
        };
        match sealed::from_slice(&text) {
            Ok(tuned) => Ok(Some(tuned)),
            Err(source) => {
                let path = name();
                Err(TunedError::Content { path, source })
            }
        }
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        // Numbers, texts and lists of them always have a JSON form.
        let text = sealed::to_text(self).unwrap_or_default();
        save_bytes(path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = sidecar(&folder.path().join("m.safetensors"));
        assert!(path.ends_with("m.tune.json"));
        assert_eq!(TunedSettings::read(&path).unwrap(), None);
        let short = r#"{"settings": {"method": "pas+"}, "model_sha256": "abc"}"#;
        let mut tuned: TunedSettings = serde_json::from_str(short).unwrap();
        tuned.cost = Some(0.1 + 0.2);
        tuned.instances.push(TuningInstance {
            name: "a".into(),
            sha256: "b".into(),
            best_known: None,
        });
        tuned.write(&path).unwrap();
        assert_eq!(TunedSettings::read(&path).unwrap(), Some(tuned));
        std::fs::write(&path, "{").unwrap();
        let error = TunedSettings::read(&path).unwrap_err().to_string();
        assert!(error.contains("m.tune.json: EOF"), "{error}");
    }
}

//! The guide: a trained model with the settings that were tuned for it, ready to lead a search.
//!
//! A search asks a guide twice. [`Guide::initial_guidance`] costs next to nothing: past zeros, and the solutions of the
//! most similar past instances, as sets of scores and as starts. [`Guide::late_guidance`] solves the linear relaxation
//! and asks the network, while the search is under way.

mod by_name;
mod fit;
mod history;
mod prediction;
mod training;

use std::path::Path;
use std::sync::Arc;

use idpas_base::hash::bytes_hash;
use idpas_search::{SearchSettings, TunedSettings, sidecar};

use crate::{LearnError, TrainedModel};

pub use fit::UnfitModel;
pub use history::{History, PastSolutions};
pub use prediction::{Guidance, PredictionRequest};
pub use training::Train;

/// A trained model, and the search settings that were tuned for it. Clones share the model.
#[derive(Clone)]
pub struct Guide {
    trained: Arc<TrainedModel>,
    /// SHA-256 of the model's file.
    sha256: String,
    tuned: Option<SearchSettings>,
    warnings: Vec<String>,
}

impl Guide {
    /// A guide without tuned settings.
    pub fn new(trained: TrainedModel) -> Result<Self, LearnError> {
        let sha256 = bytes_hash(&trained.to_bytes()?);
        Ok(Guide {
            trained: Arc::new(trained),
            sha256,
            tuned: None,
            warnings: Vec::new(),
        })
    }

    /// Reads a trained model, and what was tuned for it from the file beside it. Tuned settings that cannot be read are
    /// a [warning](Self::warnings), and so is a model that has changed since it was tuned for.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, LearnError> {
        let path = path.as_ref();
        let (trained, sha256) = TrainedModel::read_hashed(path)?;
        let mut guide = Guide {
            trained: Arc::new(trained),
            sha256,
            tuned: None,
            warnings: Vec::new(),
        };
        guide.read_tuned(&sidecar(path));
        Ok(guide)
    }

    fn read_tuned(&mut self, path: &Path) {
        match TunedSettings::read(path) {
            Ok(None) => {}
            Ok(Some(tuned)) => {
                if tuned.model_sha256 != self.sha256 {
                    self.warnings.push(format!(
                        "{}: the model has changed since; `idpas tune` again may find better settings",
                        path.display()
                    ));
                }
                self.tuned = Some(tuned.settings);
            }
            Err(error) => self.warnings.push(format!("{error}; using defaults")),
        }
    }

    /// Writes the trained model. The file appears whole or not at all. Tuned settings are written by tuning.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), LearnError> {
        self.trained.write(path.as_ref())
    }

    /// The trained model.
    pub fn trained(&self) -> &TrainedModel {
        &self.trained
    }

    /// SHA-256 of the model's file, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The search settings that were tuned for the model, if it was tuned.
    pub fn tuned(&self) -> Option<&SearchSettings> {
        self.tuned.as_ref()
    }

    /// What was odd about the files that it was read from.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The same guide with other tuned settings.
    pub fn with_settings(self, settings: SearchSettings) -> Self {
        Guide {
            tuned: Some(settings),
            ..self
        }
    }
}

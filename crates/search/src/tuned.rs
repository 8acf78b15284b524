//! The settings that were tuned for a trained model, kept in a file beside it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Settings;

/// What a search needs of the file that tuning writes: the settings, and for which model they were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedSettings {
    /// The settings that were chosen.
    pub settings: Settings,
    /// SHA-256 of the trained model's file when it was tuned for.
    pub model_sha256: String,
}

impl TunedSettings {
    /// Reads such a file; `None` if there is none. The error says what is wrong, without the path.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        match std::fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                .map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Where the settings that were tuned for a trained model are kept: `model.safetensors` → `model.tune.json`.
pub fn sidecar(model: &Path) -> PathBuf {
    model.with_extension("tune.json")
}

//! The quality of a model's scores on the test instances.

use std::path::{Path, PathBuf};

use idpas_learn::metrics::Summary;
use serde::{Deserialize, Serialize};

use crate::EvaluateError;

/// The quality of a model's scores, measured against the best solutions that any run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The kind of model.
    pub model: String,
    /// Hash of the data from which this was computed.
    pub made_from: String,
    /// The measures.
    pub summary: Summary,
}

impl Quality {
    /// Path of its file in a benchmark's folder.
    pub fn path(benchmark: &Path, model: &str) -> PathBuf {
        benchmark.join("quality").join(format!("{model}.json"))
    }

    /// The qualities of all models of a benchmark, sorted by file name.
    pub fn all(benchmark: &Path) -> Result<Vec<Quality>, EvaluateError> {
        let folder = benchmark.join("quality");
        let Ok(files) = std::fs::read_dir(&folder) else {
            return Ok(Vec::new());
        };
        let mut paths: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
        paths.sort();
        let mut all = Vec::new();
        for path in paths {
            all.extend(super::read(&path, "quality of a model")?);
        }
        Ok(all)
    }
}

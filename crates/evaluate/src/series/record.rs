//! What became of each instance of a series: one file each, written when the instance is done.

use std::path::{Path, PathBuf};

use idpas_base::sealed;
use idpas_mip::files::save_bytes;
use idpas_search::{SearchStatus, SourceReport};
use serde::{Deserialize, Serialize};

use crate::EvaluateError;

/// Name of the folder that holds the records of a series.
pub const RECORDS: &str = "records";

/// What became of one instance of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRecord {
    /// Its place in the series, from 1 on.
    pub number: usize,
    /// Its name: that of its file, without endings.
    pub name: String,
    /// Hash of the instance's contents.
    pub sha256: String,
    /// Seconds that it had.
    pub time_limit: f64,
    /// How it was solved, in a word or two: `solver`, `start`, `search`, with the solver's options that differ from its
    /// defaults behind a colon.
    pub way: String,
    /// The run with what the series had learned until then.
    pub run: SeriesRun,
    /// The default solver on the same instance, directly before or after it, if that was asked for.
    pub solver: Option<SeriesRun>,
    /// Seconds that learning from it took, after it was solved; 0 if it was not learned from.
    pub learning: f64,
    /// What each source of the search cost and brought; empty where the solver worked alone.
    #[serde(default)]
    pub sources: Vec<SourceReport>,
    /// What the user was told.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A run of one method on an instance of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRun {
    /// When the instance was opened, in seconds since 1970.
    pub started: f64,
    /// Seconds from opening the instance to the end of the solve.
    pub seconds: f64,
    /// Why it ended.
    pub status: SearchStatus,
    /// The objective value of the best solution, which was checked in the model.
    pub objective: Option<f64>,
    /// The best bound that was proved for the model.
    pub bound: Option<f64>,
    /// Times, in seconds from opening the instance on, and objective values of its solutions.
    pub trajectory: Vec<(f64, f64)>,
}

impl SeriesRun {
    /// Whether the solution was proved to be optimal within the tolerance that the solve had.
    pub fn is_proved(&self) -> bool {
        self.status == SearchStatus::Optimal
    }
}

impl SeriesRecord {
    /// The file of the record with this number in the folder of a series.
    pub fn path(folder: &Path, number: usize) -> PathBuf {
        folder.join(RECORDS).join(format!("{number:06}.json"))
    }

    /// Writes the record into the folder of a series, whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), EvaluateError> {
        let path = Self::path(folder, self.number);
        let text = sealed::to_text(self)
            .map_err(|error| EvaluateError::damaged(&path, "record of a series", &error))?;
        Ok(save_bytes(&path, text.as_bytes())?)
    }

    /// All records of a series in their order; none if the folder has none. They are numbered without gaps, since an
    /// instance begins only when the record of the one before it is written.
    pub fn read_all(folder: &Path) -> Result<Vec<SeriesRecord>, EvaluateError> {
        let mut records = Vec::new();
        loop {
            let path = Self::path(folder, records.len() + 1);
            let text = match std::fs::read(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(records),
                Err(error) => return Err(EvaluateError::io(&path, error)),
            };
            let record = sealed::from_slice(&text)
                .map_err(|error| EvaluateError::damaged(&path, "record of a series", &error))?;
            records.push(record);
        }
    }
}

//! The evaluations that were made, one JSON line each: what a tuning that was interrupted goes on from.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use idpas_search::Settings;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// What an evaluation depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) model_sha256: String,
    pub(super) instance: String,
    pub(super) instance_sha256: String,
    pub(super) settings: Settings,
    pub(super) time_limit: f64,
    pub(super) threads: u16,
    pub(super) seed: u32,
}

/// An evaluation that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Made {
    #[serde(flatten)]
    pub(super) key: Key,
    /// How the search ended.
    pub(super) status: String,
    /// Seconds it took.
    pub(super) seconds: f64,
    /// Times and objective values of its solutions: costs can be computed anew when a better value is known.
    pub(super) trajectory: Vec<(f64, f64)>,
    /// What went wrong, if something did.
    pub(super) failure: Option<String>,
}

/// The file, and what was in it.
pub(super) struct Record {
    path: PathBuf,
    file: File,
    made: HashMap<String, Made>,
}

impl Record {
    /// Opens the file, or makes it. A line that was not written to its end is left out.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let fault = |e: std::io::Error| Failure::Usage(format!("{}: {e}", path.display()));
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(fault(e)),
        };
        let mut made = HashMap::new();
        for line in text.split(|&byte| byte == b'\n') {
            if let Ok(one) = serde_json::from_slice::<Made>(line) {
                made.insert(name(&one.key), one);
            }
        }
        let mut file = (OpenOptions::new().create(true).append(true).open(path)).map_err(fault)?;
        if text.last().is_some_and(|&byte| byte != b'\n') {
            file.write_all(b"\n").map_err(fault)?;
        }
        Ok(Record {
            path: path.to_owned(),
            file,
            made,
        })
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Made> {
        self.made.get(&name(key))
    }

    /// Adds an evaluation; its line is in the file when this returns.
    pub(super) fn add(&mut self, made: Made) -> Result<(), Failure> {
        let fault = |e: std::io::Error| Failure::Usage(format!("{}: {e}", self.path.display()));
        let mut line = serde_json::to_vec(&made).map_err(|e| Failure::Internal(e.to_string()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(fault)?;
        self.file.sync_data().map_err(fault)?;
        self.made.insert(name(&made.key), made);
        Ok(())
    }
}

fn name(key: &Key) -> String {
    // Numbers and names always have a JSON form.
    serde_json::to_string(key).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(seed: u32) -> Made {
        Made {
            key: Key {
                model_sha256: "a".into(),
                instance: "b".into(),
                instance_sha256: "c".into(),
                settings: Settings::default(),
                time_limit: 0.3,
                threads: 1,
                seed,
            },
            status: "optimal".into(),
            seconds: 0.1,
            trajectory: vec![(0.1, 5.0), (0.2, 1.0 / 3.0)],
            failure: None,
        }
    }

    #[test]
    fn a_record_goes_on_after_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut record = Record::open(&path).unwrap();
        for seed in 0..3 {
            record.add(made(seed)).unwrap();
        }
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut record = Record::open(&path).unwrap();
        assert_eq!(record.get(&made(1).key), Some(&made(1)));
        assert_eq!(record.get(&made(2).key), None);
        record.add(made(2)).unwrap();
        let record = Record::open(&path).unwrap();
        assert_eq!(record.get(&made(2).key), Some(&made(2)));
    }
}

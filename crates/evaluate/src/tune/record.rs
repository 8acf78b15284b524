//! The file of evaluations, one JSON line each. An interrupted tuning goes on from it, and tunings that run at the same
//! time share it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use idpas_base::claim::{Claim, Claims};
use idpas_base::sealed;
use idpas_base::system::refuse_links;
use idpas_search::{SearchSettings, SourceReport};
use serde::{Deserialize, Serialize};

use super::TuneOverrides;
use crate::EvaluateError;

/// Everything that an evaluation depends on; it is made again when any of this changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationKey {
    /// The hash of the model's file.
    pub model_sha256: String,
    /// The name of the instance.
    pub instance: String,
    /// The hash of the instance's file.
    pub instance_sha256: String,
    /// The settings of the search.
    pub settings: SearchSettings,
    /// Seconds of the search.
    pub time_limit: f64,
    /// Threads of the search.
    pub threads: u16,
    /// Seed of the search.
    pub seed: u32,
    /// Solver of the search.
    #[serde(default = "default_solver")]
    pub solver: String,
}

/// The solver of evaluations whose record says nothing of it.
fn default_solver() -> String {
    TuneOverrides::SOLVER.into()
}

/// An evaluation that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRecord {
    /// What it depends on.
    #[serde(flatten)]
    pub key: EvaluationKey,
    /// How the search ended.
    pub status: String,
    /// Seconds it took.
    pub seconds: f64,
    /// Times and objective values of its solutions: costs can be computed anew when a better value is known.
    pub trajectory: Vec<(f64, f64)>,
    /// What the sources of a staged search cost and brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceReport>,
    /// What went wrong, if something did.
    pub failure: Option<String>,
}

/// The file of evaluations, which several processes may write and read at the same time.
pub(super) struct EvaluationFile {
    path: PathBuf,
    /// Who makes which evaluation now, and who writes to the file.
    claims: Claims,
    known: Mutex<Known>,
}

/// What was read from the file.
#[derive(Default)]
struct Known {
    /// Bytes of whole lines that were read.
    read: u64,
    /// Evaluations by the name of their key. Of two with the same key, the first in the file counts, so that all
    /// processes go by the same.
    made: HashMap<String, EvaluationRecord>,
}

impl EvaluationFile {
    /// The name of the claim to write to the file.
    const WRITING: &str = "record";

    /// Opens the file, or makes it. A line that was not written to its end is left out.
    pub(super) fn open(path: &Path) -> Result<Self, EvaluateError> {
        let record = EvaluationFile {
            path: path.to_owned(),
            claims: Claims::new(path.with_extension("claims")),
            known: Mutex::default(),
        };
        let mut options = OpenOptions::new();
        let opened = refuse_links(options.create(true).append(true)).open(path);
        opened.map_err(|e| record.fault(e))?;
        record.refresh()?;
        Ok(record)
    }

    fn fault(&self, error: std::io::Error) -> EvaluateError {
        EvaluateError::io(&self.path, error)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The evaluation with this key, as far as the file has been read.
    pub(super) fn get(&self, key: &EvaluationKey) -> Option<EvaluationRecord> {
        self.known().made.get(&name(key)).cloned()
    }

    /// Whether there is an evaluation with this key, as far as the file has been read.
    pub(super) fn has(&self, key: &EvaluationKey) -> bool {
        self.known().made.contains_key(&name(key))
    }

    /// Reads what this process or others added to the file.
    pub(super) fn refresh(&self) -> Result<(), EvaluateError> {
        let mut known = self.known();
        known.refresh(&self.path).map_err(|e| self.fault(e))
    }

    /// The right to make an evaluation; `None` if somebody else is making it.
    pub(super) fn claim(&self, key: &EvaluationKey) -> Result<Option<Claim>, EvaluateError> {
        let task = idpas_base::hash::text_hash(&name(key));
        self.claims.take(&task).map_err(|e| self.fault(e))
    }

    /// Adds an evaluation; its line is in the file when this returns.
    pub(super) fn add(&self, made: &EvaluationRecord) -> Result<(), EvaluateError> {
        let line = sealed::to_line(made).map_err(|e| EvaluateError::Search(e.to_string()))?;
        let writing = self.claims.wait(Self::WRITING, || true);
        let writing = writing.map_err(|e| self.fault(e))?;
        append(&self.path, line.as_bytes()).map_err(|e| self.fault(e))?;
        drop(writing);
        self.refresh()
    }

    /// Removes what only processes at work need.
    pub(super) fn tidy(&self) {
        self.claims.tidy();
    }
}

impl Known {
    fn refresh(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() < self.read {
            // Somebody cut or replaced it.
            *self = Known::default();
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if let Ok(one) = sealed::from_slice::<EvaluationRecord>(line) {
                self.made.entry(name(&one.key)).or_insert(one);
            }
            // The rest of a line that is being written is still to come.
            if line.ends_with(b"\n") {
                self.read += line.len() as u64;
            }
        }
        Ok(())
    }
}

/// Writes a line behind the others, ending one that was torn.
fn append(path: &Path, line: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    refuse_links(options.create(true).read(true).append(true));
    let mut file = options.open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let torn: &[u8] = if last == [b'\n'] { b"" } else { b"\n" };
    file.write_all(&[torn, line].concat())?;
    file.sync_data()
}

fn name(key: &EvaluationKey) -> String {
    // Numbers and names always have a JSON form.
    serde_json::to_string(key).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use idpas_search::Source;

    use super::*;

    fn made(seed: u32) -> EvaluationRecord {
        EvaluationRecord {
            key: EvaluationKey {
                model_sha256: "a".into(),
                instance: "b".into(),
                instance_sha256: "c".into(),
                settings: SearchSettings::default(),
                time_limit: 0.3,
                threads: 1,
                seed,
                solver: TuneOverrides::SOLVER.into(),
            },
            status: "optimal".into(),
            seconds: 0.1,
            trajectory: vec![(0.1, 5.0), (0.2, 1.0 / 3.0)],
            sources: vec![SourceReport::new(Source::Whole)],
            failure: None,
        }
    }

    #[test]
    fn a_record_goes_on_after_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let record = EvaluationFile::open(&path).unwrap();
        for seed in 0..3 {
            record.add(&made(seed)).unwrap();
        }
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let record = EvaluationFile::open(&path).unwrap();
        assert_eq!(record.get(&made(1).key), Some(made(1)));
        assert_eq!(record.get(&made(2).key), None);
        record.add(&made(2)).unwrap();
        let record = EvaluationFile::open(&path).unwrap();
        assert_eq!(record.get(&made(2).key), Some(made(2)));
    }

    #[test]
    fn several_write_at_the_same_time_and_go_by_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let records: Vec<EvaluationFile> = (0..4)
            .map(|_| EvaluationFile::open(&path).unwrap())
            .collect();
        std::thread::scope(|scope| {
            for (k, record) in records.iter().enumerate() {
                scope.spawn(move || {
                    for seed in 0..20 {
                        // Everybody makes all of them, each with another result.
                        let status = k.to_string();
                        record
                            .add(&EvaluationRecord {
                                status,
                                ..made(seed)
                            })
                            .unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 80);
        let again = EvaluationFile::open(&path).unwrap();
        for seed in 0..20 {
            let key = made(seed).key;
            for record in &records {
                record.refresh().unwrap();
                assert_eq!(record.get(&key), again.get(&key));
            }
        }
        let claim = records[0].claim(&made(0).key).unwrap();
        assert!(claim.is_some());
        assert!(records[1].claim(&made(0).key).unwrap().is_none());
        assert!(records[1].claim(&made(1).key).unwrap().is_some());
    }
}

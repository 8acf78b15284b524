//! The evaluations that were made, one JSON line each: what a tuning that was interrupted goes on from, and what
//! several tunings of the same share.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use idpas_base::claim::{Claim, Claims};
use idpas_search::SearchSettings;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// What an evaluation depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) model_sha256: String,
    pub(super) instance: String,
    pub(super) instance_sha256: String,
    pub(super) settings: SearchSettings,
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

/// The file of evaluations, which several processes may write and read at the same time.
pub(super) struct Record {
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
    made: HashMap<String, Made>,
}

impl Record {
    /// The name of the claim to write to the file.
    const WRITING: &str = "record";

    /// Opens the file, or makes it. A line that was not written to its end is left out.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let record = Record {
            path: path.to_owned(),
            claims: Claims::new(path.with_extension("claims")),
            known: Mutex::default(),
        };
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened.map_err(|e| record.fault(e))?;
        record.refresh()?;
        Ok(record)
    }

    fn fault(&self, error: std::io::Error) -> Failure {
        Failure::Usage(format!("{}: {error}", self.path.display()))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The evaluation with this key, as far as the file has been read.
    pub(super) fn get(&self, key: &Key) -> Option<Made> {
        self.known().made.get(&name(key)).cloned()
    }

    /// Whether there is an evaluation with this key, as far as the file has been read.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.known().made.contains_key(&name(key))
    }

    /// Reads what was added to the file, by whomever.
    pub(super) fn refresh(&self) -> Result<(), Failure> {
        let mut known = self.known();
        known.refresh(&self.path).map_err(|e| self.fault(e))
    }

    /// The right to make an evaluation; `None` if somebody else is making it.
    pub(super) fn claim(&self, key: &Key) -> Result<Option<Claim>, Failure> {
        let task = idpas_base::hash::text_hash(&name(key));
        self.claims.take(&task).map_err(|e| self.fault(e))
    }

    /// Adds an evaluation; its line is in the file when this returns.
    pub(super) fn add(&self, made: &Made) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(made).map_err(|e| Failure::Internal(e.to_string()))?;
        line.push(b'\n');
        let writing = self.claims.wait(Self::WRITING, || true);
        let writing = writing.map_err(|e| self.fault(e))?;
        append(&self.path, &line).map_err(|e| self.fault(e))?;
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
            if let Ok(one) = serde_json::from_slice::<Made>(line) {
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
    let mut file = options.create(true).read(true).append(true).open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let torn: &[u8] = if last == [b'\n'] { b"" } else { b"\n" };
    file.write_all(&[torn, line].concat())?;
    file.sync_data()
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
                settings: SearchSettings::default(),
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
        let record = Record::open(&path).unwrap();
        for seed in 0..3 {
            record.add(&made(seed)).unwrap();
        }
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let record = Record::open(&path).unwrap();
        assert_eq!(record.get(&made(1).key), Some(made(1)));
        assert_eq!(record.get(&made(2).key), None);
        record.add(&made(2)).unwrap();
        let record = Record::open(&path).unwrap();
        assert_eq!(record.get(&made(2).key), Some(made(2)));
    }

    #[test]
    fn several_write_at_the_same_time_and_go_by_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let records: Vec<Record> = (0..4).map(|_| Record::open(&path).unwrap()).collect();
        std::thread::scope(|scope| {
            for (k, record) in records.iter().enumerate() {
                scope.spawn(move || {
                    for seed in 0..20 {
                        // Everybody makes all of them, each with another result.
                        let status = k.to_string();
                        record
                            .add(&Made {
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
        let again = Record::open(&path).unwrap();
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

//! Hashes of the files that a study is made from. Each process needs all of them, and hundreds may start at the same
//! moment: one of them reads the files, the others its list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use super::StudyWork;
use super::stage::BenchmarkStage;
use crate::EvaluateError;
use crate::results::{read, write};

/// The hashes of these files of the benchmark in `folder`, in their order. `name` says which files they are. One whose size
/// and time have not changed since it was hashed, by whichever process, is not read again.
pub(super) fn hash_all<'p>(
    work: &StudyWork<'_>,
    folder: &Path,
    name: &str,
    files: impl IntoIterator<Item = &'p Path>,
) -> Result<Vec<String>, EvaluateError> {
    let files: Vec<&Path> = files.into_iter().collect();
    let list = folder.join("hashes").join(format!("{name}.json"));
    let from = looks(files.iter().copied());
    let stage = BenchmarkStage::new(work, folder, format!("hash-{name}"), from, &list);
    let listed = stage.alone_or_wait(|_| {
        let mut hashes = BTreeMap::new();
        for &file in &files {
            if work.commands.is_interrupted() {
                return Err(EvaluateError::Interrupted);
            }
            hashes.insert(file, work.hashes.of(file)?);
        }
        write(&list, &hashes)
    });
    match listed {
        // Who only looks writes no list.
        Err(EvaluateError::NotMade) => {}
        listed => drop(listed?),
    }
    let known: Option<BTreeMap<PathBuf, String>> = read(&list, "list of hashes")?;
    let mut known = known.unwrap_or_default();
    let hash = |file: &Path| match known.remove(file) {
        Some(sha256) => Ok(sha256),
        // Somebody works on another study in the same folder.
        None => Ok(work.hashes.of(file)?),
    };
    files.into_iter().map(hash).collect()
}

/// What can be known of files without reading them: their names, sizes and times, in nanoseconds since 1970.
pub(super) fn looks<'p>(files: impl Iterator<Item = &'p Path>) -> Value {
    let look = |file: &Path| {
        let data = std::fs::metadata(file).ok();
        let bytes = data.as_ref().map(std::fs::Metadata::len);
        let modified = data.and_then(|data| data.modified().ok());
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        json!([file, bytes, since.map(|since| since.as_nanos() as u64)])
    };
    files.map(look).collect()
}

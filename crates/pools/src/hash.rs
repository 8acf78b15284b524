//! Hashes that identify instances, and models with the same columns.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use idpas_base::hash::{Hasher, content_hash};
use idpas_mip::{Names, Parsed, ReadError, read_model_watched};

use crate::PoolError;

/// The hash that identifies an instance: of its content after decompression, so that a file that is compressed in
/// another way, or not at all, is the same instance.
pub fn instance_hash(path: &Path) -> Result<String, PoolError> {
    content_hash(path).map_err(|e| PoolError::io(path, e))
}

/// The content of an instance's file.
#[derive(Clone, Debug)]
pub struct InstanceFile {
    /// The model, with warnings about the file.
    pub parsed: Parsed,
    /// [`instance_hash`] of the file.
    pub sha256: String,
}

/// Reads the model of an instance and computes the file's [`instance_hash`] at the same time.
pub fn read_instance(path: &Path) -> Result<InstanceFile, ReadError> {
    let hasher = Rc::new(RefCell::new(Hasher::default()));
    let fed = hasher.clone();
    let parsed = read_model_watched(path, move |piece| fed.borrow_mut().update(piece))?;
    let sha256 = hasher.take().finish();
    Ok(InstanceFile { parsed, sha256 })
}

/// Remembers hashes of files, so that a file whose hash is needed again is not read again.
///
/// A hash stays valid as long as the file's size and modification time stay the same.
#[derive(Debug, Default)]
pub struct Hashes {
    known: Mutex<HashMap<PathBuf, (Stamp, String)>>,
}

/// Size of a file in bytes, and its modification time.
type Stamp = (u64, SystemTime);

impl Hashes {
    /// [`instance_hash`] of a file.
    pub fn of(&self, path: &Path) -> Result<String, PoolError> {
        if let Some(known) = self.known(path) {
            return Ok(known);
        }
        let stamp = stamp(path);
        let hash = instance_hash(path)?;
        self.keep(path, stamp, &hash);
        Ok(hash)
    }

    /// [`read_instance`], which also remembers the file's hash.
    pub fn read_instance(&self, path: &Path) -> Result<InstanceFile, ReadError> {
        let stamp = stamp(path);
        let file = read_instance(path)?;
        self.keep(path, stamp, &file.sha256);
        Ok(file)
    }

    fn known(&self, path: &Path) -> Option<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, hash) = known.get(path)?;
        (stamp(path)? == *then).then(|| hash.clone())
    }

    /// Remembers a hash, with the stamp that the file had before it was read.
    fn keep(&self, path: &Path, stamp: Option<Stamp>, hash: &str) {
        if let Some(stamp) = stamp {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(path.to_owned(), (stamp, hash.to_owned()));
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// The hash of names in their order: two models whose columns have the same hash have the same columns.
pub(crate) fn of_names(names: &Names) -> String {
    let mut hasher = Hasher::default();
    for name in names.iter() {
        hasher.update(name.as_bytes());
        hasher.update([0]);
    }
    hasher.finish()
}

/// The hash of a model's column names in their order, as pools store it.
pub fn columns_hash(model: &idpas_mip::Model) -> String {
    of_names(&model.columns.names)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use idpas_base::hash::text_hash;

    use super::*;

    #[test]
    fn reading_an_instance_gives_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let text = "\nNAME x\nROWS\n N c\nCOLUMNS\n x c 1\nENDATA\nbehind\n";
        let path = folder.path().join("a.mps");
        std::fs::write(&path, text).unwrap();
        let read = read_instance(&path).unwrap();
        assert_eq!(read.parsed.model.num_columns(), 1);
        assert_eq!(read.sha256, instance_hash(&path).unwrap());
        assert_eq!(read.sha256, text_hash(text));
    }

    #[test]
    fn a_hash_is_known_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one").unwrap();
        let hashes = Hashes::default();
        assert_eq!(hashes.of(&path).unwrap(), text_hash("one"));
        // With size and time as they were, the file is not looked into again.
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, "two").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(before).unwrap();
        assert_eq!(hashes.of(&path).unwrap(), text_hash("one"));
        std::fs::write(&path, "longer").unwrap();
        assert_eq!(hashes.of(&path).unwrap(), text_hash("longer"));
        std::fs::remove_file(&path).unwrap();
        assert!(hashes.of(&path).is_err());
    }
}

//! SHA-256 of files and texts, in hexadecimal.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use flate2::read::MultiGzDecoder;
use idpas_mip::{Names, Parsed, ReadError, read_model_watched};
use sha2::{Digest, Sha256};

use crate::StudyError;

/// A finished hash in hexadecimal.
pub(crate) fn hex(hasher: Sha256) -> String {
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The hash of bytes in memory.
pub fn bytes_hash(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// The hash of several pieces, one after the other.
pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hex(hasher)
}

/// The hash by which an instance is known: of its content after decompression, so that a file compressed
/// anew, or not at all, is the same instance.
pub fn instance_hash(path: &Path) -> Result<String, StudyError> {
    content_hash(path).map_err(|e| StudyError::io(path, e))
}

/// An instance's file, read once.
#[derive(Clone, Debug)]
pub struct InstanceFile {
    /// The model, and what was odd about the file.
    pub parsed: Parsed,
    /// [`instance_hash`] of the file.
    pub sha256: String,
}

/// Reads the model of an instance and takes the file's [`instance_hash`] on the way.
pub fn read_instance(path: &Path) -> Result<InstanceFile, ReadError> {
    let hasher = Rc::new(RefCell::new(Sha256::new()));
    let fed = hasher.clone();
    let parsed = read_model_watched(path, move |piece| fed.borrow_mut().update(piece))?;
    let sha256 = hex(hasher.take());
    Ok(InstanceFile { parsed, sha256 })
}

/// Hashes of files that were taken before, so that a command that asks for one again does not read the file again.
///
/// A hash is good as long as the file's size and time of change are what they were.
#[derive(Debug, Default)]
pub struct Hashes {
    known: Mutex<HashMap<PathBuf, (Stamp, String)>>,
}

/// Size of a file, and when it was changed.
type Stamp = (u64, SystemTime);

impl Hashes {
    /// [`instance_hash`] of a file.
    pub fn of(&self, path: &Path) -> Result<String, StudyError> {
        if let Some(known) = self.known(path) {
            return Ok(known);
        }
        let stamp = stamp(path);
        let hash = instance_hash(path)?;
        self.keep(path, stamp, &hash);
        Ok(hash)
    }

    /// [`read_instance`], after which the file's hash is known.
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

    /// Remembers a hash, given what the file's stamp was before it was read.
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

fn content_hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    (&mut file).take(2).read_to_end(&mut head)?;
    let is_compressed = head == [0x1f, 0x8b];
    let whole = Cursor::new(head).chain(BufReader::with_capacity(1 << 18, file));
    let mut reader: Box<dyn Read> = if is_compressed {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(hasher)),
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// The hash of names in their order: two models with the same one have the same columns.
pub(crate) fn of_names(names: &Names) -> String {
    let mut hasher = Sha256::new();
    for name in names.iter() {
        hasher.update(name.as_bytes());
        hasher.update([0]);
    }
    hex(hasher)
}

/// The hash of a text.
pub fn text_hash(text: &str) -> String {
    bytes_hash(text.as_bytes())
}

/// The hash of a model's column names in their order, as pools carry it.
pub fn columns_hash(model: &idpas_mip::Model) -> String {
    of_names(&model.columns.names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn compression_does_not_change_an_instance() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"NAME x\nROWS\nENDATA\n";
        let plain = folder.path().join("a.mps");
        std::fs::write(&plain, text).unwrap();
        let mut hashes = vec![instance_hash(&plain).unwrap()];
        for level in [1, 9] {
            let path = folder.path().join(format!("a{level}.mps.gz"));
            let file = File::create(&path).unwrap();
            let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::new(level));
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap();
            hashes.push(instance_hash(&path).unwrap());
        }
        assert!(hashes.iter().all(|hash| *hash == bytes_hash(text)));
    }

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

//! SHA-256 of files and texts, in hexadecimal.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use idpas_mip::Names;
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
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
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

fn content_hash(path: &Path) -> io::Result<String> {
    let mut head = Vec::new();
    File::open(path)?.take(2).read_to_end(&mut head)?;
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut reader: Box<dyn Read> = if head == [0x1f, 0x8b] {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
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
    of_bytes(text.as_bytes())
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
        assert!(hashes.iter().all(|hash| *hash == of_bytes(text)));
    }
}

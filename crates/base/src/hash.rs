//! SHA-256 of bytes, texts and files, in hexadecimal.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

/// Bytes of a file that are read at a time.
const PIECE: usize = 1 << 18;

/// A SHA-256 that is computed piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes to the hashed content.
    pub fn update(&mut self, piece: impl AsRef<[u8]>) {
        self.0.update(piece);
    }

    /// The hash of all pieces, as if they were one array of bytes.
    pub fn finish(self) -> String {
        let digest = self.0.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl io::Write for Hasher {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The hash of bytes in memory.
pub fn bytes_hash(bytes: &[u8]) -> String {
    parts_hash([bytes])
}

/// The hash of a text.
pub fn text_hash(text: &str) -> String {
    bytes_hash(text.as_bytes())
}

/// The hash of several pieces, as if they were one array of bytes.
pub fn parts_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Hasher::default();
    for part in parts {
        hasher.update(part);
    }
    hasher.finish()
}

/// The hash of a file's content after decompression: a file that was compressed anew, or not at all, has the same one.
pub fn content_hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    (&mut file).take(2).read_to_end(&mut head)?;
    let is_compressed = head == [0x1f, 0x8b];
    let whole = Cursor::new(head).chain(BufReader::with_capacity(PIECE, file));
    let mut reader: Box<dyn Read> = if is_compressed {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; PIECE];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn compression_does_not_change_the_hash_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"NAME x\nROWS\nENDATA\n";
        let plain = folder.path().join("a.mps");
        std::fs::write(&plain, text).unwrap();
        let mut hashes = vec![content_hash(&plain).unwrap()];
        for level in [1, 9] {
            let path = folder.path().join(format!("a{level}.mps.gz"));
            let file = File::create(&path).unwrap();
            let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::new(level));
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap();
            hashes.push(content_hash(&path).unwrap());
        }
        assert!(hashes.iter().all(|hash| *hash == bytes_hash(text)));
    }
}

//! How far gzip data may expand: a small file must not fill memory or disk.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

/// Text compresses 5- to 50-fold; a file that expands by more than this factor is an attack or an accident.
pub(super) const BOMB_RATIO: u64 = 200;
/// Decompressed bytes up to which the factor does not matter.
const BOMB_FREE_BYTES: u64 = 64 << 20;

/// Whether so many compressed bytes may become so many decompressed ones.
pub(super) fn may_expand(compressed: u64, expanded: u64) -> bool {
    expanded <= BOMB_FREE_BYTES.saturating_add(BOMB_RATIO.saturating_mul(compressed))
}

/// A reader that counts the bytes it reads, so that they can be compared with the decompressed ones.
pub(super) struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    /// The reader, and the count of what it has read.
    pub(super) fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let count = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            inner,
            count: count.clone(),
        };
        (counted, count)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Decompresses gzip data, and fails when they expand by more than any text does.
pub struct Unzipped<R> {
    inner: MultiGzDecoder<Counted<R>>,
    compressed: Arc<AtomicU64>,
    expanded: u64,
}

impl<R: Read> Unzipped<R> {
    /// Decompresses what `inner` reads.
    pub fn new(inner: R) -> Self {
        let (counted, compressed) = Counted::new(inner);
        Unzipped {
            inner: MultiGzDecoder::new(counted),
            compressed,
            expanded: 0,
        }
    }
}

impl<R: Read> Read for Unzipped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.expanded += n as u64;
        if may_expand(self.compressed.load(Ordering::Relaxed), self.expanded) {
            return Ok(n);
        }
        Err(io::Error::other(format!(
            "the gzip data expand more than {BOMB_RATIO}-fold, to {} bytes so far: no text does",
            self.expanded
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_expands_without_end_is_refused() {
        let mut out = Vec::new();
        Unzipped::new(&zipped(b"text")[..])
            .read_to_end(&mut out)
            .unwrap();
        assert_eq!(out, b"text");
        // Each 100 times a megabyte of zeros, which is about 100 kilobytes.
        let bomb = zipped(&vec![0; 1 << 20]).repeat(100);
        let read = io::copy(&mut Unzipped::new(&bomb[..]), &mut io::sink());
        assert!(read.unwrap_err().to_string().contains("200-fold"));
    }
}

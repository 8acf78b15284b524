//! Files of named arrays that notice damage: safetensors with one JSON text of metadata and a checksum over every bit.
//!
//! Pools, models and checkpoints are all written this way, so that Python opens them with one well-known library and
//! nothing in them is ever executed.

pub mod tensor;

use std::collections::HashMap;
use std::path::Path;

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use crate::hash;
pub use tensor::Tensor;

/// A kind of file: pool, model or checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The key of its header in the safetensors metadata; messages also call the file by this word.
    pub key: &'static str,
    /// The name of the format, stored in the header.
    pub format: &'static str,
    /// The only version of the format that is written and read.
    pub version: u32,
}

/// Why bytes cannot be read as a file of some kind.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The file is cut short, was changed, or is of another kind; the text says how that was noticed.
    Damaged(String),
    /// The file has this format version, which is not the one that can be read.
    Version(u32),
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Fault::Damaged(why)
    }
}

impl Fault {
    /// Makes an error that names the file.
    pub fn at(self, kind: Kind, path: &Path) -> ContainerError {
        let path = path.display().to_string();
        let what = kind.key;
        match self {
            Fault::Damaged(why) => ContainerError::Damaged { path, what, why },
            Fault::Version(found) => ContainerError::Version {
                path,
                what,
                found,
                known: kind.version,
            },
        }
    }
}

/// A file that cannot be read as the kind it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// The file is cut short, was changed, or is of another kind.
    #[error("{path}: the {what} is damaged: {why}")]
    Damaged {
        /// Path of the file.
        path: String,
        /// The kind that was expected: `pool`, `model`, …
        what: &'static str,
        /// How the damage was noticed.
        why: String,
    },
    /// The file has a format version that this program does not read.
    #[error("{path}: {what} format version {found}; this program reads versions up to {known}")]
    Version {
        /// Path of the file.
        path: String,
        /// The kind of the file: `pool`, `model`, …
        what: &'static str,
        /// The file's format version.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
}

/// The JSON text of the metadata: format, version and checksum, then the fields of the caller's header.
#[derive(Serialize)]
struct Outer<'a, H> {
    format: &'static str,
    version: u32,
    /// SHA-256 of the whole file, computed with these 64 digits as zeros.
    sha256: &'static str,
    #[serde(flatten)]
    header: &'a H,
}

const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The bytes of a file with this header and these tensors; the same input always gives the same bytes.
pub fn encode<H: Serialize>(kind: Kind, header: &H, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let outer = Outer {
        format: kind.format,
        version: kind.version,
        sha256: BLANK,
        header,
    };
    let header = serde_json::to_string(&outer).map_err(|e| e.to_string())?;
    // A single entry, because a hash map with several would write them in random order.
    let metadata = HashMap::from([(kind.key.to_owned(), header)]);
    let named = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    let mut bytes = safetensors::serialize(named, Some(metadata)).map_err(|e| e.to_string())?;
    let sum = hash::bytes_hash(&bytes);
    let at = find(&bytes, BLANK.as_bytes()).ok_or("no room for the checksum")?;
    bytes[at..at + sum.len()].copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// Reads the header of a file, after the checksum over the whole file has been verified.
pub fn header<H: for<'de> Deserialize<'de>>(kind: Kind, bytes: &[u8]) -> Result<H, Fault> {
    let (length, metadata) =
        SafeTensors::read_metadata(bytes).map_err(|e| format!("it is cut or changed: {e}"))?;
    let text = metadata
        .metadata()
        .as_ref()
        .and_then(|map| map.get(kind.key))
        .ok_or_else(|| format!("its metadata has no `{}`", kind.key))?;
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|e| format!("its metadata is no JSON: {e}"))?;
    if value["format"] != kind.format {
        return Err(format!("its metadata does not say `{}`", kind.format).into());
    }
    checksum(bytes, length, value["sha256"].as_str().unwrap_or_default())?;
    let version = value["version"].as_u64().unwrap_or(0);
    if version != u64::from(kind.version) {
        return Err(Fault::Version(u32::try_from(version).unwrap_or(u32::MAX)));
    }
    Ok(serde_json::from_str(text).map_err(|e| format!("its metadata: {e}"))?)
}

/// Reads header and tensors of a file, after the checksum over the whole file has been verified.
pub fn decode<H: for<'de> Deserialize<'de>>(
    kind: Kind,
    bytes: &[u8],
) -> Result<(H, SafeTensors<'_>), Fault> {
    let header = header(kind, bytes)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    Ok((header, tensors))
}

/// Verifies the checksum `sum`: the SHA-256 of the file, in which the checksum itself is replaced by zeros.
fn checksum(bytes: &[u8], header_length: usize, sum: &str) -> Result<(), Fault> {
    let header = &bytes[..bytes.len().min(8 + header_length)];
    // Messages show its first digits, so it must have some that can be cut anywhere.
    let is_sum = sum.len() == BLANK.len() && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
    let at = is_sum
        .then(|| find(header, sum.as_bytes()))
        .flatten()
        .ok_or_else(|| "its metadata has no checksum".to_owned())?;
    let found = hash::parts_hash([&bytes[..at], BLANK.as_bytes(), &bytes[at + sum.len()..]]);
    if found != sum {
        let why = format!("its checksum is {}…, not {}…", &found[..8], &sum[..8]);
        return Err(why.into());
    }
    Ok(())
}

/// Position of the first occurrence of `needle` in `bytes`.
fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|w| w == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_of_other_characters_is_none() {
        let kind = Kind {
            key: "pool",
            format: "test",
            version: 1,
        };
        let file = encode(kind, &serde_json::json!({}), &[]).expect("a file");
        let text = String::from_utf8_lossy(&file).into_owned();
        let at = text.find("sha256").expect("a checksum") + 11;
        let mut changed = file.clone();
        // The eighth digit of the sum is now the first half of a character.
        changed[at + 7..at + 9].copy_from_slice("é".as_bytes());
        let read = decode::<serde_json::Value>(kind, &changed).map(drop);
        assert!(matches!(read, Err(Fault::Damaged(why)) if why.contains("no checksum")));
    }
}

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

/// What a kind of file calls itself.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The key of its metadata; also what messages call it.
    pub key: &'static str,
    /// The name of its format.
    pub format: &'static str,
    /// The version that is written and read.
    pub version: u32,
}

/// What is wrong with bytes that should be such a file.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It is cut, changed, or something else.
    Damaged(String),
    /// It is of a version that is not known.
    Version(u32),
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Fault::Damaged(why)
    }
}

impl Fault {
    /// Says which file it is.
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

/// A file of arrays that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// It is cut, changed, or something else.
    #[error("{path}: the {what} is damaged: {why}")]
    Damaged {
        /// The file.
        path: String,
        /// What it should be: `pool`, `model`, …
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Its version is one that this program does not read.
    #[error("{path}: {what} format version {found}; this program reads versions up to {known}")]
    Version {
        /// The file.
        path: String,
        /// What it is: `pool`, `model`, …
        what: &'static str,
        /// Its version.
        found: u32,
        /// The latest known version.
        known: u32,
    },
}

/// The metadata around what the caller has to say.
#[derive(Serialize)]
struct Outer<'a, H> {
    format: &'static str,
    version: u32,
    /// Hash of the file with these 64 digits as zeros.
    sha256: &'static str,
    #[serde(flatten)]
    header: &'a H,
}

const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A file as bytes; the same header and tensors always give the same bytes.
pub fn encode<H: Serialize>(kind: Kind, header: &H, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let outer = Outer {
        format: kind.format,
        version: kind.version,
        sha256: BLANK,
        header,
    };
    let header = serde_json::to_string(&outer).map_err(|e| e.to_string())?;
    // One entry only: the order of several would be random.
    let metadata = HashMap::from([(kind.key.to_owned(), header)]);
    let named = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    let mut bytes = safetensors::serialize(named, Some(metadata)).map_err(|e| e.to_string())?;
    let sum = hash::bytes_hash(&bytes);
    let at = find(&bytes, BLANK.as_bytes()).ok_or("no room for the checksum")?;
    bytes[at..at + sum.len()].copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// The metadata, once every bit of the file has been checked.
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

/// Header and tensors, once every bit of the file has been checked.
pub fn decode<H: for<'de> Deserialize<'de>>(
    kind: Kind,
    bytes: &[u8],
) -> Result<(H, SafeTensors<'_>), Fault> {
    let header = header(kind, bytes)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
    Ok((header, tensors))
}

/// The file's hash, with the checksum itself as zeros, must be the checksum.
fn checksum(bytes: &[u8], header_length: usize, sum: &str) -> Result<(), Fault> {
    let header = &bytes[..bytes.len().min(8 + header_length)];
    let at = (sum.len() == BLANK.len())
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

/// Where `needle` first is in `bytes`.
fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|w| w == needle)
}

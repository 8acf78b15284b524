//! Files that the program writes: what is in a folder, and whether each file is whole.

use std::path::Path;

use idpas_base::container::{self, Kind};
use serde_json::Value;

/// The files under a folder, as paths relative to it, sorted.
pub(crate) fn all_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = std::fs::read_dir(&next).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                found.push(name.display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// Whether a file is one that becomes another when it is whole. Nobody reads it under this name.
pub(crate) fn is_temporary(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.starts_with(".idpas-")
}

/// The kinds of containers, by their keys.
const KINDS: [(&str, &str); 4] = [
    ("pool", "idpas-pool"),
    ("model", "idpas-model"),
    ("checkpoint", "idpas-checkpoint"),
    ("graph", "idpas-graph"),
];

/// Why a file is not whole; `None` if it is. A file of a kind that is not known here is not whole either.
pub(crate) fn fault_of(folder: &Path, name: &str) -> Option<String> {
    let path = folder.join(name);
    let file = name.rsplit('/').next().unwrap_or(name);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        // Removed since the folder was listed.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(error.to_string()),
    };
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let is_json = || {
        serde_json::from_slice::<Value>(&bytes)
            .err()
            .map(|e| e.to_string())
    };
    match ending.as_ref() {
        _ if is_temporary(name) => None,
        // Whoever made it was killed before he wrote his name.
        "json" if name.contains("claims/") && bytes.is_empty() => None,
        "json" => is_json(),
        "jsonl" => bad_line(&bytes),
        "safetensors" | "graph" => bad_container(&bytes),
        "gz" => idpas_mip::read_model(&path).err().map(|e| e.to_string()),
        "toml" | "svg" | "html" => std::str::from_utf8(&bytes).err().map(|e| e.to_string()),
        "sol" => (!bytes.ends_with(b"\n")).then(|| "the last line is cut".into()),
        // Signs without content.
        _ if bytes.is_empty() && name.contains("shards/") => None,
        _ => Some(format!("`{file}` is of no kind that is known")),
    }
}

/// Lines but the last are whole; the last one is, or was being written.
fn bad_line(bytes: &[u8]) -> Option<String> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let whole = lines.iter().filter(|line| line.ends_with(b"\n"));
    let bad = whole.filter_map(|line| serde_json::from_slice::<Value>(line).err());
    bad.map(|error| error.to_string()).next()
}

fn bad_container(bytes: &[u8]) -> Option<String> {
    let reads = |(key, format): &(&'static str, &'static str)| {
        // Versions differ between kinds; a wrong one is told only after the checksum was found right.
        let (key, format) = (*key, *format);
        let kind = Kind {
            key,
            format,
            version: 0,
        };
        !matches!(
            container::header::<Value>(kind, bytes),
            Err(container::Fault::Damaged(_))
        )
    };
    (!KINDS.iter().any(reads)).then(|| "no container with a right checksum".into())
}

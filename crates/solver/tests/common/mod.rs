//! What the tests with files share.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // helpers of tests are tests too

use std::path::{Path, PathBuf};

/// A file or folder of this workspace's own test data.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../mip/tests/data")
        .join(name)
}

/// The files of a folder that end in one of `endings`, sorted.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &PathBuf| {
        let name = path.to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending))
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(wanted)
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds nothing", folder.display());
    files
}

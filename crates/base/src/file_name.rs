//! Names in files that become names of other files, and links in folders.
//!
//! A manifest, a pool or a list of results may come from a stranger. A name in it such as `../../x` must not lead a writer out
//! of the folder that the user named, so such files are refused when they are read.

use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Whether a name can be that of a file in a folder and of nothing elsewhere: not empty, no path, no NUL.
pub fn is_file_name(name: &str) -> bool {
    let leads = |c: char| c == '\0' || std::path::is_separator(c);
    !matches!(name, "" | "." | "..") && !name.contains(leads)
}

/// What is wrong with a name that is no [file name](is_file_name).
pub fn refusal(name: &str) -> String {
    format!("the name {name:?} leads out of its folder; expected a file name without a path")
}

/// Reads a name and refuses one that is no [file name](is_file_name); for serde's `deserialize_with`.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match is_file_name(&name) {
        true => Ok(name),
        false => Err(D::Error::custom(refusal(&name))),
    }
}

/// The first link on the way from the folder `root` to `path` below it, `path` included. Where a folder may be a stranger's,
/// whoever removes something below it must not follow one.
pub fn link_below(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut at = root.to_owned();
    for part in path.strip_prefix(root).ok()?.components() {
        at.push(part);
        if at.is_symlink() {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_on_the_way_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join("real/deep")).expect("folders");
        std::os::unix::fs::symlink("real", root.join("link")).expect("a link");
        let deep = root.join("link/deep");
        assert!(deep.is_dir());
        assert_eq!(link_below(root, &deep), Some(root.join("link")));
        assert_eq!(
            link_below(root, &root.join("link")),
            Some(root.join("link"))
        );
        assert_eq!(link_below(root, &root.join("real/deep/none")), None);
        assert_eq!(
            link_below(&root.join("link"), &deep),
            None,
            "the user's own"
        );
    }

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for name in ["inst_0001", "..a", "a b", "x[1,2]", "=1+2", "\u{1b}[31m"] {
            assert!(is_file_name(name), "{name:?}");
        }
        for name in ["", ".", "..", "../a", "/etc/a", "a/../b", "a/", "a\0b"] {
            assert!(!is_file_name(name), "{name:?}");
        }
    }
}

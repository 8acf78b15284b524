//! Names in files that become names of other files.
//!
//! A manifest, a pool or a list of results may come from a stranger. A name in it such as `../../x` must not lead a writer out
//! of the folder that the user named, so such files are refused when they are read.

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

#[cfg(test)]
mod tests {
    use super::*;

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

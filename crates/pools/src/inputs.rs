//! Finds the instances to work on, in a folder or a list.
//!
//! A list is a text with one path per line, relative to the list's folder; empty lines and lines that begin with `#`
//! are ignored. The `.test` files of the MIP workshop's competition are such lists, with lines like `[TIMEOUT] 600` at
//! the beginning. Their paths are relative to the folder where the data was unpacked, so the folders above the list
//! and a folder beside it are searched too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::PoolError;

/// Endings by which instance files are recognised in a folder.
const ENDINGS: [&str; 4] = [".mps", ".mps.gz", ".lp", ".lp.gz"];

/// An instance: its name and its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputFile {
    /// Name of the file without its endings; the pool has the same name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

/// The name of an instance: its file's, without `.gz` and the format's ending.
pub fn instance_name(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let longest = ENDINGS
        .iter()
        .filter(|ending| lower.ends_with(*ending))
        .map(|ending| ending.len())
        .max();
    name[..name.len() - longest.unwrap_or(0)].to_owned()
}

/// The instances in a folder, or those in a list, or the one file given; sorted by name.
pub fn find_instances(path: &Path) -> Result<Vec<InputFile>, PoolError> {
    let paths = if path.is_dir() {
        instances_in(path)?
    } else if is_instance(path) {
        vec![path.to_owned()]
    } else {
        let text = std::fs::read(path).map_err(|e| PoolError::io(path, e))?;
        listed_instances(&text, path)?
    };
    if paths.is_empty() {
        let expected = "expected .mps, .mps.gz, .lp or .lp.gz files";
        return Err(PoolError::input(
            path,
            format!("there are no instances; {expected}"),
        ));
    }
    let mut named: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in paths {
        let name = instance_name(&file);
        if let Some(other) = named.get(&name) {
            let (other, file) = (other.display(), file.display());
            return Err(PoolError::input(
                path,
                format!(
                    "two instances are called `{name}`: {other} and {file}; pools are named after them"
                ),
            ));
        }
        named.insert(name, file);
    }
    let file = |(name, path)| InputFile { name, path };
    Ok(named.into_iter().map(file).collect())
}

/// Whether a file is an instance by its ending.
pub(crate) fn is_instance(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The instance files in a folder, in any order.
pub(crate) fn instances_in(folder: &Path) -> Result<Vec<PathBuf>, PoolError> {
    let fault = |e| PoolError::io(folder, e);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let path = entry.path();
        // The folder says so of files; only of links it has to be asked.
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file()) || path.is_file();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && is_instance(&path) && is_file() {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The files that a list names, in its order, by the content of the list. They are looked for around `list`.
pub fn listed_instances(text: &[u8], list: &Path) -> Result<Vec<PathBuf>, PoolError> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(PoolError::input(
            list,
            "this is neither an instance nor a list of paths: it is not UTF-8 text",
        ));
    };
    let mut paths = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with('[') {
            continue;
        }
        let found = locate(list, Path::new(line)).ok_or_else(|| PoolError::Text {
            path: list.display().to_string(),
            line: number + 1,
            message: format!("there is no file `{line}`"),
        })?;
        paths.push(found);
    }
    Ok(paths)
}

/// The path of a file that a list names; `None` if it does not exist.
pub(crate) fn locate(list: &Path, named: &Path) -> Option<PathBuf> {
    let folder = match list.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let file = Path::new(named.file_name()?);
    let beside = folder.join(list.file_stem()?);
    let above = folder.ancestors().map(|ancestor| ancestor.join(named));
    above
        .chain([folder.join(file), beside.join(file)])
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_endings() {
        for (path, name) in [
            ("a/inst_0001.mps.gz", "inst_0001"),
            ("b.v2.LP", "b.v2"),
            ("c.lp.gz", "c"),
            ("noending", "noending"),
        ] {
            assert_eq!(instance_name(Path::new(path)), name);
        }
    }

    #[test]
    fn folders_and_lists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("series/bnd")).unwrap();
        for name in [
            "b.mps",
            "a.lp.gz",
            "notes.txt",
            "series/bnd/c.mps",
            ".x.mps",
        ] {
            std::fs::write(at(name), "x").unwrap();
        }
        let names = |path: &str| -> Vec<String> {
            let found = find_instances(&at(path)).unwrap();
            found.into_iter().map(|file| file.name).collect()
        };
        assert_eq!(names(""), ["a", "b"]);
        std::fs::write(at("list.txt"), "# two\nb.mps\n\nseries/bnd/c.mps\n").unwrap();
        assert_eq!(names("list.txt"), ["b", "c"]);
        let head = "[TIMEOUT] 600\n[OBJ] -\ndatasets/x/c.mps\n";
        std::fs::write(at("series/bnd.test"), head).unwrap();
        assert_eq!(names("series/bnd.test"), ["c"]);
        std::fs::write(at("bad.txt"), "b.mps\nnone.mps\n").unwrap();
        let message = find_instances(&at("bad.txt")).unwrap_err().to_string();
        assert!(message.ends_with("bad.txt:2: there is no file `none.mps`"));
        std::fs::write(at("b.lp"), "x").unwrap();
        let message = find_instances(folder.path()).unwrap_err().to_string();
        assert!(message.contains("two instances are called `b`"));
    }
}

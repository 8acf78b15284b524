//! Finds the instances of a folder of pools, also when it was moved or copied.

use std::path::{Component, Path, PathBuf};

use crate::inputs::{instance_name, instances_in};
use crate::manifest::{Entry, Manifest};
use crate::{Hashes, PoolError};

/// Where instances are looked for that are not where they were.
const BESIDE: &str = "instances";

/// The files of a manifest's instances. What was found by content is remembered.
#[derive(Debug)]
pub struct InstanceFiles {
    folder: PathBuf,
    given: Option<PathBuf>,
    hashes: Hashes,
}

impl InstanceFiles {
    /// For a folder of pools. `given` is a folder to look in first, if the user has named one.
    pub fn new(folder: impl Into<PathBuf>, given: Option<PathBuf>) -> Self {
        InstanceFiles {
            folder: folder.into(),
            given,
            hashes: Hashes::default(),
        }
    }

    /// The file of an instance: where the manifest says, or else in the folder that was given, in the folder of pools, in the
    /// one above it, and in folders `instances` of both, by its name or by its content alone.
    pub fn find(&self, manifest: &Manifest, name: &str) -> Result<PathBuf, PoolError> {
        let Some(entry) = manifest.instances.get(name) else {
            let message = format!("its manifest has no instance `{name}`");
            return Err(PoolError::input(&self.folder, message));
        };
        let recorded = plain(&self.folder.join(&entry.file));
        if recorded.is_file() && self.given.is_none() {
            return Ok(recorded);
        }
        let folders = self.folders(&recorded);
        for folder in &folders {
            let named = folder.join(entry.file.file_name().unwrap_or_default());
            if self.is(&named, entry) {
                return Ok(named);
            }
        }
        for folder in &folders {
            let all = instances_in(folder).unwrap_or_default();
            // Files of that name first: another ending may only mean that it was compressed since.
            let (same, others): (Vec<PathBuf>, Vec<PathBuf>) = all
                .into_iter()
                .partition(|path| instance_name(path) == name);
            // A folder that only happens to be beside may hold anything; its files are not all read.
            let others = match self.holds_instances(folder) {
                true => others,
                false => Vec::new(),
            };
            let mut candidates = same.into_iter().chain(others);
            if let Some(found) = candidates.find(|path| self.is(path, entry)) {
                return Ok(found);
            }
        }
        if recorded.is_file() {
            return Ok(recorded);
        }
        let looked: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        Err(PoolError::input(
            &self.folder,
            format!(
                "the file of the instance `{name}` is not there: neither {} nor, by its content, in {}; give its folder with \
                 --instances",
                recorded.display(),
                looked.join(", "),
            ),
        ))
    }

    /// Whether a folder is one of instances by what the user or its name says.
    fn holds_instances(&self, folder: &Path) -> bool {
        self.given.as_deref() == Some(folder) || folder.file_name().is_some_and(|n| n == BESIDE)
    }

    /// Folders to look in that exist.
    fn folders(&self, recorded: &Path) -> Vec<PathBuf> {
        if let Some(given) = &self.given {
            return vec![given.clone()];
        }
        let here = plain(&self.folder);
        let above = here.parent().map(Path::to_owned);
        let mut folders = vec![here.clone(), here.join(BESIDE)];
        if let Some(above) = above {
            folders.push(above.join(BESIDE));
            // The folder of instances may have another name, and have been moved together with the pools.
            if let Some(name) = recorded.parent().and_then(Path::file_name) {
                folders.push(above.join(name));
            }
            folders.push(above);
        }
        folders.retain(|folder| folder.is_dir());
        let mut different: Vec<PathBuf> = Vec::new();
        for folder in folders {
            if !different.contains(&folder) {
                different.push(folder);
            }
        }
        different
    }

    fn is(&self, path: &Path, entry: &Entry) -> bool {
        path.is_file() && self.hashes.of(path).is_ok_and(|hash| hash == entry.sha256)
    }
}

/// A path without `..`, as people read it. Links to folders are not followed, so that it is for looking and telling.
fn plain(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut out = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::CollectSettings;
    use crate::inputs::find_instances;
    use crate::manifest::SplitRule;

    fn write(path: &Path, number: usize) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("content {number}")).unwrap();
    }

    #[test]
    fn instances_are_found_wherever_the_folder_goes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| plain(&folder.path().join(name));
        for number in 1..=2 {
            write(&at(&format!("home/data/i{number}.mps")), number);
        }
        std::fs::create_dir_all(at("home/pools")).unwrap();
        let inputs = find_instances(&at("home/data")).unwrap();
        let settings = CollectSettings::default();
        let rule = SplitRule::default();
        let manifest = Manifest::plan(&at("home/pools"), None, &inputs, &settings, rule).unwrap();
        let find = |pools: &str, given: Option<&str>| {
            let files = InstanceFiles::new(at(pools), given.map(at));
            files.find(&manifest, "i1")
        };
        assert_eq!(find("home/pools", None).unwrap(), at("home/data/i1.mps"));
        // Both were moved together, to another depth.
        write(&at("far/away/data/i1.mps"), 1);
        std::fs::create_dir_all(at("far/away/deep/pools")).unwrap();
        let message = find("far/away/deep/pools", None).unwrap_err().to_string();
        assert!(message.contains("far/away/deep/data/i1.mps"), "{message}");
        assert!(!message.contains(".."), "{message}");
        assert!(message.contains("--instances"), "{message}");
        let found = find("far/away/deep/pools", Some("far/away/data"));
        assert_eq!(found.unwrap(), at("far/away/data/i1.mps"));
        // A copy of the pools alone, with the instances under other names beside it.
        write(&at("copy/instances/x.mps"), 2);
        write(&at("copy/instances/y.mps"), 1);
        std::fs::create_dir_all(at("copy/pools")).unwrap();
        assert_eq!(
            find("copy/pools", None).unwrap(),
            at("copy/instances/y.mps")
        );
        // A file of the same name with another content is not taken.
        write(&at("wrong/instances/i1.mps"), 7);
        std::fs::create_dir_all(at("wrong/pools")).unwrap();
        assert!(find("wrong/pools", None).is_err());
    }
}

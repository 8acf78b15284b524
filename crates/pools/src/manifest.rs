//! `manifest.json` of a folder of pools: the settings, the instance files, and the set of each instance.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use idpas_base::file_name::{is_file_name, refusal};
use idpas_base::sealed;
use idpas_mip::files::save_bytes;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::collect::CollectSettings;
use crate::inputs::InputFile;
use crate::pool::SolverInfo;
use crate::sketch::Sketch;
use crate::split::{Part, Proportions, split};
use crate::{PoolError, instance_hash, read_instance};

/// Name of the manifest file.
pub const MANIFEST: &str = "manifest.json";

/// What a folder of pools contains, or will contain when the collection is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of the program.
    pub program: String,
    /// The settings with which pools are made.
    pub settings: CollectSettings,
    /// [`CollectSettings::hash`] of the settings.
    pub settings_sha256: String,
    /// The solver that makes the pools.
    pub solver: SolverInfo,
    /// How instances are divided into sets.
    pub split: SplitRule,
    /// Whether the same command gives the same pools on any machine: limits by counts, and one worker or nothing from siblings.
    /// Otherwise what an instance learns from its siblings depends on how fast each was.
    #[serde(default)]
    pub reproducible: bool,
    /// The instances, by name.
    #[serde(deserialize_with = "named_entries")]
    pub instances: BTreeMap<String, Entry>,
}

/// Entries whose names can only be those of files in the folder.
fn named_entries<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Entry>, D::Error> {
    let entries = BTreeMap::<String, Entry>::deserialize(from)?;
    match entries.keys().find(|name| !is_file_name(name)) {
        Some(name) => Err(D::Error::custom(refusal(name))),
        None => Ok(entries),
    }
}

/// How instances are divided into training, validation and test set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitRule {
    /// Proportions of the sets.
    pub proportions: Proportions,
    /// Seed of the random order of instances.
    pub seed: u64,
}

/// An instance of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Path of its file, relative to the folder of pools where possible.
    pub file: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Modification time of the file, in nanoseconds since 1970. If this and the size are unchanged, so is the hash.
    pub modified: u64,
    /// [`instance_hash`] of the file.
    pub sha256: String,
    /// The set that it belongs to.
    pub part: Part,
    /// Its numbers in short, by which similar instances are found; `None` if the file cannot be read as a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
}

/// Path of the pool of an instance in a folder of pools.
pub fn pool_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{}", crate::pool::EXTENSION))
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if it has none.
    pub fn read(folder: &Path) -> Result<Option<Self>, PoolError> {
        let path = folder.join(MANIFEST);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(PoolError::io(&path, e)),
        };
        Self::from_bytes(&text, &path).map(Some)
    }

    /// Reads a manifest from the content of its file; `path` is for messages.
    pub fn from_bytes(text: &[u8], path: &Path) -> Result<Self, PoolError> {
        sealed::from_slice(text).map_err(|e| PoolError::Text {
            path: path.display().to_string(),
            line: e.line(),
            message: format!(
                "this is no manifest of pools: {e}; restore it, or remove it to deal the sets anew"
            ),
        })
    }

    /// The manifest that `folder` must have for these instances. It depends only on them and on the manifest that is
    /// there, so that workers that start at the same time agree. Instances of the old manifest that are not among the
    /// new ones stay as long as their file or their pool exists.
    pub fn plan(
        folder: &Path,
        old: Option<&Manifest>,
        inputs: &[InputFile],
        settings: &CollectSettings,
        rule: SplitRule,
    ) -> Result<Self, PoolError> {
        let mut instances = old.map(|m| m.instances.clone()).unwrap_or_default();
        instances.retain(|name, entry| {
            folder.join(&entry.file).exists() || pool_path(folder, name).exists()
        });
        for (name, entry) in hashed(folder, &instances, inputs)? {
            instances.insert(name, entry);
        }
        let contents: Vec<(String, String)> = instances
            .iter()
            .map(|(name, entry)| (name.clone(), entry.sha256.clone()))
            .collect();
        let before: HashMap<String, Part> = old
            .filter(|old| old.split == rule)
            .map(|old| &old.instances)
            .into_iter()
            .flatten()
            .map(|(name, entry)| (name.clone(), entry.part))
            .collect();
        for (name, part) in split(&contents, &before, &rule.proportions, rule.seed) {
            if let Some(entry) = instances.get_mut(&name) {
                entry.part = part;
            }
        }
        let solver = idpas_solver::by_name(&settings.solver)?;
        Ok(Manifest {
            program: idpas_base::PROGRAM.into(),
            settings: settings.clone(),
            settings_sha256: settings.hash(),
            solver: SolverInfo {
                name: solver.name().into(),
                version: solver.version(),
            },
            split: rule,
            reproducible: false,
            instances,
        })
    }

    /// Whether a manifest has all instances as their files are now, so that [`plan`](Self::plan) need not read them.
    pub(crate) fn knows(folder: &Path, old: Option<&Manifest>, inputs: &[InputFile]) -> bool {
        let (Some(old), Ok(folder)) = (old, canonical(folder)) else {
            return false;
        };
        inputs.iter().all(|input| {
            let entry = old.instances.get(&input.name);
            entry.is_some_and(|entry| FileLook::of(&folder, input).is_ok_and(|file| file.is(entry)))
        })
    }

    /// Writes the manifest, unless the folder has this one already.
    pub fn write(&self, folder: &Path) -> Result<(), PoolError> {
        if Manifest::read(folder).is_ok_and(|old| old.as_ref() == Some(self)) {
            return Ok(());
        }
        let path = folder.join(MANIFEST);
        let text = sealed::to_text(self).map_err(|e| PoolError::json(&path, &e))?;
        Ok(save_bytes(&path, text.as_bytes())?)
    }
}

/// Entries for files; computes, several at a time, the hashes that the old entries do not have.
fn hashed(
    folder: &Path,
    old: &BTreeMap<String, Entry>,
    inputs: &[InputFile],
) -> Result<Vec<(String, Entry)>, PoolError> {
    let folder = &canonical(folder)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = inputs.len().div_ceil(threads).max(1);
    let entries = |inputs: &[InputFile]| -> Result<Vec<(String, Entry)>, PoolError> {
        let named = |input: &InputFile| Ok((input.name.clone(), entry(folder, old, input)?));
        inputs.iter().map(named).collect()
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let spawned: Vec<_> = inputs
            .chunks(size)
            .map(|chunk| scope.spawn(|| entries(chunk)))
            .collect();
        spawned.into_iter().map(|thread| thread.join()).collect()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    Ok(all)
}

fn entry(
    folder: &Path,
    old: &BTreeMap<String, Entry>,
    input: &InputFile,
) -> Result<Entry, PoolError> {
    let look = FileLook::of(folder, input).map_err(|e| PoolError::io(&input.path, e))?;
    let known = old.get(&input.name).filter(|old| look.is(old));
    let (sha256, sketch) = match known {
        Some(old) if old.sketch.is_some() => (old.sha256.clone(), old.sketch.clone()),
        _ => match read_instance(&input.path) {
            Ok(read) => (read.sha256, Some(Sketch::of(&read.parsed.model))),
            // What is wrong with it is told when it has its turn.
            Err(_) => (instance_hash(&input.path)?, None),
        },
    };
    Ok(Entry {
        file: look.file,
        bytes: look.bytes,
        modified: look.modified,
        sha256,
        part: Part::Train,
        sketch,
    })
}

/// What an [`Entry`] says of a file without its content.
struct FileLook {
    file: PathBuf,
    bytes: u64,
    modified: u64,
}

impl FileLook {
    /// `folder` is canonical.
    fn of(folder: &Path, input: &InputFile) -> std::io::Result<Self> {
        let data = std::fs::metadata(&input.path)?;
        let modified = data.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(FileLook {
            file: relative(&input.path, folder)?,
            bytes: data.len(),
            modified: modified.map_or(0, |since| since.as_nanos() as u64),
        })
    }

    /// Whether the file is still as an entry says.
    fn is(&self, entry: &Entry) -> bool {
        let (one, other) = ((&self.file, self.bytes), (&entry.file, entry.bytes));
        one == other && self.modified == entry.modified && self.modified > 0
    }
}

fn canonical(folder: &Path) -> Result<PathBuf, PoolError> {
    folder.canonicalize().map_err(|e| PoolError::io(folder, e))
}

/// `path` relative to `folder`, which is canonical, so that both can be moved together.
fn relative(path: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let path = path.canonicalize()?;
    let (to, from): (Vec<Component>, Vec<Component>) =
        (path.components().collect(), folder.components().collect());
    let shared = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    // If the two have nothing but the root in common, an absolute path is clearer.
    if shared <= 1 {
        return Ok(path);
    }
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    Ok(up.chain(to[shared..].iter().copied()).collect())
}

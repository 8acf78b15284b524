//! Writes many instances in parallel, each file complete or not at all, with a manifest.

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use idpas_base::hash::Hasher;
use idpas_mip::files::save;
use idpas_mip::{WriteError, write_model};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::family::{InputFile, InstanceFamily};
use crate::{FamilyError, names};

/// The format of instance files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileFormat {
    /// Compressed MPS.
    #[default]
    MpsGz,
    /// MPS.
    Mps,
    /// LP; `>` in names is written as `~`, see [`lp_name`](crate::lp_name).
    Lp,
    /// Compressed LP.
    LpGz,
}

impl FileFormat {
    const ALL: [FileFormat; 4] = [
        FileFormat::MpsGz,
        FileFormat::Mps,
        FileFormat::Lp,
        FileFormat::LpGz,
    ];

    /// The ending of file names, without the first dot.
    pub fn as_str(self) -> &'static str {
        match self {
            FileFormat::MpsGz => "mps.gz",
            FileFormat::Mps => "mps",
            FileFormat::Lp => "lp",
            FileFormat::LpGz => "lp.gz",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FileFormat {
    type Err = FamilyError;

    fn from_str(text: &str) -> Result<Self, FamilyError> {
        FileFormat::ALL
            .into_iter()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| FamilyError::UnknownFormat { found: text.into() })
    }
}

/// Which instances to write, and where.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// The folder; created if it does not exist.
    pub out: PathBuf,
    /// The number of the first instance.
    pub first: u64,
    /// Number of instances.
    pub count: u64,
    /// The files' format.
    pub format: FileFormat,
    /// Number of instances that are made at a time; 0 means one for each processor.
    pub jobs: usize,
}

impl GenerateOptions {
    /// `count` instances from number 1 into `out`, as `mps.gz`, on all processors.
    pub fn new(out: impl Into<PathBuf>, count: u64) -> Self {
        Self {
            out: out.into(),
            first: 1,
            count,
            format: FileFormat::default(),
            jobs: 0,
        }
    }
}

/// A file that has been written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Its name: `inst_0001.mps.gz`.
    pub name: String,
    /// The instance's number.
    pub number: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// What had to be changed to keep the instance feasible or sound, one line for each change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
}

/// Progress of [`generate`].
#[derive(Debug)]
pub struct Progress<'a> {
    /// Number of files written so far.
    pub done: u64,
    /// Number of files to write.
    pub total: u64,
    /// The file just written.
    pub file: &'a WrittenFile,
}

/// The content of `manifest.json`: which instances a folder holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the crate that wrote the folder.
    pub version: String,
    /// The family's name.
    pub family: String,
    /// The family's size.
    pub size: String,
    /// The family's seed.
    pub seed: u64,
    /// What differs between instances.
    pub varies: String,
    /// The files from which the family was made.
    pub inputs: Vec<InputFile>,
    /// SHA-256 of `reference.json`.
    pub reference_sha256: String,
    /// How many instances the folder holds.
    pub count: u64,
    /// The instances, sorted by number.
    pub instances: Vec<WrittenFile>,
}

/// Writes instances, `reference.json` and `manifest.json` into a folder.
///
/// `progress` is called after each file, from the thread that wrote it; `Break` ends the work, and the files written
/// so far stay. Instances that the folder already holds, of the same family, size and seed, stay too.
pub fn generate(
    family: &dyn InstanceFamily,
    options: &GenerateOptions,
    progress: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
) -> Result<Manifest, FamilyError> {
    std::fs::create_dir_all(&options.out).map_err(|e| FamilyError::io(&options.out, e))?;
    let reference = options.out.join("reference.json");
    let manifest_path = options.out.join("manifest.json");
    let mut manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").into(),
        family: family.name().into(),
        size: family.size().into(),
        seed: family.seed(),
        varies: family.varies().into(),
        inputs: family.inputs(),
        reference_sha256: reference_hash(family, &reference)?,
        count: 0,
        instances: Vec::new(),
    };
    let older = earlier_files(&manifest, &manifest_path, &options.out)?;
    write_with(&reference, |out| family.write_reference(out))?;

    let stopped = AtomicBool::new(false);
    let written = Mutex::new(Vec::new());
    let make = |number: u64| -> Result<(), FamilyError> {
        if stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        let file = write_instance(family, number, &options.out, options.format)?;
        let mut all = written
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let done = all.len() as u64 + 1;
        let flow = progress(&Progress {
            done,
            total: options.count,
            file: &file,
        });
        if flow.is_break() {
            stopped.store(true, Ordering::Relaxed);
        }
        all.push(file);
        Ok(())
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build();
    let pool = pool.map_err(|e| FamilyError::io(&options.out, io::Error::other(e)))?;
    let numbers = options.first..options.first.saturating_add(options.count);
    let result = pool.install(|| numbers.into_par_iter().try_for_each(make));

    let new = written
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let done = new.len() as u64;
    let kept = older
        .into_iter()
        .filter(|old| new.iter().all(|file| file.name != old.name));
    manifest.instances = kept.collect();
    manifest.instances.extend(new);
    manifest
        .instances
        .sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
    manifest.count = manifest.instances.len() as u64;
    write_with(&manifest_path, |out| {
        serde_json::to_writer_pretty(&mut *out, &manifest)?;
        out.write_all(b"\n")
    })?;
    result?;
    if done < options.count {
        return Err(FamilyError::Interrupted {
            done,
            total: options.count,
        });
    }
    Ok(manifest)
}

/// Writes the instance with this number into `folder`.
pub fn write_instance(
    family: &dyn InstanceFamily,
    number: u64,
    folder: &Path,
    format: FileFormat,
) -> Result<WrittenFile, FamilyError> {
    let mut instance = family.instance(number)?;
    if matches!(format, FileFormat::Lp | FileFormat::LpGz) {
        names::for_lp(&mut instance.model)?;
    }
    let name = format!("inst_{number:04}.{format}");
    let path = folder.join(&name);
    write_model(&instance.model, &path)?;
    let (bytes, sha256) = hash_file(&path)?;
    Ok(WrittenFile {
        name,
        number,
        bytes,
        sha256,
        repairs: instance.repairs,
    })
}

/// The files listed in a manifest that is already there; an error if it is of another family.
fn earlier_files(
    new: &Manifest,
    path: &Path,
    folder: &Path,
) -> Result<Vec<WrittenFile>, FamilyError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(FamilyError::io(path, e)),
    };
    let old: Manifest = serde_json::from_slice(&text).map_err(|e| FamilyError::Input {
        file: path.display().to_string(),
        line: Some(e.line() as u64),
        message: format!("not a manifest of instances: {e}"),
    })?;
    let known = |m: &Manifest| {
        (
            m.family.clone(),
            m.size.clone(),
            m.seed,
            m.inputs.clone(),
            m.reference_sha256.clone(),
        )
    };
    if known(&old) != known(new) {
        let described = |m: &Manifest| {
            let reference: String = m.reference_sha256.chars().take(8).collect();
            format!(
                "{} {} with seed {} (reference {reference})",
                m.family, m.size, m.seed
            )
        };
        return Err(FamilyError::OtherFamily {
            folder: folder.display().to_string(),
            found: described(&old),
            asked: described(new),
        });
    }
    Ok(old.instances)
}

fn reference_hash(family: &dyn InstanceFamily, path: &Path) -> Result<String, FamilyError> {
    let mut hasher = Hasher::default();
    family
        .write_reference(&mut hasher)
        .map_err(|e| FamilyError::io(path, e))?;
    Ok(hasher.finish())
}

fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FamilyError> {
    save(path, |out| {
        fill(out).map_err(|source| WriteError::Io {
            file: path.display().to_string(),
            source,
        })
    })
    .map_err(FamilyError::from)
}

/// Size and SHA-256 of a file.
pub(crate) fn hash_file(path: &Path) -> Result<(u64, String), FamilyError> {
    let read = || -> io::Result<(u64, Hasher)> {
        let mut file = std::fs::File::open(path)?;
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let n = file.read(&mut buffer)?;
            if n == 0 {
                return Ok((bytes, hasher));
            }
            hasher.update(&buffer[..n]);
            bytes += n as u64;
        }
    };
    let (bytes, hasher) = read().map_err(|e| FamilyError::io(path, e))?;
    Ok((bytes, hasher.finish()))
}

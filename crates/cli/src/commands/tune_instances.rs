//! The instances that settings are chosen on, with what is known of them.

use std::path::{Path, PathBuf};

use idpas_mip::{Sense, Shape};
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{MANIFEST, Manifest, pool_path};
use idpas_pools::pool::Pool;
use idpas_pools::split::Part;

use crate::args::Verbosity;
use crate::failure::Failure;
use crate::output::read_hashed_with_warnings;

/// Instances of one family.
pub(super) struct Instances {
    pub(super) list: Vec<TuneInstance>,
    /// The size of the first one.
    pub(super) shape: Shape,
}

/// An instance to search.
pub(super) struct TuneInstance {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) sha256: String,
    pub(super) sense: Sense,
    /// The best value of its pool.
    pub(super) best_known: Option<f64>,
}

/// The first instances of a folder, or of the validation set of a folder of pools.
pub(super) fn find(
    folder: &Path,
    count: usize,
    verbosity: Verbosity,
) -> Result<Instances, Failure> {
    let manifest = match has_pools(folder) {
        true => Manifest::read(folder)?,
        false => None,
    };
    let files: Vec<(String, PathBuf, Option<f64>)> = match manifest {
        Some(manifest) => {
            let entries = manifest.instances.iter();
            let validation = entries.filter(|(_, entry)| entry.part == Part::Validation);
            validation
                .map(|(name, entry)| {
                    let pool = Pool::read(pool_path(folder, name)).ok();
                    let best = pool.and_then(|pool| pool.best());
                    (name.clone(), folder.join(&entry.file), best)
                })
                .take(count)
                .collect()
        }
        None => {
            let files = find_instances(folder)?.into_iter().take(count);
            files.map(|file| (file.name, file.path, None)).collect()
        }
    };
    let mut list = Vec::new();
    let mut shape = None;
    for (name, path, best_known) in files {
        let (model, sha256) = read_hashed_with_warnings(&path, verbosity)?;
        shape.get_or_insert_with(|| model.shape());
        list.push(TuneInstance {
            name,
            sha256,
            path,
            sense: model.sense,
            best_known,
        });
    }
    match shape {
        Some(shape) => Ok(Instances { list, shape }),
        None => Err(Failure::Usage(format!(
            "{}: no instance is in the validation set",
            folder.display()
        ))),
    }
}

/// Whether a folder's manifest is one of pools; generated instances have another.
fn has_pools(folder: &Path) -> bool {
    let text = std::fs::read(folder.join(MANIFEST)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    manifest.get("settings_sha256").is_some()
}

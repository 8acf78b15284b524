//! The instances that settings are chosen on, with what is known of them.

use std::path::{Path, PathBuf};

use idpas_mip::{Sense, Shape};
use idpas_pools::InstanceFiles;
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{MANIFEST, Manifest, pool_path};
use idpas_pools::pool::Pool;
use idpas_pools::split::Part;

use super::{TuneEvent, TuneObserver};
use crate::EvaluateError;

/// Instances of one family to compare settings on.
pub(crate) struct ValidationSet {
    pub(crate) list: Vec<ValidationInstance>,
    /// The size of the first one.
    pub(crate) shape: Shape,
}

/// An instance to compare settings on.
pub(crate) struct ValidationInstance {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) sha256: String,
    pub(crate) sense: Sense,
    /// The best value of its pool, if it has one.
    pub(crate) best_known: Option<f64>,
}

/// The first instances of a folder, or of the validation set of a folder of pools.
pub(crate) fn find(
    folder: &Path,
    count: usize,
    observer: &TuneObserver<'_>,
) -> Result<ValidationSet, EvaluateError> {
    let manifest = match has_pools(folder) {
        true => Manifest::read(folder)?,
        false => None,
    };
    let files: Vec<(String, PathBuf, Option<f64>)> = match manifest {
        Some(manifest) => {
            let located = InstanceFiles::new(folder, None);
            let entries = manifest.instances.iter();
            let validation = entries.filter(|(_, entry)| entry.part == Part::Validation);
            let found = validation.take(count).map(|(name, _)| {
                let pool = Pool::read(pool_path(folder, name)).ok();
                let best = pool.and_then(|pool| pool.best());
                Ok((name.clone(), located.find(&manifest, name)?, best))
            });
            found.collect::<Result<_, EvaluateError>>()?
        }
        None => {
            let files = find_instances(folder)?.into_iter().take(count);
            files.map(|file| (file.name, file.path, None)).collect()
        }
    };
    let mut list = Vec::new();
    let mut shape = None;
    for (name, path, best_known) in files {
        let file = idpas_pools::read_instance(&path)?;
        observer(&TuneEvent::Warnings {
            path: &path,
            warnings: &file.parsed.warnings,
        });
        let model = file.parsed.model;
        shape.get_or_insert_with(|| model.shape());
        list.push(ValidationInstance {
            name,
            sha256: file.sha256,
            path,
            sense: model.sense,
            best_known,
        });
    }
    match shape {
        Some(shape) => Ok(ValidationSet { list, shape }),
        None => Err(EvaluateError::Input(format!(
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

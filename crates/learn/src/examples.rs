//! Training data as it lies on disk: instances with their pools, read one at a time.

use std::path::{Path, PathBuf};

use idpas_mip::{Model, read_model};
use idpas_study::manifest::{Manifest, pool_path};
use idpas_study::pool::{Pool, PoolInfo};
use idpas_study::split::Part;

use crate::LearnError;

/// A folder of pools, with the instances they belong to.
#[derive(Clone, Debug)]
pub struct Examples {
    folder: PathBuf,
    manifest: Manifest,
    names: Vec<(String, Part)>,
    missing: usize,
}

/// An instance with what is known of its solutions.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// The model.
    pub model: Model,
    /// Its solutions and its relaxation.
    pub pool: Pool,
}

impl Examples {
    /// Opens a folder of pools. Instances without a pool are left out, and counted.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, LearnError> {
        let folder = folder.as_ref();
        let manifest = Manifest::read(folder)?.ok_or_else(|| {
            LearnError::pools(
                folder,
                "there is no manifest.json: this is no folder of pools",
            )
        })?;
        let all = manifest.instances.len();
        let names: Vec<_> = manifest
            .instances
            .iter()
            .filter(|(name, _)| pool_path(folder, name).exists())
            .map(|(name, entry)| (name.clone(), entry.part))
            .collect();
        if names.is_empty() {
            return Err(LearnError::pools(folder, "there are no pools yet"));
        }
        Ok(Examples {
            folder: folder.to_owned(),
            missing: all - names.len(),
            manifest,
            names,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the folder says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Instances that have no pool.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The names of one set, in order.
    pub fn names(&self, part: Part) -> Vec<&str> {
        let inside = self.names.iter().filter(|(_, p)| *p == part);
        inside.map(|(name, _)| name.as_str()).collect()
    }

    /// Where the file of an instance is.
    pub fn instance_path(&self, name: &str) -> PathBuf {
        let known = self.manifest.instance_path(&self.folder, name);
        known.unwrap_or_else(|| self.folder.join(name))
    }

    /// What the pool of an instance says of itself.
    pub fn info(&self, name: &str) -> Result<PoolInfo, LearnError> {
        Ok(Pool::read_info(pool_path(&self.folder, name))?)
    }

    /// A hash of all pools and of the set each is in: what is learned from.
    pub fn fingerprint(&self) -> Result<String, LearnError> {
        let mut text = String::new();
        for (name, part) in &self.names {
            let hash = idpas_study::instance_hash(&pool_path(&self.folder, name))?;
            text.push_str(&format!("{name} {part:?} {hash}\n"));
        }
        Ok(idpas_study::text_hash(&text))
    }

    /// Reads an instance and its pool, which must belong together.
    pub fn load(&self, name: &str) -> Result<Example, LearnError> {
        let pool = Pool::read(pool_path(&self.folder, name))?;
        let path = self.instance_path(name);
        let model = read_model(&path)?.model;
        let sizes = (model.num_rows(), model.num_columns());
        let expected = (pool.info.instance.rows, pool.info.instance.columns);
        let columns = idpas_study::columns_hash(&model);
        if sizes != expected || columns != pool.info.instance.columns_sha256 {
            return Err(LearnError::pools(
                &path,
                "the file has changed since its pool was collected: its columns are other ones",
            ));
        }
        if pool.solutions.is_empty() {
            return Err(LearnError::pools(&path, "its pool has no solutions"));
        }
        Ok(Example {
            name: name.to_owned(),
            model,
            pool,
        })
    }
}

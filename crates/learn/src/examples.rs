//! Training data on disk: instances with their pools. Each file is read when it is first needed, and kept for the next
//! time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use idpas_mip::{Model, Names, read_model};
use idpas_pools::InstanceFiles;
use idpas_pools::manifest::{Manifest, pool_path};
use idpas_pools::pool::{Pool, PoolInfo};
use idpas_pools::split::Part;

use crate::LearnError;

/// Most bytes of examples that are kept in memory.
const MOST_KEPT: usize = 2 << 30;

/// A folder of pools and the instances they belong to.
///
/// An example that was loaded is kept, so that its files are read once however often training goes over the data. What
/// does not fit into 2 GiB (2³¹ bytes) is read again each time. Clones share what they keep.
#[derive(Clone, Debug)]
pub struct Examples {
    folder: PathBuf,
    manifest: Manifest,
    names: Vec<(String, Part)>,
    missing: usize,
    files: Arc<InstanceFiles>,
    kept: Arc<Mutex<Kept>>,
}

/// What has been read, by the names of instances.
#[derive(Debug, Default)]
struct Kept {
    examples: HashMap<String, Arc<Example>>,
    /// Approximate size of these examples in bytes.
    bytes: usize,
    /// Hashes of pool files, by the names of instances.
    hashes: HashMap<String, String>,
}

/// An instance with its known solutions.
#[derive(Clone, Debug)]
pub struct Example {
    /// Name of the instance.
    pub name: String,
    /// The model.
    pub model: Model,
    /// Its known solutions and its relaxation.
    pub pool: Pool,
}

impl Examples {
    /// Opens a folder of pools. Instances without a pool are left out; [`missing`](Self::missing) counts them. The files of
    /// instances are found also when the folder was moved or copied, see [`InstanceFiles`].
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, LearnError> {
        Self::open_with(folder, None)
    }

    /// [`open`](Self::open) with the instances in a given folder, by name or by content.
    pub fn open_with(
        folder: impl AsRef<Path>,
        instances: Option<PathBuf>,
    ) -> Result<Self, LearnError> {
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
            files: Arc::new(InstanceFiles::new(folder, instances)),
            kept: Arc::default(),
        })
    }

    /// The folder as it is now, with the instances that were added since it was opened. What was read is still kept.
    pub fn reopened(&self) -> Result<Self, LearnError> {
        let now = Self::open(&self.folder)?;
        Ok(Examples {
            files: self.files.clone(),
            kept: self.kept.clone(),
            ..now
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest of the folder.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of instances that have no pool.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The names of the instances in one set, sorted.
    pub fn names(&self, part: Part) -> Vec<&str> {
        let inside = self.names.iter().filter(|(_, p)| *p == part);
        inside.map(|(name, _)| name.as_str()).collect()
    }

    /// Path of the file of an instance.
    pub fn instance_path(&self, name: &str) -> Result<PathBuf, LearnError> {
        Ok(self.files.find(&self.manifest, name)?)
    }

    /// The metadata of an instance's pool.
    pub fn info(&self, name: &str) -> Result<PoolInfo, LearnError> {
        Ok(Pool::read_info(pool_path(&self.folder, name))?)
    }

    /// A hash of all pools and of the set each is in: it identifies the training data. Pools that were loaded are not
    /// read again.
    pub fn fingerprint(&self) -> Result<String, LearnError> {
        let mut text = String::new();
        for (name, part) in &self.names {
            let known = self.kept().hashes.get(name).cloned();
            let hash = match known {
                Some(hash) => hash,
                None => {
                    let hash = idpas_pools::instance_hash(&pool_path(&self.folder, name))?;
                    self.kept().hashes.insert(name.clone(), hash.clone());
                    hash
                }
            };
            text.push_str(&format!("{name} {part:?} {hash}\n"));
        }
        Ok(idpas_base::hash::text_hash(&text))
    }

    /// Loads an instance and its pool; an error if they do not belong together.
    pub fn load(&self, name: &str) -> Result<Arc<Example>, LearnError> {
        let known = self.kept().examples.get(name).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let (example, pool_hash) = self.read(name)?;
        let bytes = example.bytes();
        let example = Arc::new(example);
        let mut kept = self.kept();
        kept.hashes.insert(name.to_owned(), pool_hash);
        if kept.bytes + bytes <= MOST_KEPT {
            kept.bytes += bytes;
            kept.examples.insert(name.to_owned(), example.clone());
        }
        Ok(example)
    }

    /// Frees the examples that are kept, when they are not needed again.
    pub fn forget(&self) {
        let mut kept = self.kept();
        kept.examples.clear();
        kept.bytes = 0;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads an instance and its pool, and the hash of the pool.
    fn read(&self, name: &str) -> Result<(Example, String), LearnError> {
        let (pool, pool_hash) = Pool::read_hashed(pool_path(&self.folder, name))?;
        let path = self.instance_path(name)?;
        let model = read_model(&path)?.model;
        let sizes = (model.num_rows(), model.num_columns());
        let expected = (pool.info.instance.rows, pool.info.instance.columns);
        let columns = idpas_pools::columns_hash(&model);
        if sizes != expected || columns != pool.info.instance.columns_sha256 {
            return Err(LearnError::pools(
                &path,
                "the file has changed since its pool was collected: its columns are other ones",
            ));
        }
        if pool.solutions.is_empty() {
            return Err(LearnError::pools(&path, "its pool has no solutions"));
        }
        let example = Example {
            name: name.to_owned(),
            model,
            pool,
        };
        Ok((example, pool_hash))
    }
}

impl Example {
    /// Approximate memory of this example in bytes.
    fn bytes(&self) -> usize {
        let names = |names: &Names| names.iter().map(|name| name.len() + 16).sum::<usize>();
        let (columns, rows) = (&self.model.columns, &self.model.rows);
        let shape = self.model.shape();
        let (m, n) = (shape.rows, self.model.num_columns());
        // Per column: bounds, cost, kind, start. Per row: sides. Of the relaxation: value, reduced cost, basis and so
        // on.
        let arrays = 48 * n + 16 * m + 12 * shape.nonzeros + 16 * (n + m);
        let solutions = self.pool.solutions.len() * (8 * n + 64);
        names(&columns.names) + names(&rows.names) + arrays + solutions
    }
}

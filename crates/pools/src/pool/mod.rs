//! A pool: the best solutions known of one instance, with the data of its linear relaxation.
//!
//! One pool is one file, see `docs/pool-format.md`. Reading checks every bit of it; writing is atomic.

mod copies;
mod encode;
mod header;
mod read;
mod select;
mod sparse;
mod weights;
mod write;

use std::path::Path;

use idpas_mip::{Relaxation, Sense};
use serde::{Deserialize, Serialize};

use crate::PoolError;
pub use copies::close_copies;
pub use header::{InstanceInfo, LpInfo, PoolInfo, SolverInfo};
pub use select::{PoolSelection, beyond};
pub use weights::Weighting;

/// The version of the format that [`Pool::write`] writes.
pub const FORMAT_VERSION: u32 = 1;

/// The ending of pool files.
pub const EXTENSION: &str = "safetensors";

/// The origin of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Source {
    /// A solve of the whole instance.
    Solve = 0,
    /// A search in the neighbourhood of known solutions, or of those of siblings.
    Neighbourhood = 1,
    /// A file that was imported.
    Import = 2,
}

impl Source {
    /// `solve`, `neighbourhood` or `import`.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Solve => "solve",
            Source::Neighbourhood => "neighbourhood",
            Source::Import => "import",
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        [Source::Solve, Source::Neighbourhood, Source::Import]
            .into_iter()
            .find(|source| *source as u8 == code)
    }
}

/// A solution in a pool. It passed the exact check, and its discrete columns have integer values.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolSolution {
    /// Value of each column.
    pub values: Vec<f64>,
    /// Objective value, exact and correctly rounded.
    pub objective: f64,
    /// Seconds from the beginning of the work on the instance to this solution; `None` for imports.
    pub time: Option<f64>,
    /// The origin of the solution.
    pub source: Source,
}

/// What a pool says of itself, without its solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolOutline {
    /// The instance, how the pool was made, and what is known of the optimum.
    pub info: PoolInfo,
    /// The objective of each solution, best first.
    pub objectives: Vec<f64>,
}

/// The best solutions known of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The instance, how the pool was made, and what is known of the optimum.
    pub info: PoolInfo,
    /// The solutions, best first, all different.
    pub solutions: Vec<PoolSolution>,
    /// The linear relaxation; `None` if it could not be solved. A file keeps it [in single
    /// precision](Relaxation::to_single), which is enough for every feature, so that nothing is solved again.
    pub relaxation: Option<Relaxation>,
}

impl Pool {
    /// A pool without solutions, for those that are given and not collected.
    pub fn given(instance: InstanceInfo, sense: Sense) -> Self {
        Pool {
            info: PoolInfo {
                instance,
                sense: sense.as_str().into(),
                bound: None,
                status: "import".into(),
                solver: SolverInfo::default(),
                settings: None,
                settings_sha256: None,
                lp: None,
                seconds: 0.0,
                rounds: 0,
                rejected: 0,
                program: idpas_base::PROGRAM.into(),
                copies: 0,
                turns: Vec::new(),
            },
            solutions: Vec::new(),
            relaxation: None,
        }
    }

    /// Reads a pool and checks it: checksum, sizes, order.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, PoolError> {
        let path = path.as_ref();
        Self::decode(&read_bytes(path)?, path)
    }

    /// Reads a pool as [`read`](Self::read) does, and also returns the file's [`instance_hash`](crate::instance_hash)
    /// without reading it twice.
    pub fn read_hashed(path: impl AsRef<Path>) -> Result<(Self, String), PoolError> {
        let path = path.as_ref();
        let bytes = read_bytes(path)?;
        Ok((
            Self::decode(&bytes, path)?,
            idpas_base::hash::bytes_hash(&bytes),
        ))
    }

    fn decode(bytes: &[u8], path: &Path) -> Result<Self, PoolError> {
        read::decode(bytes).map_err(|fault| fault.at(header::Header::KIND, path).into())
    }

    /// Reads only the metadata of a pool, after the same check of the whole file.
    pub fn read_info(path: impl AsRef<Path>) -> Result<PoolInfo, PoolError> {
        let path = path.as_ref();
        let bytes = read_bytes(path)?;
        read::verified_info(&bytes).map_err(|fault| fault.at(header::Header::KIND, path).into())
    }

    /// Reads the metadata of a pool and the objectives of its solutions, after the same check of the whole file.
    pub fn read_outline(path: impl AsRef<Path>) -> Result<PoolOutline, PoolError> {
        let path = path.as_ref();
        let bytes = read_bytes(path)?;
        read::outline(&bytes).map_err(|fault| fault.at(header::Header::KIND, path).into())
    }

    /// Writes the pool to a file, completely or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PoolError> {
        let bytes = write::encode(self)?;
        Ok(idpas_mip::files::save_bytes(path.as_ref(), &bytes)?)
    }

    /// The bytes that [`write`](Self::write) writes; the same pool always gives the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PoolError> {
        write::encode(self)
    }

    /// Reads a pool from bytes, called `name` in messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, PoolError> {
        Self::decode(bytes, Path::new(name))
    }

    /// A hash of everything that does not depend on a clock: equal for pools with the same content.
    pub fn content_hash(&self) -> String {
        // Cannot fail: numbers and texts always have a JSON form.
        header::Header::content_hash(&self.info, &write::tensors(self)).unwrap_or_default()
    }

    /// The best objective value; `None` if there are no solutions.
    pub fn best(&self) -> Option<f64> {
        self.solutions.first().map(|solution| solution.objective)
    }

    /// The relative distance of solution `k` from the best one: 0 for the best.
    pub fn gap(&self, k: usize) -> f64 {
        match (self.best(), self.solutions.get(k)) {
            (Some(best), Some(solution)) => beyond(solution.objective, best),
            _ => 0.0,
        }
    }

    /// Whether the objective is minimised or maximised.
    pub fn sense(&self) -> Sense {
        self.info.sense()
    }

    /// Adds solutions of the same instance, and keeps the best `most` distinct ones within the relative gap `keep_gap`
    /// of the best. Returns how many of the new ones were kept.
    pub fn merge(
        &mut self,
        kinds: &[idpas_mip::VarKind],
        new: Vec<PoolSolution>,
        most: usize,
        keep_gap: f64,
    ) -> usize {
        let mut selection = PoolSelection::new(self.sense(), kinds, most, keep_gap);
        for solution in self.solutions.drain(..) {
            selection.add(solution);
        }
        let mut added = Vec::new();
        for solution in new {
            let values = solution.values.clone();
            if selection.add(solution) {
                added.push(values);
            }
        }
        self.solutions = selection.into_solutions();
        let stayed = |values: &&Vec<f64>| self.solutions.iter().any(|s| s.values == **values);
        added.iter().filter(stayed).count()
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, PoolError> {
    std::fs::read(path).map_err(|e| PoolError::io(path, e))
}

//! What a pool says of itself: the metadata of its file.

use idpas_base::container::{Kind, Tensor};
use idpas_mip::Sense;
use serde::{Deserialize, Serialize};

use crate::collect::CollectSettings;

/// The instance a pool belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceInfo {
    /// Its name: the file's, without endings.
    pub name: String,
    /// [`instance_hash`](crate::instance_hash) of its file.
    pub sha256: String,
    /// Hash of the column names in their order.
    pub columns_sha256: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many columns it has.
    pub columns: usize,
}

/// A solver by name and version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// As in [`by_name`](idpas_solver::by_name).
    pub name: String,
    /// Its own word.
    pub version: String,
}

/// How the linear relaxation went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LpInfo {
    /// `optimal`, `time_limit`, …
    pub status: String,
    /// Its objective value, if it is optimal.
    pub objective: Option<f64>,
    /// Seconds it took.
    pub seconds: f64,
}

/// What a pool says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolInfo {
    /// The instance.
    pub instance: InstanceInfo,
    /// `minimize` or `maximize`.
    pub sense: String,
    /// No solution of the instance is better than this, if that much is known.
    pub bound: Option<f64>,
    /// How the first solve ended: `optimal`, `time_limit`, …; `import` if there was none.
    pub status: String,
    /// Who solved.
    pub solver: SolverInfo,
    /// How the pool was made; `None` if it was only imported.
    pub settings: Option<CollectSettings>,
    /// [`CollectSettings::hash`] of that.
    pub settings_sha256: Option<String>,
    /// The linear relaxation.
    pub lp: Option<LpInfo>,
    /// Seconds the work took in all.
    pub seconds: f64,
    /// Re-solves that filled the pool.
    pub rounds: usize,
    /// Solutions of the solver that failed the exact check and were left out.
    pub rejected: usize,
    /// Program and version that wrote the file.
    pub program: String,
}

impl PoolInfo {
    /// Whether the objective is minimised or maximised.
    pub fn sense(&self) -> Sense {
        if self.sense == Sense::Maximize.as_str() {
            Sense::Maximize
        } else {
            Sense::Minimize
        }
    }

    /// The relative gap between a value and the bound.
    pub fn gap(&self, objective: f64) -> Option<f64> {
        idpas_solver::relative_gap(objective, self.bound?)
    }

    /// The same with everything left out that a clock said.
    fn without_times(&self) -> Self {
        let mut info = self.clone();
        info.seconds = 0.0;
        if let Some(lp) = &mut info.lp {
            lp.seconds = 0.0;
        }
        info
    }
}

/// The metadata of a pool file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Hash of the content without its times.
    pub(super) content_sha256: String,
    #[serde(flatten)]
    pub(super) info: PoolInfo,
}

impl Header {
    pub(super) const KIND: Kind = Kind {
        key: "pool",
        format: "idpas-pool",
        version: super::FORMAT_VERSION,
    };

    /// Hash of what `info` says and what `tensors` hold, without what a clock said.
    pub(super) fn content_hash(
        info: &PoolInfo,
        tensors: &[Tensor],
    ) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_vec(&info.without_times())?;
        for tensor in tensors {
            if tensor.name != super::encode::TIME {
                text.extend(format!("\0{} {:?} ", tensor.name, tensor.shape).bytes());
                text.extend(&tensor.bytes);
            }
        }
        Ok(idpas_base::hash::bytes_hash(&text))
    }
}

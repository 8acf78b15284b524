//! The metadata of a pool file.

use idpas_base::container::{Kind, Tensor};
use idpas_mip::Sense;
use serde::{Deserialize, Serialize};

use crate::collect::{CollectSettings, Turn};

/// The instance that a pool belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceInfo {
    /// Its name: that of its file, without endings.
    #[serde(deserialize_with = "idpas_base::file_name::deserialize")]
    pub name: String,
    /// [`instance_hash`](crate::instance_hash) of its file.
    pub sha256: String,
    /// Hash of the column names in their order.
    pub columns_sha256: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

/// A solver by name and version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// The name, as in [`by_name`](idpas_solver::by_name).
    pub name: String,
    /// The version, as the solver states it.
    pub version: String,
}

/// The result of solving the linear relaxation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LpInfo {
    /// How it ended: `optimal`, `time_limit`, …
    pub status: String,
    /// Its objective value; `None` unless it is optimal.
    pub objective: Option<f64>,
    /// Time that it took in seconds.
    pub seconds: f64,
}

/// What a pool states about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolInfo {
    /// The instance.
    pub instance: InstanceInfo,
    /// `minimize` or `maximize`.
    pub sense: String,
    /// A bound on the objective: no solution of the instance is better. `None` if no bound is known.
    pub bound: Option<f64>,
    /// How the last solve of the whole instance ended, or `optimal` if an earlier one proved that: `optimal`,
    /// `time_limit`, …; `import` if there was no solve.
    pub status: String,
    /// The solver that made the pool.
    pub solver: SolverInfo,
    /// The settings with which the pool was made; `None` if it was only imported.
    pub settings: Option<CollectSettings>,
    /// [`CollectSettings::hash`] of the settings.
    pub settings_sha256: Option<String>,
    /// The result of the linear relaxation; `None` if it was not solved.
    pub lp: Option<LpInfo>,
    /// Time of the whole work in seconds.
    pub seconds: f64,
    /// Number of re-solves that filled the pool.
    pub rounds: usize,
    /// Number of solutions that failed the exact check and were left out.
    pub rejected: usize,
    /// Name and version of the program that wrote the file.
    pub program: String,
    /// How many solutions are close copies of better ones: they differ in less than 1 % of the discrete columns that are
    /// not zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub copies: usize,
    /// The turns in which it was made; empty in pools of earlier versions and of imports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
}

/// As `serde` asks it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &usize) -> bool {
    *number == 0
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

    /// The relative gap between an objective value and the bound; `None` without a bound.
    pub fn gap(&self, objective: f64) -> Option<f64> {
        idpas_solver::relative_gap(objective, self.bound?)
    }

    /// Whether its best solution is proved to be optimal.
    pub fn is_proven(&self) -> bool {
        self.status == idpas_solver::Termination::Optimal.as_str()
    }

    /// The same without everything that depends on a clock.
    fn without_times(&self) -> Self {
        let mut info = self.clone();
        info.seconds = 0.0;
        if let Some(lp) = &mut info.lp {
            lp.seconds = 0.0;
        }
        for turn in &mut info.turns {
            turn.seconds = 0.0;
        }
        info
    }
}

/// The metadata of a pool file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// Hash of the content without times.
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

    /// Hash of `info` and `tensors`, without everything that depends on a clock.
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

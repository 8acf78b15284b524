//! What is there of an instance's pool, and of its failure.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use idpas_base::sealed;
use idpas_mip::files::save_bytes;
use serde::{Deserialize, Serialize};

use idpas_base::container::ContainerError;

use super::turn::Turn;
use super::work::Taken;
use crate::manifest::pool_path;
use crate::pool::{Pool, PoolOutline};
use crate::{NoPool, PoolError};

/// What is there of a pool.
#[derive(Debug)]
pub(crate) enum State {
    /// It is whole, and of this instance and these settings.
    Done(Box<PoolOutline>),
    /// Nothing.
    Missing,
    /// Solutions that were only imported.
    Imported,
    /// It is whole, but the instance's file has changed.
    OtherInstance,
    /// It is whole, but made with other settings.
    OtherSettings,
    /// It cannot be used; why.
    Damaged(String),
}

/// Looks at the pool of an instance. A file of a later version is an error: it must not be made again.
pub(crate) fn state(
    folder: &Path,
    name: &str,
    sha256: &str,
    settings_sha256: &str,
) -> Result<State, PoolError> {
    let path = pool_path(folder, name);
    let outline = match Pool::read_outline(&path) {
        Ok(outline) => outline,
        Err(PoolError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(State::Missing);
        }
        Err(PoolError::File(ContainerError::Damaged { why, .. })) => {
            return Ok(State::Damaged(why));
        }
        Err(other) => return Err(other),
    };
    let info = &outline.info;
    Ok(if info.instance.sha256 != sha256 {
        State::OtherInstance
    } else if info.settings_sha256.is_none() {
        State::Imported
    } else if info.settings_sha256.as_deref() != Some(settings_sha256) {
        State::OtherSettings
    } else {
        State::Done(Box::new(outline))
    })
}

/// Why there is no pool of an instance; kept as `failed/NAME.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollectFailure {
    /// The instance.
    pub name: String,
    /// What happened, in one line.
    pub reason: String,
    /// How often it was tried.
    pub attempts: usize,
    /// Hash of the settings it was tried with.
    pub settings_sha256: String,
    /// The last lines the worker wrote.
    pub log: String,
    /// The turns in which no solution was found; more of them may find one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
}

impl CollectFailure {
    const FOLDER: &str = "failed";

    pub(super) fn path(folder: &Path, name: &str) -> PathBuf {
        folder.join(Self::FOLDER).join(format!("{name}.json"))
    }

    /// The failure of an instance, if there is one. A note that cannot be read is as good as none: the instance is tried again.
    pub fn read(folder: &Path, name: &str) -> Option<Self> {
        let text = std::fs::read(Self::path(folder, name)).ok()?;
        sealed::from_slice(&text).ok()
    }

    /// Whether there is a note of a failure that cannot be read.
    pub(crate) fn is_damaged(folder: &Path, name: &str) -> bool {
        Self::path(folder, name).exists() && Self::read(folder, name).is_none()
    }

    /// The failure of an instance if it was written after `begin`, by the clock of the file system.
    pub(crate) fn since(folder: &Path, name: &str, begin: SystemTime) -> Option<Self> {
        let written = std::fs::metadata(Self::path(folder, name)).and_then(|data| data.modified());
        if written.is_ok_and(|written| written > begin) {
            Self::read(folder, name)
        } else {
            None
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), PoolError> {
        let path = Self::path(folder, &self.name);
        let parent = folder.join(Self::FOLDER);
        std::fs::create_dir_all(&parent).map_err(|e| PoolError::io(&parent, e))?;
        let text = sealed::to_text(self).map_err(|e| PoolError::json(&path, &e))?;
        Ok(save_bytes(&path, text.as_bytes())?)
    }

    /// Forgets the failure of an instance that worked after all.
    pub(crate) fn clear(folder: &Path, name: &str) {
        let _ = std::fs::remove_file(Self::path(folder, name));
    }
}

/// How a turn ended, as a worker says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum WorkerOutcome {
    /// The pool is written.
    Done {
        /// How many solutions it has.
        solutions: usize,
        /// The best objective.
        best: f64,
    },
    /// There is no solution yet; another turn may find one.
    Nothing {
        /// The turn.
        turn: Turn,
    },
    /// There is no pool.
    Failed {
        /// Why.
        reason: String,
        /// Whether trying again may help.
        retry: bool,
    },
}

impl WorkerOutcome {
    pub(super) fn of(result: Result<Taken, PoolError>) -> Self {
        match result {
            Ok(Taken::Pool(pool)) => WorkerOutcome::Done {
                solutions: pool.solutions.len(),
                best: pool.best().unwrap_or_default(),
            },
            Ok(Taken::Nothing(turn)) => WorkerOutcome::Nothing { turn },
            Err(error) => WorkerOutcome::Failed {
                retry: !matches!(
                    error,
                    PoolError::NoPool(NoPool::Infeasible | NoPool::Unbounded)
                        | PoolError::Read(_)
                        | PoolError::Setting { .. }
                ),
                reason: error.to_string(),
            },
        }
    }
}

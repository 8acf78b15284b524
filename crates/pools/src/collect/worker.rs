//! One turn of one instance, in a process of its own.
//!
//! A worker gets its [`WorkerJob`] as the first line of its input and says its [`WorkerOutcome`] as the last line of its
//! output. Its input stays open as long as the process that started it lives; when that ends, so must the worker.

use std::path::PathBuf;

use idpas_mip::Model;
use idpas_solver::Interrupt;
use idpas_solver::judge::Judge;
use serde::{Deserialize, Serialize};

use super::fill::judge_options;
use super::siblings::SiblingAdvice;
use super::turn::{Sibling, Turn, TurnPlan};
use super::work::{Before, Taken, TurnWork};
use super::{CollectSettings, WorkerOutcome};
use crate::pool::{InstanceInfo, Pool, PoolSolution, Source};
use crate::{PoolError, instance_hash, read_instance};

/// What a worker is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerJob {
    /// The instance's name.
    pub name: String,
    /// Its file.
    pub instance: PathBuf,
    /// The file's [`instance_hash`].
    pub sha256: String,
    /// Where the pool goes.
    pub out: PathBuf,
    /// How it is made.
    pub settings: CollectSettings,
    /// Bytes of memory the worker may use.
    pub memory_limit: Option<u64>,
    /// The turn to take.
    pub turn: TurnPlan,
    /// Turns in which no solution was found. Where there is a pool, it has them itself.
    pub before: Vec<Turn>,
    /// Instances to learn from, nearest first.
    pub siblings: Vec<Sibling>,
}

impl WorkerJob {
    /// Takes the turn in this process. Limits the memory of the whole process.
    pub fn run(&self, interrupt: &Interrupt) -> WorkerOutcome {
        WorkerOutcome::of(self.take(interrupt))
    }

    fn take(&self, interrupt: &Interrupt) -> Result<Taken, PoolError> {
        if let Some(bytes) = self.memory_limit {
            idpas_base::system::limit_memory(bytes).map_err(|e| PoolError::Setting {
                name: "memory limit",
                message: e.to_string(),
            })?;
        }
        let model = self.model()?;
        let solver = idpas_solver::by_name(&self.settings.solver)?;
        let instance = InstanceInfo::new(&self.name, &self.sha256, &model);
        let before = self.before(&instance);
        let work = TurnWork {
            advice: &SiblingAdvice::read(&self.siblings, &model, &instance),
            model: &model,
            instance,
            settings: &self.settings,
            solver: solver.as_ref(),
            interrupt,
        };
        let taken = work.take(&self.turn, before)?;
        if let Taken::Pool(pool) = &taken {
            pool.write(&self.out)?;
        }
        Ok(taken)
    }

    /// The instance, which must be what it was when its hash was taken.
    fn model(&self) -> Result<Model, PoolError> {
        let read = read_instance(&self.instance);
        let sha256 = match &read {
            Ok(file) => file.sha256.clone(),
            // What cannot be read may be what it was.
            Err(_) => instance_hash(&self.instance)?,
        };
        if sha256 != self.sha256 {
            let why = "it changed while the collection ran; run the command again";
            return Err(PoolError::input(&self.instance, why));
        }
        Ok(read?.parsed.model)
    }

    /// What is there of the instance. The pool of earlier turns goes on. Of one that was made of another version of the
    /// instance, or with other settings, the imported solutions stay if they fit; they are checked again.
    fn before(&self, instance: &InstanceInfo) -> Before {
        let nothing = Before {
            turns: self.before.clone(),
            ..Before::default()
        };
        let Ok(old) = Pool::read(&self.out) else {
            return nothing;
        };
        let settings_sha256 = self.settings.hash();
        if old.info.instance == *instance && old.info.settings_sha256 == Some(settings_sha256) {
            return Before {
                turns: old.info.turns.clone(),
                pool: Some(old),
                unchecked: Vec::new(),
            };
        }
        if old.info.instance.columns_sha256 != instance.columns_sha256 {
            return nothing;
        }
        let imported = |s: &PoolSolution| s.source == Source::Import;
        Before {
            unchecked: old.solutions.into_iter().filter(imported).collect(),
            ..nothing
        }
    }
}

/// Checks a solution somebody brought; says what is wrong with it if it is none.
pub fn imported_solution(model: &idpas_mip::Model, values: &[f64]) -> Result<PoolSolution, String> {
    let judge = Judge::new(model, judge_options());
    let solution = judge
        .check(values)
        .map_err(|rejection| rejection.to_string())?;
    Ok(PoolSolution {
        values: solution.values,
        objective: solution.objective,
        time: None,
        source: Source::Import,
    })
}

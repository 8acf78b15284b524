//! Pools, models and settings of a benchmark: each is made by the command that a user would take, and only where it is
//! missing or something it was made from has changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use idpas_base::claim::Backoff;
use idpas_pools::collect::CollectOverrides;
use idpas_pools::manifest::{Manifest, pool_path};
use idpas_search::tuned::Grid;
use serde_json::{Value, json};

use super::hashing::hash_all;
use super::instances::DealtInstances;
use super::prepare::BenchmarkPreparation;
use super::stage::{BenchmarkStage, StageStart};
use super::{StudyStage, make_folder, refuse_link};
use crate::EvaluateError;
use crate::study::{Entry, ModelKind, slug};
use crate::tune::TuneOverrides;

/// Words of a command.
fn words(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

impl BenchmarkPreparation<'_> {
    /// Collects pools unless they are there. Gives their folder.
    pub(super) fn collect(&mut self, dealt: &DealtInstances) -> Result<PathBuf, EvaluateError> {
        let (work, benchmark) = (self.work, self.benchmark);
        let settings = work.study.collect_of(benchmark);
        let limit = settings
            .time_limit
            .unwrap_or(work.study.time_limit_of(benchmark));
        let pools = self.folder.join("pools");
        let files = idpas_pools::inputs::find_instances(&dealt.learn)?;
        let paths = files.iter().map(|file| &*file.path);
        let hashes = hash_all(work, &self.folder, "learn", paths)?;
        let split = format!("{}/{}/0", benchmark.train, benchmark.validation);
        let from = json!({
            "program": idpas_base::PROGRAM,
            "settings": settings,
            "time_limit": limit,
            "split": split,
            "seed": benchmark.seed,
            "instances": hashes,
        });
        let settings = CollectOverrides {
            time_limit: Some(limit),
            seed: Some(benchmark.seed),
            ..settings
        };
        let command = self.collect_command(&dealt.learn, &pools, &settings, &split);
        let stage = BenchmarkStage::new(work, &self.folder, "collect", from, &pools);
        let anew = || self.remove_outdated(&pools);
        let seconds = stage.together(anew, || {
            let count = files.len();
            self.begin(StudyStage::Collect {
                instances: count,
                time_limit: limit,
            });
            let printed = work.command("collect", command)?;
            let summary: Value = serde_json::from_str(&printed).unwrap_or_default();
            if summary["time_over"] == true {
                return Err(EvaluateError::TimeOver);
            }
            let status = idpas_pools::status(&pools)?;
            let open = status.total - status.done - status.failed;
            let why = match (status.done, open) {
                (_, 1..) => format!("{open} of {} pools are missing", status.total),
                (0, _) => "no pool could be made".to_owned(),
                _ => return Ok(()),
            };
            Err(EvaluateError::Input(format!("{}: {why}", pools.display())))
        })?;
        self.took("collect", seconds);
        Ok(pools)
    }

    fn collect_command(
        &self,
        instances: &Path,
        pools: &Path,
        settings: &CollectOverrides,
        split: &str,
    ) -> Vec<OsString> {
        let work = self.work;
        let mut command = words(&["collect"]);
        command.extend([instances.into(), "--out".into(), pools.into()]);
        command.extend(words(&["--split", split]));
        command.extend(settings.flags().into_iter().map(OsString::from));
        if let Some(count) = work.shard.parts() {
            let shard = format!("{}/{count}", work.shard.index + 1);
            command.extend(words(&["--shard", &shard]));
        }
        if let Some(jobs) = work.jobs {
            command.extend(words(&["--jobs", &jobs.to_string()]));
        }
        command.extend(words(&["--take-over", "--format", "json"]));
        command.extend(self.end_in());
        command
    }

    /// The words that hand the deadline on to a command.
    fn end_in(&self) -> Vec<OsString> {
        let left = self.work.deadline.seconds_left();
        left.map_or(Vec::new(), |left| words(&["--end-in", &left.to_string()]))
    }

    /// Removes pools that were made from other inputs: their instances would stay in the manifest and in the training
    /// set.
    fn remove_outdated(&self, pools: &Path) -> Result<(), EvaluateError> {
        let claims = idpas_pools::collect::claims(pools);
        let mut pause = Backoff::default();
        // Somebody may still be collecting for a study that was changed meanwhile.
        while claims.is_idle().is_ok_and(|idle| !idle) {
            if self.work.commands.is_interrupted() {
                return Err(EvaluateError::Interrupted);
            }
            pause.sleep_unless(|| self.work.commands.is_interrupted());
        }
        refuse_link(self.work.results.folder(), pools)?;
        let _ = std::fs::remove_dir_all(pools);
        Ok(())
    }

    /// Trains a model unless it is there. Gives its file; `None` if another process trains it now.
    pub(super) fn train(
        &mut self,
        kind: ModelKind,
        pools: &Path,
    ) -> Result<Option<PathBuf>, EvaluateError> {
        if let Some(path) = self.models.get(kind.as_str()) {
            return Ok(Some(path.clone()));
        }
        let folder = self.folder.join("models");
        let path = folder.join(format!("{}.safetensors", kind.as_str()));
        let settings = kind.settings_in(self.work.study.train_of(self.benchmark));
        let from = json!({
            "program": idpas_base::PROGRAM,
            "settings": settings.flags(),
            "pools": self.learned_from(pools)?,
        });
        let name = format!("train {}", kind.as_str());
        let stamp_name = format!("train-{}", kind.as_str());
        let stage = BenchmarkStage::new(self.work, &self.folder, stamp_name, from, &path);
        let seconds = stage.alone(|start| {
            make_folder(&folder)?;
            self.begin(StudyStage::Train { model: kind });
            let mut command = words(&["train"]);
            command.extend([pools.into(), "--out".into(), path.clone().into()]);
            let settings = kind.overrides().or(&settings);
            command.extend(settings.flags().into_iter().map(OsString::from));
            command.extend(words(&[match start {
                StageStart::Again => "--resume",
                StageStart::Anew => "--restart",
            }]));
            self.work.command("train", command).map(drop)
        })?;
        let Some(seconds) = seconds else {
            return Ok(None);
        };
        self.took(&name, seconds);
        self.models.insert(kind.as_str().to_owned(), path.clone());
        Ok(Some(path))
    }

    /// The hash of all pools, computed once.
    fn learned_from(&mut self, pools: &Path) -> Result<String, EvaluateError> {
        match &self.pools_sha256 {
            Some(sha256) => Ok(sha256.clone()),
            None => {
                let sha256 = self.pools_hash(pools)?;
                Ok(self.pools_sha256.insert(sha256).clone())
            }
        }
    }

    /// The hash of everything that is learned from: which pools, of which contents, in which sets.
    fn pools_hash(&self, folder: &Path) -> Result<String, EvaluateError> {
        let Some(manifest) = Manifest::read(folder)? else {
            return Err(EvaluateError::Input(format!(
                "{}: there are no pools",
                folder.display()
            )));
        };
        let path = |name: &String| Some(pool_path(folder, name)).filter(|path| path.exists());
        let pools: Vec<Option<PathBuf>> = manifest.instances.keys().map(path).collect();
        let there = pools.iter().flatten().map(PathBuf::as_path);
        let mut hashes = hash_all(self.work, &self.folder, "pools", there)?.into_iter();
        let mut text = String::new();
        for ((name, entry), pool) in manifest.instances.iter().zip(&pools) {
            let hash = pool.as_ref().and_then(|_| hashes.next());
            let hash = hash.unwrap_or_else(|| "none".into());
            text.push_str(&format!(
                "{name} {:?} {} {hash}\n",
                entry.part, entry.sha256
            ));
        }
        Ok(idpas_base::hash::text_hash(&text))
    }

    /// Tunes settings unless that is done. Gives the file of them; `None` if they are not to be tuned.
    pub(super) fn tune(
        &mut self,
        entry: &Entry,
        model: &Path,
        sha256: &str,
    ) -> Result<Option<PathBuf>, EvaluateError> {
        let study = self.work.study;
        let settings = entry.tune.or(&study.tune_of(self.benchmark));
        if settings.grid == Some(Grid::Off) || !entry.is_tuned() {
            return Ok(None);
        }
        let limit = settings
            .time_limit
            .unwrap_or(study.time_limit_of(self.benchmark));
        let folder = self.folder.join("tuned");
        let name = slug(&entry.label);
        let path = folder.join(format!("{name}.json"));
        let mut from = json!({
            "program": idpas_base::PROGRAM,
            "method": entry.method,
            "model": sha256,
            "settings": settings,
            "time_limit": limit,
            "threads": study.threads,
            "seed": study.seeds[0],
        });
        let solver = study.solver_of(entry);
        if solver != TuneOverrides::SOLVER {
            from["solver"] = json!(solver);
        }
        let settings = TuneOverrides {
            time_limit: Some(limit),
            // A race may have a budget, the paper's grid has none.
            budget: settings
                .budget
                .filter(|_| !settings.grid.unwrap_or_default().is_papers()),
            method: Some(entry.method),
            threads: Some(study.threads),
            seed: Some(study.seeds[0]),
            jobs: self.work.jobs.and_then(|jobs| jobs.try_into().ok()),
            solver: Some(solver.to_owned()),
            ..settings
        };
        let mut command = words(&["tune", "--model"]);
        command.extend([model.into(), "--instances".into()]);
        command.extend([self.folder.join("pools").into(), "--out".into()]);
        command.push(path.clone().into());
        command.extend(settings.flags().into_iter().map(OsString::from));
        command.extend(self.end_in());
        let stage =
            BenchmarkStage::new(self.work, &self.folder, format!("tune-{name}"), from, &path);
        let seconds = stage.together(
            || Ok(()),
            || {
                make_folder(&folder)?;
                self.begin(StudyStage::Tune {
                    label: &entry.label,
                });
                self.work.command("tune", command)?;
                // Its process ended in good time, with searches left.
                match path.exists() {
                    true => Ok(()),
                    false => Err(EvaluateError::TimeOver),
                }
            },
        )?;
        self.took(&format!("tune {}", entry.label), seconds);
        Ok(Some(path))
    }
}

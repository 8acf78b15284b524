//! What comes before the runs of a benchmark: instances, pools, models, settings. Each is made by the command that a
//! user would take, and only where it is missing or something it was made from has changed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use idpas_evaluate::results::{Configuration, Outline, OutlinedMethod, StageTime};
use idpas_evaluate::study::{Benchmark, Entry, Grid, ModelKind, slug};
use idpas_study::Hashes;
use idpas_study::manifest::Manifest;
use serde_json::{Value, json};

use super::instances::{self, Dealt};
use super::{Stop, Until, Work, stamp};
use crate::failure::Failure;

/// A benchmark that is ready to be run.
pub(super) struct Prepared {
    pub(super) outline: Outline,
    /// The methods, as in the outline.
    pub(super) methods: Vec<Ready>,
    /// Models by kind, for judging their scores.
    pub(super) models: BTreeMap<String, PathBuf>,
}

/// What a method is run with.
pub(super) struct Ready {
    pub(super) entry: Entry,
    pub(super) model: Option<PathBuf>,
    pub(super) settings: Option<PathBuf>,
}

/// `None` if the work is to stop before the runs.
pub(super) fn prepare(work: &Work<'_>, benchmark: &Benchmark) -> Result<Option<Prepared>, Stop> {
    Preparation {
        work,
        benchmark,
        folder: work.results.benchmark(&benchmark.name),
        stages: Vec::new(),
    }
    .all()
}

struct Preparation<'a> {
    work: &'a Work<'a>,
    benchmark: &'a Benchmark,
    folder: PathBuf,
    stages: Vec<StageTime>,
}

fn words(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

impl Preparation<'_> {
    fn say(&self, text: &str) {
        self.work.say(&format!("{}: {text}", self.benchmark.name));
    }

    fn took(&mut self, name: &str, seconds: f64) {
        self.stages.push(StageTime {
            name: name.to_owned(),
            seconds,
        });
    }

    fn all(mut self) -> Result<Option<Prepared>, Stop> {
        let until = self.work.until;
        let dealt = instances::deal(self.work, self.benchmark)?;
        self.took("instances", dealt.seconds);
        if until == Until::Instances {
            return Ok(None);
        }
        let study = self.work.study;
        let omitted = |entry: &Entry| self.benchmark.omit.contains(&entry.label);
        let entries: Vec<Entry> = study
            .entries()
            .into_iter()
            .filter(|entry| !omitted(entry))
            .collect();
        let to_train = |entry: &Entry| match self.benchmark.models.contains_key(&entry.label) {
            true => None,
            false => entry.model,
        };
        let mut kinds: Vec<ModelKind> = entries.iter().filter_map(to_train).collect();
        kinds.sort();
        kinds.dedup();
        let mut models = BTreeMap::new();
        if !kinds.is_empty() {
            let pools = self.collect(&dealt)?;
            if until == Until::Collect {
                return Ok(None);
            }
            for kind in kinds {
                let path = self.train(kind, &pools)?;
                models.insert(kind.as_str().to_owned(), path);
            }
        }
        if until <= Until::Train {
            return Ok(None);
        }
        let mut methods = Vec::new();
        let mut outlined = Vec::new();
        for entry in entries {
            let (ready, told) = self.method(entry, &mut models)?;
            methods.push(ready);
            outlined.push(told);
        }
        if until == Until::Tune {
            return Ok(None);
        }
        let outline = Outline {
            name: self.benchmark.name.clone(),
            source: self.benchmark.source(),
            train: self.benchmark.train,
            validation: self.benchmark.validation,
            time_limit: study.time_limit_of(self.benchmark),
            instances: instances::look(self.work, &dealt.test)?,
            methods: outlined,
            stages: self.stages,
        };
        self.work.results.write_outline(&outline)?;
        Ok(Some(Prepared {
            outline,
            methods,
            models,
        }))
    }

    /// The folder of pools.
    fn collect(&mut self, dealt: &Dealt) -> Result<PathBuf, Stop> {
        let (work, benchmark) = (self.work, self.benchmark);
        let settings = work.study.collect_of(benchmark);
        let limit = settings
            .time_limit
            .unwrap_or(work.study.time_limit_of(benchmark));
        let pools = self.folder.join("pools");
        let files = idpas_study::inputs::find_instances(&dealt.learn)?;
        let mut hashes = Vec::new();
        for file in &files {
            hashes.push(work.hashes.of(&file.path)?);
        }
        let split = format!("{}/{}/0", benchmark.train, benchmark.validation);
        let from = json!({
            "program": idpas_study::PROGRAM,
            "settings": settings,
            "time_limit": limit,
            "split": split,
            "seed": benchmark.seed,
            "instances": hashes,
        });
        let seconds = stamp::stage(&self.folder, "collect", from, &[&pools], |begun| {
            if !begun.same {
                // Instances of another time would stay in the manifest, and in the training set.
                let _ = std::fs::remove_dir_all(&pools);
            }
            let count = files.len();
            self.say(&format!(
                "collecting solutions of {count} instances, {limit} s each"
            ));
            let mut command = words(&["collect"]);
            command.extend([
                dealt.learn.clone().into(),
                "--out".into(),
                pools.clone().into(),
            ]);
            command.extend(words(&[
                "--time-limit",
                &limit.to_string(),
                "--split",
                &split,
            ]));
            command.extend(words(&["--seed", &benchmark.seed.to_string()]));
            command.extend(settings.arguments().into_iter().map(OsString::from));
            if let Some(count) = work.shard.parts() {
                command.extend(words(&[
                    "--shard",
                    &format!("{}/{count}", work.shard.index + 1),
                ]));
            }
            work.command("collect", command)?;
            let status = idpas_study::status(&pools)?;
            let open = status.total - status.done - status.failed;
            if open > 0 {
                let name = &benchmark.name;
                return Err(Stop::Elsewhere(format!(
                    "{name}: {open} of {} pools are for other shards; run this again when they are done",
                    status.total
                )));
            }
            match status.done {
                0 => Err(
                    Failure::Usage(format!("{}: no pool could be made", pools.display())).into(),
                ),
                _ => Ok(()),
            }
        })?;
        self.took("collect", seconds);
        Ok(pools)
    }

    /// The file of a model.
    fn train(&mut self, kind: ModelKind, pools: &Path) -> Result<PathBuf, Stop> {
        let settings = self.work.study.train_of(self.benchmark);
        let folder = self.folder.join("models");
        std::fs::create_dir_all(&folder)
            .map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))?;
        let path = folder.join(format!("{}.safetensors", kind.as_str()));
        let settings = if kind.is_network() {
            settings.arguments()
        } else {
            Vec::new()
        };
        let from = json!({
            "program": idpas_study::PROGRAM,
            "settings": settings,
            "pools": pools_hash(pools, &self.work.hashes)?,
        });
        let name = format!("train {}", kind.as_str());
        let stamp_name = format!("train-{}", kind.as_str());
        let seconds = stamp::stage(&self.folder, &stamp_name, from, &[&path], |begun| {
            self.say(&format!("training the model `{}`", kind.as_str()));
            let mut command = words(&["train"]);
            command.extend([pools.into(), "--out".into(), path.clone().into()]);
            command.extend(words(kind.arguments()));
            command.extend(settings.iter().map(OsString::from));
            command.extend(words(&[if begun.same { "--resume" } else { "--restart" }]));
            self.work.command("train", command).map(|_| ())
        })?;
        self.took(&name, seconds);
        Ok(path)
    }

    /// A method with its model and settings.
    fn method(
        &mut self,
        entry: Entry,
        models: &mut BTreeMap<String, PathBuf>,
    ) -> Result<(Ready, OutlinedMethod), Stop> {
        let given = self.benchmark.models.get(&entry.label).cloned();
        let kind = entry.model;
        let model = match (&given, kind) {
            (Some(given), _) => {
                models.insert(slug(&entry.label), given.clone());
                Some(given.clone())
            }
            (None, Some(kind)) => models.get(kind.as_str()).cloned(),
            (None, None) => None,
        };
        let model_sha256 = model
            .as_deref()
            .map(|model| self.work.hashes.of(model))
            .transpose()?;
        let mut settings = None;
        if let (None, Some(model), Some(sha256)) = (&given, &model, &model_sha256) {
            settings = self.tune(&entry, model, sha256)?;
        } else if let Some(given) = &given {
            // What was tuned for a model is beside it.
            settings = Some(super::super::solve::sidecar(given)).filter(|path| path.exists());
        }
        let tuned = settings.as_deref().map(read_json).transpose()?;
        let chosen = tuned.as_ref().map(|tuned| tuned["settings"].clone());
        let study = self.work.study;
        let configuration = Configuration {
            method: entry.method,
            program: idpas_study::PROGRAM.into(),
            solver: super::solver_version()?,
            time_limit: study.time_limit_of(self.benchmark),
            threads: study.threads,
            gap: study.gap,
            model_sha256,
            settings_sha256: chosen
                .as_ref()
                .map(|chosen| idpas_study::text_hash(&chosen.to_string())),
            options: entry.options.clone(),
        };
        let outlined = OutlinedMethod {
            label: entry.label.clone(),
            method: entry.method,
            configuration,
            tuned: chosen,
            tuning_seconds: tuned.as_ref().and_then(|tuned| tuned["seconds"].as_f64()),
            model: model
                .as_ref()
                .and(kind)
                .map(|kind| kind.as_str().to_owned()),
        };
        let ready = Ready {
            entry,
            model,
            settings,
        };
        Ok((ready, outlined))
    }

    /// The file of tuned settings, if they are to be tuned.
    fn tune(&mut self, entry: &Entry, model: &Path, sha256: &str) -> Result<Option<PathBuf>, Stop> {
        let study = self.work.study;
        let settings = entry.tune.or(&study.tune_of(self.benchmark));
        if settings.grid == Some(Grid::Off) {
            return Ok(None);
        }
        let limit = settings
            .time_limit
            .unwrap_or(study.time_limit_of(self.benchmark));
        let folder = self.folder.join("tuned");
        std::fs::create_dir_all(&folder)
            .map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))?;
        let name = slug(&entry.label);
        let path = folder.join(format!("{name}.json"));
        let from = json!({
            "program": idpas_study::PROGRAM,
            "method": entry.method,
            "model": sha256,
            "settings": settings,
            "time_limit": limit,
            "threads": study.threads,
            "seed": study.seeds[0],
        });
        let pools = self.folder.join("pools");
        let seconds = stamp::stage(
            &self.folder,
            &format!("tune-{name}"),
            from,
            &[&path],
            |_| {
                self.say(&format!("tuning `{}`", entry.label));
                let mut command = words(&["tune", "--model"]);
                command.extend([
                    model.into(),
                    "--instances".into(),
                    pools.into(),
                    "--out".into(),
                ]);
                command.push(path.clone().into());
                command.extend(words(&[
                    "--method",
                    entry.method.as_str(),
                    "--time-limit",
                    &limit.to_string(),
                ]));
                command.extend(words(&["--threads", &study.threads.to_string()]));
                command.extend(words(&["--seed", &study.seeds[0].to_string()]));
                command.extend(settings.arguments().into_iter().map(OsString::from));
                self.work.command("tune", command).map(|_| ())
            },
        )?;
        self.took(&format!("tune {}", entry.label), seconds);
        Ok(Some(path))
    }
}

/// The hash of everything that is learned from: which pools, of which contents, in which sets.
fn pools_hash(pools: &Path, hashes: &Hashes) -> Result<String, Stop> {
    let Some(manifest) = Manifest::read(pools)? else {
        return Err(Failure::Usage(format!("{}: there are no pools", pools.display())).into());
    };
    let mut text = String::new();
    for (name, entry) in &manifest.instances {
        let pool = idpas_study::manifest::pool_path(pools, name);
        let hash = match pool.exists() {
            true => hashes.of(&pool)?,
            false => "none".into(),
        };
        text.push_str(&format!(
            "{name} {:?} {} {hash}\n",
            entry.part, entry.sha256
        ));
    }
    Ok(idpas_study::text_hash(&text))
}

fn read_json(path: &Path) -> Result<Value, Stop> {
    let fault = |why: String| Stop::Failed(Failure::Usage(format!("{}: {why}", path.display())));
    let text = std::fs::read(path).map_err(|e| fault(e.to_string()))?;
    serde_json::from_slice(&text).map_err(|e| fault(e.to_string()))
}

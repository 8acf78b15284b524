//! What comes before the runs of a benchmark: instances, pools, models, settings, and in which order they are made where
//! several processes share the work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use idpas_base::claim::Backoff;
use idpas_base::sealed;
use idpas_search::tuned::sidecar;
use serde_json::Value;

use super::{StudyEvent, StudyStage, StudyWork, Until, instances};
use crate::EvaluateError;
use crate::results::{Configuration, Outline, OutlinedMethod, StageTime};
use crate::study::{Benchmark, Entry, ModelKind, slug};

/// A benchmark that is ready to be run.
pub(super) struct PreparedBenchmark {
    pub(super) outline: Outline,
    /// The methods, as in the outline.
    pub(super) methods: Vec<PreparedMethod>,
    /// Models by kind, for judging their scores.
    pub(super) models: BTreeMap<String, PathBuf>,
}

/// What a method is run with.
pub(super) struct PreparedMethod {
    pub(super) entry: Entry,
    pub(super) model: Option<PathBuf>,
    pub(super) settings: Option<PathBuf>,
}

/// Makes everything that the runs of a benchmark need; `None` if the work is to stop before the runs.
pub(super) fn prepare(
    work: &StudyWork<'_>,
    benchmark: &Benchmark,
) -> Result<Option<PreparedBenchmark>, EvaluateError> {
    BenchmarkPreparation::new(work, benchmark).all()
}

/// A benchmark that is being prepared.
pub(super) struct BenchmarkPreparation<'a> {
    pub(super) work: &'a StudyWork<'a>,
    pub(super) benchmark: &'a Benchmark,
    /// Where everything of the benchmark goes.
    pub(super) folder: PathBuf,
    /// What was done, and how long it took.
    stages: Vec<StageTime>,
    /// Files of models that are there, by kind, or by the label of the method that was given one.
    pub(super) models: BTreeMap<String, PathBuf>,
    /// The hash of all pools, once it was asked for.
    pub(super) pools_sha256: Option<String>,
}

impl<'a> BenchmarkPreparation<'a> {
    pub(super) fn new(work: &'a StudyWork<'a>, benchmark: &'a Benchmark) -> Self {
        BenchmarkPreparation {
            work,
            benchmark,
            folder: work.results.benchmark(&benchmark.name),
            stages: Vec::new(),
            models: BTreeMap::new(),
            pools_sha256: None,
        }
    }

    /// The methods that apply to this benchmark.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let omitted = |entry: &Entry| self.benchmark.omit.contains(&entry.label);
        let all = self.work.study.entries().into_iter();
        all.filter(|entry| !omitted(entry)).collect()
    }

    /// The kinds of models that have to be trained for these methods.
    pub(super) fn kinds(&self, entries: &[Entry]) -> Vec<ModelKind> {
        let to_train = |entry: &Entry| match self.benchmark.models.contains_key(&entry.label) {
            true => None,
            false => entry.model,
        };
        let mut kinds: Vec<ModelKind> = entries.iter().filter_map(to_train).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// Tells that a stage begins.
    pub(super) fn begin(&self, stage: StudyStage<'_>) {
        self.work.tell(StudyEvent::StageBegan {
            benchmark: &self.benchmark.name,
            stage,
        });
    }

    /// Notes how long a stage took. What several methods ask for is noted once.
    pub(super) fn took(&mut self, name: &str, seconds: f64) {
        if self.stages.iter().any(|stage| stage.name == name) {
            return;
        }
        self.stages.push(StageTime {
            name: name.to_owned(),
            seconds,
        });
    }

    fn all(mut self) -> Result<Option<PreparedBenchmark>, EvaluateError> {
        let until = self.work.until;
        let dealt = instances::deal(self.work, self.benchmark)?;
        self.took("instances", dealt.seconds);
        if until == Until::Instances {
            return Ok(None);
        }
        let study = self.work.study;
        let entries = self.entries();
        let kinds = self.kinds(&entries);
        let mut pools = PathBuf::new();
        if !kinds.is_empty() {
            pools = self.collect(&dealt)?;
            if until == Until::Collect {
                return Ok(None);
            }
            for &kind in &kinds {
                // What another process trains now comes when a method needs it.
                self.train(kind, &pools)?;
            }
        }
        if until <= Until::Train {
            self.until_all(&kinds, |this, &kind| this.train(kind, &pools))?;
            return Ok(None);
        }
        let prepared = self.until_all(&entries, |this, entry| this.method(entry, &pools))?;
        let (methods, outlined) = prepared.into_iter().unzip();
        if until == Until::Tune {
            return Ok(None);
        }
        let outline = Outline {
            name: self.benchmark.name.clone(),
            source: self.benchmark.source(),
            train: self.benchmark.train,
            validation: self.benchmark.validation,
            time_limit: study.time_limit_of(self.benchmark),
            instances: instances::look(self.work, &self.folder, &dealt.test)?,
            methods: outlined,
            stages: self.stages,
        };
        self.work.results.write_outline(&outline)?;
        Ok(Some(PreparedBenchmark {
            outline,
            methods,
            models: self.models,
        }))
    }

    /// Attempts each of `items` until all have a result. What another process is at gives none for now, and is
    /// attempted again when the others are done.
    fn until_all<T, R>(
        &mut self,
        items: &[T],
        mut attempt: impl FnMut(&mut Self, &T) -> Result<Option<R>, EvaluateError>,
    ) -> Result<Vec<R>, EvaluateError> {
        let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut pause = Backoff::default();
        let mut is_waiting = false;
        loop {
            let open = |results: &[Option<R>]| results.iter().filter(|r| r.is_none()).count();
            let before = open(&results);
            for (item, result) in items.iter().zip(&mut results) {
                if result.is_none() {
                    *result = attempt(self, item)?;
                }
            }
            match open(&results) {
                0 => return Ok(results.into_iter().flatten().collect()),
                left if left < before => pause = Backoff::default(),
                _ if self.work.commands.is_interrupted() => return Err(EvaluateError::Interrupted),
                _ if self.work.passing => return Err(EvaluateError::WithOthers),
                _ if self.work.deadline.is_over() => return Err(EvaluateError::TimeOver),
                _ => {
                    if !is_waiting {
                        self.work.tell(StudyEvent::WaitingForModels {
                            benchmark: &self.benchmark.name,
                        });
                        is_waiting = true;
                    }
                    pause.sleep_unless(|| {
                        self.work.commands.is_interrupted() || self.work.deadline.is_over()
                    });
                }
            }
        }
    }

    /// A method with its model and settings; `None` if another process trains its model now.
    pub(super) fn method(
        &mut self,
        entry: &Entry,
        pools: &Path,
    ) -> Result<Option<(PreparedMethod, OutlinedMethod)>, EvaluateError> {
        let given = self.benchmark.models.get(&entry.label).cloned();
        let kind = entry.model;
        let model = match (&given, kind) {
            (Some(given), _) => {
                self.models.insert(slug(&entry.label), given.clone());
                Some(given.clone())
            }
            (None, Some(kind)) => match self.train(kind, pools)? {
                Some(model) => Some(model),
                None => return Ok(None),
            },
            (None, None) => None,
        };
        let model_sha256 = model
            .as_deref()
            .map(|model| self.work.hashes.of(model))
            .transpose()?;
        let mut settings = None;
        if let (None, Some(model), Some(sha256)) = (&given, &model, &model_sha256) {
            settings = self.tune(entry, model, sha256)?;
        } else if let Some(given) = &given {
            // What was tuned for a model is beside it.
            settings = Some(sidecar(given)).filter(|path| entry.is_tuned() && path.exists());
        }
        if let Some(of) = &entry.settings_of {
            settings = match self.settings_of(of, pools)? {
                Some(theirs) => theirs,
                None => return Ok(None),
            };
        }
        // Word by word, since the hash of the settings decides whether runs are made again.
        let tuned = settings.as_deref().map(read_json).transpose()?;
        let chosen = tuned.as_ref().map(|tuned| tuned["settings"].clone());
        let study = self.work.study;
        let configuration = Configuration {
            method: entry.method,
            program: idpas_base::PROGRAM.into(),
            solver: super::solver_version(study.solver_of(entry))?,
            time_limit: study.time_limit_of(self.benchmark),
            threads: study.threads,
            gap: study.gap,
            model_sha256,
            settings_sha256: chosen
                .as_ref()
                .map(|chosen| idpas_base::hash::text_hash(&chosen.to_string())),
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
        let prepared = PreparedMethod {
            entry: entry.clone(),
            model,
            settings,
        };
        Ok(Some((prepared, outlined)))
    }

    /// The file of the settings that are chosen for the method with this label, if it has one; the outer `None` if another
    /// process trains its model now.
    fn settings_of(
        &mut self,
        label: &str,
        pools: &Path,
    ) -> Result<Option<Option<PathBuf>>, EvaluateError> {
        let entries = self.work.study.entries();
        let Some(other) = entries.iter().find(|entry| entry.label == label) else {
            return Ok(Some(None));
        };
        let prepared = self.method(other, pools)?;
        Ok(prepared.map(|(prepared, _)| prepared.settings))
    }
}

fn read_json(path: &Path) -> Result<Value, EvaluateError> {
    let fault = |why: String| EvaluateError::Input(format!("{}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|e| fault(e.to_string()))?;
    sealed::from_slice(&text).map_err(|e| fault(e.to_string()))
}

//! How far a study is, by its folder alone: nothing is made, and whatever is outdated counts as missing.

use std::path::Path;

use idpas_base::claim::Claims;
use idpas_base::process::{Commands, WorkerCommand};
use idpas_pools::Hashes;
use idpas_pools::collect::Shard;
use idpas_search::Method;
use serde::Serialize;

use super::prepare::{BenchmarkPreparation, PreparedBenchmark};
use super::shards::Shards;
use super::{StudyWork, Until, instances, runs};
use crate::results::Results;
use crate::study::{Benchmark, Entry, ModelKind};
use crate::tune::AROUND_A_SEARCH;
use crate::{EvaluateError, Study};

/// Turns of a collection are at most so many times as long as the mean time of an instance.
pub(crate) const LONGEST_TURN: f64 = 3.0;

/// How far a study is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyProgress {
    /// Its benchmarks, in their order.
    pub benchmarks: Vec<BenchmarkProgress>,
}

/// How far a benchmark is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchmarkProgress {
    /// Its name.
    pub name: String,
    /// Its stages, in their order; those that it does not need are left out.
    pub stages: Vec<StageProgress>,
}

/// How far a stage of a benchmark is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageProgress {
    /// The stage.
    pub stage: Until,
    /// Pieces that are done: benchmarks with instances, pools, models, tuned methods, runs.
    pub done: usize,
    /// All pieces.
    pub total: usize,
    /// Pieces that some process works on now.
    pub running: usize,
    /// Pieces that failed and are not there.
    pub failed: usize,
    /// Whether nothing is left. A collection with a pool of every instance may still go on with them.
    pub is_done: bool,
    /// Seconds that are left for one process, about; `None` where nothing limits them.
    pub seconds_left: Option<f64>,
    /// Seconds of the longest piece of work that cannot be divided or gone on with, about.
    pub longest_piece: f64,
}

impl BenchmarkProgress {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.stages.iter().all(|stage| stage.is_done)
    }
}

impl StudyProgress {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.benchmarks.iter().all(BenchmarkProgress::is_done)
    }
}

/// How far a study is whose results are in the folder `out`; `only` names its benchmarks to look at, all if it is empty.
pub fn study_progress(
    study: &Study,
    out: &Path,
    only: &[String],
) -> Result<StudyProgress, EvaluateError> {
    let results = Results::new(out);
    // Nothing is started.
    let commands = Commands {
        program: WorkerCommand::new(""),
        interrupted: Default::default(),
        terminated: Default::default(),
    };
    let shards = Shards::begin(results.folder(), Shard::default())?;
    let work = StudyWork {
        study,
        results: &results,
        commands: &commands,
        command_options: &[],
        shard: Shard::default(),
        shards: &shards,
        only,
        // A run that failed, whenever that was, is none that is there.
        begun: u64::MAX,
        jobs: None,
        deadline: Default::default(),
        passing: false,
        only_looks: true,
        until: Until::Runs,
        observer: &|_| {},
        hashes: Hashes::default(),
        has_failures: Default::default(),
    };
    let wanted = |b: &&Benchmark| only.is_empty() || only.contains(&b.name);
    let all = study.benchmarks.iter().filter(wanted);
    let benchmarks = all.map(|benchmark| Look::new(&work, benchmark).all());
    Ok(StudyProgress {
        benchmarks: benchmarks.collect::<Result<_, _>>()?,
    })
}

/// A benchmark that is looked at.
struct Look<'a> {
    work: &'a StudyWork<'a>,
    benchmark: &'a Benchmark,
    preparation: BenchmarkPreparation<'a>,
    /// What some process works on now: stages, by the names of their stamps.
    running: Vec<String>,
}

/// What was looked for; `None` if it is not there.
fn if_made<T>(looked: Result<T, EvaluateError>) -> Result<Option<T>, EvaluateError> {
    match looked {
        Err(EvaluateError::NotMade) => Ok(None),
        looked => looked.map(Some),
    }
}

impl<'a> Look<'a> {
    fn new(work: &'a StudyWork<'a>, benchmark: &'a Benchmark) -> Self {
        let preparation = BenchmarkPreparation::new(work, benchmark);
        let claims = Claims::new(preparation.folder.join("stages/claims"));
        Look {
            work,
            benchmark,
            preparation,
            running: claims.running(),
        }
    }

    fn all(mut self) -> Result<BenchmarkProgress, EvaluateError> {
        let dealt = if_made(instances::deal(self.work, self.benchmark))?;
        let mut stages = vec![self.stage(Until::Instances, usize::from(dealt.is_some()), 1)];
        stages[0].seconds_left = Some(0.0);
        let entries = self.preparation.entries();
        let kinds = self.preparation.kinds(&entries);
        let mut pools = None;
        if !kinds.is_empty() {
            if let Some(dealt) = &dealt {
                pools = if_made(self.preparation.collect(dealt))?;
            }
            stages.push(self.collected(pools.is_some())?);
        }
        let pools = match kinds.is_empty() {
            true => dealt.is_some().then(Default::default),
            false => pools,
        };
        let mut models = Vec::new();
        if let Some(pools) = &pools {
            for &kind in &kinds {
                models.extend(if_made(self.preparation.train(kind, pools))?.flatten());
            }
        }
        if !kinds.is_empty() {
            stages.push(self.trained(&kinds, models.len()));
        }
        let (mut prepared, mut left) = (Vec::new(), Vec::new());
        for entry in &entries {
            let looked = match &pools {
                Some(pools) => if_made(self.preparation.method(entry, pools))?.flatten(),
                None => None,
            };
            match looked {
                Some(method) => prepared.push(method),
                None => left.push(entry),
            }
        }
        let is_tuned = |entry: &&Entry| self.tuning_seconds(entry).is_some();
        let tuned = entries.iter().filter(is_tuned).count();
        if tuned > 0 {
            let missing: Vec<f64> = left
                .iter()
                .filter_map(|entry| self.tuning_seconds(entry))
                .collect();
            let mut stage = self.stage(Until::Tune, tuned - missing.len(), tuned);
            stage.seconds_left = Some(missing.iter().sum());
            stage.longest_piece = self.tune_limit() + AROUND_A_SEARCH;
            stage.running = self.running("tune-");
            stages.push(stage);
        }
        let outline = self.work.results.outline(&self.benchmark.name)?;
        let ready = left.is_empty();
        let (methods, outlined) = prepared.into_iter().unzip();
        let mut stage = self.planned_runs(&entries);
        if let Some(mut outline) = outline.filter(|_| ready) {
            outline.methods = outlined;
            let counts = runs::look(
                self.work,
                &PreparedBenchmark {
                    outline,
                    methods,
                    models: Default::default(),
                },
            )?;
            stage.done = counts.done;
            stage.total = counts.total;
            stage.running = counts.running;
            stage.failed = counts.failed;
            stage.is_done = counts.done == counts.total;
            stage.seconds_left = Some(counts.seconds_left);
        }
        stages.push(stage);
        Ok(BenchmarkProgress {
            name: self.benchmark.name.clone(),
            stages,
        })
    }

    /// A stage of which so much is done, and of whose time nothing is known.
    fn stage(&self, stage: Until, done: usize, total: usize) -> StageProgress {
        StageProgress {
            stage,
            done,
            total,
            running: 0,
            failed: 0,
            is_done: done == total,
            seconds_left: None,
            longest_piece: 0.0,
        }
    }

    /// How many stages are under way whose stamps have names that begin like this.
    fn running(&self, begin: &str) -> usize {
        let names = self.running.iter();
        names.filter(|name| name.starts_with(begin)).count()
    }

    fn collected(&self, is_done: bool) -> Result<StageProgress, EvaluateError> {
        let study = self.work.study;
        let limit = study.collect_of(self.benchmark).time_limit;
        let limit = limit.unwrap_or(study.time_limit_of(self.benchmark));
        let total = self.benchmark.train + self.benchmark.validation;
        let mut stage = self.stage(Until::Collect, 0, total);
        let pools = self.preparation.folder.join("pools");
        let mut left = limit * total as f64;
        if pools.join(idpas_pools::manifest::MANIFEST).exists() {
            let status = idpas_pools::status(&pools)?;
            (stage.done, stage.running, stage.failed) =
                (status.done, status.running, status.failed);
            // As long as it is not done, there is at least one more turn.
            left = (status.seconds_planned - status.seconds_used).max(limit);
        }
        stage.is_done = is_done;
        stage.seconds_left = Some(if is_done { 0.0 } else { left });
        stage.longest_piece = LONGEST_TURN * limit;
        Ok(stage)
    }

    fn trained(&self, kinds: &[ModelKind], done: usize) -> StageProgress {
        let mut stage = self.stage(Until::Train, done, kinds.len());
        let limit = self.work.study.train_of(self.benchmark).time_limit;
        let networks = kinds.iter().filter(|kind| kind.is_network()).count();
        // Which ones are there does not matter for an estimate.
        let left = networks.min(kinds.len() - done) as f64;
        stage.seconds_left = match left {
            0.0 => Some(0.0),
            left => limit.map(|limit| limit * left),
        };
        stage.longest_piece = limit.unwrap_or(0.0);
        stage.running = self.running("train-");
        stage
    }

    fn tune_limit(&self) -> f64 {
        let study = self.work.study;
        let limit = study.tune_of(self.benchmark).time_limit;
        limit.unwrap_or(study.time_limit_of(self.benchmark))
    }

    /// Seconds of the tuning of a method; `None` if there is nothing to tune.
    fn tuning_seconds(&self, entry: &Entry) -> Option<f64> {
        let given = self.benchmark.models.contains_key(&entry.label);
        if given || entry.model.is_none() {
            return None;
        }
        self.work.study.tuning_seconds(self.benchmark, entry)
    }

    /// The runs of these methods, none of which is done.
    fn planned_runs(&self, entries: &[Entry]) -> StageProgress {
        let study = self.work.study;
        let limit = study.time_limit_of(self.benchmark) + AROUND_A_SEARCH;
        let instances = self.benchmark.test;
        let each = instances * study.seeds.len();
        let ceilings = entries
            .iter()
            .filter(|entry| entry.method == Method::Oracle);
        // An oracle runs in two ways.
        let solves = each * (entries.len() + ceilings.clone().count());
        let mut stage = self.stage(Until::Runs, 0, each * entries.len());
        let (mut seconds, mut longest) = (limit * solves as f64, limit);
        if ceilings.count() > 0 {
            longest *= 2.0;
        }
        if let Some(reference) = study.reference_time {
            let reference = reference + AROUND_A_SEARCH;
            stage.total += instances;
            seconds += reference * instances as f64;
            longest = longest.max(reference);
        }
        stage.is_done = false;
        stage.seconds_left = Some(seconds);
        stage.longest_piece = longest;
        stage
    }
}

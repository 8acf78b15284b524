//! Running a study: methods on instances, with equal time, threads and seeds. Everything that is missing is made.
//!
//! [`run_study`] generates instances, collects pools, trains models, tunes settings and makes the runs, each by the
//! command that a user would take, in a process of its own. Stamps of stages and records of runs hold hashes of what they
//! were made from; whatever differs is made again, everything else is kept, so that calling again resumes. Several
//! processes may work on one folder: all work is claimed before it is made.

mod best;
mod board;
mod events;
mod hashing;
mod instances;
mod jobs;
mod leases;
mod making;
mod prepare;
mod progress;
mod quality;
mod record;
mod runs;
mod shards;
mod stage;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use idpas_base::claim::Claims;
use idpas_base::deadline::Deadline;
use idpas_base::file_name::link_below;
use idpas_base::process::{Commands, Task};
use idpas_mip::files::{remove_left_behind_below, save_bytes};
use idpas_pools::Hashes;
use idpas_pools::collect::Shard;
use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, Clock, analyse};
use crate::results::{Machine, Manifest, Results, STUDY, write};
use crate::study::{Benchmark, Folders};
use crate::{EvaluateError, Study, cores, exit};
pub use events::{StudyEvent, StudyObserver, StudyStage};
use leases::UnpinnedMark;
pub(crate) use progress::LONGEST_TURN;
pub use progress::{BenchmarkProgress, StageProgress, StudyProgress, study_progress};
use shards::Shards;

/// Up to which stage a study is run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Until {
    /// Instances are there.
    Instances,
    /// Pools are collected.
    Collect,
    /// Models are trained.
    Train,
    /// Settings are tuned.
    Tune,
    /// Everything is run.
    #[default]
    Runs,
}

impl Until {
    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Until::Instances => "instances",
            Until::Collect => "collect",
            Until::Train => "train",
            Until::Tune => "tune",
            Until::Runs => "runs",
        }
    }
}

/// Everything that running a study needs to know.
#[derive(Clone, Debug)]
pub struct StudyRequest<'a> {
    /// The study.
    pub study: Study,
    /// The file that the study is from, for messages and the manifest.
    pub file: &'a Path,
    /// The folder for everything that is made.
    pub out: &'a Path,
    /// A folder of instances for benchmarks that name neither a family nor instances.
    pub instances: Option<&'a Path>,
    /// The benchmarks to run, by name; all of them if there are none.
    pub only: &'a [String],
    /// Where to stop.
    pub until: Until,
    /// This process's part of the runs; it helps with the others that have begun.
    pub shard: Shard,
    /// Runs at a time, and instances and searches of the stages before them. By default as many as have a core per
    /// thread of their own.
    pub jobs: Option<usize>,
    /// When this process has to be done: it begins nothing that would last longer, but for trainings, which go on from
    /// where they were when they are killed.
    pub deadline: Deadline,
    /// Whether this process is one of many that come and go. It ends when other processes train all models that are left,
    /// and does not sum up what was run.
    pub passing: bool,
    /// How commands are started.
    pub commands: &'a Commands,
    /// Words that are added to every command that shows its own progress, such as `--quiet`.
    pub command_options: &'a [OsString],
}

impl<'a> StudyRequest<'a> {
    /// The study in `file` into the folder `out`, with the defaults of everything else.
    pub fn read(
        file: &'a Path,
        out: &'a Path,
        commands: &'a Commands,
    ) -> Result<Self, EvaluateError> {
        Ok(StudyRequest {
            study: Study::read(file)?,
            file,
            out,
            instances: None,
            only: &[],
            until: Until::Runs,
            shard: Shard::default(),
            jobs: None,
            deadline: Deadline::default(),
            passing: false,
            commands,
            command_options: &[],
        })
    }
}

/// What running a study came to.
#[derive(Debug)]
#[non_exhaustive]
pub enum StudyOutcome {
    /// Everything up to the stage that was asked for is there, or is being made by other processes where this one was not
    /// to wait for them.
    Prepared,
    /// Something is left that would not have been done before the deadline.
    TimeOver,
    /// The runs of this shard were made, and others of the many shards are still at work: the last of them analyses all.
    Part {
        /// Whether runs that this process made failed.
        incomplete: bool,
    },
    /// The runs were made.
    Ran(Box<StudyRuns>),
}

/// The runs of a study in numbers.
#[derive(Debug)]
pub struct StudyRuns {
    /// The numbers.
    pub analysis: Analysis,
    /// Whether runs failed or, where this process is the only one, are missing.
    pub incomplete: bool,
    /// Why the first benchmark that could not be finished was left.
    pub failed: Option<EvaluateError>,
}

/// How the work on the benchmarks ended.
struct Ended {
    /// Why the first one that could not be finished was left.
    failed: Option<EvaluateError>,
    /// Whether one was left to other processes that train its models.
    with_others: bool,
}

/// What all parts of the work on a study need.
struct StudyWork<'a> {
    study: &'a Study,
    results: &'a Results,
    commands: &'a Commands,
    command_options: &'a [OsString],
    shard: Shard,
    shards: &'a Shards,
    only: &'a [String],
    /// When this process began, in seconds since 1970.
    begun: u64,
    jobs: Option<usize>,
    deadline: Deadline,
    passing: bool,
    /// Whether nothing is to be made: what is not there is told by [`EvaluateError::NotMade`].
    only_looks: bool,
    until: Until,
    observer: &'a StudyObserver<'a>,
    /// Hashes of files that were read.
    hashes: Hashes,
    /// Whether a run that this process made failed.
    has_failures: AtomicBool,
}

/// Each of so many shards shows what all of them made. Of more, the last to end does: it reads every record.
const SHOWING_SHARDS: usize = 16;

/// Runs a study; see the [module's documentation](self). Call it again to make what is missing.
///
/// A benchmark that cannot be finished does not keep the others from being run. Fails with
/// [`EvaluateError::Interrupted`] when [`Commands::interrupted`] is raised.
pub fn run_study(
    request: &StudyRequest<'_>,
    observer: &StudyObserver<'_>,
) -> Result<StudyOutcome, EvaluateError> {
    let study = complete_study(request)?;
    let results = Results::new(request.out);
    keep_study(&study, request, &results)?;
    let shards = Shards::begin(results.folder(), request.shard)?;
    let work = StudyWork {
        study: &study,
        results: &results,
        commands: request.commands,
        command_options: request.command_options,
        shard: request.shard,
        shards: &shards,
        only: request.only,
        begun: seconds_since_1970(),
        jobs: request.jobs,
        deadline: request.deadline,
        passing: request.passing,
        only_looks: false,
        until: request.until,
        observer,
        hashes: Hashes::default(),
        has_failures: AtomicBool::new(false),
    };
    let Ended {
        failed,
        with_others,
    } = match work.all_benchmarks() {
        Err(EvaluateError::TimeOver) => return Ok(StudyOutcome::TimeOver),
        ended => ended?,
    };
    // A shard that was asked for some benchmarks has its part of the others before it.
    if failed.is_none() && !with_others && request.only.is_empty() {
        shards.done();
    }
    if request.until < Until::Runs || request.passing {
        return match failed {
            Some(error) => Err(error),
            None => Ok(StudyOutcome::Prepared),
        };
    }
    if failed.is_none() && work.is_one_of_many() {
        return work.conclude_if_last();
    }
    work.conclude(failed)
        .map(|runs| StudyOutcome::Ran(Box::new(runs)))
}

/// The study with the folder that was given where it leaves that open. Refuses benchmarks that it does not have.
pub(crate) fn complete_study(request: &StudyRequest<'_>) -> Result<Study, EvaluateError> {
    let mut study = request.study.clone();
    fill_in(&mut study, request)?;
    let is_known = |name: &&String| study.benchmarks.iter().any(|b| b.name == **name);
    match request.only.iter().find(|name| !is_known(name)) {
        None => Ok(study),
        Some(unknown) => Err(EvaluateError::NoBenchmark {
            path: request.file.display().to_string(),
            name: unknown.clone(),
            known: study.benchmarks.iter().map(|b| b.name.clone()).collect(),
        }),
    }
}

/// Puts the folder that was given where the study leaves it open.
fn fill_in(study: &mut Study, request: &StudyRequest<'_>) -> Result<(), EvaluateError> {
    let path = || request.file.display().to_string();
    let open = |b: &Benchmark| b.family.is_none() && b.instances.is_none();
    let mut used = false;
    for benchmark in study.benchmarks.iter_mut().filter(|b| open(b)) {
        let Some(folder) = request.instances else {
            return Err(EvaluateError::NoInstances {
                path: path(),
                benchmark: benchmark.name.clone(),
            });
        };
        benchmark.instances = Some(Folders::One(folder.to_owned()));
        used = true;
    }
    if request.instances.is_some() && !used {
        return Err(EvaluateError::InstancesUnused { path: path() });
    }
    Ok(())
}

/// Keeps the study with its results, paths resolved, and notes what they are made with.
pub(crate) fn keep_study(
    study: &Study,
    request: &StudyRequest<'_>,
    results: &Results,
) -> Result<(), EvaluateError> {
    let folder = results.folder();
    make_folder(folder)?;
    let text = study.to_toml()?;
    let path = folder.join(STUDY);
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        save_bytes(&path, text.as_bytes())?;
    }
    let mut machine = Machine::this();
    machine.cores = cores::available().len().max(1);
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    let manifest = Manifest {
        program: idpas_base::PROGRAM.into(),
        solver: solver_versions(study)?,
        study_sha256: idpas_base::hash::text_hash(&text),
        machine,
        written: seconds_since_1970(),
        command: format!(
            "idpas evaluate {} --out {}",
            name(request.file),
            name(request.out)
        ),
    };
    write(&folder.join("manifest.json"), &manifest)
}

/// Names and versions of all solvers of a study. One that is not there is said before anything is made.
fn solver_versions(study: &Study) -> Result<String, EvaluateError> {
    let mut versions = Vec::new();
    for entry in study.entries() {
        let version = solver_version(study.solver_of(&entry))?;
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    Ok(versions.join(", "))
}

fn solver_version(name: &str) -> Result<String, EvaluateError> {
    let solver = idpas_solver::by_name(name)?;
    Ok(format!("{} {}", solver.name(), solver.version()))
}

fn seconds_since_1970() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn make_folder(folder: &Path) -> Result<(), EvaluateError> {
    std::fs::create_dir_all(folder).map_err(|e| EvaluateError::io(folder, e))
}

/// Refuses to remove a folder of the results that a link leads to: it is none of ours.
fn refuse_link(results: &Path, folder: &Path) -> Result<(), EvaluateError> {
    match link_below(results, folder) {
        Some(link) => Err(EvaluateError::Input(format!(
            "{}: this is a link, and what is in it would be removed; expected a folder",
            link.display()
        ))),
        None => Ok(()),
    }
}

/// A path from the root, if the system tells where we are.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl StudyWork<'_> {
    fn tell(&self, event: StudyEvent<'_>) {
        (self.observer)(&event);
    }

    /// Whether so many processes share the study that each should do only what nobody else does.
    fn is_one_of_many(&self) -> bool {
        self.shard.count.is_none_or(|count| count > SHOWING_SHARDS)
    }

    /// Does all benchmarks. One that fails does not keep the others waiting.
    fn all_benchmarks(&self) -> Result<Ended, EvaluateError> {
        let (mut failed, mut with_others) = (None, false);
        let is_wanted = |b: &&Benchmark| self.only.is_empty() || self.only.contains(&b.name);
        let wanted: Vec<&Benchmark> = self.study.benchmarks.iter().filter(is_wanted).collect();
        let mut left = wanted.len();
        for benchmark in wanted {
            left -= 1;
            match self.benchmark(benchmark) {
                Ok(()) => {}
                Err(error @ (EvaluateError::Interrupted | EvaluateError::TimeOver)) => {
                    return Err(error);
                }
                Err(EvaluateError::WithOthers) => with_others = true,
                Err(error) => {
                    if left > 0 {
                        self.tell(StudyEvent::BenchmarkFailed {
                            benchmark: &benchmark.name,
                            error: &error,
                        });
                    }
                    failed.get_or_insert(error);
                }
            }
        }
        Ok(Ended {
            failed,
            with_others,
        })
    }

    fn benchmark(&self, benchmark: &Benchmark) -> Result<(), EvaluateError> {
        let threads = usize::from(self.study.threads);
        let at_a_time = cores::deal(&cores::available(), threads, self.jobs).jobs;
        // One of many that come and go does a part of the plan that nobody knows beforehand.
        if !self.passing {
            self.tell(StudyEvent::Planned {
                benchmark: &benchmark.name,
                parts: &self.study.plan(benchmark, at_a_time),
                at_a_time,
            });
        }
        let Some(prepared) = prepare::prepare(self, benchmark)? else {
            return Ok(());
        };
        runs::run_all(self, &prepared)?;
        quality::judge(self, &prepared)
    }

    /// What was run in numbers if no other shard is at work, and none is at that.
    fn conclude_if_last(&self) -> Result<StudyOutcome, EvaluateError> {
        let claims = Claims::new(self.results.folder().join("claims"));
        let take = || claims.take("analysis");
        let claim = self.shards.is_last().then(take).transpose();
        let claim = claim.map_err(|e| EvaluateError::io(self.results.folder(), e))?;
        let Some(claim) = claim.flatten() else {
            return Ok(StudyOutcome::Part {
                incomplete: self.has_failures.load(Ordering::Relaxed),
            });
        };
        let runs = self.conclude(None);
        drop(claim);
        claims.tidy();
        for benchmark in &self.study.benchmarks {
            board::tidy_claims(self.results, &benchmark.name);
        }
        runs.map(|runs| StudyOutcome::Ran(Box::new(runs)))
    }

    /// What was run in numbers, and how it went.
    fn conclude(&self, failed: Option<EvaluateError>) -> Result<StudyRuns, EvaluateError> {
        let analysis = match analyse(self.results, Clock::EndToEnd) {
            Ok(analysis) => analysis,
            // What failed is the reason for having nothing to show.
            Err(error) => return Err(failed.unwrap_or(error)),
        };
        // What other shards have not done yet is no failure of this one.
        let alone = self.shard.parts().is_none();
        let benchmarks = &analysis.benchmarks;
        let incomplete = benchmarks
            .iter()
            .any(|b| b.soundness.failed > 0 || alone && b.soundness.missing > 0);
        let is_whole = self.only.is_empty() && failed.is_none();
        if is_whole && benchmarks.iter().all(|b| b.soundness.missing == 0) {
            self.shards.all_done();
        }
        remove_left_behind_below(self.results.folder());
        Ok(StudyRuns {
            incomplete,
            analysis,
            failed,
        })
    }

    /// Runs a command of the program that shows its own progress, to its end. Gives what it printed.
    fn command(&self, name: &str, mut words: Vec<OsString>) -> Result<String, EvaluateError> {
        words.extend(self.command_options.iter().cloned());
        let task = Task {
            arguments: &words,
            cores: &[],
            shown: true,
            limit: None,
        };
        // It keeps to no core, so that runs of other processes are not alone on theirs.
        let _mark = UnpinnedMark::set();
        let ended = self.commands.run(&task)??;
        match ended.code {
            Some(0 | exit::FOUND_NOTHING) => Ok(ended.stdout),
            code => {
                let code = code.map_or("a signal".into(), |code| format!("code {code}"));
                let why = format!("`idpas {name}` ended with {code}; see its message above");
                Err(EvaluateError::Input(why))
            }
        }
    }
}

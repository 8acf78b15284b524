//! Making all pools of a folder that are missing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::child::{self, WorkerCommand};
use super::claim::Claim;
use super::state::{State, state};
use super::{Failure, Job, Outcome, Progress, Settings, Shard, Stop, Summary};
use crate::StudyError;
use crate::inputs::find_instances;
use crate::manifest::{Manifest, SplitRule, pool_path};

/// A temporary file this old was left by a process that is gone.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// What to collect, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// A folder of instances, or a list of them.
    pub input: PathBuf,
    /// The folder of pools; made if it does not exist.
    pub out: PathBuf,
    /// How pools are made.
    pub settings: Settings,
    /// How instances are dealt out to the three sets.
    pub split: SplitRule,
    /// Instances at a time.
    pub jobs: usize,
    /// Which part of the work to do.
    pub shard: Shard,
    /// Bytes of memory each worker may use.
    pub memory_limit: Option<u64>,
    /// How to start a worker.
    pub worker: WorkerCommand,
    /// A worker is killed after half as long again as its time limit, and this.
    pub grace: Duration,
    /// How often an instance is tried.
    pub attempts: usize,
}

/// Makes the pools that are missing, outdated or damaged, each in a process of its own.
pub fn collect(
    options: &Options,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, StudyError> {
    options.settings.validate()?;
    let inputs = find_instances(&options.input)?;
    let folder = &options.out;
    std::fs::create_dir_all(folder)
        .and_then(|()| Claim::prepare(folder))
        .map_err(|e| StudyError::io(folder, e))?;
    sweep(folder);
    let old = Manifest::read(folder)?;
    let manifest = Manifest::plan(
        folder,
        old.as_ref(),
        &inputs,
        &options.settings,
        options.split,
    )?;
    manifest.write(folder)?;
    if let Some(old) = old.filter(|old| old.settings != manifest.settings) {
        let changes = old.settings.differences(&manifest.settings).join(", ");
        progress(Progress::Notice(format!("settings changed: {changes}")));
    }
    let mut summary = Summary::default();
    let mut queue = VecDeque::new();
    for index in options.shard.indices(inputs.len()) {
        let input = &inputs[index];
        let Some(entry) = manifest.instances.get(&input.name) else {
            continue;
        };
        summary.total += 1;
        let job = Job {
            name: input.name.clone(),
            instance: input.path.clone(),
            sha256: entry.sha256.clone(),
            out: pool_path(folder, &input.name),
            settings: options.settings.clone(),
            memory_limit: options.memory_limit,
        };
        let state = state(folder, &job.name, &job.sha256, &manifest.settings_sha256)?;
        let again = match &state {
            State::Done(_) => {
                summary.already += 1;
                Failure::clear(folder, &job.name);
                continue;
            }
            State::Missing | State::Imported => None,
            State::OtherInstance => Some("the instance has changed".to_owned()),
            State::OtherSettings => Some("it was made with other settings".to_owned()),
            State::Damaged(why) => Some(format!("it is damaged: {why}")),
        };
        if let Some(why) = again {
            let path = job.out.display();
            progress(Progress::Notice(format!("{path} is made again: {why}")));
        }
        queue.push_back(job);
    }
    progress(Progress::Planned {
        total: summary.total,
        done: summary.already,
    });
    run_all(options, queue, stop, &mut |event| {
        match &event {
            Progress::Made { .. } => summary.made += 1,
            Progress::Elsewhere { .. } => summary.elsewhere += 1,
            Progress::Failed(failure) => summary.failed.push(failure.clone()),
            _ => {}
        }
        progress(event);
    });
    let ended = summary.already + summary.made + summary.elsewhere + summary.failed.len();
    summary.interrupted = stop.is_raised() && ended < summary.total;
    summary.failed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(summary)
}

/// Works off the queue, several instances at a time; tells events on this thread.
fn run_all(
    options: &Options,
    queue: VecDeque<Job>,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress),
) {
    let threads = options.jobs.clamp(1, queue.len().max(1));
    let queue = Mutex::new(queue);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let queue = &queue;
            scope.spawn(move || {
                let next = || {
                    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                    queue.pop_front().filter(|_| !stop.is_raised())
                };
                while let Some(job) = next() {
                    if let Some(event) = one(options, &job, stop, &sender) {
                        // The receiver outlives all senders.
                        let _ = sender.send(event);
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().for_each(progress);
    });
}

/// Works on one instance and says how it ended; nothing if it was abandoned.
fn one(options: &Options, job: &Job, stop: &Stop, sender: &Sender<Progress>) -> Option<Progress> {
    let folder = &options.out;
    let name = job.name.clone();
    let settings_sha256 = job.settings.hash();
    let fail = |reason: String, attempts: usize, log: String| {
        let failure = Failure {
            name: job.name.clone(),
            reason,
            attempts,
            settings_sha256: settings_sha256.clone(),
            log,
        };
        // It is told either way.
        let _ = failure.write(folder);
        Some(Progress::Failed(failure))
    };
    let mut claim = match Claim::take(folder, &name) {
        Ok(Some(claim)) => claim,
        Ok(None) => return Some(Progress::Elsewhere { name }),
        Err(e) => return fail(format!("cannot claim the instance: {e}"), 0, String::new()),
    };
    let look = || state(folder, &job.name, &job.sha256, &settings_sha256);
    if let Ok(State::Done(_)) = look() {
        return Some(Progress::Elsewhere { name });
    }
    let _ = sender.send(Progress::Started { name: name.clone() });
    let limit = Duration::from_secs_f64(1.5 * job.settings.time_limit) + options.grace;
    let attempts = options.attempts.max(1);
    for attempt in 1..=attempts {
        let ended = child::run(&options.worker, job, limit, &mut claim, stop);
        if ended.abandoned {
            return None;
        }
        let (reason, retry) = match ended.outcome {
            Outcome::Done { solutions, best } => match look() {
                Ok(State::Done(_)) => {
                    Failure::clear(folder, &name);
                    return Some(Progress::Made {
                        name,
                        solutions,
                        best,
                    });
                }
                Ok(_) => ("the worker wrote no pool that can be used".to_owned(), true),
                Err(error) => (error.to_string(), true),
            },
            Outcome::Failed { reason, retry } => (reason, retry),
        };
        if !retry || attempt == attempts {
            return fail(reason, attempt, ended.log);
        }
        let _ = sender.send(Progress::Retried {
            name: name.clone(),
            reason,
        });
    }
    None
}

/// Removes temporary files of processes that were killed while they wrote.
fn sweep(folder: &Path) {
    for folder in [folder.to_owned(), folder.join("failed")] {
        let Ok(files) = std::fs::read_dir(folder) else {
            continue;
        };
        for file in files.flatten() {
            let modified = file.metadata().and_then(|data| data.modified());
            let age = modified.map(|m| SystemTime::now().duration_since(m).unwrap_or_default());
            if file.file_name().to_string_lossy().starts_with(".idpas-")
                && age.is_ok_and(|age| age > LEFT_BEHIND)
            {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
}

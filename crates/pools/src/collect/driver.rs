//! Making all pools of a folder that are missing.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use idpas_base::process::WorkerCommand;

use super::queue::Queue;
use super::state::{State, state};
use super::{
    CollectFailure, CollectProgress, CollectSettings, CollectStop, CollectSummary, Shard,
    WorkerJob, claims,
};
use crate::PoolError;
use crate::inputs::{InputFile, find_instances};
use crate::manifest::{Manifest, SplitRule, pool_path};

/// A temporary file this old was left by a process that is gone.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// How the pools of a family are collected.
#[derive(Clone, Debug)]
pub struct CollectOptions {
    /// The folder of pools; made if it does not exist.
    pub out: PathBuf,
    /// How pools are made.
    pub settings: CollectSettings,
    /// How instances are dealt out to the three sets.
    pub split: SplitRule,
    /// How many instances are worked on at a time.
    pub jobs: usize,
    /// Which part of the instances to work on.
    pub shard: Shard,
    /// Go on with the other parts when the own one is done, and end only when every instance has a pool or failed:
    /// instances that other processes work on are waited for, and taken over if those processes die.
    pub take_over: bool,
    /// Bytes of memory each worker may use; only for workers in processes of their own.
    pub memory_limit: Option<u64>,
    /// How to start a worker, which gets its [`WorkerJob`](super::WorkerJob) as a line of JSON. Without, instances are worked on in this process:
    /// a crash of the solver is one of the program then.
    pub worker: Option<WorkerCommand>,
    /// Time of grace: a worker is killed after one and a half times its time limit plus this.
    pub grace: Duration,
    /// How often an instance is tried at most.
    pub attempts: usize,
}

impl Default for CollectOptions {
    /// An hour an instance, one instance per processor at a time, in this process, into the folder `pools`.
    fn default() -> Self {
        CollectOptions {
            out: "pools".into(),
            settings: CollectSettings::default(),
            split: SplitRule::default(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            shard: Shard::default(),
            take_over: false,
            memory_limit: None,
            worker: None,
            grace: Duration::from_secs(60),
            attempts: 2,
        }
    }
}

/// Makes the pools that are missing, outdated or damaged, of the instances in a folder or list.
pub fn collect(
    input: &Path,
    options: &CollectOptions,
    stop: &CollectStop,
    progress: &mut dyn FnMut(CollectProgress),
) -> Result<CollectSummary, PoolError> {
    options.settings.validate()?;
    if options.memory_limit.is_some() && options.worker.is_none() {
        return Err(PoolError::Setting {
            name: "memory limit",
            message: "expected workers in processes of their own".into(),
        });
    }
    let inputs = find_instances(input)?;
    let folder = &options.out;
    std::fs::create_dir_all(folder)
        .and_then(|()| claims(folder).prepare())
        .map_err(|e| PoolError::io(folder, e))?;
    sweep(folder);
    let manifest = write_manifest(options, &inputs, progress)?;
    let mut summary = CollectSummary::default();
    let mut queue = Queue::new(options, stop).map_err(|e| PoolError::io(folder, e))?;
    let indices = match options.take_over {
        true => options.shard.all(inputs.len()),
        false => options.shard.indices(inputs.len()),
    };
    for index in indices {
        let input = &inputs[index];
        let Some(entry) = manifest.instances.get(&input.name) else {
            continue;
        };
        summary.total += 1;
        let job = WorkerJob {
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
                CollectFailure::clear(folder, &job.name);
                continue;
            }
            State::Missing | State::Imported => None,
            State::OtherInstance => Some("the instance has changed".to_owned()),
            State::OtherSettings => Some("it was made with other settings".to_owned()),
            State::Damaged(why) => Some(format!("it is damaged: {why}")),
        };
        if let Some(why) = again {
            let path = job.out.display();
            progress(CollectProgress::Notice(format!(
                "{path} is made again: {why}"
            )));
        }
        queue.push(job);
    }
    progress(CollectProgress::Planned {
        total: summary.total,
        done: summary.already,
    });
    queue.run(&mut |event| {
        match &event {
            CollectProgress::Made { .. } => summary.made += 1,
            CollectProgress::Elsewhere { .. } => summary.elsewhere += 1,
            CollectProgress::Failed(failure) => summary.failed.push(failure.clone()),
            _ => {}
        }
        progress(event);
    });
    let ended = summary.already + summary.made + summary.elsewhere + summary.failed.len();
    summary.interrupted = stop.is_raised() && ended < summary.total;
    summary.failed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(summary)
}

/// Brings the manifest up to date with the instances and settings, and writes it.
fn write_manifest(
    options: &CollectOptions,
    inputs: &[InputFile],
    progress: &mut dyn FnMut(CollectProgress),
) -> Result<Manifest, PoolError> {
    let folder = &options.out;
    let old = Manifest::read(folder)?;
    let manifest = Manifest::plan(
        folder,
        old.as_ref(),
        inputs,
        &options.settings,
        options.split,
    )?;
    manifest.write(folder)?;
    if let Some(old) = old.filter(|old| old.settings != manifest.settings) {
        let changes = old.settings.differences(&manifest.settings).join(", ");
        progress(CollectProgress::Notice(format!(
            "settings changed: {changes}"
        )));
    }
    Ok(manifest)
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

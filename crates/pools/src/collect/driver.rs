//! Collecting a family: making the pools of a folder that are missing, and improving those that are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use idpas_base::claim::{Claims, look_anew};
use idpas_base::deadline::Deadline;
use idpas_base::process::WorkerCommand;
use idpas_mip::files::{LEFT_BEHIND, remove_left_behind};

use super::family::Family;
use super::queue::Queue;
use super::standing::Standing;
use super::state::State;
use super::{
    CollectFailure, CollectProgress, CollectSettings, CollectStop, CollectSummary, Shard, Siblings,
    claims,
};
use crate::PoolError;
use crate::inputs::{InputFile, find_instances};
use crate::manifest::{Manifest, SplitRule, pool_path};
use crate::split::Part;

/// How the pools of a family are collected.
#[derive(Clone, Debug)]
pub struct CollectOptions {
    /// The folder of pools; made if it does not exist.
    pub out: PathBuf,
    /// How pools are made.
    pub settings: CollectSettings,
    /// Seconds for the whole collection by the clock on the wall; it takes the place of the settings' time limit, which
    /// then follows from the number of instances and of workers.
    pub budget: Option<f64>,
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
    /// When this process has to be done: no turn is begun that would last longer.
    pub deadline: Deadline,
}

impl Default for CollectOptions {
    /// An hour an instance, one instance per processor at a time, in this process, into the folder `pools`.
    fn default() -> Self {
        CollectOptions {
            out: "pools".into(),
            settings: CollectSettings::default(),
            budget: None,
            split: SplitRule::default(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            shard: Shard::default(),
            take_over: false,
            memory_limit: None,
            worker: None,
            grace: Duration::from_secs(60),
            attempts: 2,
            deadline: Deadline::default(),
        }
    }
}

impl CollectOptions {
    /// The same with the time limit that follows from the budget, for so many instances.
    fn within_budget(&self, instances: usize) -> Result<Self, PoolError> {
        let mut options = self.clone();
        if let Some(budget) = self.budget {
            if !(budget > 0.0 && budget.is_finite()) {
                return Err(PoolError::Setting {
                    name: "budget",
                    message: format!("{budget}; expected seconds above 0"),
                });
            }
            let ours = match self.take_over {
                true => instances,
                false => self.shard.indices(instances).len(),
            };
            options.settings.time_limit = budget * self.jobs.max(1) as f64 / ours.max(1) as f64;
        }
        options.settings.validate()?;
        Ok(options)
    }
}

/// Makes the pools of the instances in a folder or list, and goes on with those that are there as long as the time of the
/// settings is not used up.
pub fn collect(
    input: &Path,
    options: &CollectOptions,
    stop: &CollectStop,
    progress: &mut dyn FnMut(CollectProgress),
) -> Result<CollectSummary, PoolError> {
    if options.memory_limit.is_some() && options.worker.is_none() {
        return Err(PoolError::Setting {
            name: "memory limit",
            message: "expected workers in processes of their own".into(),
        });
    }
    let inputs = find_instances(input)?;
    let options = &options.within_budget(inputs.len())?;
    let folder = &options.out;
    std::fs::create_dir_all(folder)
        .and_then(|()| claims(folder).prepare())
        .map_err(|e| PoolError::io(folder, e))?;
    for folder in [folder.to_owned(), folder.join("failed")] {
        remove_left_behind(&folder, LEFT_BEHIND);
    }
    let manifest = write_manifest(options, &inputs, progress)?;
    let (family, had_pool) = family(options, &inputs, &manifest, progress)?;
    let ours = family.plan().standings.iter().filter(|s| s.ours).count();
    let mut summary = CollectSummary {
        total: ours,
        ..CollectSummary::default()
    };
    let done = (0..had_pool.len()).filter(|&at| had_pool[at] && family.standing(at).ours);
    progress(CollectProgress::Planned {
        total: summary.total,
        done: done.count(),
    });
    progress(CollectProgress::Used {
        seconds: family.plan().used(),
        budget: family.plan().budget(),
    });
    let mut made = BTreeSet::new();
    let queue = Queue::new(options, stop, family).map_err(|e| PoolError::io(folder, e))?;
    queue.run(&mut |event| {
        match &event {
            CollectProgress::Made { name, .. } => drop(made.insert(name.clone())),
            CollectProgress::Failed(failure) => summary.failed.push(failure.clone()),
            _ => {}
        }
        progress(event);
    });
    summary.time_over = queue.is_time_over();
    let family = queue.into_family();
    if family.plan().is_done() {
        // Processes that were killed may have left some that nobody had a reason to take over.
        claims(folder).tidy();
    }
    for (at, had_pool) in had_pool.into_iter().enumerate() {
        let (member, standing) = (family.member(at), family.standing(at));
        let named = |failure: &CollectFailure| failure.name == member.name;
        if !standing.ours || summary.failed.iter().any(named) {
            continue;
        }
        if made.contains(&member.name) {
            summary.made += 1;
        } else if had_pool {
            summary.already += 1;
        } else if standing.best.is_some() || standing.turns.is_empty() {
            summary.elsewhere += usize::from(!stop.is_raised() || standing.best.is_some());
        }
        let failure = CollectFailure::read(folder, &member.name);
        if let (None, Some(failure)) = (standing.best, failure.filter(|f| !f.turns.is_empty())) {
            if !stop.is_raised() {
                progress(CollectProgress::Failed(failure.clone()));
            }
            summary.failed.push(failure);
        }
    }
    let compared = family.plan().comparisons_made() > 0;
    summary.lead = compared.then(|| family.plan().lead());
    summary.interrupted = stop.is_raised() && !family.plan().is_done();
    summary.failed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(summary)
}

/// The instances in the order in which they have their first turns, and whether each has a pool already: the training set
/// first, since the others may learn from it.
fn family<'a>(
    options: &'a CollectOptions,
    inputs: &[InputFile],
    manifest: &Manifest,
    progress: &mut dyn FnMut(CollectProgress),
) -> Result<(Family<'a>, Vec<bool>), PoolError> {
    let folder = &options.out;
    let mut order = options.shard.all(inputs.len());
    let our_part: BTreeSet<usize> = match options.take_over {
        true => order.iter().copied().collect(),
        false => options.shard.indices(inputs.len()).into_iter().collect(),
    };
    let teaches = |index: &usize| {
        let entry = manifest.instances.get(&inputs[*index].name);
        entry.is_some_and(|entry| entry.part == Part::Train)
    };
    order.sort_by_key(|index| !teaches(index));
    let (mut family, mut had_pool) = (Family::new(options), Vec::new());
    for index in order {
        let input = &inputs[index];
        let Some(entry) = manifest.instances.get(&input.name) else {
            continue;
        };
        let ours = our_part.contains(&index);
        let standing = Standing::new(ours, teaches(&index), entry.sketch.clone());
        let state = family.add(&input.name, &input.path, &entry.sha256, standing)?;
        had_pool.push(matches!(state, State::Done(_)));
        let again = match &state {
            State::Done(_) => {
                CollectFailure::clear(folder, &input.name);
                continue;
            }
            State::Missing | State::Imported => continue,
            State::OtherInstance => "the instance has changed".to_owned(),
            State::OtherSettings => "it was made with other settings".to_owned(),
            State::Damaged(why) => format!("it is damaged: {why}"),
        };
        if ours {
            let path = pool_path(folder, &input.name);
            let path = path.display();
            progress(CollectProgress::Notice(format!(
                "{path} is made again: {again}"
            )));
        }
    }
    Ok((family, had_pool))
}

/// Brings the manifest up to date with the instances and settings, and writes it.
fn write_manifest(
    options: &CollectOptions,
    inputs: &[InputFile],
    progress: &mut dyn FnMut(CollectProgress),
) -> Result<Manifest, PoolError> {
    let folder = &options.out;
    let mut old = Manifest::read(folder)?;
    // Of many processes that begin at the same moment one reads the instances; the others find what it wrote.
    let reading = Claims::new(folder.join("manifest.claims"));
    let claim = match Manifest::knows(folder, old.as_ref(), inputs) {
        true => None,
        false => {
            let claim = reading.wait("manifest", || {
                look_anew(folder);
                old = Manifest::read(folder).ok().flatten().or(old.take());
                !Manifest::knows(folder, old.as_ref(), inputs)
            });
            claim.map_err(|e| PoolError::io(folder, e))?
        }
    };
    let mut manifest = Manifest::plan(
        folder,
        old.as_ref(),
        inputs,
        &options.settings,
        options.split,
    )?;
    let alone = options.jobs == 1 || options.settings.siblings == Siblings::Ignore;
    manifest.reproducible = options.settings.nodes.is_some() && alone;
    manifest.write(folder)?;
    drop(claim);
    reading.tidy();
    if let Some(old) = old.filter(|old| old.settings != manifest.settings) {
        let changes = old.settings.differences(&manifest.settings).join(", ");
        progress(CollectProgress::Notice(format!(
            "settings changed: {changes}"
        )));
    }
    Ok(manifest)
}

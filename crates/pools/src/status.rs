//! Computes the progress of a collection from its folder.

use std::path::Path;

use idpas_mip::Sense;
use serde::Serialize;

use crate::PoolError;
use crate::collect::{CollectFailure, State, claims, state};
use crate::growth::{Growth, growth};
use crate::manifest::{MANIFEST, Manifest};
use crate::split::Part;

/// Progress of a collection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Number of pools that are complete and belong to the current instances and settings.
    pub done: usize,
    /// Number of instances that a worker works on now; they may have a pool from an earlier turn.
    pub running: usize,
    /// Number of instances that have had no turn yet.
    pub waiting: usize,
    /// Number of instances that failed and are not being tried again now.
    pub failed: usize,
    /// Number of all instances.
    pub total: usize,
    /// Names of instances whose pool, or note of a failure, is damaged; they will be made again.
    pub damaged: Vec<String>,
    /// Names of pools for an earlier version of the instance or of the settings; they will be made again.
    pub outdated: Vec<String>,
    /// Instances that failed, with the reason.
    pub failures: Vec<CollectFailure>,
    /// Solutions in all pools.
    pub solutions: usize,
    /// How many of them are close copies of better ones in the same pool: they differ in less than 1 % of the discrete
    /// columns that are not zero.
    pub copies: usize,
    /// Seconds of all turns so far.
    pub seconds_used: f64,
    /// Seconds that all turns may take.
    pub seconds_planned: f64,
    /// Mean time in seconds of the pools that are done; `None` if there are none.
    pub seconds_per_instance: Option<f64>,
    /// Estimated seconds until all is done; `None` if nothing is running.
    pub seconds_left: Option<f64>,
    /// How the labels grew from round to round.
    pub growth: Vec<Growth>,
    /// Number of instances in the training, validation and test set.
    pub split: [usize; 3],
}

/// The progress of the collection in a folder of pools. Verifies the checksum of every pool.
pub fn status(folder: &Path) -> Result<Status, PoolError> {
    let Some(manifest) = Manifest::read(folder)? else {
        return Err(PoolError::input(
            folder,
            format!("this is no folder of pools: it has no {MANIFEST}"),
        ));
    };
    let running = claims(folder).running();
    let part = |part| {
        let entries = manifest.instances.values();
        entries.filter(|entry| entry.part == part).count()
    };
    let mut status = Status {
        done: 0,
        running: 0,
        waiting: 0,
        failed: 0,
        total: manifest.instances.len(),
        damaged: Vec::new(),
        outdated: Vec::new(),
        failures: Vec::new(),
        solutions: 0,
        copies: 0,
        seconds_used: 0.0,
        seconds_planned: manifest.settings.time_limit * manifest.instances.len() as f64,
        seconds_per_instance: None,
        seconds_left: None,
        growth: Vec::new(),
        split: Part::ALL.map(part),
    };
    let mut turns = Vec::new();
    for (name, entry) in &manifest.instances {
        match state(folder, name, &entry.sha256, &manifest.settings_sha256)? {
            State::Done(outline) => {
                status.done += 1;
                status.running += usize::from(running.contains(name));
                status.solutions += outline.objectives.len();
                let info = outline.info;
                status.copies += info.copies;
                status.seconds_used += info.seconds;
                turns.push((info.sense(), info.turns));
                continue;
            }
            State::Damaged(_) => status.damaged.push(name.clone()),
            State::OtherInstance | State::OtherSettings => status.outdated.push(name.clone()),
            State::Missing | State::Imported => {}
        }
        if CollectFailure::is_damaged(folder, name) && status.damaged.last() != Some(name) {
            status.damaged.push(name.clone());
        }
        let failure = CollectFailure::read(folder, name)
            .filter(|failure| failure.settings_sha256 == manifest.settings_sha256);
        if let Some(failure) = &failure {
            status.seconds_used += failure.turns.iter().map(|turn| turn.seconds).sum::<f64>();
            turns.push((Sense::Minimize, failure.turns.clone()));
        }
        if running.contains(name) {
            status.running += 1;
        } else if let Some(failure) = failure {
            status.failed += 1;
            status.failures.push(failure);
        } else {
            status.waiting += 1;
        }
    }
    status.growth = growth(&turns);
    if status.done > 0 {
        status.seconds_per_instance = Some(status.seconds_used / status.done as f64);
    }
    if status.running > 0 {
        let open = status.total - status.done - status.failed;
        let left = match (manifest.settings.nodes, status.seconds_per_instance) {
            // Where counts decide, the time limit says nothing; running instances count as half done.
            (Some(_), Some(each)) => each * (open as f64 - 0.5 * status.running as f64),
            _ => status.seconds_planned - status.seconds_used,
        };
        status.seconds_left = Some(left.max(0.0) / status.running as f64);
    }
    Ok(status)
}

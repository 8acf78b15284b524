//! Computes the progress of a collection from its folder.

use std::path::Path;

use serde::Serialize;

use crate::PoolError;
use crate::collect::{CollectFailure, State, claims, state};
use crate::manifest::{MANIFEST, Manifest};
use crate::split::Part;

/// Progress of a collection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Number of pools that are complete and belong to the current instances and settings.
    pub done: usize,
    /// Number of instances that a worker works on now.
    pub running: usize,
    /// Number of instances that failed and are not being tried again now.
    pub failed: usize,
    /// Number of all instances.
    pub total: usize,
    /// Names of pools that are damaged; they will be made again.
    pub damaged: Vec<String>,
    /// Names of pools for an earlier version of the instance or of the settings; they will be made again.
    pub outdated: Vec<String>,
    /// Instances that failed, with the reason.
    pub failures: Vec<CollectFailure>,
    /// Mean time in seconds of the pools that are done; `None` if there are none.
    pub seconds_per_instance: Option<f64>,
    /// Estimated seconds until all is done; `None` if nothing is running.
    pub seconds_left: Option<f64>,
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
        failed: 0,
        total: manifest.instances.len(),
        damaged: Vec::new(),
        outdated: Vec::new(),
        failures: Vec::new(),
        seconds_per_instance: None,
        seconds_left: None,
        split: Part::ALL.map(part),
    };
    let mut seconds = 0.0;
    for (name, entry) in &manifest.instances {
        match state(folder, name, &entry.sha256, &manifest.settings_sha256)? {
            State::Done(info) => {
                status.done += 1;
                seconds += info.seconds;
                continue;
            }
            State::Damaged(_) => status.damaged.push(name.clone()),
            State::OtherInstance | State::OtherSettings => status.outdated.push(name.clone()),
            State::Missing | State::Imported => {}
        }
        if running.contains(name) {
            status.running += 1;
        } else if let Some(failure) = CollectFailure::read(folder, name)
            .filter(|failure| failure.settings_sha256 == manifest.settings_sha256)
        {
            status.failed += 1;
            status.failures.push(failure);
        }
    }
    if status.done > 0 {
        status.seconds_per_instance = Some(seconds / status.done as f64);
    }
    if status.running > 0 {
        let each = status
            .seconds_per_instance
            .unwrap_or(manifest.settings.time_limit);
        let open = status.total - status.done - status.failed;
        // Running instances count as half done.
        let left = open as f64 - 0.5 * status.running as f64;
        status.seconds_left = Some(each * left / status.running as f64);
    }
    Ok(status)
}

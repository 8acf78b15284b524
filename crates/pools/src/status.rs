//! How far a collection is, from its folder alone.

use std::path::Path;

use serde::Serialize;

use crate::PoolError;
use crate::collect::{CollectFailure, State, claims, state};
use crate::manifest::{MANIFEST, Manifest};
use crate::split::Part;

/// How far a collection is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Pools that are whole, and of the present instances and settings.
    pub done: usize,
    /// Instances that someone works on now.
    pub running: usize,
    /// Instances that failed and are not running again.
    pub failed: usize,
    /// All instances.
    pub total: usize,
    /// Pools that are damaged, by name; they will be made again.
    pub damaged: Vec<String>,
    /// Pools of an earlier version of the instance or of the settings; they will be made again.
    pub outdated: Vec<String>,
    /// What failed, and why.
    pub failures: Vec<CollectFailure>,
    /// Mean seconds that the pools took that are done.
    pub seconds_per_instance: Option<f64>,
    /// Seconds until all is done at the present pace; `None` if nothing is running.
    pub seconds_left: Option<f64>,
    /// How many instances each set has: training, validation, test.
    pub split: [usize; 3],
}

/// Looks at a folder of pools. Every pool's checksum is checked.
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
        // Those running are half done on average.
        let left = open as f64 - 0.5 * status.running as f64;
        status.seconds_left = Some(each * left / status.running as f64);
    }
    Ok(status)
}

//! Which stages are done, and what they were done from: a stage whose inputs changed is done again.

use std::fs::File;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use idpas_evaluate::results::{read, write};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Stop;
use crate::failure::Failure;

/// A stage that was begun or done.
#[derive(Serialize, Deserialize)]
struct Stamp {
    /// What it was done from.
    from: Value,
    done: bool,
    seconds: f64,
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// How a stage stands before it is done.
pub(super) struct Begun {
    /// It was begun from the same before, so that it can go on.
    pub(super) same: bool,
}

/// Does a stage unless it was done from the same before and what it made is still there. Others that want the same folder's stages wait meanwhile.
/// Gives the seconds that it took, whenever that was.
pub(super) fn stage(
    folder: &Path,
    name: &str,
    from: Value,
    made: &[&Path],
    work: impl FnOnce(Begun) -> Result<(), Stop>,
) -> Result<f64, Stop> {
    let folder = folder.join("stages");
    let path = folder.join(format!("{name}.json"));
    let fault = |e: std::io::Error| Failure::Usage(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(fault)?;
    let lock = File::create(folder.join(".lock")).map_err(fault)?;
    // A file system without locks must do without: then only one process may prepare at a time.
    let _ = lock.lock();
    // A stamp that cannot be read is as good as none.
    let old: Option<Stamp> = read(&path, "stamp of a stage").unwrap_or_default();
    let same = old.as_ref().filter(|old| old.from == from);
    let there = made.iter().all(|path| path.exists());
    if let Some(done) = same.filter(|old| old.done && there) {
        return Ok(done.seconds);
    }
    let before = same.map_or(0.0, |old| old.seconds);
    let begun = Begun {
        same: same.is_some(),
    };
    let mut stamp = Stamp {
        from,
        done: false,
        seconds: before,
    };
    write(&path, &stamp)?;
    let clock = Instant::now();
    let ended = work(begun);
    stamp.seconds = before + clock.elapsed().as_secs_f64();
    stamp.done = ended.is_ok();
    write(&path, &stamp)?;
    ended.map(|()| stamp.seconds)
}

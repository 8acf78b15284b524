//! Who works on which instance.
//!
//! A claim is a file `claims/NAME.json` that its owner keeps locked and writes anew every few seconds. The lock
//! ends with its owner, so that a killed run leaves nothing behind that another would have to wait for. On shared
//! file systems without locks between machines the heartbeat decides: a claim of another machine holds until it
//! has not been written for [`STALE`].

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::system;

/// The folder of claims.
const FOLDER: &str = "claims";
/// How often a claim is written.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A claim of another machine is stale after this.
const STALE: Duration = Duration::from_secs(180);

/// What a claim says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Owner {
    host: String,
    pid: u32,
    /// Counts up, so that every beat changes the file.
    beat: u64,
}

/// An instance that this process, and no other, works on. Given back when dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    file: File,
    owner: Owner,
    written: Instant,
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{name}.json"))
}

impl Claim {
    /// Makes the folder of claims.
    pub(crate) fn prepare(folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder.join(FOLDER))
    }

    /// Gives the claim back, and removes the folder of claims if this was the last.
    pub(crate) fn tidy(self, folder: &Path) {
        drop(self);
        // Fails where others have claims, as it should.
        let _ = std::fs::remove_dir(folder.join(FOLDER));
    }

    /// Claims an instance; `None` if another process has it.
    pub(crate) fn take(folder: &Path, name: &str) -> io::Result<Option<Self>> {
        let path = path(folder, name);
        let owner = Owner {
            host: system::host(),
            pid: std::process::id(),
            beat: 0,
        };
        loop {
            Self::prepare(folder)?;
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            if !system::lock(&file) {
                return Ok(None);
            }
            // The owner before us may have taken its file away between our opening and locking it.
            if !system::same_file(&file, &path) {
                continue;
            }
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            let before = serde_json::from_str::<Owner>(&text).ok();
            if before.is_some_and(|before| !is_ours(&before, &owner) && !is_stale(&file, folder)) {
                return Ok(None);
            }
            let mut claim = Claim {
                path,
                file,
                owner,
                written: Instant::now(),
            };
            claim.write()?;
            return Ok(Some(claim));
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_string(&self.owner)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.set_len(0)?;
        self.file.write_all(text.as_bytes())?;
        self.written = Instant::now();
        Ok(())
    }

    /// Says that the work goes on, if it is time to.
    pub(crate) fn beat(&mut self) {
        if self.written.elapsed() >= HEARTBEAT {
            self.owner.beat += 1;
            // A full disk is no reason to stop solving; the worst is that another machine solves it too.
            let _ = self.write();
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a lock on this machine tells everything about a claim.
fn is_ours(claim: &Owner, me: &Owner) -> bool {
    cfg!(unix) && claim.host == me.host
}

/// Whether a claim has not been written for long, by the clock of the file system.
fn is_stale(file: &File, folder: &Path) -> bool {
    let age = || -> io::Result<Duration> {
        let now = now(folder)?;
        let written = file.metadata()?.modified()?;
        Ok(now.duration_since(written).unwrap_or_default())
    };
    age().is_ok_and(|age| age > STALE)
}

/// The time as the file system has it: machines' clocks differ.
fn now(folder: &Path) -> io::Result<SystemTime> {
    let probe = folder
        .join(FOLDER)
        .join(format!(".now-{}-{}", system::host(), std::process::id()));
    std::fs::write(&probe, "")?;
    let time = std::fs::metadata(&probe).and_then(|data| data.modified());
    let _ = std::fs::remove_file(&probe);
    time
}

/// The instances that someone works on now.
pub(crate) fn running(folder: &Path) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(folder.join(FOLDER)) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for path in files.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        // Half-written: someone is at it just now.
        let live = match serde_json::from_str::<Owner>(&text) {
            Ok(owner) if owner.host == system::host() => system::is_alive(owner.pid),
            _ => File::open(&path).is_ok_and(|file| !is_stale_by(&file)),
        };
        if live {
            names.push(name.into_owned());
        }
    }
    names.sort();
    names
}

/// As [`is_stale`], by this machine's clock: a look must not need write access.
fn is_stale_by(file: &File) -> bool {
    let written = file.metadata().and_then(|data| data.modified());
    let age = written.map(|written| written.elapsed().unwrap_or_default());
    age.is_ok_and(|age| age > STALE)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time_and_stale_claims_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        Claim::prepare(folder).unwrap();
        let claim = Claim::take(folder, "a").unwrap().unwrap();
        assert!(Claim::take(folder, "a").unwrap().is_none());
        assert_eq!(running(folder), ["a"]);
        drop(claim);
        assert!(running(folder).is_empty());

        let left = |host: &str, age: u64| {
            let owner = Owner {
                host: host.into(),
                pid: 4_000_000,
                beat: 3,
            };
            let text = serde_json::to_string(&owner).unwrap();
            std::fs::write(path(folder, "b"), text).unwrap();
            let file = OpenOptions::new()
                .write(true)
                .open(path(folder, "b"))
                .unwrap();
            let written = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(written).unwrap();
        };
        left(&system::host(), 0);
        assert!(running(folder).is_empty(), "its process is gone");
        assert!(Claim::take(folder, "b").unwrap().is_some());
        left("elsewhere", 1);
        assert_eq!(running(folder), ["b"]);
        assert!(Claim::take(folder, "b").unwrap().is_none());
        left("elsewhere", 1000);
        assert!(running(folder).is_empty());
        assert!(Claim::take(folder, "b").unwrap().is_some());
    }
}

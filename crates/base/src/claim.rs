//! Work that several processes, possibly on several machines, share without doing anything twice.
//!
//! [`Claims`] is a folder; a [`Claim`] is a file `NAME.json` in it that its owner keeps locked and writes anew every
//! few seconds. The lock ends with its owner, however that ends, so that what a killed process had claimed is free at
//! once for others on its machine. On shared file systems without locks between machines the heartbeat decides: a claim
//! of another machine holds until it has not been written for three minutes.
//!
//! ```
//! use idpas_base::claim::Claims;
//!
//! let folder = tempfile::tempdir()?;
//! let claims = Claims::new(folder.path().join("claims"));
//! let mine = claims.take("task-1")?;
//! assert!(mine.is_some());
//! assert!(claims.take("task-1")?.is_none(), "somebody is at it");
//! drop(mine);
//! assert!(claims.take("task-1")?.is_some());
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::system;

/// How often the owner writes the file of its claim anew.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A claim of another machine is taken over once its file has not been written for this long.
const STALE: Duration = Duration::from_secs(180);

/// A folder of claims. It is created with the first claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    folder: PathBuf,
}

/// A task that this process works on and no other does. Dropping it gives the task back.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// Dropping this sender ends the heartbeat thread.
    stop: Option<Sender<()>>,
    heartbeat: Option<JoinHandle<()>>,
}

/// The content of a claim's file: who has the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Owner {
    host: String,
    pid: u32,
    /// Counts up with every heartbeat, so that the content of the file changes each time.
    beat: u64,
}

impl Claims {
    /// The claims in this folder, which may hold nothing else. It need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Claims {
            folder: folder.into(),
        }
    }

    /// Creates the folder.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)
    }

    /// Removes the claims of processes that died, and the folder itself if no claim is left.
    pub fn tidy(&self) {
        let running = self.running();
        let dead = self.names().into_iter().filter(|n| !running.contains(n));
        // Taking a claim over and dropping it removes its file.
        dead.for_each(|name| drop(self.take(&name)));
        // Fails as long as others have claims in the folder, as it should.
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Whether nobody has a claim. Removes the claims of processes that died, so it needs the right to write.
    pub fn is_idle(&self) -> io::Result<bool> {
        for name in self.names() {
            if self.take(&name)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Claims the task `name`, which must be a valid file name. `None` if another process, or another thread of this
    /// one, has claimed it.
    pub fn take(&self, name: &str) -> io::Result<Option<Claim>> {
        let path = self.path(name);
        let owner = Owner {
            host: system::host(),
            pid: std::process::id(),
            beat: 0,
        };
        loop {
            self.prepare()?;
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path);
            let mut file = match opened {
                Ok(file) => file,
                // Another process has just removed the empty folder.
                Err(e) if e.kind() == io::ErrorKind::NotFound && self.folder_is_gone() => continue,
                Err(e) => return Err(e),
            };
            if !system::lock(&file) {
                return Ok(None);
            }
            // The previous owner may have removed the file after we opened and before we locked it.
            if !system::same_file(&file, &path) {
                continue;
            }
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            let before = serde_json::from_str::<Owner>(&text).ok();
            let held = |before: &Owner| !is_ours(before, &owner) && !self.is_stale(&file);
            if before.as_ref().is_some_and(held) {
                return Ok(None);
            }
            return Claim::begin(path, file, owner).map(Some);
        }
    }

    /// Waits until nobody else has the task `name`, then claims it. `go_on` is called before each try; once it returns
    /// `false`, waiting ends with `None`.
    pub fn wait(&self, name: &str, mut go_on: impl FnMut() -> bool) -> io::Result<Option<Claim>> {
        let mut pause = Backoff::default();
        while go_on() {
            if let Some(claim) = self.take(name)? {
                return Ok(Some(claim));
            }
            pause.sleep();
        }
        Ok(None)
    }

    /// The names of the tasks that someone works on now, sorted. Needs no right to write.
    pub fn running(&self) -> Vec<String> {
        let live = |name: &String| {
            let path = self.path(name);
            let Ok(text) = std::fs::read_to_string(&path) else {
                return false;
            };
            // A file that cannot be parsed is being written at this moment: its age decides.
            match serde_json::from_str::<Owner>(&text) {
                Ok(owner) if owner.host == system::host() => system::is_alive(owner.pid),
                _ => File::open(&path).is_ok_and(|file| age(&file).is_ok_and(|age| age <= STALE)),
            }
        };
        let mut names = self.names();
        names.retain(live);
        names
    }

    /// The names of all tasks that have a file, sorted.
    fn names(&self) -> Vec<String> {
        let Ok(files) = std::fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let paths = files.flatten().map(|entry| entry.path());
        let mut names: Vec<String> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }

    fn folder_is_gone(&self) -> bool {
        !self.folder.exists()
    }

    /// Whether another machine's claim counts as abandoned: not written for [`STALE`], by the clock of the file
    /// system.
    fn is_stale(&self, file: &File) -> bool {
        let age = || -> io::Result<Duration> {
            let written = file.metadata()?.modified()?;
            let now = file_system_time(&self.folder)?;
            Ok(now.duration_since(written).unwrap_or_default())
        };
        age().is_ok_and(|age| age > STALE)
    }
}

impl Claim {
    fn begin(path: PathBuf, mut file: File, mut owner: Owner) -> io::Result<Self> {
        write(&mut file, &owner)?;
        let (stop, stopped): (_, Receiver<()>) = channel();
        let beat = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(HEARTBEAT) {
                owner.beat += 1;
                // A full disk is no reason to stop working: at worst another machine does the same task again.
                let _ = write(&mut file, &owner);
            }
        };
        let heartbeat = std::thread::Builder::new()
            .name("claim".into())
            .spawn(beat)?;
        Ok(Claim {
            path,
            stop: Some(stop),
            heartbeat: Some(heartbeat),
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Removed while still locked, so that whoever gets the lock next sees that the file is gone.
        let _ = std::fs::remove_file(&self.path);
        self.stop = None;
        if let Some(heartbeat) = self.heartbeat.take() {
            let _ = heartbeat.join();
        }
    }
}

fn write(file: &mut File, owner: &Owner) -> io::Result<()> {
    let text = serde_json::to_string(owner)?;
    file.seek(SeekFrom::Start(0))?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

/// Whether the claim was made on this machine, where the file lock alone decides who has it.
fn is_ours(claim: &Owner, me: &Owner) -> bool {
    cfg!(unix) && claim.host == me.host
}

/// How long ago a file was written, by this machine's clock.
fn age(file: &File) -> io::Result<Duration> {
    let written = file.metadata()?.modified()?;
    Ok(written.elapsed().unwrap_or_default())
}

/// The current time by the clock of the file system that holds `folder`, found by writing a file there. The clocks of
/// machines differ, so times of files are compared with this one.
pub fn file_system_time(folder: &Path) -> io::Result<SystemTime> {
    let name = format!(".idpas-now-{}-{}", system::host(), std::process::id());
    let thread = format!("{:?}", std::thread::current().id());
    let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
    let probe = folder.join(format!("{name}-{thread}"));
    std::fs::write(&probe, "")?;
    let time = std::fs::metadata(&probe).and_then(|data| data.modified());
    let _ = std::fs::remove_file(&probe);
    time
}

/// Pauses between repeated looks at what other processes do: short at first, so that little time is lost, then longer,
/// so that many waiting processes do not keep a shared file system busy.
#[derive(Clone, Debug)]
pub struct Backoff {
    next: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(2);

    /// Returns the next pause and makes the one after it half as long again, up to two seconds.
    pub fn pause(&mut self) -> Duration {
        let now = self.next;
        self.next = now.mul_f64(1.5).min(Self::LONGEST);
        now
    }

    /// Whether the pauses so far add up to about a second, long enough to tell the user what is being waited for.
    pub fn is_long(&self) -> bool {
        self.next >= Duration::from_millis(300)
    }

    /// Sleeps for the next [`pause`](Self::pause).
    pub fn sleep(&mut self) {
        std::thread::sleep(self.pause());
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { next: Self::FIRST }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time_and_stale_claims_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::new(folder.path().join("claims"));
        let claim = claims.take("a").unwrap().unwrap();
        assert!(claims.take("a").unwrap().is_none());
        assert_eq!(claims.running(), ["a"]);
        drop(claim);
        assert!(claims.running().is_empty());

        let left = |host: &str, age: u64| {
            let owner = Owner {
                host: host.into(),
                pid: 4_000_000,
                beat: 3,
            };
            let text = serde_json::to_string(&owner).unwrap();
            std::fs::write(claims.path("b"), text).unwrap();
            let file = OpenOptions::new()
                .write(true)
                .open(claims.path("b"))
                .unwrap();
            let written = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(written).unwrap();
        };
        left(&system::host(), 0);
        assert!(claims.running().is_empty(), "its process is gone");
        assert!(claims.take("b").unwrap().is_some());
        left("elsewhere", 1);
        assert_eq!(claims.running(), ["b"]);
        assert!(claims.take("b").unwrap().is_none());
        left("elsewhere", 1000);
        assert!(claims.running().is_empty());
        assert!(claims.take("b").unwrap().is_some());
        let held = claims.take("c").unwrap();
        assert!(!claims.is_idle().unwrap());
        drop(held);
        left(&system::host(), 0);
        assert!(claims.is_idle().unwrap());
        left(&system::host(), 0);
        claims.tidy();
        assert!(!claims.folder.exists(), "nothing of the dead is left");
    }

    #[test]
    fn who_waits_gets_it_when_it_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::new(folder.path().join("claims"));
        let claim = claims.take("a").unwrap().unwrap();
        let mut looks = 0;
        let gave_up = claims.wait("a", || {
            looks += 1;
            looks < 4
        });
        assert!(gave_up.unwrap().is_none());
        assert_eq!(looks, 4);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| claims.wait("a", || true).unwrap().is_some());
            std::thread::sleep(Duration::from_millis(50));
            drop(claim);
            assert!(waiting.join().unwrap());
        });
        claims.tidy();
        assert!(!folder.path().join("claims").exists());
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        let mut pause = Backoff::default();
        let all: Vec<Duration> = (0..30).map(|_| pause.pause()).collect();
        assert!(all.is_sorted());
        assert_eq!(all[0], Backoff::FIRST);
        assert_eq!(all[29], Backoff::LONGEST);
        assert!(pause.is_long() && !Backoff::default().is_long());
    }
}

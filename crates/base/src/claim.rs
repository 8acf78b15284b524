//! Work that several processes, possibly on several machines, share without doing anything twice.
//!
//! [`Claims`] is a folder; a [`Claim`] is a file `NAME.json` in it that its owner keeps locked and writes anew every
//! few seconds. Who makes the file has the claim: of all machines only one can. Who finds it there has to lock it first.
//! The lock ends with its owner, however that ends, so that what a killed process had claimed is free at once for others
//! on its machine.
//!
//! On shared file systems without locks between machines the heartbeat decides: a claim of another machine holds until it
//! has not been written for three minutes. Where the file system has no locks at all, so it is with all claims. Three
//! minutes are more than twelve heartbeats, and more than the minute for which a machine may believe in an old time of a
//! file. Clocks of machines may differ: times of files are the server's, and so is the time that they are compared with. Where
//! that clock is set backwards, claims of dead processes are free three minutes after somebody has looked at them; where it is
//! set forwards, a claim of another machine may be taken over before its owner writes it again, and its work is done twice.
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
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::file_name::{is_file_name, refusal};
use crate::system::{self, FileLock};

/// How often the owner writes the file of its claim anew.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A claim of another machine is taken over once its file has not been written for this long.
const STALE: Duration = Duration::from_secs(180);
/// A file without an owner's name was left by a process that died before it wrote it, once it is this old.
const UNWRITTEN: Duration = Duration::from_secs(10);
/// How often at most, a millisecond apart, who made a file tries to lock it: others that look into it let go at once.
const LOCK_TRIES: usize = 1000;

/// A folder of claims. It is created with the first claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    folder: PathBuf,
    /// Stands for a file system whose locks do not reach other machines, or that has none.
    #[cfg(test)]
    lock: Option<FileLock>,
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
            #[cfg(test)]
            lock: None,
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
        if !is_file_name(name) {
            let why = refusal(name);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let path = self.path(name);
        loop {
            match self.attempt(&path) {
                // Its owner removed it while we looked into it.
                Ok(ControlFlow::Continue(())) => {}
                Err(error) if system::is_gone(&error) => {}
                Ok(ControlFlow::Break(claim)) => return Ok(claim),
                Err(error) => return Err(error),
            }
        }
    }

    /// As [`take`](Self::take), for who would leave the task to its owner for good: a file that tells no owner may be that of
    /// a process that was killed before it wrote its name, and this waits, ten seconds or so, until that is certain.
    pub fn take_settled(&self, name: &str) -> io::Result<Option<Claim>> {
        if let Some(claim) = self.take(name)? {
            return Ok(Some(claim));
        }
        let path = self.path(name);
        let begin = Instant::now();
        self.wait(name, || {
            let is_unwritten = std::fs::metadata(&path).is_ok_and(|data| data.len() == 0);
            // More would be waited for where times of files cannot be compared.
            is_unwritten && begin.elapsed() < 2 * UNWRITTEN
        })
    }

    fn attempt(&self, path: &Path) -> io::Result<ControlFlow<Option<Claim>>> {
        let owner = Owner {
            host: system::host(),
            pid: std::process::id(),
            beat: 0,
        };
        let (mut file, is_new) = self.open(path)?;
        let mut lock = self.lock(&file);
        for _ in 0..LOCK_TRIES {
            if !is_new || lock != FileLock::Theirs {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            lock = self.lock(&file);
        }
        if lock == FileLock::Theirs {
            return Ok(ControlFlow::Break(None));
        }
        // The previous owner may have removed the file after we opened and before we locked it.
        if !system::has_name(&file, path) {
            return Ok(ControlFlow::Continue(()));
        }
        if !is_new && !self.is_free(&mut file, lock, &owner)? {
            return Ok(ControlFlow::Break(None));
        }
        Claim::begin(path.to_owned(), file, owner).map(|claim| ControlFlow::Break(Some(claim)))
    }

    /// Opens the file of a claim, and tells whether it was made by that.
    fn open(&self, path: &Path) -> io::Result<(File, bool)> {
        let mut options = OpenOptions::new();
        system::refuse_links(options.read(true).write(true));
        loop {
            match options.clone().create_new(true).open(path) {
                Ok(file) => return Ok((file, true)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    // It is the first claim, or another process has just removed the empty folder.
                    self.prepare()?;
                    continue;
                }
                Err(e) => return Err(e),
            }
            match options.open(path) {
                Ok(file) => return Ok((file, false)),
                // Given back in between.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn lock(&self, file: &File) -> FileLock {
        #[cfg(test)]
        if let Some(lock) = self.lock {
            return lock;
        }
        system::lock(file)
    }

    /// Whether a file that was there, and that nobody else has locked as far as we can see, is a dead process's.
    fn is_free(&self, file: &mut File, lock: FileLock, me: &Owner) -> io::Result<bool> {
        // Damage may have made it no text at all, which must not keep the task from everybody for ever.
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        Ok(match serde_json::from_slice::<Owner>(&text) {
            // On one machine the lock alone decides, where there are locks.
            Ok(before) if lock == FileLock::Ours && before.host == me.host => true,
            Ok(_) => self.is_older(file, STALE),
            Err(_) => self.is_older(file, UNWRITTEN),
        })
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
            let Ok(text) = std::fs::read(&path) else {
                return false;
            };
            // A file that cannot be parsed is being written at this moment: its age decides.
            match serde_json::from_slice::<Owner>(&text) {
                Ok(owner) if owner.host == system::host() => system::is_alive(owner.pid),
                _ => File::open(&path).is_ok_and(|file| {
                    let age = written_since(&file, SystemTime::now());
                    age.unwrap_or_default() <= STALE
                }),
            }
        };
        let mut names = self.names();
        names.retain(live);
        names
    }

    /// The names of all tasks that have a file, sorted: what someone works on, and what a dead process left. One look at
    /// the folder, where taking each would be several at each file.
    pub fn names(&self) -> Vec<String> {
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

    /// Whether a file was not written for this long, by the clock of the file system.
    fn is_older(&self, file: &File, limit: Duration) -> bool {
        // Clocks hardly differ by more than half of it, and this one can be read without asking the file system. If they
        // do, a dead process's claim is found by so much later.
        if written_since(file, SystemTime::now()).is_ok_and(|age| age <= limit / 2) {
            return false;
        }
        let Ok(now) = file_system_time(&self.folder) else {
            return false;
        };
        match written_since(file, now) {
            Ok(age) => age > limit,
            // The clock was set backwards since. An owner that lives writes it again soon; a dead one's claim would hold
            // until that time has come, so it gets the time of today.
            Err(_) => {
                let _ = file.set_modified(now);
                false
            }
        }
    }
}

impl Claim {
    fn begin(path: PathBuf, mut file: File, mut owner: Owner) -> io::Result<Self> {
        // The name of an owner before us may have been longer; what we write later is never shorter than this.
        if file.metadata()?.len() > 0 {
            file.set_len(0)?;
        }
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

/// Writes the owner over what is in the file. It is never empty in between, since others may read it at any time.
fn write(file: &mut File, owner: &Owner) -> io::Result<()> {
    let text = serde_json::to_string(owner)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())
}

/// How long before `now` a file was written; an error if it was after that.
fn written_since(file: &File, now: SystemTime) -> io::Result<Duration> {
    let written = file.metadata()?.modified()?;
    now.duration_since(written).map_err(io::Error::other)
}

/// Makes the system ask the file system what is in a folder now, for looks that follow. A client of NFS may otherwise say for
/// a minute that there is no such file because there was none when it was last asked for; opening the folder ends that.
/// To be called between taking a claim and looking whether its work is done.
pub fn look_anew(folder: &Path) {
    // A folder that is not there has nothing in it.
    let _ = File::open(folder);
}

/// The current time by the clock of the file system that holds `folder`, found by writing a file there. The clocks of
/// machines differ, so times of files are compared with this one.
pub fn file_system_time(folder: &Path) -> io::Result<SystemTime> {
    let name = format!(".idpas-now-{}-{}", system::host(), std::process::id());
    let thread = format!("{:?}", std::thread::current().id());
    let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
    let probe = folder.join(format!("{name}-{thread}"));
    let mut options = OpenOptions::new();
    system::refuse_links(options.create(true).write(true).truncate(true)).open(&probe)?;
    let time = std::fs::metadata(&probe).and_then(|data| data.modified());
    let _ = std::fs::remove_file(&probe);
    time
}

/// Pauses between repeated looks at what other processes do: short at first, so that little time is lost, then longer,
/// so that many waiting processes do not keep a shared file system busy. Each is up to a quarter shorter or longer than
/// its turn would have it, so that processes that began to wait together do not look together.
#[derive(Clone, Debug)]
pub struct Backoff {
    next: Duration,
    /// The sum of all pauses.
    waited: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(10);
    /// Up to this, pauses grow by half each.
    const SHORT: Duration = Duration::from_secs(2);
    const LONGEST: Duration = Duration::from_secs(30);
    /// How often a long pause is looked at for its end.
    const SLICE: Duration = Duration::from_millis(100);

    /// Returns the next pause. The one after it is half as long again, up to two seconds; then a tenth of the time waited so
    /// far, up to half a minute.
    pub fn pause(&mut self) -> Duration {
        let now = self.next.mul_f64(0.75 + 0.5 * chance());
        self.waited += now;
        let grown = self.next.mul_f64(1.5).min(Self::SHORT);
        self.next = grown.max(self.waited / 10).min(Self::LONGEST);
        now
    }

    /// Whether the pauses so far add up to about a second, long enough to tell the user what is being waited for.
    pub fn is_long(&self) -> bool {
        self.next >= Duration::from_millis(300)
    }

    /// Sleeps for the next [`pause`](Self::pause), but no longer than two seconds.
    pub fn sleep(&mut self) {
        std::thread::sleep(self.pause().min(Self::SHORT));
    }

    /// Sleeps for the next [`pause`](Self::pause), or until `is_over` says that it is no longer wanted.
    pub fn sleep_unless(&mut self, is_over: impl Fn() -> bool) {
        let mut left = self.pause();
        while !left.is_zero() && !is_over() {
            let slice = left.min(Self::SLICE);
            std::thread::sleep(slice);
            left -= slice;
        }
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff {
            next: Self::FIRST,
            waited: Duration::ZERO,
        }
    }
}

/// A number from 0 to 1 that differs between processes and calls. Nothing that is computed depends on it.
fn chance() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    (RandomState::new().hash_one(0) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn claims_reach_no_file_elsewhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let claims = Claims::new(folder.path().join("claims"));
        claims.prepare().expect("a folder");
        // Old enough to be taken for what a dead process left.
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "precious").expect("a file");
        let long_ago = SystemTime::now() - Duration::from_secs(100_000);
        let file = OpenOptions::new().write(true).open(&precious);
        file.and_then(|file| file.set_modified(long_ago))
            .expect("a time");
        let link = folder.path().join("claims/a.json");
        std::os::unix::fs::symlink(&precious, link).expect("a link");
        assert!(claims.take("a").is_err());
        for name in ["../precious", "/etc/a", ".."] {
            let error = claims.take(name).map(drop).expect_err("no name of a file");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name}");
        }
        let text = std::fs::read_to_string(&precious).expect("a file");
        assert_eq!(text, "precious");
    }

    #[test]
    fn a_damaged_claim_is_free_once_it_is_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let claims = Claims::new(folder.path().join("claims"));
        claims.prepare().expect("a folder");
        for content in [
            &b"{\"host\":\"elsewh\xe5re\",\"pid\":1,\"beat\":3}"[..],
            b"\0\0",
        ] {
            for (age, is_free) in [(1, false), (1000, true)] {
                let path = claims.path("a");
                std::fs::write(&path, content).expect("a file");
                let written = SystemTime::now() - Duration::from_secs(age);
                let file = OpenOptions::new().write(true).open(&path);
                file.and_then(|file| file.set_modified(written))
                    .expect("a time");
                assert_eq!(claims.running().is_empty(), is_free);
                let taken = claims.take("a").expect("no error");
                assert_eq!(taken.is_some(), is_free);
            }
        }
    }

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
        assert!(!pause.is_long());
        let mut waited = Duration::ZERO;
        for _ in 0..100 {
            let now = pause.pause();
            let most = Backoff::SHORT.max(waited / 10).min(Backoff::LONGEST);
            assert!(now <= most.mul_f64(1.25), "{now:?} after {waited:?}");
            waited += now;
        }
        assert!(pause.is_long());
        assert!(pause.pause() >= Backoff::LONGEST.mul_f64(0.75));
        // Not wanted any more: no half a minute.
        let begin = std::time::Instant::now();
        pause.sleep_unless(|| true);
        assert!(begin.elapsed() < Backoff::SHORT);
    }

    /// Claims on a file system whose locks are all granted or all refused, whoever else has them.
    fn with_lock(folder: &tempfile::TempDir, lock: FileLock) -> Claims {
        Claims {
            lock: Some(lock),
            ..Claims::new(folder.path())
        }
    }

    fn write_owner(claims: &Claims, name: &str, text: &str, age: u64) {
        let path = claims.path(name);
        std::fs::write(&path, text).expect("a file");
        let file = OpenOptions::new().write(true).open(path).expect("a file");
        let written = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(written).expect("its time");
    }

    #[test]
    fn without_locks_the_heartbeat_decides_on_one_machine_too() {
        let folder = tempfile::tempdir().unwrap();
        let claims = with_lock(&folder, FileLock::Refused);
        let mine = claims.take("a").unwrap();
        assert!(mine.is_some());
        assert!(claims.take("a").unwrap().is_none(), "as another process");
        drop(mine);
        let (host, pid) = (system::host(), 4_000_000);
        let owner = serde_json::to_string(&Owner { host, pid, beat: 1 }).unwrap();
        for (age, is_free) in [(0, false), (170, false), (200, true)] {
            write_owner(&claims, "b", &owner, age);
            assert_eq!(claims.take("b").unwrap().is_some(), is_free, "{age} s");
        }
    }

    #[test]
    fn a_claim_from_the_future_is_free_in_minutes() {
        let folder = tempfile::tempdir().unwrap();
        let claims = with_lock(&folder, FileLock::Ours);
        let (host, pid) = ("elsewhere".to_owned(), 4_000_000);
        let owner = serde_json::to_string(&Owner { host, pid, beat: 1 }).unwrap();
        for text in [&owner, ""] {
            write_owner(&claims, "a", text, 0);
            let file = File::options().write(true).open(claims.path("a")).unwrap();
            let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
            file.set_modified(tomorrow).unwrap();
            assert!(claims.take("a").unwrap().is_none());
            // The next one that looks compares with the time of the look before.
            assert!(written_since(&file, SystemTime::now()).unwrap() < STALE);
            let later = SystemTime::now() - 2 * STALE;
            file.set_modified(later).unwrap();
            assert!(claims.take("a").unwrap().is_some());
        }
    }

    #[test]
    fn a_file_that_its_maker_has_not_written_yet_is_his() {
        let folder = tempfile::tempdir().unwrap();
        // Locks of one machine only: this one's is granted although the maker on another has his.
        for lock in [FileLock::Ours, FileLock::Refused] {
            let claims = with_lock(&folder, lock);
            for (age, is_free) in [(0, false), (9, false), (20, true)] {
                write_owner(&claims, "a", "", age);
                assert_eq!(claims.take("a").unwrap().is_some(), is_free, "{age} s");
            }
        }
    }

    #[test]
    fn who_settles_gets_what_a_maker_left_unwritten_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::new(folder.path());
        write_owner(&claims, "a", "", 9);
        assert!(claims.take("a").unwrap().is_none());
        assert!(claims.take_settled("a").unwrap().is_some(), "he is dead");

        let (host, pid) = ("elsewhere".to_owned(), 4_000_000);
        let owner = serde_json::to_string(&Owner { host, pid, beat: 1 }).unwrap();
        write_owner(&claims, "b", "", 0);
        let written = std::thread::scope(|scope| {
            let settling = scope.spawn(|| claims.take_settled("b").unwrap());
            std::thread::sleep(Duration::from_millis(50));
            write_owner(&claims, "b", &owner, 0);
            settling.join().unwrap()
        });
        assert!(written.is_none(), "he lives");
    }

    #[test]
    fn who_looks_into_a_new_file_does_not_take_it_from_its_maker() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::new(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let takes = || {
                    let taken = (0..200).filter(|k| {
                        let claim = claims.take(&format!("t{k}")).unwrap();
                        // Kept beyond the end of all threads.
                        claim.map(std::mem::forget).is_some()
                    });
                    taken.count()
                };
                scope.spawn(takes);
            }
        });
        assert_eq!(claims.names().len(), 200);
        assert_eq!(claims.running().len(), 200);
        assert!((0..200).all(|k| claims.take(&format!("t{k}")).unwrap().is_none()));
    }

    #[test]
    fn a_heartbeat_never_leaves_the_file_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut file = File::create(&path).unwrap();
        let mut owner = Owner {
            host: "h".into(),
            pid: 1,
            beat: 8,
        };
        for _ in 0..5 {
            write(&mut file, &owner).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(serde_json::from_str::<Owner>(&text).unwrap(), owner);
            owner.beat += 1;
        }
    }
}

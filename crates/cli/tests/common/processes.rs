//! The program as processes beside the test: started together, killed, and looked for among all processes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A variable that all descendants of a process inherit.
const MARK: &str = "IDPAS_TEST_MARK";
/// Nothing that a test waits for takes longer, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A process of the program. It is killed when this is dropped.
pub(crate) struct Started {
    child: Child,
    log: PathBuf,
    /// Unlike that of any other process but its descendants.
    mark: String,
}

/// Starts the program; `folder/NAME.log` gets what it says on stderr, `folder/NAME.out` what it prints.
pub(crate) fn start(
    folder: &Path,
    name: &str,
    arguments: &[&dyn AsRef<std::ffi::OsStr>],
) -> Started {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
    command.args(arguments.iter().map(AsRef::as_ref));
    start_command(command, folder.join(format!("{name}.log")))
}

/// Starts a command that is, or becomes, the program; `log` gets what it says on stderr, and a file beside it that ends
/// with `.out` what it prints.
pub(crate) fn start_command(mut command: Command, log: PathBuf) -> Started {
    let create = |path: &Path| std::fs::File::create(path).expect("a file");
    let mark = log.display().to_string();
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    let child = command
        .env(MARK, &mark)
        .stdin(Stdio::null())
        .stdout(create(&log.with_extension("out")))
        .stderr(create(&log))
        .spawn()
        .expect("a program that runs");
    Started { child, log, mark }
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Started {
    /// What it has said on stderr so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// What it has printed so far.
    pub(crate) fn printed(&self) -> String {
        std::fs::read_to_string(self.log.with_extension("out")).unwrap_or_default()
    }

    /// The lines that it has said so far and that hold `part`.
    pub(crate) fn lines_with(&self, part: &str) -> Vec<String> {
        let said = self.said();
        let lines = said.lines().filter(|line| line.contains(part));
        lines.map(str::to_owned).collect()
    }

    /// Waits until it has said this; it must not end before.
    pub(crate) fn wait_for(&mut self, part: &str) {
        wait_until(part, || {
            // In this order: it may say it and end between the two.
            let ended = self.child.try_wait().expect("a state").is_some();
            let said = self.said();
            assert!(
                !ended || said.contains(part),
                "ended without `{part}`: {said}"
            );
            said.contains(part)
        });
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a state").is_some()
    }

    /// Waits for its end.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the end of a process", || {
            status = self.child.try_wait().expect("a state");
            status.is_some()
        });
        status.expect("an end")
    }

    /// Waits for its end, which must have this code.
    pub(crate) fn ends_with(&mut self, code: i32) {
        let status = self.end();
        assert_eq!(status.code(), Some(code), "{}", self.said());
    }

    /// Kills it, and it alone, as a lack of memory would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("a process to kill");
        self.child.wait().expect("an end");
    }

    /// Its end, if that comes within this time.
    pub(crate) fn end_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            let status = self.child.try_wait().expect("a state");
            let left = time.saturating_sub(begin.elapsed());
            if status.is_some() || left.is_zero() {
                return status;
            }
            std::thread::sleep(left.min(Duration::from_millis(5)));
        }
    }

    /// The command lines of all processes that it started, directly or not, and that live.
    pub(crate) fn descendants(&self) -> Vec<String> {
        let all = self.descendant_processes();
        all.into_iter().map(|(_, words)| words).collect()
    }

    /// The numbers and command lines of all processes that it started, directly or not, and that live.
    pub(crate) fn descendant_processes(&self) -> Vec<(i32, String)> {
        let mark = format!("{MARK}={}", self.mark);
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
            let own = entry.file_name().to_string_lossy() == self.child.id().to_string();
            // A zombie has no environment; other users' processes do not show theirs.
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|&byte| byte == 0);
            if !own && variables.any(|one| one == mark.as_bytes()) {
                let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let words = String::from_utf8_lossy(&words).replace('\0', " ");
                let id = entry.file_name().to_string_lossy().parse();
                found.extend(id.ok().map(|id| (id, words)));
            }
        }
        found
    }

    /// Kills it while a descendant whose command line holds `busy` is at work, and expects that nothing of it lives a
    /// moment later.
    pub(crate) fn dies_with_all(&mut self, busy: &str) {
        wait_until(busy, || {
            assert!(
                self.child.try_wait().expect("a state").is_none(),
                "{}",
                self.said()
            );
            self.descendants().iter().any(|words| words.contains(busy))
        });
        self.kill();
        self.left_nothing();
    }

    /// Expects that nothing of it, which has ended, lives a moment later.
    pub(crate) fn left_nothing(&self) {
        let begin = Instant::now();
        let mut left = self.descendants();
        while !left.is_empty() && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
            left = self.descendants();
        }
        assert!(left.is_empty(), "these live on: {left:?}");
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Commands of this program in processes of their own, watched from outside.
//!
//! They are started as `idpas child`, which ends when the process that started it does, however that happens: whoever
//! runs commands through here leaves nothing behind when killed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::SIGTERM;

use crate::failure::{Failure, INTERRUPTED};
use crate::signals::flag_on_signals;

/// How often a command is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How often the system is asked how long it waited for a processor.
const SAMPLE: Duration = Duration::from_millis(500);

/// Starts commands, and ends them when this program is told to end.
pub(crate) struct Commands {
    program: PathBuf,
    /// Raised by Ctrl-C, which the terminal also sends to the commands.
    interrupted: Arc<AtomicBool>,
    /// Raised by SIGTERM, which only this program gets.
    terminated: Arc<AtomicBool>,
}

/// How a command ended.
pub(crate) struct Ended {
    /// Its exit code; `None` if it was killed.
    pub(crate) code: Option<i32>,
    /// All that it wrote to stdout.
    pub(crate) stdout: String,
    /// All that it wrote to stderr; nothing if that was shown.
    pub(crate) stderr: String,
    /// What the system says about it, if it says anything.
    pub(crate) usage: Option<Usage>,
}

/// What the system says about the threads of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    /// Seconds on a processor.
    pub(crate) cpu: f64,
    /// Seconds of waiting for a processor.
    pub(crate) waited: f64,
}

/// A command to run.
pub(crate) struct Task<'a> {
    /// The words after `idpas`.
    pub(crate) arguments: &'a [OsString],
    /// Processors to keep it on; any if empty.
    pub(crate) cores: &'a [usize],
    /// Whether it may talk to the terminal: progress goes to stderr.
    pub(crate) shown: bool,
    /// Seconds after which it is taken to hang.
    pub(crate) limit: Option<f64>,
}

/// The program was told to end.
pub(crate) struct Interrupted;

impl Commands {
    pub(crate) fn new() -> Result<Self, Failure> {
        let terminated = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGTERM, terminated.clone())
            .map_err(|e| Failure::Internal(format!("cannot listen to signals: {e}")))?;
        Ok(Commands {
            program: std::env::current_exe()
                .map_err(|e| Failure::Internal(format!("cannot find this program: {e}")))?,
            interrupted: flag_on_signals()?,
            terminated,
        })
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Runs a command to its end. The inner error says that this program was told to end.
    pub(crate) fn run(&self, task: &Task<'_>) -> Result<Result<Ended, Interrupted>, Failure> {
        let internal = |e: std::io::Error| Failure::Internal(format!("cannot run a command: {e}"));
        let mut stdout = tempfile::tempfile().map_err(internal)?;
        let mut stderr = tempfile::tempfile().map_err(internal)?;
        let mut command = Command::new(&self.program);
        command.arg("child");
        if !task.cores.is_empty() {
            let cores: Vec<String> = task.cores.iter().map(usize::to_string).collect();
            command.args(["--cores", &cores.join(",")]);
        }
        command.arg("--").args(task.arguments);
        // Kept open: its end tells the command that we are gone.
        command.stdin(Stdio::piped());
        command.stdout(stdout.try_clone().map_err(internal)?);
        match task.shown {
            true => command.stderr(Stdio::inherit()),
            false => command.stderr(stderr.try_clone().map_err(internal)?),
        };
        let mut child = command.spawn().map_err(internal)?;
        let (code, usage) = self.wait(&mut child, task).map_err(internal)?;
        if self.is_interrupted() || code == Some(i32::from(INTERRUPTED)) {
            return Ok(Err(Interrupted));
        }
        Ok(Ok(Ended {
            code,
            stdout: read(&mut stdout).map_err(internal)?,
            stderr: read(&mut stderr).map_err(internal)?,
            usage,
        }))
    }

    /// Waits for the end; kills what hangs. On Ctrl-C a stage ends in its own way, keeping what it has; a run that does not
    /// come to its end counts for nothing, so it need not go on.
    fn wait(
        &self,
        child: &mut Child,
        task: &Task<'_>,
    ) -> std::io::Result<(Option<i32>, Option<Usage>)> {
        let begin = Instant::now();
        let mut threads = Threads::default();
        let mut sampled = None::<Instant>;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status.code(), threads.usage()));
            }
            let hangs = task
                .limit
                .is_some_and(|limit| begin.elapsed().as_secs_f64() > limit);
            let useless = !task.shown && self.is_interrupted();
            if hangs || useless || self.terminated.load(Ordering::Relaxed) {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                child.wait()?;
                return Ok((None, threads.usage()));
            }
            if sampled.is_none_or(|at| at.elapsed() > SAMPLE) {
                threads.look(child.id());
                sampled = Some(Instant::now());
            }
            std::thread::sleep(POLL);
        }
    }
}

/// What the system last said about each thread of a process. Threads that end take their numbers with them.
#[derive(Default)]
struct Threads(HashMap<OsString, Usage>);

impl Threads {
    fn look(&mut self, pid: u32) {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
            return;
        };
        for task in tasks.flatten() {
            let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else {
                continue;
            };
            let mut numbers = text.split_whitespace().map(str::parse::<f64>);
            if let (Some(Ok(cpu)), Some(Ok(waited))) = (numbers.next(), numbers.next()) {
                let (cpu, waited) = (1e-9 * cpu, 1e-9 * waited);
                self.0.insert(task.file_name(), Usage { cpu, waited });
            }
        }
    }

    fn usage(&self) -> Option<Usage> {
        let sum = |of: fn(&Usage) -> f64| self.0.values().map(of).sum::<f64>();
        (!self.0.is_empty()).then(|| Usage {
            cpu: sum(|usage| usage.cpu),
            waited: sum(|usage| usage.waited),
        })
    }
}

fn read(file: &mut File) -> std::io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

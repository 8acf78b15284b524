//! Runs pieces of work in processes of their own and watches them, so that a crash costs only that piece of work.
//!
//! [`Commands`] runs commands of the program `idpas`. They are started as `idpas child`, which ends when the process
//! that started it ends, however that happens: nothing keeps running when this program is killed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::exit::INTERRUPTED;
use crate::{launcher, system};

/// Time between two looks at whether a process has ended.
const POLL: Duration = Duration::from_millis(20);
/// Time between two readings of how long a process computed and waited for a processor.
const SAMPLE: Duration = Duration::from_millis(500);

/// A program and its first arguments. The caller provides it: libraries never look for the program themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCommand {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments that come before all others.
    pub args: Vec<OsString>,
}

impl WorkerCommand {
    /// A program without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        WorkerCommand {
            program: program.into(),
            args: Vec::new(),
        }
    }

    /// A [`Command`] that starts this program with these arguments.
    pub fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }
}

/// Why a watched process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself, with this status.
    Exited(ExitStatus),
    /// It was killed because its time was up.
    TooLong,
    /// It was killed because its result was no longer wanted.
    Cancelled,
}

/// Waits for a process to end. Kills it, with its process group if it leads one, when `limit` has passed or
/// `is_cancelled` returns `true`. `is_cancelled` is called every 20 milliseconds.
pub fn watch(
    child: &mut Child,
    limit: Option<Duration>,
    mut is_cancelled: impl FnMut(&Child) -> bool,
) -> io::Result<Ending> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ending::Exited(status));
        }
        let ending = if is_cancelled(child) {
            Ending::Cancelled
        } else if limit.is_some_and(|limit| begin.elapsed() > limit) {
            Ending::TooLong
        } else {
            std::thread::sleep(POLL);
            continue;
        };
        system::kill_group(child.id());
        // It may have ended by itself meanwhile.
        let _ = child.kill();
        child.wait()?;
        return Ok(ending);
    }
}

/// Starts commands of `idpas`, and ends them when this program is interrupted.
#[derive(Clone, Debug)]
pub struct Commands {
    /// The program `idpas`.
    pub program: WorkerCommand,
    /// Set by Ctrl-C, which the terminal also sends to the commands, and by SIGTERM.
    pub interrupted: Arc<AtomicBool>,
    /// Set by SIGTERM, which the system sends to this program only.
    pub terminated: Arc<AtomicBool>,
}

/// The result of a command that ran to its end or was killed after its time limit.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Everything it wrote to stdout.
    pub stdout: String,
    /// Everything it wrote to stderr; empty if [`Task::shown`].
    pub stderr: String,
    /// Its processor time; `None` where the system does not say (it is read from Linux's `/proc`).
    pub usage: Option<Usage>,
}

/// Processor time of a process, summed over its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Seconds spent on a processor.
    pub cpu: f64,
    /// Seconds in which a thread was ready to run and waited for a processor.
    pub waited: f64,
}

/// A command to run.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The arguments after `idpas`.
    pub arguments: &'a [OsString],
    /// Numbers of the processors it may run on; empty means any.
    pub cores: &'a [usize],
    /// Whether its stderr, where progress is shown, goes to the terminal instead of being collected.
    pub shown: bool,
    /// Seconds after which it counts as hanging and is killed; `None` means never.
    pub limit: Option<f64>,
}

/// A command that could not be started or watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot run a command: {0}")]
pub struct CommandError(#[from] io::Error);

/// This program, or the command it ran, was interrupted by Ctrl-C or SIGTERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl Commands {
    /// Whether this program was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Runs a command to its end. The inner error means that this program or the command was interrupted.
    pub fn run(&self, task: &Task<'_>) -> Result<Result<Ended, Interrupted>, CommandError> {
        let mut stdout = tempfile::tempfile()?;
        let mut stderr = tempfile::tempfile()?;
        let mut command = self.program.to_command();
        command.arg("child");
        // Each of several processes that share the work starts commands of its own.
        launcher::by_itself(&mut command);
        if !task.cores.is_empty() {
            let cores: Vec<String> = task.cores.iter().map(usize::to_string).collect();
            command.args(["--cores", &cores.join(",")]);
        }
        command.arg("--").args(task.arguments);
        // Kept open until we end: the command ends when its stdin does.
        command.stdin(Stdio::piped());
        command.stdout(stdout.try_clone()?);
        match task.shown {
            true => command.stderr(Stdio::inherit()),
            false => command.stderr(stderr.try_clone()?),
        };
        let mut child = command.spawn()?;
        let (code, usage) = self.wait(&mut child, task)?;
        if self.is_interrupted() || code == Some(i32::from(INTERRUPTED)) {
            return Ok(Err(Interrupted));
        }
        Ok(Ok(Ended {
            code,
            stdout: read(&mut stdout)?,
            stderr: read(&mut stderr)?,
            usage,
        }))
    }

    /// Waits for the command to end and returns its exit code, `None` if it was killed. It is killed when its time
    /// limit has passed, on SIGTERM, and on Ctrl-C unless it is `shown`: a command that is shown gets Ctrl-C from the
    /// terminal too and stops by itself, keeping what it has.
    fn wait(&self, child: &mut Child, task: &Task<'_>) -> io::Result<(Option<i32>, Option<Usage>)> {
        let mut threads = Threads::default();
        let mut sampled = None::<Instant>;
        let limit = task.limit.map(Duration::from_secs_f64);
        let ending = watch(child, limit, |child| {
            if sampled.is_none_or(|at| at.elapsed() > SAMPLE) {
                threads.look(child.id());
                sampled = Some(Instant::now());
            }
            let is_useless = !task.shown && self.is_interrupted();
            is_useless || self.terminated.load(Ordering::Relaxed)
        })?;
        let code = match ending {
            Ending::Exited(status) => status.code(),
            Ending::TooLong | Ending::Cancelled => None,
        };
        Ok((code, threads.usage()))
    }
}

/// The last reading of each thread of a process. Kept by thread, because a thread that has ended can no longer be
/// read.
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

fn read(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

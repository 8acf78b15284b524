//! Processes that do one piece of work each, watched from outside: whatever one does costs its own work only.
//!
//! [`Commands`] runs commands of the program `idpas`. They are started as `idpas child`, which ends when the process that
//! started it does, however that happens: whoever runs commands through here leaves nothing behind when killed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::system;

/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How often the system is asked how long a process waited for a processor.
const SAMPLE: Duration = Duration::from_millis(500);
/// The exit code of a command that was told to end.
const INTERRUPTED: i32 = 130;

/// A program and its first arguments, given by whoever knows where it is: libraries never look for it themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
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

    /// The process that is to be started.
    pub fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }
}

/// Why a watched process is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself.
    Exited(ExitStatus),
    /// It was killed after its time limit.
    TooLong,
    /// It was killed because nobody wants its result any more.
    Cancelled,
}

/// Waits for a process to end. It is killed, with its group if it leads one, when `limit` is over or when `is_cancelled`,
/// which is called at every look, says so.
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

/// Starts commands of `idpas`, and ends them when this program is told to end.
#[derive(Clone, Debug)]
pub struct Commands {
    /// How to start `idpas`.
    pub program: WorkerCommand,
    /// Raised by Ctrl-C, which the terminal also sends to the commands.
    pub interrupted: Arc<AtomicBool>,
    /// Raised by SIGTERM, which only this program gets.
    pub terminated: Arc<AtomicBool>,
}

/// How a command ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// All that it wrote to stdout.
    pub stdout: String,
    /// All that it wrote to stderr; nothing if that was shown.
    pub stderr: String,
    /// What the system says about it, if it says anything.
    pub usage: Option<Usage>,
}

/// What the system says about the threads of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Seconds on a processor.
    pub cpu: f64,
    /// Seconds of waiting for a processor.
    pub waited: f64,
}

/// A command to run.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The words after `idpas`.
    pub arguments: &'a [OsString],
    /// Processors to keep it on; any if empty.
    pub cores: &'a [usize],
    /// Whether it may talk to the terminal: progress goes to stderr.
    pub shown: bool,
    /// Seconds after which it is taken to hang.
    pub limit: Option<f64>,
}

/// A command that could not be started or watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot run a command: {0}")]
pub struct CommandError(#[from] io::Error);

/// The program was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl Commands {
    /// Whether this program was told to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Runs a command to its end. The inner error says that this program was told to end.
    pub fn run(&self, task: &Task<'_>) -> Result<Result<Ended, Interrupted>, CommandError> {
        let mut stdout = tempfile::tempfile()?;
        let mut stderr = tempfile::tempfile()?;
        let mut command = self.program.to_command();
        command.arg("child");
        if !task.cores.is_empty() {
            let cores: Vec<String> = task.cores.iter().map(usize::to_string).collect();
            command.args(["--cores", &cores.join(",")]);
        }
        command.arg("--").args(task.arguments);
        // Kept open: its end tells the command that we are gone.
        command.stdin(Stdio::piped());
        command.stdout(stdout.try_clone()?);
        match task.shown {
            true => command.stderr(Stdio::inherit()),
            false => command.stderr(stderr.try_clone()?),
        };
        let mut child = command.spawn()?;
        let (code, usage) = self.wait(&mut child, task)?;
        if self.is_interrupted() || code == Some(INTERRUPTED) {
            return Ok(Err(Interrupted));
        }
        Ok(Ok(Ended {
            code,
            stdout: read(&mut stdout)?,
            stderr: read(&mut stderr)?,
            usage,
        }))
    }

    /// Waits for the end; kills what hangs. On Ctrl-C a stage ends in its own way, keeping what it has; a run that does not
    /// come to its end counts for nothing, so it need not go on.
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

fn read(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

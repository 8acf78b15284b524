//! A worker process, watched from outside: whatever it does costs its instance only.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use idpas_base::process::{Ending, WorkerCommand, watch};
use idpas_base::system;

use super::{CollectStop, WorkerJob, WorkerOutcome};

/// How much of a worker's last words is kept.
const KEPT: usize = 4000;

/// How a worker ended.
pub(super) struct Ended {
    pub(super) outcome: WorkerOutcome,
    /// The last lines it wrote to stderr.
    pub(super) log: String,
    /// It was ended because everything is.
    pub(super) abandoned: bool,
}

/// Runs a job in a process of its own for at most `limit`.
pub(super) fn run(
    command: &WorkerCommand,
    job: &WorkerJob,
    limit: Duration,
    stop: &CollectStop,
) -> Ended {
    let mut child = match spawn(command) {
        Ok(child) => child,
        Err(e) => {
            let program = command.program.display();
            return failed(
                format!("cannot start the worker {program}: {e}"),
                String::new(),
            );
        }
    };
    let pid = child.id();
    let output = child.stdout.take().map(tail);
    let errors = child.stderr.take().map(tail);
    // Kept open: its end tells the worker that we are gone. A worker that does not read is no error yet.
    let mut input = child.stdin.take();
    if let (Some(input), Ok(text)) = (&mut input, serde_json::to_string(job)) {
        let _ = input.write_all(format!("{text}\n").as_bytes());
        let _ = input.flush();
    }
    let ending = watch(&mut child, Some(limit), |_| stop.is_abandoned());
    // Whatever it started ends with it, and so do the pipes.
    system::kill_group(pid);
    drop(input);
    let output = output.map(joined).unwrap_or_default();
    let log = errors.map(joined).unwrap_or_default();
    match ending {
        Ok(Ending::Cancelled) => Ended {
            abandoned: true,
            ..failed("abandoned".into(), log)
        },
        Ok(Ending::TooLong) => {
            let seconds = limit.as_secs_f64();
            failed(
                format!("no end after {seconds:.0} s; the worker was killed"),
                log,
            )
        }
        Ok(Ending::Exited(status)) => match outcome_in(&output) {
            Some(outcome) if status.success() => Ended {
                outcome,
                log,
                abandoned: false,
            },
            _ => failed(reason(&system::ending(status), job, &log), log),
        },
        Err(error) => failed(format!("the worker cannot be watched: {error}"), log),
    }
}

/// What a worker has printed last of how its turn ended. Its solver may have printed before that, without an end of the line:
/// HiGHS does where the clock is set backwards.
fn outcome_in(output: &str) -> Option<WorkerOutcome> {
    let outcome = |line: &str| {
        let begin = line.rfind(r#"{"outcome""#)?;
        serde_json::from_str(&line[begin..]).ok()
    };
    output.lines().rev().find_map(outcome)
}

/// Runs a job in this process. It ends at its own time limit, and soon after `stop` says that all shall end.
pub(super) fn run_here(job: &WorkerJob, stop: &CollectStop) -> Ended {
    let outcome = job.run(stop.interrupt());
    Ended {
        abandoned: stop.is_abandoned() && !matches!(outcome, WorkerOutcome::Done { .. }),
        outcome,
        log: String::new(),
    }
}

fn failed(reason: String, log: String) -> Ended {
    Ended {
        outcome: WorkerOutcome::Failed {
            reason,
            retry: true,
        },
        log,
        abandoned: false,
    }
}

/// How a process ended, with its last words, and a guess where memory was limited.
fn reason(ending: &str, job: &WorkerJob, log: &str) -> String {
    let last = log.lines().rev().find(|line| !line.trim().is_empty());
    let mut reason = format!("the worker {ending}");
    let memory = [
        "memory allocation",
        "bad_alloc",
        "out of memory",
        "Out of memory",
    ];
    if memory.iter().any(|words| log.contains(words)) {
        reason = match job.memory_limit {
            Some(limit) => {
                let gigabytes = limit as f64 / 1e9;
                format!("out of memory (the limit is {gigabytes} GB): {reason}")
            }
            None => format!("out of memory: {reason}"),
        };
    }
    match last {
        Some(last) => format!("{reason}: {}", last.trim()),
        None => reason,
    }
}

fn spawn(command: &WorkerCommand) -> std::io::Result<Child> {
    let mut process = command.to_command();
    process
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    system::own_group(&mut process);
    process.spawn()
}

/// Reads all, keeping the last part.
fn tail(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            kept.extend(&buffer[..n]);
            if kept.len() > 2 * KEPT {
                kept.drain(..kept.len() - KEPT);
            }
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

fn joined(thread: JoinHandle<String>) -> String {
    thread.join().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_found_behind_words_of_a_solver() {
        let outcome = WorkerOutcome::Done {
            solutions: 3,
            best: 1.5,
        };
        let line = serde_json::to_string(&outcome).expect("JSON");
        for before in ["", "clock not running\n", "clock not running\nclock ru"] {
            let found = outcome_in(&format!("{before}{line}\n"));
            assert_eq!(found.as_ref(), Some(&outcome), "{before}");
        }
        assert_eq!(outcome_in("clock not running\n"), None);
    }
}

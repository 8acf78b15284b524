//! Signals to a running solve: what it has is kept.
#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::{checked_objective, folder, split};

const PATIENCE: Duration = Duration::from_secs(60);

/// A solve that never ends, with the lines of its stderr; killed when dropped.
struct Running {
    child: Child,
    lines: Receiver<String>,
    model: PathBuf,
    solution: PathBuf,
}

impl Running {
    fn start(folder: &Path) -> Self {
        let model = split::endless(folder);
        let results = folder.join("results");
        std::fs::create_dir(&results).expect("a folder");
        let solution = results.join("best.sol");
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
            .arg("solve")
            .arg(&model)
            .arg("--solution")
            .arg(&solution)
            .args(["--format", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that runs");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Running {
            child,
            lines,
            model,
            solution,
        }
    }

    /// Waits for a line in the look of an incumbent's.
    fn wait_for_incumbent(&self) {
        let begin = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let line = self.lines.recv_timeout(left).expect("an incumbent");
            if line.contains("s  highs ") {
                return;
            }
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for the end; gives how it ended and its stdout.
    fn wait(&mut self) -> (ExitStatus, String) {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut text = String::new();
        let stdout = self.child.stdout.as_mut().expect("a pipe");
        stdout.read_to_string(&mut text).expect("text");
        (status, text)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stops_and_keeps_its_best(signal: &str) {
    let folder = folder();
    let mut running = Running::start(folder.path());
    running.wait_for_incumbent();
    running.signal(signal);
    let (status, text) = running.wait();
    assert_eq!(status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["status"], "interrupted");
    assert_eq!(report["solution"], running.solution.display().to_string());
    let objective = checked_objective(&running.model, &running.solution);
    assert_eq!(report["objective"], objective);
}

#[test]
fn ctrl_c() {
    stops_and_keeps_its_best("INT");
}

#[test]
fn sigterm() {
    stops_and_keeps_its_best("TERM");
}

#[test]
fn the_solution_is_on_disk_before_the_end() {
    let folder = folder();
    let mut running = Running::start(folder.path());
    let begin = Instant::now();
    while !running.solution.exists() {
        assert!(begin.elapsed() < PATIENCE, "no solution was saved");
        std::thread::sleep(Duration::from_millis(50));
    }
    running.signal("KILL");
    let (status, text) = running.wait();
    assert_eq!((status.code(), text.as_str()), (None, ""));
    checked_objective(&running.model, &running.solution);
}

#[test]
fn a_solution_that_cannot_be_written_is_still_reported() {
    let folder = folder();
    let mut running = Running::start(folder.path());
    running.wait_for_incumbent();
    let results = running.solution.parent().expect("a folder").to_owned();
    std::fs::remove_dir_all(&results).expect("a removed folder");
    running.signal("INT");
    let (status, text) = running.wait();
    assert_eq!(status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(report["objective"].is_number());
    assert!(report["solution"].is_null());
    let said: Vec<String> = running.lines.iter().collect();
    let errors = said.iter().filter(|line| line.starts_with("error: "));
    assert_eq!(errors.count(), 1, "{said:?}");
}

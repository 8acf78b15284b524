//! What the tests of the program share.

// Each test file is a crate of its own and uses some of these.
#![allow(dead_code)]

pub(crate) mod family;
pub(crate) mod hostile;
#[cfg(unix)]
pub(crate) mod processes;
pub(crate) mod split;

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// The program, in a folder of its own.
pub(crate) fn idpas() -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("idpas");
    command.env_remove("RUST_BACKTRACE");
    command.timeout(std::time::Duration::from_secs(120));
    command
}

/// A fixture model.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a file into a folder and returns its path.
pub(crate) fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a written file");
    path
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text on stdout")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text on stderr")
}

/// Stdout as JSON: all of it, and nothing else.
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error} in {}", stdout(output)))
}

/// Runs and expects this exit code.
pub(crate) fn run(command: &mut Command, code: i32) -> Output {
    let output = command.output().expect("a program that runs");
    let said = || format!("stdout: {}\nstderr: {}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(code), "{}", said());
    output
}

/// `check --format json` of a solution that must be feasible; gives its objective.
pub(crate) fn checked_objective(model: &Path, solution: &Path) -> f64 {
    let mut command = idpas();
    command.arg("check").arg(model).arg(solution);
    let report = json(&run(command.args(["--format", "json"]), 0));
    assert_eq!(report["feasible"], true);
    report["objective"].as_f64().expect("an objective")
}

/// Stdout with the value of its time line hidden.
pub(crate) fn without_time(output: &Output) -> String {
    let hide = |line: &str| match line.strip_prefix("time") {
        Some(_) => "time         [time]".to_owned(),
        None => line.to_owned(),
    };
    let lines: Vec<String> = stdout(output).lines().map(hide).collect();
    lines.join("\n")
}

//! Too little memory: whatever is worked on ends with words, and is gone on with when there is more.

use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::campaign::{random, so_many, tell};
use crate::common::processes::start_command;
use crate::common::{folder, idpas, run};
use crate::work::{Inputs, Scene, Task, Work};

/// A command that may have so many kilobytes of addresses, with all processes that it starts each.
fn within(kilobytes: u64, plain: &Command) -> Command {
    let script = format!("ulimit -v {kilobytes}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(plain.get_program());
    command.args(plain.get_args().map(OsString::from));
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The signal with which Rust and C++ answer to an allocation that fails.
const ABORT: i32 = 6;

/// Whether an end says that memory was short: by an exit code of the program and a message, or by an abort.
fn is_told(status: ExitStatus, said: &str) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let words = [
        "memory",
        "alloc",
        "thread",
        "resource",
        "mmap",
        "libstdc++",
        "worker",
        // What HiGHS says that could get no memory.
        "failed to solve",
    ];
    let is_word = words.iter().any(|word| said.to_lowercase().contains(word));
    let aborted = status.signal() == Some(ABORT) || status.code() == Some(128 + ABORT);
    aborted || matches!(status.code(), Some(1..=3)) && is_word
}

/// Runs the task with so much memory; tells whether that was too little.
fn is_short(work: &Work, scene: &Scene, kilobytes: u64) -> bool {
    let (status, said) = scene.run(within(kilobytes, &work.command(scene)));
    if status.success() {
        return false;
    }
    let context = format!("{:?} with {kilobytes} kB, {status}: {said}", work.task);
    assert!(is_told(status, &said), "{context}");
    true
}

#[test]
fn work_with_too_little_memory_is_gone_on_with() {
    let inputs = Inputs::shared();
    let mut random = random("too little memory");
    for task in Task::ALL {
        let work = Work::new(task, &inputs);
        let (mut short, mut enough) = (0, 0);
        for _ in 0..so_many(2, 10) {
            let scene = work.scene();
            let kilobytes = 30_000.0 * random.uniform(0.0, 3.0).exp();
            match is_short(&work, &scene, kilobytes as u64) {
                true => short += 1,
                false => enough += 1,
            }
            scene.ends_well(&work);
            // A study goes on without instances that could not be collected, and keeps what its runs came to.
            if task != Task::Evaluate {
                work.is_as_calm_but_pools(&scene);
            }
        }
        tell(&format!(
            "{task:?} with 30 to 600 MB of addresses: {short} times too little and told so, {enough} times enough; each \
             time it ended well with more"
        ));
    }
}

#[test]
fn a_solve_that_gets_no_memory_ends() {
    let folder = folder();
    let mut generate = idpas();
    generate.args(["generate", "slap", "--size", "large", "--count", "1", "-q"]);
    run(generate.arg("--out").arg(folder.path()), 0);
    let mut random = random("a solve without memory");
    let (mut short, mut enough) = (0, 0);
    for _ in 0..so_many(3, 30) {
        let mut plain = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
        plain
            .arg("solve")
            .arg(folder.path().join("inst_0001.mps.gz"));
        plain.args(["--time-limit", "5"]);
        let kilobytes = (30_000.0 * random.uniform(0.0, 2.5).exp()) as u64;
        let log = folder.path().join("solve.log");
        let mut running = start_command(within(kilobytes, &plain), log);
        let end = running.end_within(Duration::from_secs(60));
        let said = running.said();
        let status = end.unwrap_or_else(|| panic!("no end with {kilobytes} kB: {said}"));
        // It may find no solution within its time.
        match matches!(status.code(), Some(0 | 1)) && !said.contains("error") {
            true => enough += 1,
            false => {
                assert!(is_told(status, &said), "{kilobytes} kB, {status}: {said}");
                short += 1;
            }
        }
    }
    tell(&format!(
        "solve with 30 to 370 MB of addresses: {short} times too little and told so, {enough} times enough; no hang"
    ));
}

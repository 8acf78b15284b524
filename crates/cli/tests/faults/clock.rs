//! A wall clock that jumps by hours, forwards and backwards, while the program works.
//!
//! The library `libfaketime` stands between the program and the system's wall clock; the clock that only runs forwards, and
//! the times of files, are the system's own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::campaign::{random, tell};
use crate::common::{folder, json, split};
use crate::work::{Inputs, Task, Work};

/// Hours by which the clock is wrong, one after the other.
const HOURS: [i32; 8] = [6, -6, 0, 30, -30, 1, -1, 9000];

/// The library, where it is installed.
fn library() -> Option<PathBuf> {
    let architecture = std::env::consts::ARCH;
    let folders = [
        format!("/usr/lib/{architecture}-linux-gnu/faketime"),
        "/usr/lib/faketime".into(),
        "/usr/lib64/faketime".into(),
        "/usr/local/lib/faketime".into(),
    ];
    let paths = folders.map(|folder| Path::new(&folder).join("libfaketime.so.1"));
    paths.into_iter().find(|path| path.exists())
}

/// Lets a command see the wall clock that a file sets.
fn with_clock(command: &mut Command, library: &Path, setting: &Path) {
    command.env("LD_PRELOAD", library);
    command.env("FAKETIME_TIMESTAMP_FILE", setting);
    command.env("FAKETIME_NO_CACHE", "1");
    for name in ["FAKETIME_DONT_FAKE_MONOTONIC", "DONT_FAKE_MONOTONIC"] {
        command.env(name, "1");
    }
}

/// Sets the clock anew every so often as long as `work` lasts; tells how often.
fn while_it_jumps<T>(setting: &Path, every: Duration, work: impl FnOnce() -> T) -> (T, usize) {
    let (done, jumps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let set = |hours: i32| {
        // Put in place by renaming: the library must not read half of it.
        let next = setting.with_extension("next");
        std::fs::write(&next, format!("{hours:+}h\n")).expect("a file");
        std::fs::rename(&next, setting).expect("a clock that is set");
    };
    set(0);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let at = jumps.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(every);
                set(HOURS[at % HOURS.len()]);
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        done.store(true, Ordering::Relaxed);
        result
    });
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    (result, jumps.load(Ordering::Relaxed))
}

#[test]
fn work_under_a_clock_that_jumps_ends_as_if_it_did_not() {
    let Some(library) = library() else {
        return idpas_testing::skip("libfaketime is not installed");
    };
    let inputs = Inputs::shared();
    let mut random = random("a clock that jumps");
    for task in Task::ALL {
        let work = Work::new(task, &inputs);
        let scene = work.scene();
        let setting = scene.path().join("clock");
        let mut command = work.command(&scene);
        with_clock(&mut command, &library, &setting);
        let every = Duration::from_secs_f64(random.uniform(0.3, 1.0));
        let ((status, said), jumps) = while_it_jumps(&setting, every, || scene.run(command));
        assert_eq!(status.code(), Some(0), "{task:?}: {said}");
        work.is_as_calm_but_pools(&scene);
        tell(&format!(
            "{task:?} with {jumps} jumps of the clock: the result as undisturbed, but for pools"
        ));
    }
}

#[test]
fn a_time_limit_is_what_it_says_under_a_clock_that_jumps() {
    let Some(library) = library() else {
        return idpas_testing::skip("libfaketime is not installed");
    };
    let folder = folder();
    let model = split::endless(folder.path());
    let setting = folder.path().join("clock");
    for method in ["solver", "idpas"] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
        command.arg("solve").arg(&model).args(["--method", method]);
        command.args(["--time-limit", "4", "--format", "json", "-q"]);
        with_clock(&mut command, &library, &setting);
        let begin = Instant::now();
        let every = Duration::from_millis(900);
        let (output, jumps) = while_it_jumps(&setting, every, || command.output());
        let seconds = begin.elapsed().as_secs_f64();
        let output = output.expect("a program that runs");
        let report = json(&output);
        assert_eq!(report["status"], "time_limit", "{report}");
        let told = report["time"].as_f64().expect("seconds");
        assert!(
            told > 3.0 && (3.0..20.0).contains(&seconds),
            "{told} {seconds}"
        );
        tell(&format!(
            "solve by {method}, limit 4 s, {jumps} jumps of the clock: {told:.2} s"
        ));
    }
}

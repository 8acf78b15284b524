//! A training that is killed or interrupted, and resumed, ends with the same bytes as one that was left alone.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{folder, idpas, run, stderr};

fn pools(folder: &Path) {
    let mut generate = idpas();
    generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "4"]);
    generate.args(["--count", "8", "-q", "--out"]);
    run(generate.arg(folder.join("instances")), 0);
    let mut collect = idpas();
    collect.arg("collect").arg(folder.join("instances"));
    collect.arg("--out").arg(folder.join("pools"));
    collect.args(["--time-limit", "60", "--nodes", "1", "--rounds", "0"]);
    run(collect.args(["--split", "6/2/0", "-q"]), 0);
}

/// Long enough to be caught in the middle.
const LONG: [&str; 12] = [
    "--embedding",
    "16",
    "--heads",
    "4",
    "--epochs",
    "60",
    "--patience",
    "60",
    "--batch",
    "2",
    "--threads",
    "2",
];

fn start(folder: &Path, model: &Path, more: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("train")
        .arg(folder.join("pools"))
        .arg("--out")
        .arg(model)
        .args(LONG)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that runs")
}

/// Waits until the log of a training has this many lines; `false` if the training ends before.
fn wait_for(child: &mut Child, model: &Path, epochs: usize) -> bool {
    let patience = Instant::now() + Duration::from_secs(60);
    while Instant::now() < patience {
        let log = std::fs::read_to_string(model.with_extension("log.jsonl"));
        if log.is_ok_and(|text| text.lines().count() >= epochs) {
            return child.try_wait().expect("a state").is_none();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the training does not get to epoch {epochs}");
}

#[test]
fn killed_and_interrupted_trainings_end_the_same() {
    let folder = folder();
    pools(folder.path());
    let alone = folder.path().join("alone.safetensors");
    assert!(
        start(folder.path(), &alone, &[])
            .wait()
            .expect("an end")
            .success()
    );

    let killed = folder.path().join("killed.safetensors");
    let mut begin = "--restart";
    for epochs in [2, 20] {
        let mut child = start(folder.path(), &killed, &[begin]);
        assert!(
            wait_for(&mut child, &killed, epochs),
            "caught at epoch {epochs}"
        );
        child.kill().expect("a signal");
        child.wait().expect("an end");
        begin = "--resume";
    }
    assert!(!killed.exists(), "no model before the end");
    // Without a word about the interrupted training, nothing is thrown away.
    let mut again = idpas();
    again.arg("train").arg(folder.path().join("pools"));
    let output = run(again.arg("--out").arg(&killed).args(LONG), 2);
    assert!(
        stderr(&output).contains("interrupted after"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("--resume"));
    // Other settings cannot go on with it.
    let mut other = idpas();
    other
        .arg("train")
        .arg(folder.path().join("pools"))
        .arg("--out")
        .arg(&killed);
    let output = run(other.args(LONG).args(["--resume", "--seed", "5"]), 2);
    assert!(
        stderr(&output).contains("other settings"),
        "{}",
        stderr(&output)
    );

    let mut child = start(folder.path(), &killed, &["--resume"]);
    assert!(wait_for(&mut child, &killed, 25), "caught at epoch 25");
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(sent.expect("a signal").success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(killed.exists(), "the best so far is kept");

    assert!(
        start(folder.path(), &killed, &["--resume"])
            .wait()
            .expect("an end")
            .success()
    );
    let read = |path: &Path| std::fs::read(path).expect("a model");
    assert!(read(&alone) == read(&killed), "the same bytes");
    let lines = |path: &Path| {
        let log = std::fs::read_to_string(path.with_extension("log.jsonl")).expect("a log");
        let losses = log.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
            (
                line["epoch"].to_string(),
                line["validation_loss"].to_string(),
            )
        });
        losses.collect::<Vec<_>>()
    };
    assert_eq!(lines(&alone), lines(&killed));
}

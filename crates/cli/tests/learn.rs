//! `learn`: from a folder of instances to a guide that was judged, interrupted and resumed.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{folder, idpas, json, run, stderr, stdout};
use tempfile::TempDir;

fn instances(folder: &TempDir, count: &str) -> PathBuf {
    let out = folder.path().join("instances");
    let mut generate = idpas();
    generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "4", "-q"]);
    run(generate.args(["--count", count, "--out"]).arg(&out), 0);
    out
}

fn learn(input: &Path, guide: &Path) -> assert_cmd::Command {
    let mut command = idpas();
    command.arg("learn").arg(input).arg("--out").arg(guide);
    command.args(["--budget", "15s", "--time-limit", "1", "--format", "json"]);
    command
}

/// The guide's file and what is beside it.
fn files(guide: &Path) -> Vec<Vec<u8>> {
    let beside = ["safetensors", "tune.json", "judge.json"];
    let read = |ending| std::fs::read(guide.with_extension(ending)).expect(ending);
    beside.into_iter().map(read).collect()
}

#[test]
fn a_guide_is_made_judged_and_used() {
    let folder = folder();
    let input = instances(&folder, "12");
    let guide = folder.path().join("guide.safetensors");
    let output = run(&mut learn(&input, &guide), 0);
    let told = json(&output);
    assert_eq!(told["training_instances"], 10);
    assert_eq!(told["validation_instances"], 2);
    assert_eq!(told["verdict"]["instances"], 2);
    assert_eq!(told["expect"].as_array().map(Vec::len), Some(3));
    for step in ["collecting", "training", "tuning", "judging"] {
        let said = stderr(&output);
        assert!(said.contains(&format!(" of 4: {step}, ")), "{said}");
    }

    // Everything is done already.
    let before = files(&guide);
    let clock = Instant::now();
    let again = run(&mut learn(&input, &guide), 0);
    assert_eq!(json(&again)["verdict"], told["verdict"]);
    assert_eq!(files(&guide), before);
    assert!(clock.elapsed() < Duration::from_secs(10));
    assert!(!stderr(&again).contains("training"), "{}", stderr(&again));

    let mut solve = idpas();
    solve.arg("solve").arg(input.join("inst_0012.mps.gz"));
    solve
        .arg("--model")
        .arg(&guide)
        .args(["--time-limit", "2", "-q"]);
    assert!(stdout(&run(&mut solve, 0)).contains("method       idpas"));
}

fn start(input: &Path, guide: &Path) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("learn")
        .arg(input)
        .arg("--out")
        .arg(guide)
        .args(["--budget", "15s", "--time-limit", "1", "-q"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that runs")
}

#[test]
fn interrupted_or_killed_it_goes_on() {
    let folder = folder();
    let input = instances(&folder, "8");
    let guide = folder.path().join("guide.safetensors");
    let pools = folder.path().join("guide.pools");
    let begun = |count: usize| {
        let clock = Instant::now();
        let made = || {
            let files = std::fs::read_dir(&pools).into_iter().flatten().flatten();
            let pool = |path: &Path| path.extension().is_some_and(|e| e == "safetensors");
            files.filter(|file| pool(&file.path())).count()
        };
        while made() < count {
            assert!(clock.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    for (signal, pools) in [("INT", 1), ("KILL", 3)] {
        let mut child = start(&input, &guide);
        begun(pools);
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(sent.expect("a signal").success());
        let code = child.wait().expect("an end").code();
        assert_eq!(code, (signal == "INT").then_some(130));
        assert!(!guide.exists());
    }
    let told = json(&run(&mut learn(&input, &guide), 0));
    assert_eq!(told["training_instances"], 6);
    assert!(guide.exists());
}

#[test]
fn pools_that_were_copied_find_their_instances() {
    let folder = folder();
    let input = instances(&folder, "4");
    let pools = folder.path().join("work/pools");
    let mut collect = idpas();
    collect.arg("collect").arg(&input).arg("--out").arg(&pools);
    collect.args(["--time-limit", "20", "--nodes", "3", "--rounds", "2"]);
    run(collect.args(["--keep-gap", "0.3", "--jobs", "1", "-q"]), 0);
    let away = tempfile::tempdir().expect("a folder");
    let copy = away.path().join("pools");
    std::fs::create_dir(&copy).expect("a folder");
    for entry in std::fs::read_dir(&pools).expect("pools").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), copy.join(entry.file_name())).expect("a copy");
        }
    }
    let train = |more: &[&Path]| {
        let mut command = idpas();
        command.arg("train").arg(&copy).arg("--out");
        command.arg(away.path().join("m.safetensors"));
        command
            .args(["--predictor", "zero-frequency", "-q"])
            .args(more);
        command
    };
    let said = stderr(&run(&mut train(&[]), 2));
    assert!(said.contains("is not there: neither "), "{said}");
    assert!(
        said.contains("--instances") && !said.contains(".."),
        "{said}"
    );
    run(&mut train(&["--instances".as_ref(), &input]), 0);
    // Beside the copy they are found without a word, and whatever their names are.
    let beside = away.path().join("instances");
    std::fs::create_dir(&beside).expect("a folder");
    for k in 1..=4 {
        let from = input.join(format!("inst_{k:04}.mps.gz"));
        std::fs::copy(from, beside.join(format!("renamed_{k}.mps.gz"))).expect("a copy");
    }
    run(&mut train(&[]), 0);
}

#[test]
fn the_shipped_guide_leads_the_shipped_instance() {
    let example = |name: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        root.join("examples").join(name)
    };
    let mut solve = idpas();
    solve.arg("solve").arg(example("middle-mile.mps.gz"));
    solve
        .arg("--model")
        .arg(example("middle-mile.guide.safetensors"));
    let output = run(solve.args(["--time-limit", "5", "--format", "json"]), 0);
    // Every name is known, and the settings beside it were tuned for this very file.
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    let told = json(&output);
    assert_eq!(told["method"], "idpas");
    // The plain solver is above 150,000 after ten seconds.
    let objective = told["objective"].as_f64().expect("a solution");
    assert!(objective < 142_000.0, "{objective}");
}

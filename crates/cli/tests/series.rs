//! `series`: instances solved in their order, learned from one by one, killed and gone on with.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{folder, idpas, json, run, stderr, stdout};
use serde_json::Value;
use tempfile::TempDir;

fn instances(folder: &TempDir, count: &str) -> PathBuf {
    let out = folder.path().join("days");
    let mut generate = idpas();
    generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "4", "-q"]);
    run(generate.args(["--count", count, "--out"]).arg(&out), 0);
    out
}

fn series(list: &Path, state: &Path) -> assert_cmd::Command {
    let mut command = idpas();
    command.arg("series").arg(list).arg("--out").arg(state);
    command.args(["--time-limit", "3", "--format", "json"]);
    command
}

fn records(state: &Path) -> Vec<Value> {
    let read = |number: usize| {
        let path = state.join(format!("records/{number:06}.json"));
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    };
    (1..).map_while(read).collect()
}

#[test]
fn a_series_is_solved_learned_from_and_gone_on_with() {
    let folder = folder();
    let days = instances(&folder, "5");
    let state = folder.path().join("state");
    let first = run(series(&days, &state).args(["--count", "4"]), 0);
    let told = json(&first);
    assert_eq!((&told["solved"], &told["left"]), (&4.into(), &1.into()));
    assert_eq!(told["records"][0]["way"], "solver", "nothing is known yet");
    assert_ne!(told["records"][1]["way"], "solver", "something is");
    for (at, record) in records(&state).iter().enumerate() {
        let day = format!("inst_{:04}", at + 1);
        assert_eq!(record["name"], day.as_str());
        let solution = state.join(format!("solutions/{:06}-{day}.sol", at + 1));
        let mut check = idpas();
        check.arg("check").arg(days.join(format!("{day}.mps.gz")));
        let checked = json(&run(check.arg(solution).args(["--format", "json"]), 0));
        assert_eq!(checked["objective"], record["run"]["objective"]);
    }

    // The rest of the folder, and then nothing.
    assert_eq!(json(&run(&mut series(&days, &state), 0))["solved"], 1);
    let nothing = json(&run(&mut series(&days, &state), 0));
    assert_eq!(
        (&nothing["solved"], &nothing["before"]),
        (&0.into(), &5.into())
    );

    // Tomorrow's file; what was learned is a guide like any other.
    let next = folder.path().join("next");
    let mut generate = idpas();
    generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "4", "-q"]);
    run(
        generate
            .args(["--first", "6", "--count", "1", "--out"])
            .arg(&next),
        0,
    );
    let file = next.join("inst_0006.mps.gz");
    assert_eq!(
        json(&run(&mut series(&file, &state), 0))["records"][0]["number"],
        6
    );
    let mut solve = idpas();
    solve
        .arg("solve")
        .arg(&file)
        .args(["--time-limit", "2", "-q", "--model"]);
    let solved = run(solve.arg(state.join("guide.safetensors")), 0);
    assert!(stdout(&solved).contains("method       idpas"));
}

#[test]
fn only_instances_already_seen_are_used() {
    let folder = folder();
    let days = instances(&folder, "3");
    let state = folder.path().join("state");
    // The third is no model at all; nobody notices before its turn.
    std::fs::write(days.join("inst_0003.mps.gz"), "ROWS\n Q what\n").expect("a file");
    let output = run(&mut series(&days, &state), 2);
    let said = stderr(&output);
    assert!(said.contains("inst_0003.mps.gz:2"), "{said}");
    let broken: Vec<Value> = records(&state)
        .iter()
        .map(|r| r["run"]["objective"].clone())
        .collect();
    assert_eq!(broken.len(), 2);
    // Mended, it goes on, and the first two are what they are with another third one.
    std::fs::copy(days.join("inst_0001.mps.gz"), days.join("inst_0003.mps.gz")).expect("a copy");
    run(&mut series(&days, &state), 0);
    let other = folder.path().join("other");
    run(&mut series(&days, &other), 0);
    let objectives = |state: &Path| -> Vec<Value> {
        records(state)
            .iter()
            .map(|r| r["run"]["objective"].clone())
            .collect()
    };
    assert_eq!(objectives(&other)[..2], broken[..]);
    assert_eq!(objectives(&other), objectives(&state));
}

fn start(list: &Path, state: &Path) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("series")
        .arg(list)
        .arg("--out")
        .arg(state)
        .args(["--time-limit", "3", "-q"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that runs")
}

/// All files of a folder, with their folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all
}

#[test]
fn a_killed_series_goes_on_as_if_nothing_had_been() {
    let folder = folder();
    let days = instances(&folder, "6");
    let undisturbed = folder.path().join("undisturbed");
    run(&mut series(&days, &undisturbed), 0);
    let state = folder.path().join("state");
    for kill in 0..6u64 {
        let mut child = start(&days, &state);
        let wanted = records(&state).len() + 1;
        let clock = Instant::now();
        while records(&state).len() < wanted && clock.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // At another moment of the next instance each time.
        std::thread::sleep(Duration::from_millis(25 * kill));
        child.kill().expect("a process that is there");
        child.wait().expect("an end");
    }
    run(&mut series(&days, &state), 0);
    let kept = |state: &Path| -> Vec<[Value; 4]> {
        let keep = |r: &Value| {
            let run = &r["run"];
            [&r["name"], &r["number"], &run["objective"], &run["status"]].map(Value::clone)
        };
        records(state).iter().map(keep).collect()
    };
    assert_eq!(kept(&state), kept(&undisturbed));
    let names = |state: &Path| {
        let relative = |path: PathBuf| path.strip_prefix(state).expect("inside").to_owned();
        let mut all: Vec<PathBuf> = files(state).into_iter().map(relative).collect();
        // Which of them are learned from depends on how long that takes.
        let passing = ["claims", "instances", "pools"];
        all.retain(|path| !passing.iter().any(|part| path.starts_with(part)));
        all.sort();
        all
    };
    let is_temporary = |path: &PathBuf| path.to_string_lossy().contains(".idpas-");
    assert!(!files(&state).iter().any(is_temporary));
    assert_eq!(
        names(&state),
        names(&undisturbed),
        "nothing half written is left"
    );
}

#[test]
fn an_interrupt_keeps_the_best_solution_and_the_instance_for_another_time() {
    let folder = folder();
    let hard = folder.path().join("hard");
    let mut generate = idpas();
    generate.args([
        "generate", "mmcnp", "--size", "small", "--count", "1", "-q", "--out",
    ]);
    run(generate.arg(&hard), 0);
    let state = folder.path().join("state");
    let child = Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("series")
        .arg(&hard)
        .arg("--out")
        .arg(&state)
        .args(["--time-limit", "60"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program that runs");
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill").success());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the best solution so far"), "{said}");
    assert!(state.join("solutions/000001-inst_0001.sol").exists());
    assert_eq!(records(&state).len(), 0);
}

#[test]
fn a_competitions_file_is_read_and_its_output_written() {
    let folder = folder();
    instances(&folder, "2");
    let list = folder.path().join("days.test");
    let head = "[TIMEOUT] 3\n[OBJ] *\n[LO] -\n[UP] -\n[LHS] -\n[RHS] -\n[MAT] *\n";
    // Paths are the competition's; the files lie in a folder beside the list.
    let paths = "datasets/vary/inst_0002.mps.gz\ndatasets/vary/inst_0001.mps.gz\n";
    std::fs::write(&list, format!("{head}{paths}")).expect("a list");
    let (state, out) = (folder.path().join("state"), folder.path().join("out"));
    let mut command = idpas();
    command.arg("series").arg(&list).arg("--out").arg(&state);
    command.args(["--compare", "--competition"]).arg(&out);
    let output = run(&mut command, 0);
    assert!(stderr(&output).contains("varies: objective of all columns"));
    let log = std::fs::read_to_string(out.join("log.txt")).expect("a log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 8, "{log}");
    assert_eq!(
        lines[0], "[INSTANCE] inst_0002.mps.gz",
        "in the list's order"
    );
    for (line, key) in lines.iter().zip(
        ["[INSTANCE] ", "[START] ", "[END] ", "[DUALBOUND] "]
            .iter()
            .cycle(),
    ) {
        assert!(line.starts_with(key), "{log}");
    }
    let solution =
        std::fs::read_to_string(out.join("solutions/inst_0001.sol")).expect("a solution");
    assert!(
        solution
            .lines()
            .all(|line| line.starts_with('#') || line.split_whitespace().count() == 2)
    );

    // The page compares with the default solver, which was run in turn.
    let page = folder.path().join("series.html");
    let mut report = idpas();
    report.arg("report").arg(&state).arg("--out").arg(&page);
    let text = stdout(&run(&mut report, 0));
    assert!(text.contains("inst") || text.contains("score"), "{text}");
    let html = std::fs::read_to_string(page).expect("a page");
    assert!(
        html.contains("inst_0001") && html.contains("<svg"),
        "no table or figure"
    );
    let mut numbers = idpas();
    numbers.arg("report").arg(&state).args(["--format", "json"]);
    assert_eq!(
        json(&run(&mut numbers, 0))["all"]["compared"]["ours"]["instances"],
        2
    );
}

#[test]
fn another_structure_is_noticed_and_said() {
    let folder = folder();
    let days = instances(&folder, "1");
    let state = folder.path().join("state");
    run(&mut series(&days, &state), 0);
    let others = folder.path().join("others");
    let mut generate = idpas();
    generate.args([
        "generate", "course", "--size", "tiny", "--count", "1", "-q", "--out",
    ]);
    run(generate.arg(&others), 0);
    let output = run(&mut series(&others.join("inst_0001.mps.gz"), &state), 0);
    let said = stderr(&output);
    assert!(
        said.contains("the structure has changed: 100.0 % of the discrete columns"),
        "{said}"
    );
    // It was solved all the same, and the name was taken before.
    assert_eq!(records(&state)[1]["run"]["status"], "optimal");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let folder = folder();
    let days = instances(&folder, "1");
    let refused = |words: &[&str], state: &Path| {
        let mut command = idpas();
        command.arg("series").arg(&days).arg("--out").arg(state);
        stderr(&run(command.args(words), 2))
    };
    let state = folder.path().join("state");
    assert!(refused(&[], &state).contains("--time-limit S is needed"));
    assert!(refused(&["--time-limit", "0"], &state).contains("--time-limit"));
    let said = refused(&["--time-limit", "1", "--way", "luck"], &state);
    assert!(said.contains("--way: `luck` is no way to solve"), "{said}");
    let said = refused(&["--time-limit", "1"], &days);
    assert!(
        said.contains("this folder is not empty and holds no series"),
        "{said}"
    );
    std::fs::create_dir_all(&state).expect("a folder");
    let mut other = start(&days, &state);
    let clock = Instant::now();
    while !state.join("series.json").exists() && clock.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    if other.try_wait().expect("a process").is_none() {
        let said = refused(&["--time-limit", "1"], &state);
        assert!(
            said.contains("another process goes on with this series"),
            "{said}"
        );
    }
    other.wait().expect("an end");
    std::fs::write(state.join("series.json"), r#"{"version": 99}"#).expect("a file");
    let said = refused(&["--time-limit", "1"], &state);
    assert!(said.contains("series.json: it is of version 99"), "{said}");
}

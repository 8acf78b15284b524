//! `idpas tune`: races and grids on tiny instances.

mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use common::family::{Family, family};
#[cfg(unix)]
use common::processes::{Started, start};
use common::{folder, idpas, json, run, stderr, stdout};
use serde_json::Value;
use tempfile::TempDir;

/// A model of its own, since what is tuned is written beside it.
fn model(family: &Family, own: &TempDir) -> PathBuf {
    let path = own.path().join("m.safetensors");
    std::fs::copy(family.model("gnn"), &path).expect("a copy");
    path
}

fn tune(model: &Path, instances: &Path, limit: &str) -> Command {
    let mut command = idpas();
    command.arg("tune").arg("--model").arg(model);
    command.arg("--instances").arg(instances);
    command.args(["--time-limit", limit, "--jobs", "2"]);
    command
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let parsed = text.lines().map(serde_json::from_str);
    parsed.collect::<Result<_, _>>().expect("JSON lines")
}

#[test]
fn a_race_leaves_its_choice_where_solve_finds_it() {
    let family = family();
    let own = folder();
    let model = model(&family, &own);
    let (sidecar, record) = (
        own.path().join("m.tune.json"),
        own.path().join("m.tune.jsonl"),
    );
    let race = || {
        let mut command = tune(&model, &family.pools(), "0.2");
        command.args(["--budget", "4", "--format", "json"]);
        command
    };
    let output = run(&mut race(), 0);
    let said = json(&output);
    assert!(stderr(&output).contains("left at most"));
    let evidence = read(&sidecar);
    assert_eq!(evidence["settings"], said["settings"]);
    assert_eq!(evidence["method"], "idpas");
    let candidate = evidence["candidate"].as_u64().expect("a number") as usize;
    // The chosen settings, with what each source brought under them.
    let mut chosen = evidence["settings"].clone();
    let worth = chosen["staged"]["worth"].take();
    assert!(
        worth.as_object().is_some_and(|worth| !worth.is_empty()),
        "{worth}"
    );
    chosen["staged"]["worth"] = serde_json::json!({});
    assert_eq!(evidence["candidates"][candidate], chosen);
    let evaluations = evidence["evaluations"].as_array().expect("evaluations");
    let made = lines(&record);
    assert_eq!(made.len(), evaluations.len());
    assert!(made.iter().all(|one| one["trajectory"].is_array()));
    let spent = evidence["seconds"].as_f64().expect("seconds");
    assert!(spent < evidence["paper_grid_seconds"].as_f64().expect("seconds"));
    // The validation set, measured by the best values that are known.
    let names = evidence["instances"].as_array().expect("instances");
    assert_eq!(names.len(), 3);
    assert!(names.iter().all(|one| one["best_known"].is_number()));
    // The chosen one leads its last round by the final references; the usual settings, which are the first candidate, need not:
    // they stay unless another is clearly ahead.
    let last = evidence["rungs"]
        .as_array()
        .and_then(|r| r.last())
        .expect("a rung");
    let standings = last["standings"].as_array().expect("standings");
    let most = standings
        .iter()
        .filter_map(|s| s["instances"].as_u64())
        .max();
    let finalists: Vec<(u64, f64)> = standings
        .iter()
        .filter(|s| s["instances"].as_u64() == most)
        .filter_map(|s| Some((s["candidate"].as_u64()?, s["mean"].as_f64()?)))
        .collect();
    let mean_of = |wanted: u64| {
        finalists
            .iter()
            .find(|one| one.0 == wanted)
            .map(|one| one.1)
    };
    let cost = evidence["cost"].as_f64();
    assert_eq!(cost, mean_of(candidate as u64));
    if candidate != 0 {
        let least = finalists.iter().map(|one| one.1).reduce(f64::min);
        assert_eq!(cost, least);
    }

    let mut solve = idpas();
    solve
        .arg("solve")
        .arg(family.instance(1))
        .arg("--model")
        .arg(&model);
    let solved = json(&run(solve.args(["--format", "json"]), 0));
    assert_eq!(solved["settings_from"], "tuned");
    assert_eq!(solved["settings"], evidence["settings"]);

    // Run again, nothing is evaluated, and the same is chosen.
    run(&mut race(), 0);
    assert_eq!(lines(&record), made);
    assert_eq!(read(&sidecar), evidence);

    // With half of the record gone, the rest is made again.
    let text = std::fs::read_to_string(&record).expect("text");
    let cut = &text[..text.len() / 2];
    std::fs::write(&record, cut).expect("a written file");
    let kept = cut.lines().count() - 1;
    run(&mut race(), 0);
    let text = std::fs::read_to_string(&record).expect("text");
    let whole: Vec<&str> = text.lines().filter(|line| line.ends_with('}')).collect();
    let again = whole
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let again: Vec<Value> = again.collect();
    assert_eq!(again[..kept], made[..kept]);
    assert!(again.len() > kept);
}

#[test]
fn the_papers_grid_is_searched_whole() {
    let family = family();
    let own = folder();
    let out = own.path().join("chosen.json");
    let mut command = tune(&family.model("gnn"), &family.path("instances"), "0.02");
    command.args(["--grid", "paper", "--count", "1"]);
    let text = stdout(&run(command.arg("--out").arg(&out).arg("-q"), 0));
    assert!(text.contains("one region, as in the paper"), "{text}");
    let evidence = read(&out);
    // 108 points, three of which select nothing and are the same.
    assert_eq!(
        evidence["evaluations"].as_array().expect("a list").len(),
        106
    );
    assert_eq!(evidence["settings"]["completion"], false);
    assert!(own.path().join("chosen.jsonl").exists());
    assert!(!family.path("gnn.tune.json").exists());
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let family = family();
    let own = folder();
    let model = model(&family, &own);
    for (more, why) in [
        (["--method", "oracle"], "has no settings to choose"),
        (["--method", "solver"], "has no settings to choose"),
        (["--method", "prop"], "the kind `prop`"),
        (["--count", "0"], "more than 0"),
    ] {
        let said = stderr(&run(tune(&model, &family.pools(), "0.2").args(more), 2));
        assert!(said.contains(why), "{said}");
    }
    let mut command = tune(&model, &family.pools(), "0.2");
    command.args(["--grid", "paper", "--budget", "3"]);
    assert!(stderr(&run(&mut command, 2)).contains("--budget is for a race"));
    let mut command = tune(&model, &family.pools(), "0.2");
    command.args(["--grid", "paper", "--method", "idpas"]);
    assert!(stderr(&run(&mut command, 2)).contains("is not in the paper"));
    assert!(stderr(&run(&mut tune(&model, own.path(), "0.2"), 2)).contains("no instances"));
    assert!(!own.path().join("m.tune.json").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_evaluated() {
    let family = family();
    let own = folder();
    let model = model(&family, &own);
    let record = own.path().join("m.tune.jsonl");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .args(["tune", "-q", "--time-limit", "1", "--model"])
        .arg(&model)
        .arg("--instances")
        .arg(family.pools())
        .spawn()
        .expect("a program that runs");
    let begin = Instant::now();
    while lines(&record).len() < 2 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-s", "INT", &pid])
        .status();
    if !sent.is_ok_and(|status| status.success()) {
        let _ = child.kill();
    }
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(lines(&record).len() >= 2);
    assert!(!own.path().join("m.tune.json").exists());
}

/// Starts a tuning of the family that shares its output with others.
#[cfg(unix)]
fn start_race(family: &Family, own: &TempDir, name: &str) -> Started {
    let (model, pools) = (own.path().join("m.safetensors"), family.pools());
    start(
        own.path(),
        name,
        &[
            &"tune",
            &"--model",
            &model,
            &"--instances",
            &pools,
            &"--time-limit",
            &"0.5",
            &"--budget",
            &"12",
            &"--jobs",
            &"1",
            &"--format",
            &"json",
        ],
    )
}

#[cfg(unix)]
#[test]
fn two_at_a_time_share_the_work_and_choose_the_same() {
    let (family, own) = (family(), folder());
    model(&family, &own);
    let mut both = ["one", "other"].map(|name| start_race(&family, &own, name));
    both.iter_mut().for_each(|tuning| tuning.ends_with(0));
    let made = both
        .each_ref()
        .map(|one| one.lines_with("s, scores up to ").len());
    let record = lines(&own.path().join("m.tune.jsonl"));
    assert!(made[0] > 0 && made[1] > 0, "{made:?}");
    assert_eq!(made[0] + made[1], record.len());
    let said = both.each_ref().map(|one| one.printed());
    assert_eq!(said[0], said[1]);
    let evidence = read(&own.path().join("m.tune.json"));
    assert_eq!(
        evidence["evaluations"].as_array().map(Vec::len),
        Some(record.len())
    );
    assert!(!own.path().join("m.tune.claims").exists());
}

#[cfg(unix)]
#[test]
fn what_a_killed_one_leaves_is_done_by_the_other() {
    let (family, own) = (family(), folder());
    model(&family, &own);
    let mut one = start_race(&family, &own, "one");
    let mut other = start_race(&family, &own, "other");
    one.wait_for("[1/");
    one.kill();
    other.ends_with(0);
    let record = lines(&own.path().join("m.tune.jsonl"));
    let evidence = read(&own.path().join("m.tune.json"));
    let evaluations = evidence["evaluations"].as_array().map(Vec::len);
    assert_eq!(evaluations, Some(record.len()));
    assert!(!own.path().join("m.tune.claims").exists());
}

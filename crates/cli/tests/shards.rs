//! Shards of an evaluation that run side by side: all do part of every stage, and finish what one leaves that dies.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};

use common::processes::{Started, start};
use common::{file, folder};
use serde_json::Value;
use tempfile::TempDir;

/// All stages of a tiny family, each with enough to do for two processes.
const STUDY: &str = r#"name = "shared"
time_limit = 0.5
reference_time = 0.5
methods = ["solver", "zero-frequency", "oracle"]
[collect]
time_limit = 60
nodes = 3
rounds = 3
pool = 10
keep_gap = 0.3
[train]
epochs = 2
embedding = 8
heads = 2
[tune]
grid = "race"
time_limit = 0.4
count = 3
budget = 6
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 7
validation = 3
test = 6
"#;

/// Runs of the study: three methods and the reference on six instances.
const RUNS: usize = 24;

/// Starts a shard that shares `results` of the study with others.
fn shard(folder: &TempDir, study: &Path, shard: &str, more: &[&str]) -> Started {
    let out = folder.path().join("results");
    let mut words: Vec<&dyn AsRef<std::ffi::OsStr>> =
        vec![&"evaluate", &study, &"--out", &out, &"--shard", &shard];
    words.extend(more.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>));
    start(folder.path(), &shard.replace('/', "-of-"), &words)
}

/// What a shard says of pools, evaluations and runs that it made itself.
const POOL: &str = ", best ";
const EVALUATION: &str = "s, k0b ";
const RUN: &str = " s left at most";

fn count(shard: &Started, what: &str) -> usize {
    let lines = shard.lines_with(what);
    let made = lines.iter().filter(|line| line.starts_with('['));
    made.count()
}

fn records(folder: &TempDir) -> Vec<Value> {
    let runs = folder.path().join("results/tiny/runs");
    let folders = std::fs::read_dir(runs).expect("runs").flatten();
    let files = folders.flat_map(|entry| std::fs::read_dir(entry.path()).expect("a folder"));
    let paths = files.flatten().map(|entry| entry.path());
    let records = paths.filter(|path| path.extension().is_some_and(|e| e == "json"));
    records
        .map(|path| serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON"))
        .collect()
}

/// The files under the results that only processes at work need.
fn left_over(folder: &TempDir) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.path().join("results")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = path.path();
            let text = path.display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if text.contains("claims") || text.contains("/shards/") {
                found.push(path);
            }
        }
    }
    found
}

/// Every run is there, and none failed.
fn is_complete(folder: &TempDir) {
    let records = records(folder);
    assert_eq!(records.len(), RUNS);
    for record in &records {
        assert!(record["failure"].is_null(), "{record}");
    }
    assert_eq!(left_over(folder), Vec::<PathBuf>::new());
}

/// The runs under way: the cores that each is kept on, and its command line.
#[cfg(target_os = "linux")]
fn under_way(shards: &[Started]) -> Vec<(String, String)> {
    let lines = shards.iter().flat_map(Started::descendants);
    let run = |line: String| {
        let cores = line.split_once(" child --cores ")?.1;
        Some((cores.split(' ').next()?.to_owned(), line))
    };
    lines.filter_map(run).collect()
}

/// Watches until all shards have ended that no two runs have the same core; gives how many looks saw a run.
#[cfg(target_os = "linux")]
fn watch_cores(shards: &mut [Started]) -> usize {
    let mut seen = 0;
    common::processes::wait_until("the end of all shards", || {
        let before = under_way(shards);
        let after = under_way(shards);
        // Seen twice, one after the other: all of these were there at the end of the first look.
        let both: Vec<_> = before.iter().filter(|run| after.contains(run)).collect();
        for (k, (cores, line)) in both.iter().enumerate() {
            for (taken, other) in &both[..k] {
                assert!(cores != taken, "both on {cores}: {line} and {other}");
            }
        }
        seen += usize::from(!both.is_empty());
        shards.iter_mut().all(Started::has_ended)
    });
    seen
}

#[test]
fn two_shards_share_every_stage() {
    let folder = folder();
    let study = file(&folder, "study.toml", STUDY);
    let mut both = ["1/2", "2/2"].map(|part| shard(&folder, &study, part, &[]));
    #[cfg(target_os = "linux")]
    assert!(watch_cores(&mut both) > 0, "runs were seen");
    both.iter_mut().for_each(|shard| shard.ends_with(0));
    for (what, all) in [(POOL, Some(10)), (EVALUATION, None), (RUN, Some(RUNS))] {
        let made = both.each_ref().map(|shard| count(shard, what));
        let said = both.each_ref().map(Started::said);
        assert!(made[0] > 0 && made[1] > 0, "{what} {made:?} {said:?}");
        assert!(
            all.is_none_or(|all| made[0] + made[1] == all),
            "{what} {made:?} {said:?}"
        );
    }
    let trained = both
        .each_ref()
        .map(|shard| shard.lines_with("training the model").len());
    assert_eq!(trained.iter().sum::<usize>(), 1);
    assert!(both[0].printed().contains("zero-frequency"));
    assert!(
        !both[0].printed().contains("missing"),
        "{}",
        both[0].printed()
    );
    is_complete(&folder);
}

/// Kills the second of two shards when it has said something, and lets the first finish alone.
fn killed_when(said: &str) -> (TempDir, Started) {
    let folder = folder();
    let study = file(&folder, "study.toml", STUDY);
    let mut second = shard(&folder, &study, "2/2", &[]);
    let mut first = shard(&folder, &study, "1/2", &[]);
    second.wait_for(said);
    second.kill();
    first.ends_with(0);
    is_complete(&folder);
    assert!(!first.printed().contains("missing"), "{}", first.printed());
    (folder, first)
}

#[test]
fn what_a_shard_leaves_that_dies_while_collecting_is_done_by_the_other() {
    let (_folder, first) = killed_when(POOL);
    assert!(count(&first, POOL) >= 5);
    assert_eq!(count(&first, RUN), RUNS);
}

#[test]
fn what_a_shard_leaves_that_dies_while_running_is_done_by_the_other() {
    let (_folder, first) = killed_when(RUN);
    // Its own half, and more.
    assert!(count(&first, RUN) > RUNS / 2, "{}", first.said());
}

#[test]
fn what_a_shard_leaves_that_dies_alone_is_done_by_the_next() {
    let folder = folder();
    let text = STUDY.replace("\"solver\", \"zero-frequency\", \"oracle\"", "\"solver\"");
    let study = file(
        &folder,
        "study.toml",
        text.replace("reference_time = 0.5\n", ""),
    );
    let mut second = shard(&folder, &study, "2/2", &[]);
    second.wait_for(RUN);
    second.kill();
    shard(&folder, &study, "1/2", &[]).ends_with(0);
    assert_eq!(records(&folder).len(), 6);
    assert_eq!(left_over(&folder), Vec::<PathBuf>::new());
}

#[test]
fn of_many_shards_the_last_one_shows_the_results() {
    let folder = folder();
    let text = STUDY.replace("\"solver\", \"zero-frequency\", \"oracle\"", "\"solver\"");
    let text = text.replace("reference_time = 0.5\n", "");
    let study = file(&folder, "study.toml", text.replace("test = 6", "test = 2"));
    // The second has begun and is not done.
    let begun = folder.path().join("results/shards");
    std::fs::create_dir_all(&begun).expect("a folder");
    std::fs::write(begun.join("2-of-17"), "").expect("a file");
    let mut first = shard(&folder, &study, "1/17", &[]);
    first.ends_with(0);
    assert_eq!(records(&folder).len(), 2, "it helps the second");
    assert!(!first.printed().contains("solver"), "{}", first.printed());
    let mut second = shard(&folder, &study, "2/17", &[]);
    second.ends_with(0);
    assert!(second.printed().contains("solver"), "{}", second.printed());
    assert_eq!(left_over(&folder), Vec::<PathBuf>::new());
}

#[test]
fn models_are_trained_by_different_shards() {
    let folder = folder();
    let text = STUDY
        .replace(
            "\"solver\", \"zero-frequency\", \"oracle\"",
            "\"pas+\", \"id-pas+\"",
        )
        .replace(
            "epochs = 2",
            "epochs = 100000\npatience = 100000\ntime_limit = 4",
        );
    let study = file(&folder, "study.toml", text);
    let until = ["--until", "train"];
    let mut both = ["1/2", "2/2"].map(|part| shard(&folder, &study, part, &until));
    both.iter_mut().for_each(|shard| shard.ends_with(0));
    for shard in &both {
        let trained = shard.lines_with("training the model");
        assert_eq!(trained.len(), 1, "{}", shard.said());
    }
}

#[test]
fn a_shard_that_waits_for_a_training_takes_it_over() {
    let folder = folder();
    let text = STUDY
        .replace("\"solver\", \"zero-frequency\", \"oracle\"", "\"id-pas+\"")
        .replace(
            "epochs = 2",
            "epochs = 100000\npatience = 100000\ntime_limit = 6",
        );
    let study = file(&folder, "study.toml", text);
    let until = ["--until", "train"];
    let mut first = shard(&folder, &study, "1/2", &until);
    first.wait_for("training the model");
    let mut second = shard(&folder, &study, "2/2", &until);
    second.wait_for("waiting for models that other processes train");
    first.kill();
    second.ends_with(0);
    assert_eq!(second.lines_with("training the model").len(), 1);
    assert!(
        folder
            .path()
            .join("results/tiny/models/identity.safetensors")
            .exists()
    );
}

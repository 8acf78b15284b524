//! Many collections of one family at once, on one folder: they share the work and nothing is done twice. Eight processes by
//! default; `make load` has 64, by the variable `IDPAS_LOAD_COLLECTIONS`, and prints what they took.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::processes::{Started, start};
use common::{folder, idpas, json, run};

/// How many processes there are at once.
const COLLECTIONS: &str = "IDPAS_LOAD_COLLECTIONS";
/// Seconds of an instance on average, for each process: they share the processors, and all have to find a solution.
const SECONDS_PER_PROCESS: f64 = 0.25;
/// One turn for each instance, whose result does not depend on time.
const COUNTED: [&str; 6] = ["--time-limit", "100", "--nodes", "1", "--rounds", "2"];

/// What many processes took together.
#[derive(Debug, Default)]
struct Taken {
    seconds: f64,
    /// The most memory that all processes together had at one moment, in megabytes, by their proportional shares.
    most_memory: f64,
    /// The most processes at one moment, workers among them.
    most_processes: usize,
}

#[test]
fn many_collections_share_one_folder() {
    let count = match std::env::var(COLLECTIONS) {
        Ok(text) => text.parse().expect("a number in IDPAS_LOAD_COLLECTIONS"),
        Err(_) => 8,
    };
    let seconds = (count as f64 * SECONDS_PER_PROCESS).to_string();
    let timed = ["--time-limit", seconds.as_str()];
    for (name, how) in [("counted", &COUNTED[..]), ("timed", &timed)] {
        let folder = folder();
        let instances = instances(folder.path(), count + count / 2);
        let pools = folder.path().join("pools");
        let (mut all, taken) = collect(folder.path(), &instances, &pools, how, count);
        for one in &mut all {
            one.ends_with(0);
        }
        let turns = turns(&pools);
        let done: usize = turns.values().sum();
        assert_eq!(turns.len(), count + count / 2, "each has a pool");
        assert_eq!(told(&all), turns, "each turn in a pool was done once");
        if name == "counted" {
            assert!(turns.values().all(|&turns| turns == 1), "{turns:?}");
        }
        nothing_is_left(&pools);
        println!(
            "{name}: {count} collections, {} instances, {done} turns in {:.1} s; at most {:.0} MB in {} processes",
            turns.len(),
            taken.seconds,
            taken.most_memory,
            taken.most_processes
        );
    }
}

fn instances(folder: &Path, count: usize) -> PathBuf {
    let out = folder.join("instances");
    let mut generate = idpas();
    generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "3", "-q"]);
    generate.args(["--count", &count.to_string(), "--out"]);
    run(generate.arg(&out), 0);
    out
}

/// Runs so many collections until the last has ended. Every second one waits for the others at its end.
fn collect(
    folder: &Path,
    instances: &Path,
    pools: &Path,
    how: &[&str],
    count: usize,
) -> (Vec<Started>, Taken) {
    let began = Instant::now();
    let begin = |number: usize| {
        let mut words: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"collect", &instances, &"--out"];
        words.extend([&pools as &dyn AsRef<std::ffi::OsStr>, &"--jobs", &"1"]);
        words.extend(how.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>));
        if number.is_multiple_of(2) {
            words.push(&"--take-over");
        }
        start(folder, &format!("collect-{number}"), &words)
    };
    let mut all: Vec<Started> = (1..=count).map(begin).collect();
    let mut taken = Taken::default();
    while !all.iter_mut().all(Started::has_ended) {
        let alive = memory_of_those_that_name(pools);
        taken.most_memory = taken.most_memory.max(alive.iter().sum());
        taken.most_processes = taken.most_processes.max(alive.len());
        assert!(began.elapsed() < Duration::from_secs(1200), "no end");
        std::thread::sleep(Duration::from_millis(200));
    }
    taken.seconds = began.elapsed().as_secs_f64();
    (all, taken)
}

/// Megabytes of each process that was started for these pools, or by one that was: its own pages, and its share of others.
fn memory_of_those_that_name(pools: &Path) -> Vec<f64> {
    let folder = pools.parent().expect("a folder").as_os_str();
    let folder = folder.as_encoded_bytes();
    let names_it = |text: Vec<u8>| text.windows(folder.len()).any(|part| part == folder);
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let ours = processes.filter(|process| {
        let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
        names_it(read("environ"))
    });
    let megabytes = |text: String| -> Option<f64> {
        let line = text.lines().find(|line| line.starts_with("Pss:"))?;
        let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1024.0)
    };
    let rollups = ours.map(|process| std::fs::read_to_string(process.path().join("smaps_rollup")));
    rollups.flatten().filter_map(megabytes).collect()
}

/// How many turns each pool says it had.
fn turns(pools: &Path) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(pools).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "safetensors") {
            let mut show = idpas();
            show.args(["pool", "show", "--format", "json"]).arg(&path);
            let shown = json(&run(&mut show, 0));
            let name = path.file_stem().expect("a name").to_string_lossy();
            let turns = shown["turns"].as_array().expect("turns").len();
            all.insert(name.into_owned(), turns);
        }
    }
    all
}

/// How many turns of each instance the processes say they did, all together.
fn told(all: &[Started]) -> BTreeMap<String, usize> {
    let mut told = BTreeMap::new();
    for line in all.iter().flat_map(|one| one.lines_with(", best ")) {
        let text = line
            .split_once("] ")
            .map_or(line.as_str(), |(_, text)| text);
        let name = text.split([':', ' ']).next().expect("a name");
        *told.entry(name.to_owned()).or_insert(0) += 1;
    }
    told
}

/// Nothing but pools and the manifest: no claims, no temporary files, no failures.
fn nothing_is_left(pools: &Path) {
    let entries = std::fs::read_dir(pools).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: Vec<String> = names
        .filter(|name| !name.ends_with(".safetensors") && name != "manifest.json")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

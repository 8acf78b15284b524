//! A collection that is killed at random moments, or interrupted, and resumed.
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use common::{folder, json};
use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, Size, generate};

const INSTANCES: u64 = 4;

fn instances(folder: &Path) -> PathBuf {
    let out = folder.join("instances");
    let family = Mmcnp::new(Size::Tiny, 2).expect("a family");
    let options = GenerateOptions::new(&out, INSTANCES);
    generate(&family, &options, &|_| ControlFlow::Continue(())).expect("instances");
    out
}

fn start(input: &Path, out: &Path, more: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
        .arg("collect")
        .arg(input)
        .arg("--out")
        .arg(out)
        .args(["--nodes", "1", "--pool", "10", "--keep-gap", "0.3"])
        .args(["--format", "json"])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program that runs")
}

/// Limits by counts and one worker: what comes out does not depend on time.
const COUNTED: [&str; 6] = ["--time-limit", "100", "--rounds", "2", "--jobs", "1"];
/// Two workers at a time.
const TIMED: [&str; 4] = ["--time-limit", "2", "--jobs", "2"];

fn finish(child: Child) -> (Option<i32>, serde_json::Value) {
    let output = child.wait_with_output().expect("an end");
    (output.status.code(), json(&output))
}

/// What the pools hold, apart from times.
fn contents(pools: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(pools).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "safetensors") {
            let mut command = common::idpas();
            command
                .args(["pool", "show", "--format", "json"])
                .arg(&path);
            let shown = json(&common::run(&mut command, 0));
            let name = path.file_stem().expect("a name").to_string_lossy();
            all.insert(name.into_owned(), shown["content_sha256"].to_string());
        }
    }
    all
}

/// Repeats the moments of the kills of another time; it is printed with a failure.
const SEED: &str = "IDPAS_KILL_SEED";

/// The seed that the environment names, or one that differs each time.
fn seed() -> u64 {
    if let Ok(text) = std::env::var(SEED) {
        return text.parse().expect("a number in IDPAS_KILL_SEED");
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time").as_nanos() as u64
}

#[test]
fn killed_at_random_moments_it_ends_with_the_same_pools() {
    let folder = folder();
    let input = instances(folder.path());
    let calm = folder.path().join("calm");
    let clock = Instant::now();
    let (code, _) = finish(start(&input, &calm, &COUNTED));
    assert_eq!(code, Some(0));
    let whole = clock.elapsed();
    let expected = contents(&calm);
    assert_eq!(expected.len() as u64, INSTANCES);

    let seed = seed();
    println!("repeat with {SEED}={seed}");
    let mut random = idpas_base::random::Random::new(seed, "kill", 0);
    let stormy = folder.path().join("stormy");
    let mut kills = 0;
    for _ in 0..6 {
        let mut child = start(&input, &stormy, &COUNTED);
        std::thread::sleep(whole.mul_f64(random.uniform(0.02, 0.4)));
        if child.try_wait().expect("a state").is_some() {
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("an end");
        kills += 1;
    }
    assert!(kills > 0);
    let (code, said) = finish(start(&input, &stormy, &COUNTED));
    assert_eq!(code, Some(0));
    let total = said["made"].as_u64().unwrap_or(0) + said["already"].as_u64().unwrap_or(0);
    assert_eq!(total, INSTANCES, "{said}");
    assert_eq!(contents(&stormy), expected, "after {kills} kills");
}

#[test]
fn interrupts_leave_a_folder_that_can_be_resumed() {
    let folder = folder();
    let input = instances(folder.path());
    let pools = folder.path().join("pools");
    let signal = |child: &Child, name: &str| {
        let pid = child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.expect("a signal").success());
    };
    let begun = |count: usize| {
        let clock = Instant::now();
        let claims = || std::fs::read_dir(pools.join("claims")).map_or(0, |files| files.count());
        while claims() < count {
            assert!(clock.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    // Ctrl-C: those under way are finished.
    let child = start(&input, &pools, &TIMED);
    begun(1);
    signal(&child, "INT");
    let (code, said) = finish(child);
    assert_eq!(code, Some(130));
    assert_eq!(said["interrupted"], true);
    let made = said["made"].as_u64().expect("a count");
    assert!((1..=2).contains(&made), "{said}");
    // SIGTERM: at once.
    let child = start(&input, &pools, &TIMED);
    begun(1);
    let clock = Instant::now();
    signal(&child, "TERM");
    let (code, said) = finish(child);
    assert_eq!((code, &said["made"]), (Some(130), &0.into()));
    assert!(clock.elapsed() < Duration::from_secs(10));
    assert_eq!(said["already"].as_u64(), Some(made));
    assert_eq!(
        std::fs::read_dir(pools.join("claims"))
            .expect("claims")
            .count(),
        0
    );
    assert_eq!(contents(&pools).len() as u64, made);
}

#[test]
fn killed_at_random_moments_a_family_goes_on_and_loses_nothing() {
    let folder = folder();
    let input = instances(folder.path());
    let pools = folder.path().join("pools");
    let seed = seed();
    println!("repeat with {SEED}={seed}");
    let mut random = idpas_base::random::Random::new(seed, "kill a family", 0);
    let arguments = ["--time-limit", "1.5", "--jobs", "2"];
    let start = || {
        Command::new(assert_cmd::cargo::cargo_bin!("idpas"))
            .arg("collect")
            .arg(&input)
            .arg("--out")
            .arg(&pools)
            .args(arguments)
            .args(["--format", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that runs")
    };
    let best = || -> BTreeMap<String, f64> {
        let files = std::fs::read_dir(&pools).into_iter().flatten().flatten();
        let paths = files.map(|file| file.path());
        let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "safetensors"));
        let read = |path: PathBuf| {
            let pool = idpas_pools::pool::Pool::read(&path).expect("a whole pool");
            (path.display().to_string(), pool.best().expect("a solution"))
        };
        paths.map(read).collect()
    };
    let mut known = BTreeMap::new();
    for _ in 0..4 {
        let mut child = start();
        std::thread::sleep(Duration::from_secs_f64(random.uniform(0.2, 1.5)));
        let _ = child.kill();
        child.wait().expect("an end");
        let now = best();
        for (name, before) in &known {
            assert!(now[name] <= *before, "{name}");
        }
        known = now;
    }
    let (code, said) = finish(start());
    assert_eq!(code, Some(0), "{said}");
    let end = best();
    assert_eq!(end.len() as u64, INSTANCES);
    for (name, before) in &known {
        assert!(end[name] <= *before, "{name}");
    }
    // Turns that were killed left nothing behind, and everything is done.
    let (_, said) = finish(start());
    assert_eq!(said["already"].as_u64(), Some(INSTANCES), "{said}");
}

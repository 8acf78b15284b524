//! A command opens each of its files once, however often it needs what is in them.

#![cfg(target_os = "linux")]

mod common;

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assert_cmd::Command;
use common::family::{self, Family};
use common::{folder, idpas, run};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

/// Counts how often the files of some folders are opened.
struct Watch {
    inotify: OwnedFd,
}

impl Watch {
    /// `None`, and the test is skipped, where files cannot be watched.
    fn new(folders: &[&Path]) -> Option<Self> {
        let inotify = match inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC) {
            Ok(inotify) => inotify,
            Err(error) => {
                idpas_testing::skip(&format!("inotify does not work here: {error}"));
                return None;
            }
        };
        // Equal events in a row become one, so that what happens between two openings must be seen, too.
        let events = WatchFlags::OPEN | WatchFlags::ACCESS | WatchFlags::CLOSE;
        for folder in folders {
            inotify::add_watch(&inotify, *folder, events).expect("a folder");
        }
        Some(Watch { inotify })
    }

    /// How often each file was opened since the last call, by the file's name.
    fn opened(&self) -> BTreeMap<String, usize> {
        let mut buffer = [MaybeUninit::uninit(); 1 << 14];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        let mut opened = BTreeMap::new();
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::AGAIN) => return opened,
                Err(error) => panic!("{error}"),
            };
            assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW));
            let is_file = !event.events().contains(ReadFlags::ISDIR);
            if let Some(name) = event.file_name().filter(|_| is_file)
                && event.events().contains(ReadFlags::OPEN)
            {
                let name = name.to_string_lossy().into_owned();
                *opened.entry(name).or_default() += 1;
            }
        }
    }
}

/// Those of the files that have this ending and were opened more often than this.
fn more_often(opened: &BTreeMap<String, usize>, ending: &str, most: usize) -> Vec<String> {
    let of_kind = opened.iter().filter(|(name, _)| name.ends_with(ending));
    let beyond = of_kind.filter(|(_, times)| **times > most);
    beyond
        .map(|(name, n)| format!("{name} {n} times"))
        .collect()
}

fn count(opened: &BTreeMap<String, usize>, ending: &str) -> usize {
    opened.keys().filter(|name| name.ends_with(ending)).count()
}

/// Pools end like this.
const POOL: &str = ".safetensors";
/// Instances end like this.
const INSTANCE: &str = ".mps.gz";

/// The family for one test at a time: what another one opens must not be counted.
fn family() -> (MutexGuard<'static, ()>, Arc<Family>) {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    (alone, family::family())
}

fn watch(family: &Family) -> Option<Watch> {
    Watch::new(&[&family.path("instances"), &family.pools()])
}

#[test]
fn training_opens_each_file_once() {
    let (_alone, family) = family();
    let Some(watch) = watch(&family) else { return };
    let results = folder();
    for predictor in ["gnn", "prop", "zero-frequency", "nearest"] {
        let mut train = idpas();
        train.arg("train").arg(family.pools());
        train.args(["--predictor", predictor, "-q"]);
        if predictor == "gnn" {
            train.args(["--epochs", "1", "--embedding", "8", "--heads", "2"]);
        }
        train.arg("--out").arg(results.path().join(predictor));
        watch.opened();
        run(&mut train, 0);
        let opened = watch.opened();
        let none: [String; 0] = [];
        assert_eq!(more_often(&opened, INSTANCE, 1), none, "{predictor}");
        assert_eq!(more_often(&opened, POOL, 1), none, "{predictor}");
        // Those of the test set are hashed with the others.
        assert_eq!((count(&opened, INSTANCE), count(&opened, POOL)), (11, 12));
    }
}

#[test]
fn judging_several_models_opens_each_file_once() {
    let (_alone, family) = family();
    let Some(watch) = watch(&family) else { return };
    let mut assess = idpas();
    assess.arg("assess").arg(family.pools());
    for model in ["gnn", "prop", "nearest"] {
        assess.arg("--model").arg(family.model(model));
    }
    watch.opened();
    run(assess.args(["--part", "validation"]), 0);
    let opened = watch.opened();
    let none: [String; 0] = [];
    assert_eq!(more_often(&opened, "", 1), none);
    assert_eq!((count(&opened, INSTANCE), count(&opened, POOL)), (3, 3));
}

/// Runs `command` and says how often the files of the folders were opened.
fn opened_by(command: &mut Command, folders: &[&Path]) -> Option<BTreeMap<String, usize>> {
    let watch = Watch::new(folders)?;
    run(command, 0);
    Some(watch.opened())
}

#[test]
fn collecting_and_exporting_open_each_instance_once_in_a_process() {
    let (_alone, family) = family();
    let results = folder();
    let instances: PathBuf = results.path().join("instances");
    let pools = results.path().join("pools");
    std::fs::create_dir(&instances).expect("a folder");
    for number in 1..=2 {
        let from = family.instance(number);
        let name = from.file_name().expect("a name");
        std::fs::copy(&from, instances.join(name)).expect("a copy");
    }
    let mut collect = idpas();
    collect
        .arg("collect")
        .arg(&instances)
        .arg("--out")
        .arg(&pools);
    collect.args(["--time-limit", "100", "--nodes", "1", "--rounds", "1", "-q"]);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        collect.env_remove(name);
    }
    let Some(opened) = opened_by(&mut collect, &[&instances]) else {
        return;
    };
    // Once to know which files there are, and once in the worker that makes the pool.
    let twice = [
        ("inst_0001.mps.gz".to_owned(), 2),
        ("inst_0002.mps.gz".to_owned(), 2),
    ];
    assert_eq!(opened, BTreeMap::from(twice));

    let mut export = idpas();
    export.args(["pool", "export"]);
    export.arg(pools.join("inst_0001.safetensors"));
    export.arg("--out").arg(results.path().join("solutions"));
    let opened = opened_by(&mut export, &[&instances]).expect("a watch");
    assert_eq!(opened, BTreeMap::from([("inst_0001.mps.gz".to_owned(), 1)]));

    let mut import = idpas();
    import
        .args(["pool", "import"])
        .arg(instances.join("inst_0002.mps.gz"));
    let solution = results.path().join("solution.sol");
    let mut solve = idpas();
    solve.arg("solve").arg(instances.join("inst_0002.mps.gz"));
    run(
        solve
            .args(["-q", "--time-limit", "60", "--solution"])
            .arg(&solution),
        0,
    );
    import.arg(&solution).arg("--out").arg(&pools);
    let opened = opened_by(&mut import, &[&instances]).expect("a watch");
    assert_eq!(opened, BTreeMap::from([("inst_0002.mps.gz".to_owned(), 1)]));
}

#[test]
fn a_tuned_model_is_opened_once() {
    let (_alone, family) = family();
    let results = folder();
    let model = results.path().join("gnn.safetensors");
    std::fs::copy(family.model("gnn"), &model).expect("a copy");
    let mut solve = idpas();
    solve
        .arg("solve")
        .arg(family.instance(1))
        .arg("--model")
        .arg(&model);
    solve.args(["-q", "--time-limit", "60"]);
    // What was tuned names the model it was tuned for by its hash.
    let tuned = r#"{"settings": {"method": "idpas"}, "model_sha256": "of another model"}"#;
    std::fs::write(results.path().join("gnn.tune.json"), tuned).expect("written");
    let Some(opened) = opened_by(&mut solve, &[results.path()]) else {
        return;
    };
    let once = [
        ("gnn.safetensors".to_owned(), 1),
        ("gnn.tune.json".to_owned(), 1),
    ];
    assert_eq!(opened, BTreeMap::from(once));
}

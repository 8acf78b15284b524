//! Folders and files of strangers whose names and links lead elsewhere: no command writes or removes anything there.
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use common::hostile::model;
use common::{folder, idpas, run, stderr};
use idpas_base::hash::bytes_hash;
use tempfile::TempDir;

/// A folder of the user, `home`, with what must stay as it is, and beside it `theirs`, in which commands work.
struct Home {
    own: TempDir,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Home {
    fn new() -> Self {
        let own = folder();
        let home = own.path().join("home");
        std::fs::create_dir_all(home.join("learn")).expect("folders");
        std::fs::create_dir_all(own.path().join("theirs")).expect("a folder");
        for name in ["precious", "precious.json", "x.safetensors", "learn/x.mps"] {
            std::fs::write(home.join(name), "precious").expect("a file");
        }
        std::fs::write(home.join("mine.mps"), model("")).expect("a file");
        let before = contents(&home);
        Home { own, before }
    }

    fn home(&self) -> PathBuf {
        self.own.path().join("home")
    }

    fn theirs(&self) -> PathBuf {
        self.own.path().join("theirs")
    }

    /// Runs a command among the stranger's files and expects this exit code; gives what it said.
    fn run(&self, words: &[&str], code: i32) -> String {
        let said = stderr(&run(idpas().current_dir(self.theirs()).args(words), code));
        self.assert_untouched();
        said
    }

    /// What is the user's is as before, and nothing is beside the two folders.
    fn assert_untouched(&self) {
        assert_eq!(contents(&self.home()), self.before);
        let mut beside: Vec<_> = std::fs::read_dir(self.own.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        beside.sort();
        assert_eq!(beside, ["home", "theirs"]);
    }

    /// Pools of two instances that have long names.
    fn collect(&self) {
        let instances = self.theirs().join("in");
        std::fs::create_dir_all(&instances).expect("a folder");
        for name in [FIRST, SECOND] {
            let path = instances.join(format!("{name}.mps"));
            std::fs::write(path, model(name)).expect("a model");
        }
        self.run(&COLLECT, 0);
    }
}

const COLLECT: [&str; 6] = ["collect", "in", "--out", "pools", "--time-limit", "1"];
/// Names of instances, as long as those that lead elsewhere.
const FIRST: &str = "instance_number_1";
const SECOND: &str = "instance_number_2";
/// Leads to files of the user from `theirs/pools`, and as far from folders beside it.
const ELSEWHERE: &str = "../../home/././/x";

/// All files below a folder, with their content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => all.extend(contents(&path)),
            false => {
                let content = std::fs::read(&path).expect("a file");
                all.insert(path, content);
            }
        }
    }
    all
}

/// Replaces a text in a JSON file, and takes its checksum out, without which it is taken as it is.
fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{text}");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("  \"checksum\""));
    let kept: Vec<&str> = lines.collect();
    std::fs::write(path, kept.join("\n").replace(from, to)).expect("a file");
}

/// Replaces a text in a pool or model by another one of the same length, and makes the checksum right again.
fn forge(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path).expect("a file");
    let position = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).position(|w| w == text);
    let places = |bytes: &[u8]| {
        bytes
            .windows(from.len())
            .filter(|w| *w == from.as_bytes())
            .count()
    };
    assert!(places(&bytes) > 0, "{from} is in the file");
    for _ in 0..places(&bytes) {
        if let Some(at) = position(&bytes, from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
    }
    let key = b"\\\"sha256\\\":\\\"";
    let at = position(&bytes, key).expect("a checksum") + key.len();
    bytes[at..at + 64].fill(b'0');
    let sum = bytes_hash(&bytes);
    bytes[at..at + 64].copy_from_slice(sum.as_bytes());
    std::fs::write(path, bytes).expect("a file");
}

#[test]
fn a_manifest_that_leads_elsewhere_is_refused() {
    let home = Home::new();
    home.collect();
    let manifest = home.theirs().join("pools/manifest.json");
    let quoted = |name: &str| format!("\"{name}\":");
    edit(&manifest, &quoted(FIRST), &quoted(ELSEWHERE));
    // The pool that the manifest speaks of.
    let pool = home.theirs().join(format!("pools/{FIRST}.safetensors"));
    std::fs::copy(pool, home.theirs().join("x.safetensors")).expect("a copy");
    let train = ["train", "pools", "--out", "m.safetensors"];
    for words in [&COLLECT[..], &train, &["status", "pools"]] {
        let said = home.run(words, 2);
        assert!(
            said.contains("leads out of its folder"),
            "{words:?}: {said}"
        );
    }
}

#[test]
fn a_pool_whose_name_leads_elsewhere_is_refused() {
    let home = Home::new();
    home.collect();
    let pool = format!("pools/{FIRST}.safetensors");
    // As it is, forged without a change, it is fine.
    forge(&home.theirs().join(&pool), FIRST, FIRST);
    home.run(&["pool", "export", &pool, "--out", "out"], 0);
    forge(&home.theirs().join(&pool), FIRST, ELSEWHERE);
    for words in [
        &["pool", "show", &pool][..],
        &["pool", "export", &pool, "--out", "deep/out"],
        &[
            "pool",
            "export",
            &pool,
            "--out",
            "deep/out",
            "--instance",
            "in/instance_number_1.mps",
        ],
    ] {
        let said = home.run(words, 2);
        assert!(
            said.contains("leads out of its folder"),
            "{words:?}: {said}"
        );
    }
    // The others of the folder can still be worked with.
    home.run(
        &[
            "train",
            "pools",
            "--out",
            "m.safetensors",
            "--predictor",
            "nearest",
        ],
        2,
    );
}

#[test]
fn files_are_not_written_through_links() {
    let home = Home::new();
    home.collect();
    let pools = home.theirs().join("pools");
    std::fs::create_dir_all(pools.join("claims")).expect("a folder");
    let precious = home.home().join("precious");
    // So old that it would be taken for what a dead process left.
    let long_ago = SystemTime::now() - Duration::from_secs(100_000);
    let old = File::options().write(true).open(&precious);
    old.and_then(|file| file.set_modified(long_ago))
        .expect("a time");
    for name in ["collect", FIRST, SECOND, "third"] {
        symlink(&precious, pools.join(format!("claims/{name}.json"))).expect("a link");
    }
    symlink(&precious, pools.join("third.safetensors")).expect("a link");
    std::fs::write(home.theirs().join("in/third.mps"), model("")).expect("a model");
    let output = idpas().current_dir(home.theirs()).args(COLLECT).output();
    assert!(output.expect("a program").status.code().is_some());
    home.assert_untouched();

    // Files that are written whole take the place of a link.
    for name in [
        "m.safetensors",
        "m.train.jsonl",
        "m.jsonl",
        "out.sol",
        "page.html",
    ] {
        symlink(&precious, home.theirs().join(name)).expect("a link");
    }
    let solve = ["solve", "in/third.mps", "--solution", "out.sol"];
    home.run(&solve, 0);
    assert!(!home.theirs().join("out.sol").is_symlink());
}

#[test]
fn a_series_removes_nothing_behind_links() {
    let home = Home::new();
    let days = home.theirs().join("days");
    std::fs::create_dir_all(&days).expect("a folder");
    for day in ["1", "2"] {
        std::fs::write(days.join(format!("{day}.mps")), model("")).expect("a model");
    }
    let series = [
        "series",
        "days",
        "--out",
        "state",
        "--time-limit",
        "1",
        "--count",
        "1",
    ];
    home.run(&series, 0);
    // Instances without a record are removed when a series goes on; these are the user's.
    let instances = home.theirs().join("state/instances");
    std::fs::remove_dir_all(&instances).expect("a folder");
    symlink(home.home(), &instances).expect("a link");
    let said = home.run(&series, 2);
    assert!(said.contains("this is a link"), "{said}");
}

#[test]
fn a_study_removes_nothing_behind_links() {
    let home = Home::new();
    let study = |seed: usize| {
        let text = format!(
            "name = \"s\"\ntime_limit = 1\nmethods = [\"solver\"]\n[[benchmark]]\nname = \"b\"\n\
             family = \"mmcnp\"\nsize = \"tiny\"\nseed = {seed}\ntest = 1\n"
        );
        std::fs::write(home.theirs().join("study.toml"), text).expect("a study");
    };
    study(1);
    let evaluate = [
        "evaluate",
        "study.toml",
        "--out",
        "r",
        "--until",
        "instances",
    ];
    home.run(&evaluate, 0);
    let instances = home.theirs().join("r/b/instances");
    assert!(instances.join("test").is_dir());
    std::fs::remove_dir_all(&instances).expect("a folder");
    symlink(home.home(), &instances).expect("a link");
    // Another seed: what was generated before would be removed.
    study(2);
    let said = home.run(&evaluate, 2);
    assert!(said.contains("this is a link"), "{said}");
}

#[test]
fn names_of_benchmarks_and_methods_stay_in_the_folder() {
    let home = Home::new();
    let theirs = home.theirs();
    std::fs::create_dir_all(theirs.join("in")).expect("a folder");
    std::fs::write(theirs.join("in/a.mps"), model("")).expect("a model");
    let study = "name = \"../../home/s\"\ntime_limit = 1\n[[method]]\nlabel = \"../../../home/m\"\nmethod = \"solver\"\n\
                 [[benchmark]]\nname = \"../../home/learn\"\ninstances = \"in\"\ntest = 1\n";
    std::fs::write(theirs.join("study.toml"), study).expect("a study");
    home.run(&["evaluate", "study.toml", "--out", "r"], 0);
    home.run(&["report", "r", "--out", "page.html"], 0);
    // The list of test instances in a stranger's results.
    let outline = theirs.join("r/.._.._home_learn/benchmark.json");
    edit(&outline, "\"name\": \"a\"", "\"name\": \"../../../home/x\"");
    let said = home.run(&["report", "r", "--out", "page.html"], 2);
    assert!(said.contains("leads out of its folder"), "{said}");
    home.run(&["evaluate", "study.toml", "--out", "r"], 0);
}

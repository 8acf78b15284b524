//! The folder of a study: stamps, hashes, outlines, records, best values and solutions, qualities, the manifest.

use std::path::Path;
use std::process::Output;

use idpas_base::sealed;
use serde_json::Value;

use crate::common::{idpas, run};
use crate::subject::{Stage, Subject};
use crate::{expect_none, random, so_many};

/// All stages of a tiny family but tuning, whose choice depends on times.
const STUDY: &str = r#"name = "flips"
time_limit = 20
gap = 0
methods = ["solver", "zero-frequency", "oracle"]
[collect]
time_limit = 100
nodes = 1
rounds = 0
pool = 10
keep_gap = 0.3
[train]
epochs = 2
embedding = 8
heads = 2
[tune]
grid = "off"
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 2
validation = 1
test = 1
"#;

const EVALUATE: &str = "evaluate study.toml --out results -q";
const REPORT: &str = "report results --out r.html -q";

/// What each run found, apart from the last digits: different ways to the same solution round differently.
fn runs(live: &Path, _: &Output) -> String {
    let mut all = Vec::new();
    for method in ["solver", "zero-frequency", "oracle"] {
        let folder = live.join("results/tiny/runs").join(method);
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry
                .path()
                .extension()
                .is_none_or(|ending| ending != "json")
            {
                continue;
            }
            let text = std::fs::read(entry.path()).expect("a record");
            let record: Value = sealed::from_slice(&text).unwrap_or_default();
            let objective = record["objective"].as_f64().unwrap_or(f64::NAN);
            all.push(format!("{method} {} {objective:.6e}", record["status"]));
        }
    }
    all.join(", ")
}

fn page(live: &Path, _: &Output) -> String {
    std::fs::read_to_string(live.join("r.html")).expect("a page")
}

#[test]
fn results_are_noticed_or_made_again() {
    let stage = Stage::new(|live| {
        std::fs::write(live.join("study.toml"), STUDY).expect("a study");
        let mut evaluate = idpas();
        evaluate.timeout(std::time::Duration::from_secs(600));
        run(evaluate.current_dir(live).args(EVALUATE.split(' ')), 0);
    });
    let mut random = random("results");
    let mut faults = Vec::new();
    println!("the folder of a study: {:?}", stage.files(""));
    let kinds = [
        ("the manifest of a study", "results/manifest.json", 30),
        ("the outline of a benchmark", "benchmark.json", 30),
        ("a record of a run", "/runs/", 30),
        ("a best value", "best/", 30),
        ("the quality of a model", "/quality/", 30),
        ("a stamp of a stage", "/stages/", 30),
        ("a list of hashes", "/hashes/", 30),
        ("a pool of a study", "pools/inst", 30),
        ("the manifest of a study's pools", "pools/manifest.json", 30),
        ("a model of a study", "/models/", 30),
        ("an instance of a study", "instances/", 30),
    ];
    for (what, part, long) in kinds {
        for (words, result) in [
            (EVALUATE, runs as fn(&Path, &Output) -> String),
            (REPORT, page),
        ] {
            let subject = Subject {
                what,
                stage: &stage,
                files: stage.files(part),
                words,
                without: None,
                result,
                is_plain: false,
            };
            faults.extend(subject.survives(so_many(1, long), &mut random));
        }
    }
    // A run that goes by the best solution.
    let mut oracle = stage.files("runs/oracle/");
    let subject = Subject {
        what: "a best solution that is gone by",
        stage: &stage,
        files: stage.files(".sol"),
        words: EVALUATE,
        without: oracle.pop(),
        result: runs,
        is_plain: false,
    };
    faults.extend(subject.survives(so_many(4, 60), &mut random));
    expect_none(&faults);
    a_note_that_a_kill_left_behind_is_mended(&stage);
}

/// The file of a best solution is replaced before its note: a kill between the two leaves the note of the one before.
fn a_note_that_a_kill_left_behind_is_mended(stage: &Stage) {
    stage.restore();
    let live = stage.live();
    let mut note = stage.files("best/").into_iter();
    let note = note.find(|name| name.ends_with(".json"));
    let note = live.join(note.expect("a note"));
    let read = || -> Value {
        let text = std::fs::read(&note).expect("a note");
        serde_json::from_slice(&text).expect("a note")
    };
    let right = read();
    let mut old = right.clone();
    old["solution_sha256"] = "of another file".into();
    // The instances are minimised.
    old["objective"] = (right["objective"].as_f64().expect("a number") + 1000.0).into();
    old.as_object_mut().expect("fields").remove("checksum");
    std::fs::write(&note, old.to_string()).expect("a note");
    let mut oracle = stage.files("runs/oracle/");
    std::fs::remove_file(live.join(oracle.pop().expect("a record"))).expect("a record");
    let mut evaluate = idpas();
    evaluate.timeout(std::time::Duration::from_secs(600));
    run(evaluate.current_dir(&live).args(EVALUATE.split(' ')), 0);
    let mended = read();
    assert_eq!(mended["solution_sha256"], right["solution_sha256"]);
    assert_eq!(mended["objective"], right["objective"]);
}

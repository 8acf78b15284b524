//! Models, tuned settings, evaluations of a tuning, and what an unfinished training keeps.

use std::path::Path;
use std::process::Output;

use idpas_base::hash::bytes_hash;
use idpas_base::sealed;
use idpas_search::tuned::TunedSettings;
use serde_json::Value;

use crate::common::family::family;
use crate::common::processes::{start_command, wait_until};
use crate::common::{idpas, run};
use crate::subject::{Stage, Subject, copy, printed};
use crate::{expect_none, random, so_many};

const KINDS: [&str; 5] = ["gnn", "gnn-off", "prop", "zero-frequency", "nearest"];

#[test]
fn a_damaged_model_predicts_nothing() {
    let family = family();
    let stage = Stage::new(|live| {
        for kind in KINDS {
            std::fs::copy(family.model(kind), live.join("m.safetensors")).expect("a copy");
            let own = live.join(kind);
            std::fs::create_dir(&own).expect("a folder");
            std::fs::rename(live.join("m.safetensors"), own.join("m.safetensors")).expect("a name");
        }
        std::fs::copy(family.instance(1), live.join("inst.mps.gz")).expect("a copy");
    });
    let mut random = random("models");
    let mut faults = Vec::new();
    for (kind, words) in KINDS.into_iter().zip([
        "predict inst.mps.gz --model gnn/m.safetensors --format csv",
        "predict inst.mps.gz --model gnn-off/m.safetensors --format csv",
        "predict inst.mps.gz --model prop/m.safetensors --format csv",
        "predict inst.mps.gz --model zero-frequency/m.safetensors --format csv",
        "predict inst.mps.gz --model nearest/m.safetensors --format csv",
    ]) {
        let subject = Subject {
            what: "a model",
            stage: &stage,
            files: vec![format!("{kind}/m.safetensors")],
            words,
            without: None,
            result: printed,
            is_plain: false,
        };
        faults.extend(subject.survives(so_many(4, 200), &mut random));
    }
    expect_none(&faults);
}

const TUNE: &str = "tune --model m.safetensors --instances pools --time-limit 0.2 --budget 2 --jobs 1 --count 2 -q";

/// The settings that a solve would take, and what it found.
fn settings(live: &Path, output: &Output) -> String {
    let tuned = TunedSettings::read(&live.join("m.tune.json"));
    let read = serde_json::to_string(&tuned.ok());
    let read = read.expect("settings");
    let solved: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    format!("{read} {} {}", solved["status"], solved["method"])
}

/// The evaluations that are known.
fn evaluations(live: &Path, _: &Output) -> String {
    let text = std::fs::read(live.join("m.tune.jsonl")).expect("a record");
    let lines = text.split(|&byte| byte == b'\n');
    let read = |line: &[u8]| sealed::from_slice::<Value>(line).ok();
    let key = |value: Value| {
        format!(
            "{} {} {}",
            value["settings"], value["instance"], value["time_limit"]
        )
    };
    let mut keys: Vec<String> = lines.filter_map(read).map(key).collect();
    keys.sort();
    keys.dedup();
    keys.len().to_string()
}

#[test]
fn what_was_tuned_is_noticed_or_made_again() {
    let family = family();
    let stage = Stage::new(|live| {
        std::fs::copy(family.model("gnn"), live.join("m.safetensors")).expect("a copy");
        std::fs::copy(family.instance(1), live.join("inst.mps.gz")).expect("a copy");
        copy(&family.pools(), &live.join("pools"));
        copy(&family.path("instances"), &live.join("instances"));
        let mut tune = idpas();
        tune.timeout(std::time::Duration::from_secs(600));
        run(tune.current_dir(live).args(TUNE.split(' ')), 0);
    });
    let mut random = random("tuning");
    let mut faults = Vec::new();
    let subject = |what, file: &str, words, result| Subject {
        what,
        stage: &stage,
        files: vec![file.to_owned()],
        words,
        without: None,
        result,
        is_plain: false,
    };
    let solve = "solve inst.mps.gz --model m.safetensors --time-limit 5 --format json";
    faults.extend(
        subject("tuned settings", "m.tune.json", solve, settings)
            .survives(so_many(6, 200), &mut random),
    );
    faults.extend(
        subject("evaluations of a tuning", "m.tune.jsonl", TUNE, evaluations)
            .survives(so_many(2, 30), &mut random),
    );
    expect_none(&faults);
}

const TRAIN: &str = "train pools --out m.safetensors --resume --epochs 30 --patience 30 --batch 2 --embedding 8 --heads 2 --threads 1 -q";

fn model(live: &Path, _: &Output) -> String {
    bytes_hash(&std::fs::read(live.join("m.safetensors")).expect("a model"))
}

#[test]
fn an_unfinished_training_goes_on_or_says_why_not() {
    let family = family();
    let stage = Stage::new(|live| {
        copy(&family.pools(), &live.join("pools"));
        copy(&family.path("instances"), &live.join("instances"));
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
        command.current_dir(live).args(TRAIN.split(' '));
        let mut training = start_command(command, live.join("said.log"));
        wait_until("ten epochs", || {
            assert!(!training.has_ended(), "{}", training.said());
            let log = std::fs::read_to_string(live.join("m.log.jsonl")).unwrap_or_default();
            log.lines().count() >= 10
        });
        training.kill();
        training.left_nothing();
    });
    let mut random = random("training");
    let mut faults = Vec::new();
    let all = stage.files("m.");
    println!("an unfinished training keeps {all:?}");
    for (what, part) in [
        ("a checkpoint", "checkpoint"),
        ("a graph of a training", ".graph"),
        ("the log of a training", "log.jsonl"),
    ] {
        let subject = Subject {
            what,
            stage: &stage,
            files: stage.files(part),
            words: TRAIN,
            without: None,
            result: model,
            is_plain: false,
        };
        faults.extend(subject.survives(so_many(3, 60), &mut random));
    }
    expect_none(&faults);
}

//! Training, predicting and assessing through the program.

mod common;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use common::{file, folder, idpas, json, run, stderr, stdout};
use tempfile::TempDir;

/// Instances of a tiny family with pools, made once for all tests of this file.
fn family() -> &'static Path {
    static FAMILY: OnceLock<TempDir> = OnceLock::new();
    let made = FAMILY.get_or_init(|| {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let mut generate = idpas();
        generate.args(["generate", "mmcnp", "--size", "tiny", "--seed", "3"]);
        generate.args(["--count", "12", "-q", "--out"]);
        run(generate.arg(at("instances")), 0);
        let mut collect = idpas();
        collect.arg("collect").arg(at("instances"));
        collect.arg("--out").arg(at("pools"));
        let limits = ["--time-limit", "60", "--nodes", "1", "--rounds", "1", "-q"];
        collect.args(limits).args(["--split", "8/2/2"]);
        run(&mut collect, 0);
        folder
    });
    made.path()
}

fn train(out: &Path) -> Command {
    let mut command = idpas();
    command.arg("train").arg(family().join("pools"));
    command.arg("--out").arg(out);
    command
}

/// A network that takes no time.
const SMALL: [&str; 6] = ["--embedding", "8", "--heads", "2", "--epochs", "3"];

fn instance() -> PathBuf {
    family().join("instances/inst_0001.mps.gz")
}

fn predict(file: &Path, model: &Path) -> Command {
    let mut command = idpas();
    command.arg("predict").arg(file).arg("--model").arg(model);
    command
}

fn scores(output: &std::process::Output) -> Vec<(String, f64)> {
    let text = stdout(output);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("name,score"));
    let parse = |line: &str| {
        let (name, score) = line.rsplit_once(',').expect("two fields");
        (
            name.trim_matches('"').to_owned(),
            score.parse().expect("a score"),
        )
    };
    lines.map(parse).collect()
}

#[test]
fn a_model_is_trained_and_asked() {
    let out = folder();
    let model = out.path().join("model.safetensors");
    let result = json(&run(
        train(&model).args(SMALL).args(["--format", "json"]),
        0,
    ));
    assert_eq!(result["predictor"], "gnn");
    assert_eq!(result["training_instances"], 8);
    assert_eq!(result["epochs"], 3);
    for kind in ["binaries", "integers"] {
        let judged = &result["validation"][kind];
        assert!(judged["auc"]["mean"].as_f64().is_some(), "{judged}");
        assert!(judged["precision"][2]["mean"].as_f64().is_some());
        assert!(judged["calibration_error"].as_f64().is_some());
        assert!(result["validation_without_identity"][kind]["auc"].is_object());
    }
    let sets = result["sets"].as_array().expect("sets");
    let origins: Vec<_> = sets.iter().map(|set| &set["origin"]).collect();
    assert_eq!(origins, ["network", "zero-frequency", "nearest"]);
    let heaviest = sets.iter().filter_map(|set| set["weight"].as_f64());
    assert_eq!(heaviest.fold(0.0, f64::max), 1.0);
    for set in sets {
        let loss = &set["validation"]["all"]["log_loss"]["mean"];
        assert!(loss.is_number(), "{set}");
    }
    let log = std::fs::read_to_string(out.path().join("model.log.jsonl")).expect("a log");
    assert_eq!(log.lines().count(), 3);
    let plot = std::fs::read_to_string(out.path().join("model.loss.svg")).expect("a plot");
    assert!(plot.starts_with("<svg") && plot.contains("validation"));
    let left: Vec<_> = std::fs::read_dir(out.path()).expect("a folder").collect();
    assert_eq!(left.len(), 3, "nothing else stays: {left:?}");

    let scored = run(&mut predict(&instance(), &model), 0);
    let scores = scores(&scored);
    assert!(scores.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
    let told = json(&run(
        predict(&instance(), &model).args(["--format", "json"]),
        0,
    ));
    assert_eq!(told["with_identity"], true);
    assert_eq!(told["known_columns"], 1.0);
    assert_eq!(told["scores"].as_array().map(Vec::len), Some(scores.len()));
    assert_eq!(told["scores"][0]["name"], scores[0].0.as_str());
}

/// The order of rows, columns and entries in the file must not matter, not even through the vertex at which the
/// linear relaxation ends.
#[test]
fn the_order_of_the_file_does_not_matter() {
    let out = folder();
    let model = out.path().join("model.safetensors");
    run(train(&model).args(SMALL).arg("-q"), 0);
    let parsed = idpas_mip::read_model(instance()).expect("a model").model;
    let mut random = idpas_base::random::Random::new(1, "order", 0);
    let mut order = |count: usize| {
        let mut order: Vec<u32> = (0..count as u32).collect();
        random.shuffle(&mut order);
        order
    };
    let (columns, rows) = (order(parsed.num_columns()), order(parsed.num_rows()));
    let shuffled = idpas_graph::permuted(&parsed, &columns, &rows);
    let path = out.path().join("shuffled.mps");
    idpas_mip::write_model(&shuffled, &path).expect("a file");
    let mut first = scores(&run(&mut predict(&instance(), &model), 0));
    let mut second = scores(&run(&mut predict(&path, &model), 0));
    assert_ne!(first, second, "the order is another one");
    first.sort_by(|a, b| a.0.cmp(&b.0));
    second.sort_by(|a, b| a.0.cmp(&b.0));
    for (a, b) in first.iter().zip(&second) {
        assert_eq!(a.0, b.0);
        assert!((a.1 - b.1).abs() <= 1e-5, "{a:?} {b:?}");
    }
}

#[test]
fn equal_seeds_give_equal_files_on_any_number_of_threads() {
    let out = folder();
    let made = |name: &str, more: &[&str]| {
        let path = out.path().join(name);
        run(train(&path).args(SMALL).args(more).arg("-q"), 0);
        std::fs::read(path).expect("a model")
    };
    let first = made("a.safetensors", &["--threads", "1"]);
    assert!(first == made("b.safetensors", &["--threads", "2"]));
    assert!(first != made("c.safetensors", &["--seed", "1"]));
}

#[test]
fn every_predictor_trains_predicts_and_is_judged() {
    let out = folder();
    let mut judge = idpas();
    judge.arg("assess").arg(family().join("pools"));
    for kind in ["gnn", "prop", "zero-frequency", "nearest"] {
        let path = out.path().join(format!("{kind}.safetensors"));
        let told = stdout(&run(
            train(&path).args(SMALL).args(["-q", "--predictor", kind]),
            0,
        ));
        let sets = told.lines().filter(|line| line.starts_with("set "));
        let expected = match kind {
            "gnn" => 3,
            "zero-frequency" => 1,
            _ => 2,
        };
        assert_eq!(sets.count(), expected, "{told}");
        assert!(told.contains("zero-frequency: log loss "), "{told}");
        let told = json(&run(
            predict(&instance(), &path).args(["--format", "json"]),
            0,
        ));
        assert_eq!(told["predictor"], kind);
        judge.arg("--model").arg(path);
    }
    let table = stdout(&run(&mut judge, 0));
    assert_eq!(table.lines().count(), 2 + 4 * 3, "{table}");
    assert!(table.contains("| zero-frequency | integers | "), "{table}");
    let told = json(&run(
        judge.args(["--format", "json", "--part", "validation"]),
        0,
    ));
    assert_eq!(told[3]["predictor"], "nearest");
    assert_eq!(told[3]["summary"]["instances"], 2);
}

#[test]
fn a_light_model_needs_no_relaxation() {
    let out = folder();
    let model = out.path().join("light.safetensors");
    run(
        train(&model)
            .args(SMALL)
            .args(["-q", "--features", "light"]),
        0,
    );
    let told = json(&run(
        predict(&instance(), &model).args(["--format", "json"]),
        0,
    ));
    assert_eq!(told["seconds"]["relaxation"], 0.0);
    let paper = out.path().join("paper.safetensors");
    let plain = [
        "-q",
        "--features",
        "paper",
        "--identity",
        "off",
        "--weights",
        "energy",
    ];
    run(train(&paper).args(SMALL).args(plain), 0);
    let told = json(&run(
        predict(&instance(), &paper).args(["--format", "json"]),
        0,
    ));
    assert!(told["seconds"]["relaxation"].as_f64() > Some(0.0));
}

#[test]
fn an_instance_of_another_family_gets_a_warning_and_scores() {
    let out = folder();
    let model = out.path().join("model.safetensors");
    run(train(&model).args(SMALL).arg("-q"), 0);
    let other = common::data("knapsack.mps");
    let output = run(&mut predict(&other, &model), 0);
    assert!(stderr(&output).contains("knows 0 % of the discrete variables"));
    assert!(!scores(&output).is_empty());
    let frequency = out.path().join("zf.safetensors");
    run(
        train(&frequency).args(["-q", "--predictor", "zero-frequency"]),
        0,
    );
    let output = run(&mut predict(&other, &frequency), 0);
    assert!(
        stderr(&output).contains("nothing to say"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn foreign_and_damaged_files_are_refused() {
    let out = folder();
    let model = out.path().join("model.safetensors");
    run(train(&model).args(SMALL).arg("-q"), 0);
    let whole = std::fs::read(&model).expect("a model");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let pool = family().join("pools/inst_0001.safetensors");
    let cases = [
        file(&out, "empty", ""),
        file(&out, "text", "import os; os.system('true')"),
        file(&out, "cut", &whole[..whole.len() - 5]),
        file(&out, "flipped", flipped),
        pool,
        out.path().join("missing"),
    ];
    for case in cases {
        let output = run(&mut predict(&instance(), &case), 2);
        let said = stderr(&output);
        let name = case
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(said.contains("error: ") && said.contains(&name), "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let out = folder();
    let model = out.path().join("model.safetensors");
    for bad in [
        ["--rate", "0"],
        ["--batch", "0"],
        ["--identity-dropout", "1"],
        ["--embedding", "0"],
    ] {
        let said = stderr(&run(train(&model).args(bad), 2));
        assert!(said.contains("expected"), "{said}");
    }
    let mut nothing = idpas();
    nothing
        .arg("train")
        .arg(out.path())
        .arg("--out")
        .arg(&model);
    assert!(stderr(&run(&mut nothing, 2)).contains("no folder of pools"));
}

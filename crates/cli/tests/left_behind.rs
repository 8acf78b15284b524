//! Whatever is killed takes along all that it started: searches that go on would disturb the next measurement.
#![cfg(target_os = "linux")]

mod common;

use std::path::{Path, PathBuf};

use common::family::family;
use common::processes::{Started, start};
use common::split::model;
use common::{file, folder};
use tempfile::TempDir;

/// Different models of which no search ends by itself within minutes.
fn endless(folder: &Path) -> PathBuf {
    let instances = folder.join("instances");
    std::fs::create_dir(&instances).expect("a folder");
    for columns in [50, 55, 60] {
        let path = instances.join(format!("split{columns}.mps"));
        idpas_mip::write_model(&model(6, columns), &path).expect("a written model");
    }
    instances
}

/// Begins the evaluation of a study on endless models.
fn evaluate(folder: &TempDir, study: &str) -> Started {
    let instances = endless(folder.path());
    let study = file(folder, "study.toml", study);
    let out = folder.path().join("results");
    start(
        folder.path(),
        "evaluate",
        &[
            &"evaluate",
            &study,
            &"--out",
            &out,
            &"--instances",
            &instances,
        ],
    )
}

const STUDY: &str = r#"name = "endless"
time_limit = 200
methods = ["solver", "zero-frequency"]
[collect]
time_limit = 200
nodes = 1
rounds = 0
[tune]
grid = "off"
[[benchmark]]
name = "split"
train = 1
validation = 1
test = 1
"#;

#[test]
fn runs_end_with_their_evaluation() {
    let folder = folder();
    let study = STUDY.replace(", \"zero-frequency\"", "");
    let study = study.replace("train = 1\nvalidation = 1\n", "");
    evaluate(&folder, &study).dies_with_all(" child --cores");
}

#[test]
fn collecting_ends_with_its_evaluation() {
    let folder = folder();
    let study = STUDY.replace("nodes = 1\nrounds = 0\n", "");
    evaluate(&folder, &study).dies_with_all(" collect-worker");
}

#[test]
fn tuning_ends_with_its_evaluation() {
    let folder = folder();
    let study = STUDY.replace("grid = \"off\"", "grid = \"race\"");
    evaluate(&folder, &study).dies_with_all(" solve ");
}

#[test]
fn searches_end_with_their_tuning() {
    let (family, folder) = (family(), folder());
    let instances = endless(folder.path());
    let (model, out) = (family.model("gnn-off"), folder.path().join("tuned.json"));
    let mut tune = start(
        folder.path(),
        "tune",
        &[
            &"tune",
            &"--model",
            &model,
            &"--instances",
            &instances,
            &"--time-limit",
            &"200",
            &"--out",
            &out,
        ],
    );
    tune.dies_with_all(" solve ");
}

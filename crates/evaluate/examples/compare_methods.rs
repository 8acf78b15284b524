//! Two methods on three instances: records of runs in a folder, statistics over them, the report.
//!
//! `idpas evaluate` makes such a folder by running methods. A record is a JSON file, so runs of another program can be
//! brought in as well, which is what happens here.
//!
//! `cargo run --release -p idpas-evaluate --example compare_methods`
#![allow(clippy::print_stdout)]

use std::error::Error;

use idpas_evaluate::analysis::{Clock, analyse};
use idpas_evaluate::report::{html, text};
use idpas_evaluate::results::{Configuration, Outline, Record, Results, STUDY, write};
use serde_json::{Value, json};

/// What is compared: the file that `idpas evaluate` takes.
const TEXT: &str = r#"
name = "by hand"
time_limit = 10
methods = ["solver", "idpas"]

[[benchmark]]
name = "depots"
instances = "somewhere"
train = 20
validation = 5
test = 3
"#;

/// How a method was run.
fn configuration(method: &str) -> Value {
    json!({"method": method, "program": "ours 1.0", "solver": "highs", "time_limit": 10.0, "threads": 1, "gap": 0.0,
           "options": []})
}

/// One run: when it found which objective value, in seconds since its file was opened.
fn record(method: &str, instance: &str, trajectory: &[(f64, f64)]) -> serde_json::Result<Record> {
    let configured: Configuration = serde_json::from_value(configuration(method))?;
    serde_json::from_value(json!({
        "benchmark": "depots", "label": method, "instance": instance, "instance_sha256": instance, "seed": 0,
        "configuration": configured, "configuration_sha256": configured.hash(), "status": "time_limit",
        "objective": trajectory.last().map(|point| point.1), "time": 10.0, "overhead": 0.1, "trajectory": trajectory,
        "cores": [0], "exclusive": true, "cpu_seconds": 10.0, "waited_seconds": 0.0, "host": "here", "finished": 0,
        "warnings": [],
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let results = Results::new(folder.path());
    std::fs::write(folder.path().join(STUDY), TEXT)?;

    // What the benchmark consists of.
    let instance = |name: &str| {
        json!({"name": name, "file": name, "sha256": name, "sense": "minimize", "rows": 520, "binaries": 410,
               "integers": 0, "continuous": 0, "nonzeros": 1600})
    };
    let method =
        |name: &str| json!({"label": name, "method": name, "configuration": configuration(name)});
    let instances = ["monday", "tuesday", "friday"].map(instance);
    let methods = ["solver", "idpas"].map(method);
    let outline: Outline = serde_json::from_value(json!({
        "name": "depots", "source": "by hand", "train": 20, "validation": 5, "time_limit": 10.0,
        "instances": instances, "methods": methods,
    }))?;
    results.write_outline(&outline)?;

    // The runs.
    for run in [
        record("solver", "monday", &[(1.0, 120.0), (8.0, 104.0)])?,
        record("solver", "tuesday", &[(2.0, 130.0), (6.0, 110.0)])?,
        record("solver", "friday", &[(3.0, 101.0)])?,
        record("idpas", "monday", &[(0.2, 103.0), (1.0, 100.0)])?,
        record("idpas", "tuesday", &[(0.3, 101.0), (2.0, 100.0)])?,
        record("idpas", "friday", &[(0.3, 100.0)])?,
    ] {
        write(
            &results.run_path("depots", &run.label, &run.instance, run.seed),
            &run,
        )?;
    }

    // Gaps are to the best value of any run, and time counts from opening the file on.
    let analysis = analyse(&results, Clock::EndToEnd)?;
    print!("{}", text(&analysis));
    let page = folder.path().join("report.html");
    std::fs::write(&page, html(&analysis))?;
    println!("the page has {} bytes", std::fs::metadata(&page)?.len());
    Ok(())
}

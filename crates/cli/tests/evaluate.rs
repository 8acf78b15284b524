//! Evaluating studies through the program: whole, resumed, changed, shared between machines, and broken.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use assert_cmd::Command;
#[cfg(target_os = "linux")]
use common::processes::{start, wait_until};
use common::{file, folder, idpas, json, run, stderr, stdout};
use serde_json::Value;

/// The solver alone on three tiny instances.
const PLAIN: &str = r#"name = "plain"
time_limit = 0.5
methods = ["solver"]
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
test = 3
"#;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../studies")
        .join(name)
}

fn evaluate(study: &Path, out: &Path) -> Command {
    let mut command = idpas();
    command.timeout(Duration::from_secs(600));
    command.arg("evaluate").arg(study).arg("--out").arg(out);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    command
}

/// The records of runs under a folder of results, with when they were written.
fn runs(results: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    let mut folders = vec![results.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains("/runs/")
                // What a kill left half written is no record.
                && path.extension().is_some_and(|ending| ending == "json")
            {
                let written = path.metadata().and_then(|data| data.modified());
                found.insert(path, written.expect("a time"));
            }
        }
    }
    found
}

/// Names of the records that are new or were written again.
fn made(
    before: &BTreeMap<PathBuf, SystemTime>,
    after: &BTreeMap<PathBuf, SystemTime>,
) -> Vec<String> {
    let new = after
        .iter()
        .filter(|(path, time)| before.get(*path) != Some(*time));
    new.map(|(path, _)| {
        let name = |path: &Path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        };
        format!("{}/{}", name(path.parent().expect("a folder")), name(path))
    })
    .collect()
}

fn methods(analysis: &Value) -> &Vec<Value> {
    analysis["benchmarks"][0]["methods"]
        .as_array()
        .expect("methods")
}

#[test]
fn the_smoke_study_end_to_end() {
    let folder = folder();
    let out = folder.path().join("results");
    let study = shipped("smoke.toml");
    let analysis = json(&run(evaluate(&study, &out).args(["--format", "json"]), 0));
    let sound = &analysis["benchmarks"][0]["soundness"];
    assert_eq!(
        (&sound["missing"], &sound["failed"]),
        (&0.into(), &0.into())
    );
    assert_eq!(
        analysis["benchmarks"][0]["quality"]
            .as_array()
            .map(Vec::len),
        Some(6)
    );
    // As many zeros as another method takes, chosen otherwise.
    let selection = |label: &str| {
        let mut all = methods(&analysis).iter();
        let method = all.find(|method| method["label"] == label).expect(label);
        method["settings"]["selection"].clone()
    };
    assert!(selection("id-pas+").is_object());
    assert_eq!(
        selection("zero-frequency (same zeros)"),
        selection("id-pas+")
    );
    for method in methods(&analysis) {
        assert_eq!(method["gaps"].as_array().map(Vec::len), Some(3));
        let learned = method["label"] != "solver";
        assert_eq!(
            method["settings"].is_object(),
            learned,
            "{}",
            method["label"]
        );
        for gap in method["gaps"].as_array().into_iter().flatten() {
            assert!((0.0..=1.0).contains(&gap.as_f64().expect("a gap")));
        }
    }

    let before = runs(&out);
    assert_eq!(before.len(), 3 * methods(&analysis).len());
    let record: Value = serde_json::from_slice(
        &std::fs::read(out.join("MMCNP_tiny/runs/id-pas+/inst_0008.s0.json")).expect("a record"),
    )
    .expect("JSON");
    for field in [
        "trajectory",
        "instance_sha256",
        "configuration",
        "host",
        "settings",
        "cores",
    ] {
        assert!(!record[field].is_null(), "{field}");
    }
    assert!(
        record["configuration"]["solver"]
            .as_str()
            .is_some_and(|s| s.starts_with("highs "))
    );

    // Again: nothing is left to do.
    let again = run(evaluate(&study, &out).args(["--format", "json"]), 0);
    assert_eq!(made(&before, &runs(&out)), Vec::<String>::new());
    assert!(!stderr(&again).contains("training"), "{}", stderr(&again));

    // On the solver's clock everything comes sooner.
    let mut report = idpas();
    report
        .arg("report")
        .arg(&out)
        .args(["--clock", "solver", "--format", "json"]);
    let on_solvers = json(&run(&mut report, 0));
    for (one, other) in methods(&analysis).iter().zip(methods(&on_solvers)) {
        let mean = |method: &Value| method["integral"]["mean"].as_f64().expect("a mean");
        assert!(mean(other) <= mean(one) + 1e-12);
        assert_eq!(one["other_integral"], other["integral"]);
    }
    let page = folder.path().join("report.html");
    let mut report = idpas();
    let said = stdout(&run(
        report.arg("report").arg(&out).arg("--out").arg(&page),
        0,
    ));
    assert!(
        said.contains("id-pas+") && said.ends_with("report.html\n"),
        "{said}"
    );
    let text = std::fs::read_to_string(page).expect("a page");
    assert!(text.starts_with("<!doctype html>") && text.contains("calibration-MMCNP_tiny.csv"));
}

#[test]
fn only_what_changed_is_made_again() {
    let folder = folder();
    let out = folder.path().join("results");
    let text = PLAIN.replace(
        "[[benchmark]]",
        "[[method]]\nlabel = \"again\"\nmethod = \"solver\"\n[[benchmark]]",
    );
    let study = file(&folder, "study.toml", &text);
    run(&mut evaluate(&study, &out), 0);
    let mut before = runs(&out);
    assert_eq!(before.len(), 6);
    // Killed when everything was collected, but for letting go of its claim.
    let left = out.join("tiny/pools/claims/inst_0001.json");
    std::fs::create_dir_all(left.parent().expect("a folder")).expect("a folder");
    let host = idpas_base::system::host();
    let owner = serde_json::json!({ "host": host, "pid": 4_000_000, "beat": 3 });
    std::fs::write(&left, owner.to_string()).expect("a claim");
    let mut step = |text: &str, expected: &[&str]| {
        std::fs::write(&study, text).expect("a study");
        run(&mut evaluate(&study, &out), 0);
        let after = runs(&out);
        assert_eq!(made(&before, &after), expected, "{text}");
        before = after;
    };
    // A record that is gone, and one that is damaged.
    std::fs::remove_file(out.join("tiny/runs/again/inst_0002.s0.json")).expect("a record");
    std::fs::write(
        out.join("tiny/runs/solver/inst_0001.s0.json"),
        "{\"benchmark\":",
    )
    .expect("a record");
    step(
        &text,
        &["again/inst_0002.s0.json", "solver/inst_0001.s0.json"],
    );
    assert!(!left.exists(), "the claim of a process that died");
    // Another seed.
    let seeds = text.replace("time_limit = 0.5", "time_limit = 0.5\nseeds = [0, 7]");
    let new: Vec<String> = ["again", "solver"]
        .iter()
        .flat_map(|method| (1..=3).map(move |k| format!("{method}/inst_000{k}.s7.json")))
        .collect();
    step(&seeds, &new.iter().map(String::as_str).collect::<Vec<_>>());
    // A setting of one method.
    let setting = text.replace(
        "method = \"solver\"",
        "method = \"solver\"\ncompletion = true",
    );
    let again: Vec<String> = (1..=3)
        .map(|k| format!("again/inst_000{k}.s0.json"))
        .collect();
    step(
        &setting,
        &again.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    // Fewer instances make nothing, and are what is compared.
    step(&setting.replace("test = 3", "test = 2"), &[]);
    let mut report = idpas();
    let analysis = json(&run(
        report.arg("report").arg(&out).args(["--format", "json"]),
        0,
    ));
    assert_eq!(
        analysis["benchmarks"][0]["instances"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn shards_share_the_instances() {
    let folder = folder();
    let out = folder.path().join("results");
    let study = file(&folder, "study.toml", PLAIN);
    let first = run(evaluate(&study, &out).args(["--shard", "1/2"]), 0);
    assert_eq!(runs(&out).len(), 2);
    assert!(
        stdout(&first).contains("1 of 3 runs are missing"),
        "{}",
        stdout(&first)
    );
    run(evaluate(&study, &out).args(["--shard", "2/2"]), 0);
    assert_eq!(runs(&out).len(), 3);
}

#[test]
fn shards_share_the_collecting_as_on_a_cluster() {
    let folder = folder();
    let out = folder.path().join("results");
    let text = PLAIN
        .replace("[\"solver\"]", "[\"solver\", \"zero-frequency\"]")
        .replace(
            "test = 3",
            "train = 3\nvalidation = 1\ntest = 2\ntune = { grid = \"off\" }\n\
             collect = { time_limit = 20, nodes = 3, rounds = 2 }",
        );
    let study = file(&folder, "study.toml", text);
    let pools = || {
        let entries = std::fs::read_dir(out.join("tiny/pools")).expect("pools");
        let names = entries.flatten().map(|entry| entry.path());
        names
            .filter(|path| path.extension().is_some_and(|e| e == "safetensors"))
            .count()
    };
    // Who comes first does all that nobody else is doing.
    let collect = ["--until", "collect", "--shard"];
    let one = run(evaluate(&study, &out).args(collect).arg("1/2"), 0);
    assert!(stderr(&one).contains("[4/4]"), "{}", stderr(&one));
    assert_eq!(pools(), 4);
    let two = run(evaluate(&study, &out).args(collect).arg("2/2"), 0);
    assert!(!stderr(&two).contains("collecting"), "{}", stderr(&two));
    run(evaluate(&study, &out).args(["--until", "tune"]), 0);
    for shard in ["1/2", "2/2"] {
        run(evaluate(&study, &out).args(["--shard", shard]), 0);
    }
    assert_eq!(runs(&out).len(), 4);
}

#[test]
fn a_benchmark_that_fails_leaves_the_others_alone() {
    let folder = folder();
    let out = folder.path().join("results");
    for k in 1..=3 {
        let text = format!("min x\nst\nc: x >= {k}\nbounds\nx <= 0.5\ngeneral\nx\nend\n");
        file(&folder, &format!("nothing{k}.lp"), text);
    }
    let text = "name = \"two\"\ntime_limit = 0.5\nmethods = [\"solver\", \"zero-frequency\"]\n\
        [collect]\ntime_limit = 20\nnodes = 3\nrounds = 2\n[tune]\ngrid = \"off\"\n\
        [[benchmark]]\nname = \"hopeless\"\ninstances = \".\"\ntrain = 1\nvalidation = 1\ntest = 1\n\
        [[benchmark]]\nname = \"tiny\"\nfamily = \"mmcnp\"\nsize = \"tiny\"\ntrain = 2\nvalidation = 1\ntest = 1\n";
    let study = file(&folder, "study.toml", text);
    let ended = run(&mut evaluate(&study, &out), 2);
    assert!(stderr(&ended).contains("hopeless is left, the next benchmark begins"));
    assert!(
        stderr(&ended).contains("no pool could be made"),
        "{}",
        stderr(&ended)
    );
    assert!(
        stdout(&ended).contains("tiny (mmcnp tiny"),
        "{}",
        stdout(&ended)
    );
    assert!(stdout(&ended).contains("note: hopeless has no results"));
    assert_eq!(runs(&out).len(), 2);
    let page = folder.path().join("report.html");
    run(idpas().arg("report").arg(&out).arg("--out").arg(&page), 0);
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("hopeless has no results."));
}

#[cfg(target_os = "linux")]
#[test]
fn killed_it_goes_on_where_it_was() {
    let folder = folder();
    let out = folder.path().join("results");
    // Some that are solved at once, and one that takes longer than the test waits for what lives on.
    let write = |name: &str, rows, columns| {
        let model = common::split::model(rows, columns);
        let path = folder.path().join(format!("instances/{name}.mps"));
        idpas_mip::write_model(&model, &path).expect("a written model");
    };
    std::fs::create_dir(folder.path().join("instances")).expect("a folder");
    (3..8).for_each(|columns| write(&format!("inst{columns}"), 1, columns));
    write("inst_endless", 6, 60);
    let text = PLAIN
        .replace(
            "family = \"mmcnp\"\nsize = \"tiny\"\ntest = 3",
            "instances = \"instances\"\ntest = 6",
        )
        .replace("time_limit = 0.5", "time_limit = 15");
    let study = file(&folder, "study.toml", text);
    let mut child = start(
        folder.path(),
        "killed",
        &[&"evaluate", &study, &"--out", &out],
    );
    wait_until("the first record", || !runs(&out).is_empty());
    // The run under way ends with it.
    child.dies_with_all("inst_endless.mps");
    let before = runs(&out);
    assert!(!before.is_empty() && before.len() < 6, "{before:?}");
    let best = out.join("tiny/best");
    run(&mut evaluate(&study, &out), 0);
    let after = runs(&out);
    assert_eq!(made(&before, &after).len(), 6 - before.len());
    assert_eq!(after.len(), 6);
    let left = std::fs::read_dir(best).expect("a folder").flatten();
    let torn: Vec<_> = left
        .map(|e| e.file_name())
        .filter(|n| n.to_string_lossy().starts_with(".inst"))
        .collect();
    assert!(torn.is_empty(), "{torn:?}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let folder = folder();
    let out = folder.path().join("results");
    let refused = |text: &str, more: &[&str]| {
        let study = file(&folder, "study.toml", text);
        let output = run(evaluate(&study, &out).args(more), 2);
        assert!(!out.join("tiny/runs").exists());
        stderr(&output)
    };
    let said = refused(
        &PLAIN.replace("size = \"tiny\"", "size = \"tiny\"\nsiez = 3"),
        &[],
    );
    assert!(
        said.contains("study.toml:8: unknown field `siez`"),
        "{said}"
    );
    assert!(said.contains("hint: docs/evaluation.md"), "{said}");
    let open = PLAIN.replace("family = \"mmcnp\"\nsize = \"tiny\"\n", "");
    assert!(refused(&open, &[]).contains("add --instances DIR"));
    assert!(refused(PLAIN, &["--instances", "x"]).contains("names its own"));
    assert!(refused(PLAIN, &["--shard", "3/2"]).contains("expected i/n"));
    let few = folder.path().join("few");
    std::fs::create_dir(&few).expect("a folder");
    for name in ["a.mps", "b.mps"] {
        std::fs::copy(common::data("knapsack.mps"), few.join(name)).expect("a copy");
    }
    let said = refused(&open, &["--instances", few.to_str().expect("text")]);
    assert!(
        said.contains("asks for 3 test instances, but there are 1 different ones"),
        "{said}"
    );
    let mut report = idpas();
    let output = run(report.arg("report").arg(folder.path()), 2);
    assert!(stderr(&output).contains("there are no results of a study here"));
}

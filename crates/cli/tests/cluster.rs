//! Handing work over to a cluster: plans, scripts, what is submitted, how far it is, and processes that come and go.
//!
//! Scripts stand in for Slurm's commands where it matters what they answer; `scripts/slurm-test.sh` has a real Slurm.
#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use common::family::family;
use common::{file, folder, idpas, json, run, stderr, stdout};
use idpas_base::claim::Claims;
use tempfile::TempDir;

/// Two methods on tiny instances, one of which learns by counting.
const STUDY: &str = r#"name = "shared"
time_limit = 0.5
methods = ["solver", "zero-frequency"]
[collect]
time_limit = 20
nodes = 3
rounds = 3
[tune]
grid = "off"
[cluster]
partition = "long"
memory = "4G"
chunk = 30
sbatch = ["--qos=low"]
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 3
validation = 1
test = 2
"#;

/// A command in a folder where Slurm's commands are those of the folder `bin`, if there is one, and no others.
fn command(own: &TempDir) -> Command {
    let mut command = idpas();
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    command.env("PATH", own.path().join("bin"));
    command
}

fn evaluate(own: &TempDir, study: &Path) -> Command {
    let mut command = command(own);
    let out = own.path().join("results");
    command.arg("evaluate").arg(study).arg("--out").arg(out);
    command
}

fn status(own: &TempDir) -> serde_json::Value {
    let mut status = command(own);
    status.arg("status").arg(own.path().join("results"));
    json(&run(status.args(["--format", "json"]), 0))
}

/// Writes a script that stands in for a command of Slurm.
fn stand_in(own: &TempDir, name: &str, script: &str) {
    let bin = own.path().join("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let path = bin.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    let rights = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, rights).expect("rights");
}

fn records(own: &TempDir) -> usize {
    let runs = own.path().join("results/tiny/runs");
    let methods = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let files = methods.flat_map(|method| std::fs::read_dir(method.path()).expect("a folder"));
    files.count()
}

#[test]
fn a_dry_run_shows_the_scripts_and_writes_nothing() {
    let own = folder();
    let study = file(&own, "study.toml", STUDY);
    let mut dry = evaluate(&own, &study);
    dry.args([
        "--slurm",
        "--dry-run",
        "--account",
        "me",
        "--partition",
        "short",
    ]);
    let text = stdout(&run(&mut dry, 0));
    for expected in [
        "idpas-shared-tiny-collect: ",
        "  after idpas-shared-tiny-instances\n",
        "#SBATCH --partition=short\n",
        "#SBATCH --account=me\n",
        "#SBATCH --mem=4G\n",
        "#SBATCH --qos=low\n",
        "#SBATCH --array=1-1\n",
        "#SBATCH --signal=B:TERM@60\n",
        "--only tiny --until collect --passing --end-in ",
        "  after idpas-shared-tiny-runs\n",
        "exec ",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!text.contains("tiny-tune"), "nothing is tuned");
    // The last job does not begin what was not asked for.
    let two = format!(
        "{STUDY}\n{}",
        &STUDY[STUDY.find("[[benchmark]]").expect("one")..]
    );
    let two = file(
        &own,
        "two.toml",
        two.replacen("\"tiny\"\nfamily", "\"other\"\nfamily", 1),
    );
    let mut only = evaluate(&own, &two);
    only.args(["--slurm", "--dry-run", "--only", "tiny"]);
    let only = stdout(&run(&mut only, 0));
    let rest = only.lines().rev().nth(1).expect("a command");
    assert!(rest.ends_with("--end-in 3480 --only tiny"), "{rest}");
    assert!(!own.path().join("results").exists());
    let shown = json(&run(dry.args(["--format", "json"]), 0));
    let planned = shown["planned"].as_array().expect("jobs");
    assert_eq!(planned.len(), 5);
    assert_eq!(planned[4]["stage"], "report");
    assert_eq!(planned[2]["after"], serde_json::json!([1]));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let own = folder();
    let study = file(&own, "study.toml", STUDY);
    let mut without = evaluate(&own, &study);
    let said = stderr(&run(without.args(["--partition", "x"]), 2));
    assert!(said.contains("without --slurm or --kubernetes"), "{said}");
    let mut short = evaluate(&own, &study);
    let said = stderr(&run(
        short.args(["--slurm", "--dry-run", "--longest", "150s"]),
        2,
    ));
    assert!(said.contains("a task needs 180 s"), "{said}");
    let two = STUDY.replace("\"4G\"", "\"4G\\n#SBATCH --x\"");
    let bad = file(&own, "bad.toml", two);
    let said = stderr(&run(evaluate(&own, &bad).args(["--slurm", "--dry-run"]), 2));
    assert!(
        said.contains("bad.toml:") && said.contains("memory"),
        "{said}"
    );
    let named = file(
        &own,
        "named.toml",
        STUDY.replace("\"tiny\"\nfamily", "\"cluster\"\nfamily"),
    );
    let said = stderr(&run(&mut evaluate(&own, &named), 2));
    assert!(
        said.contains("a folder of the results has this name"),
        "{said}"
    );
    let mut none = evaluate(&own, &study);
    let said = stderr(&run(none.arg("--slurm"), 3));
    assert!(
        said.contains("sbatch: there is no such command here"),
        "{said}"
    );
}

#[test]
fn what_is_in_the_queue_or_done_is_not_submitted_again() {
    let own = folder();
    let study = file(&own, "study.toml", STUDY);
    let log = own.path().join("calls");
    // The third job is refused.
    stand_in(
        &own,
        "sbatch",
        &format!(
            "echo \"$*\" >>{log}; n=$(/usr/bin/wc -l <{log}); [ $n -lt 3 ] || {{ echo 'over quota' >&2; exit 1; }}; echo $n",
            log = log.display()
        ),
    );
    stand_in(&own, "scontrol", "echo 'MaxArraySize = 3'");
    stand_in(
        &own,
        "squeue",
        "echo '1|COMPLETED|None'; echo '2|PENDING|Resources'; echo '2|PENDING|Resources'",
    );
    stand_in(&own, "sacct", "echo '1_1|FAILED'; echo 'x'");
    let said = stderr(&run(evaluate(&own, &study).arg("--slurm"), 3));
    assert!(said.contains("sbatch: over quota"), "{said}");
    // The first is over and did nothing, the second waits.
    let log = own.path().join("calls");
    std::fs::write(&log, "").expect("an empty file");
    stand_in(
        &own,
        "sbatch",
        &format!(
            "echo \"$*\" >>{log}; n=$(/usr/bin/wc -l <{log}); echo 1$n",
            log = log.display()
        ),
    );
    let text = stdout(&run(evaluate(&own, &study).arg("--slurm"), 0));
    assert!(
        text.contains("tiny-collect: 2 tasks of 1 processor, 4G"),
        "{text}"
    );
    assert!(text.contains("job 2 is in the queue already"), "{text}");
    let calls = std::fs::read_to_string(&log).expect("calls");
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(calls[0].contains("tiny-instances.sbatch") && !calls[0].contains("dependency"));
    assert!(
        calls[1].starts_with("--parsable --dependency=afterany:2 "),
        "{calls:?}"
    );
    assert!(calls[3].contains("--dependency=afterany:13 "), "{calls:?}");
    let status = status(&own);
    let jobs = status["cluster"]["jobs"].as_array().expect("jobs");
    let collect = jobs.iter().find(|job| job["id"] == 2).expect("a job");
    assert_eq!(
        (&collect["stage"], &collect["pending"]),
        (&"collect".into(), &2.into())
    );
    assert_eq!(collect["reasons"], serde_json::json!(["Resources"]));
    assert_eq!(status["benchmarks"][0]["stages"][1]["total"], 4);
    let mut text = command(&own);
    text.arg("status").arg(own.path().join("results"));
    let text = stdout(&run(&mut text, 0));
    assert!(text.contains("scancel 2"), "{text}");
    assert!(
        text.contains("tiny, collect: 0 of 2 tasks over, 2 waiting (Resources)"),
        "{text}"
    );
}

#[test]
fn processes_come_and_go_until_all_is_done() {
    let own = folder();
    let study = file(&own, "study.toml", STUDY);
    let part = |more: &[&str]| {
        let mut command = evaluate(&own, &study);
        command.args(["--passing", "--jobs", "1"]).args(more);
        run(&mut command, 0)
    };
    part(&["--until", "collect", "--end-in", "10m"]);
    // Another process trains: this one does not wait for it.
    let claims = Claims::new(own.path().join("results/tiny/stages/claims"));
    let claim = claims.take("train-zero-frequency").expect("a folder");
    assert!(claim.is_some());
    part(&["--until", "train"]);
    let model = own
        .path()
        .join("results/tiny/models/zero-frequency.safetensors");
    assert!(!model.exists());
    let stages = status(&own)["benchmarks"][0]["stages"].clone();
    assert_eq!(
        (&stages[2]["done"], &stages[2]["running"]),
        (&0.into(), &1.into())
    );
    drop(claim);
    part(&["--until", "train"]);
    assert!(model.exists());
    // No run would be done in so short a time.
    let output = part(&["--end-in", "2s"]);
    assert!(
        stderr(&output).contains("the time is over"),
        "{}",
        stderr(&output)
    );
    assert_eq!(records(&own), 0);
    let output = part(&["--end-in", "10m"]);
    assert_eq!(records(&own), 4);
    assert!(!stdout(&output).contains("integral"), "no table");
    let status = status(&own);
    for stage in status["benchmarks"][0]["stages"]
        .as_array()
        .expect("stages")
    {
        assert_eq!(stage["is_done"], true, "{stage}");
    }
    assert!(status["cluster"].is_null());
}

#[test]
fn collecting_and_tuning_end_in_time() {
    let family = family();
    let own = folder();
    let collect = |more: &[&str]| {
        let mut collect = command(&own);
        collect.arg("collect").arg(family.path("instances"));
        collect.arg("--out").arg(own.path().join("pools"));
        collect.args([
            "--time-limit",
            "60",
            "--nodes",
            "3",
            "--rounds",
            "1",
            "--split",
            "8/3/1",
        ]);
        collect.args(more);
        collect
    };
    let ended = json(&run(
        collect(&["--format", "json"]).args(["--end-in", "20s"]),
        0,
    ));
    assert_eq!(
        (&ended["time_over"], &ended["made"]),
        (&true.into(), &0.into())
    );
    let text = stdout(&run(
        collect(&["--chunk", "2m"]).args(["--slurm", "--dry-run"]),
        0,
    ));
    // Turns of up to three minutes, four shares of twelve minutes.
    assert!(text.contains("#SBATCH --array=1-4\n"), "{text}");
    assert!(text.contains("--take-over --end-in 660\n"), "{text}");
    let mut budget = command(&own);
    budget.arg("collect").arg(family.path("instances"));
    budget.args(["--out", "x", "--budget", "1h", "--slurm", "--dry-run"]);
    let said = stderr(&run(&mut budget, 2));
    assert!(said.contains("give --time-limit"), "{said}");
    let model: PathBuf = own.path().join("m.safetensors");
    std::fs::copy(family.model("nearest"), &model).expect("a copy");
    let mut tune = command(&own);
    tune.arg("tune").arg("--model").arg(&model);
    tune.arg("--instances").arg(family.pools());
    tune.args(["--time-limit", "1", "--budget", "2", "--end-in", "3s"]);
    let said = stderr(&run(&mut tune, 0));
    assert!(said.contains("the time is over"), "{said}");
    assert!(!own.path().join("m.tune.json").exists());
}

#[test]
fn kubernetes_gets_an_indexed_job() {
    let own = folder();
    let study = file(&own, "study.toml", STUDY);
    let mount = own.path().display().to_string();
    let mut manifest = evaluate(&own, &study);
    manifest.args([
        "--kubernetes",
        "idpas:1",
        "--volume",
        &format!("shared:{mount}"),
    ]);
    let manifest = json(&run(&mut manifest, 0));
    let spec = &manifest["items"][0]["spec"];
    assert_eq!(spec["completionMode"], "Indexed");
    let container = &spec["template"]["spec"]["containers"][0];
    let study = container["command"][2].as_str().expect("a path");
    assert!(Path::new(study).exists(), "the study is where pods read it");
    let mut elsewhere = evaluate(&own, study.as_ref());
    elsewhere.args(["--kubernetes", "idpas:1", "--volume", "shared:/elsewhere"]);
    let said = stderr(&run(&mut elsewhere, 2));
    assert!(said.contains("is not on the volume"), "{said}");
}

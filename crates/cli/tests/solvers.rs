//! `idpas solvers` and `--solver`: solvers that are loaded while the program runs, and those that are not there.

mod common;

use std::path::Path;

use assert_cmd::Command;
use common::{checked_objective, data, file, folder, idpas, json, run, stderr, stdout};
use serde_json::Value;

/// The program on a machine without any solver but its own.
fn bare(home: &Path) -> Command {
    let mut command = idpas();
    for name in [
        "IDPAS_SCIP_LIB",
        "IDPAS_XPRESS_LIB",
        "IDPAS_GUROBI_LIB",
        "SCIPOPTDIR",
        "XPRESSDIR",
        "GUROBI_HOME",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
    ] {
        command.env_remove(name);
    }
    command.env("PATH", home).env("HOME", home);
    command
}

/// Whether SCIP is there; if not, the test is counted as skipped.
fn has_scip() -> bool {
    match idpas_solver::by_name("scip") {
        Ok(_) => true,
        Err(error) => {
            idpas_testing::skip(&error.to_string());
            false
        }
    }
}

#[test]
fn the_list_names_what_is_there_and_how_to_get_the_others() {
    let home = folder();
    let output = run(bare(home.path()).arg("solvers"), 0);
    let text = stdout(&output);
    assert!(text.starts_with("highs "), "{text}");
    assert!(text.contains("a part of this program"), "{text}");
    for (name, install) in [
        ("scip", "pip install pyscipopt"),
        ("xpress", "pip install xpress"),
        ("gurobi", "GUROBI_HOME"),
    ] {
        let line = text
            .lines()
            .skip_while(|line| !line.starts_with(name))
            .nth(1)
            .unwrap_or_else(|| panic!("{name} is missing in {text}"));
        assert!(line.contains(install), "{line}");
    }
    let output = run(bare(home.path()).args(["solvers", "--format", "json"]), 0);
    let list = json(&output);
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), idpas_solver::NAMES.len());
    assert_eq!(list[0]["name"], "highs");
    assert_eq!(list[0]["found"], true);
    assert_eq!(list[0]["library"], Value::Null);
    assert_eq!(list[1]["found"], false);
}

#[test]
fn a_solver_that_is_not_there_is_refused_before_anything_is_read() {
    let home = folder();
    for (words, code) in [
        (vec!["solve", "no-such-file.mps", "--solver", "scip"], 2),
        (vec!["solve", "no-such-file.mps", "--solver", "none"], 2),
        (vec!["relax", "no-such-file.mps", "--solver", "scip"], 2),
        (
            vec![
                "learn",
                "no-such-file",
                "--out",
                "guide.safetensors",
                "--solver",
                "scip",
            ],
            2,
        ),
    ] {
        let output = run(bare(home.path()).args(&words), code);
        let message = stderr(&output);
        assert!(!message.contains("no-such-file"), "{message}");
        assert!(message.contains("idpas solvers"), "{message}");
    }
}

#[test]
fn a_library_of_another_kind_is_named() {
    let home = folder();
    let file = file(&home, "libscip.so", "not a library");
    let solve = |library: &str| {
        let mut command = bare(home.path());
        command.env("IDPAS_SCIP_LIB", library);
        command.arg("solve").arg(data("knapsack.mps"));
        let message = stderr(&run(command.args(["--solver", "scip"]), 2));
        assert!(message.contains(library), "{message}");
        assert!(message.contains("IDPAS_SCIP_LIB"), "{message}");
        message
    };
    solve(&file.to_string_lossy());
    solve("/no/such/libscip.so");
    if cfg!(target_os = "linux") {
        let message = solve("libm.so.6");
        assert!(message.contains("it has no function SCIP"), "{message}");
    }
}

/// By the path of the library, by the folder of an installation, and by the environment of a Python.
#[cfg(unix)]
#[test]
fn scip_is_found_in_each_of_its_places() {
    if !has_scip() {
        return;
    }
    let solver = idpas_solver::by_name("scip").expect("SCIP");
    let library = solver.library().expect("a library").to_owned();
    let libraries = library.parent().expect("its folder");
    let home = folder();
    let installation = home.path().join("scip");
    let packages = home.path().join("env/lib/python3.12/site-packages");
    for folder in [&installation, &packages] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let link = |name: &Path| std::os::unix::fs::symlink(libraries, name).expect("a link");
    link(&installation.join("lib"));
    link(&packages.join("pyscipopt.libs"));
    for (variable, value) in [
        ("IDPAS_SCIP_LIB", library.clone()),
        ("SCIPOPTDIR", installation.clone()),
        ("VIRTUAL_ENV", home.path().join("env")),
    ] {
        let mut command = bare(home.path());
        command.env(variable, &value);
        let list = json(&run(command.args(["solvers", "--format", "json"]), 0));
        assert_eq!(list[1]["found"], true, "{variable}: {list}");
        let found = list[1]["library"].as_str().expect("a path");
        assert!(Path::new(found).starts_with(&value), "{variable}: {found}");
    }
}

#[test]
fn scip_solves_what_highs_solves() {
    if !has_scip() {
        return;
    }
    let folder = folder();
    for (name, objective) in [("knapsack.mps", 7.0), ("mixed.mps", 29.75)] {
        for method in ["solver", "idpas"] {
            let solution = folder.path().join("best.sol");
            let mut command = idpas();
            command
                .arg("solve")
                .arg(data(name))
                .arg("--solution")
                .arg(&solution);
            command.args(["--solver", "scip", "--method", method]);
            let report = json(&run(command.args(["--format", "json"]), 0));
            assert_eq!(report["status"], "optimal", "{name}, {method}");
            assert_eq!(report["objective"], objective, "{name}, {method}");
            assert_eq!(checked_objective(&data(name), &solution), objective);
        }
    }
    let by = |solver: &str| {
        let mut command = idpas();
        command.arg("relax").arg(data("mixed.mps"));
        command.args(["--format", "json", "--solver", solver]);
        json(&run(&mut command, 0))
    };
    let (scip, highs) = (by("scip"), by("highs"));
    let of = |report: &Value| report["objective"].as_f64().expect("a number");
    assert!((of(&scip) - of(&highs)).abs() < 1e-9, "{scip} {highs}");
}

#[test]
fn an_option_that_scip_does_not_have_is_named() {
    if !has_scip() {
        return;
    }
    let mut command = idpas();
    command.arg("solve").arg(data("knapsack.mps"));
    command.args(["--solver", "scip", "--option", "mip_rel_gap=0"]);
    let message = stderr(&run(&mut command, 2));
    assert!(
        message.contains("mip_rel_gap") && message.contains("SCIP"),
        "{message}"
    );
    let mut command = idpas();
    command.arg("solve").arg(data("knapsack.mps"));
    command.args(["--solver", "scip", "--option", "presolving/maxrounds=0"]);
    run(&mut command, 0);
}

/// Pools, settings and runs by SCIP, beside those of HiGHS, in one table.
#[test]
fn a_study_with_two_solvers() {
    if !has_scip() {
        return;
    }
    let study = r#"name = "two"
time_limit = 1
methods = ["solver"]
[[method]]
label = "scip"
method = "solver"
solver = "scip"
[[method]]
label = "idpas over scip"
method = "idpas"
model = "nearest"
solver = "scip"
[collect]
time_limit = 10
nodes = 3
rounds = 2
pool = 5
keep_gap = 0.3
solver = "scip"
[tune]
time_limit = 0.3
count = 1
budget = 1
[[benchmark]]
name = "tiny"
family = "mmcnp"
size = "tiny"
train = 2
validation = 1
test = 2
"#;
    let folder = folder();
    let out = folder.path().join("results");
    let study = file(&folder, "two.toml", study);
    let mut command = idpas();
    command.timeout(std::time::Duration::from_secs(600));
    command.arg("evaluate").arg(study).arg("--out").arg(&out);
    let analysis = json(&run(command.args(["--format", "json"]), 0));
    let sound = &analysis["benchmarks"][0]["soundness"];
    assert_eq!(
        (&sound["missing"], &sound["failed"]),
        (&0.into(), &0.into())
    );
    let outline = std::fs::read_to_string(out.join("tiny/benchmark.json")).expect("an outline");
    let outline: Value = serde_json::from_str(&outline).expect("JSON");
    let solvers: Vec<&str> = outline["methods"]
        .as_array()
        .expect("methods")
        .iter()
        .map(|method| method["configuration"]["solver"].as_str().expect("a text"))
        .collect();
    assert!(solvers[0].starts_with("highs "), "{solvers:?}");
    assert!(
        solvers[1].starts_with("scip ") && solvers[2] == solvers[1],
        "{solvers:?}"
    );
    let manifest = std::fs::read_to_string(out.join("tiny/pools/manifest.json")).expect("pools");
    assert!(manifest.contains("scip"), "{manifest}");
}

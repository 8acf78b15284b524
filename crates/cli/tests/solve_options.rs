//! `idpas solve`: starts, options of the solver, and outputs that cannot be written.

mod common;

use std::path::Path;

use assert_cmd::Command;
use common::{data, file, folder, idpas, json, run, split, stderr, stdout};
use idpas_mip::write_model;

fn solve(path: &Path) -> Command {
    let mut command = idpas();
    command.arg("solve").arg(path);
    command
}

#[test]
fn a_start_is_accepted_or_rejected() {
    let folder = folder();
    let model = folder.path().join("split.mps");
    write_model(&split::model(3, 30), &model).unwrap();
    let zeros: String = (0..30).map(|j| format!("x{j} 0\n")).collect();
    let impossible = zeros.replace("x7 0", "x7 5");
    // Without a start, no node means no solution.
    for (text, outcome, code) in [(zeros, "accepted", 0), (impossible, "rejected", 1)] {
        let start = file(&folder, "start.sol", text);
        let mut command = solve(&model);
        command.arg("--start").arg(start);
        command.args(["--nodes", "0", "--time-limit", "60", "--format", "json"]);
        let output = run(&mut command, code);
        assert_eq!(json(&output)["start"], outcome);
        let warned = stderr(&output).contains("warning: the start is infeasible");
        assert_eq!(warned, outcome == "rejected");
    }
}

#[test]
fn a_start_of_another_model_is_refused() {
    let folder = folder();
    let start = file(&folder, "start.sol", "=obj= 1\nboat 1\n");
    let mut command = solve(&data("knapsack.mps"));
    let output = run(command.arg("--start").arg(start), 2);
    assert!(stderr(&output).contains("start.sol:2: the model has no column `boat`"));
    assert!(!stderr(&output).contains("hint: idpas reads MPS"));
}

#[test]
fn options_of_the_solver() {
    let model = data("routes.lp");
    let mut command = solve(&model);
    command.args(["--option", "presolve=off", "--option", "mip_rel_gap=0.5"]);
    run(&mut command, 0);
    for (option, why) in [
        (
            "no_such_thing=1",
            "error: --option no_such_thing: HiGHS has no such option",
        ),
        (
            "presolve=perhaps",
            "error: --option presolve: HiGHS has no such option",
        ),
        ("presolve", "expected NAME=VALUE"),
        ("=1", "expected NAME=VALUE"),
    ] {
        let output = run(solve(&model).args(["--option", option]), 2);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    for bad in [
        "--time-limit=-1",
        "--time-limit=nan",
        "--time-limit=soon",
        "--gap=-0.1",
        "--threads=0",
        "--seed=3000000000",
        "--nodes=-1",
        "--solver=none",
        "--format=xml",
        "--solution-format=none",
    ] {
        let output = run(solve(&data("knapsack.mps")).arg(bad), 2);
        assert_eq!(stdout(&output), "", "{bad}");
        assert!(stderr(&output).starts_with("error: "), "{bad}");
    }
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_solving() {
    let folder = folder();
    let model = file(
        &folder,
        "model.mps",
        std::fs::read(data("knapsack.mps")).unwrap(),
    );
    let at = |name: &str| folder.path().join(name);
    for (flag, path, why) in [
        ("--solution", at("missing/out.sol"), "there is no folder"),
        ("--trajectory", at("missing/t.csv"), "there is no folder"),
        ("--solution", folder.path().to_owned(), "is a folder"),
        ("--solution", model.clone(), "is the file to read"),
    ] {
        let output = run(solve(&model).arg(flag).arg(path), 2);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "nothing was solved");
        assert_eq!(stdout(&output), "");
    }
    let mut command = solve(&model);
    command.arg("--solution").arg(at("same"));
    let output = run(command.arg("--trajectory").arg(at("same")), 2);
    assert!(stderr(&output).contains("two different files"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_name_that_the_solution_format_cannot_hold_is_refused_before_solving() {
    let folder = folder();
    let text = "NAME m\nROWS\n N cost\n G r\nCOLUMNS\n #x cost 1 r 1\nRHS\n rhs r 1\nENDATA\n";
    let model = file(&folder, "model.mps", text);
    let path = folder.path().join("out.sol");
    let mut command = solve(&model);
    command.arg("--solution").arg(&path);
    let output = run(command.args(["--solution-format", "gurobi"]), 2);
    assert!(stderr(&output).starts_with("error: column name `#x` cannot be written in gurobi"));
    assert!(!path.exists());
    run(solve(&model).arg("--solution").arg(&path), 0);
}

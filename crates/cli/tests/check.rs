//! `idpas check`.

mod common;

use std::path::Path;

use assert_cmd::Command;
use common::{data, file, folder, idpas, json, run, stderr, stdout};
use insta::assert_snapshot;

fn check(model: &str, solution: &Path) -> Command {
    let mut command = idpas();
    command.arg("check").arg(data(model)).arg(solution);
    command
}

#[test]
fn a_feasible_solution() {
    let folder = folder();
    let solution = file(&folder, "a.sol", "=obj= 7\ntent 1\nstove 1\n");
    let output = run(&mut check("knapsack.mps", &solution), 0);
    assert_snapshot!(stdout(&output), @r"
    feasible     yes
    objective    7
    rows         no violation
    bounds       no violation
    integrality  no violation
    ");
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_worst_row_bound_and_integrality_are_named() {
    let folder = folder();
    let solution = file(&folder, "a.sol", "=obj= 12\ntent 0.5\nstove 1\nlamp 3\n");
    let output = run(&mut check("knapsack.mps", &solution), 1);
    assert_snapshot!(stdout(&output), @r"
    feasible     no
    objective    20.5
    rows         1 violated; worst: the activity of row `weight` is 16, must be at most 5, is off by 11
    bounds       1 violated; worst: the value of column `lamp` is 3, must be at most 1, is off by 2
    integrality  1 violated; worst: the value of integer column `tent` is 0.5, must be 1, is off by 0.5
    ");
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let folder = folder();
    let solution = file(&folder, "a.sol", "=obj= 12\ntent 0.5\nstove 1\nlamp 3\n");
    let report = json(&run(
        check("knapsack.mps", &solution).args(["--format", "json"]),
        1,
    ));
    assert_eq!(report["feasible"], false);
    assert_eq!(report["objective"], 20.5);
    assert_eq!(report["max_row_violation"], 11.0);
    assert_eq!(report["max_bound_violation"], 2.0);
    assert_eq!(report["max_integrality_violation"], 0.5);
    assert_eq!(report["worst_row"]["name"], "weight");
    assert_eq!(report["worst_row"]["lower"], serde_json::Value::Null);
    assert_eq!(report["worst_bound"]["name"], "lamp");
    assert_eq!(report["worst_integrality"]["name"], "tent");
}

#[test]
fn sums_are_exact_where_doubles_are_fooled() {
    let folder = folder();
    let ones = file(&folder, "ones.sol", "=obj= 1\na 1\nb 1\nc 1\n");
    let report = json(&run(check("exact.lp", &ones).args(["--format", "json"]), 0));
    assert_eq!(report["objective"], 1.0);
    assert_eq!(report["max_row_violation"], 0.0);
    let without_b = file(&folder, "zero.sol", "=obj= 0\na 1\nc 1\n");
    let report = json(&run(
        check("exact.lp", &without_b).args(["--format", "json"]),
        1,
    ));
    assert_eq!(report["worst_row"]["name"], "tiny");
    assert_eq!(report["max_row_violation"], 1.0);
}

#[test]
fn tolerances_can_be_set_and_nonsense_is_refused() {
    let folder = folder();
    let solution = file(&folder, "a.sol", "=obj= 4\ntent 0.0001\nstove 1\n");
    run(&mut check("knapsack.mps", &solution), 1);
    run(
        check("knapsack.mps", &solution).args(["--integrality", "1e-3"]),
        0,
    );
    for bad in ["-1", "nan", "inf", "much"] {
        let flag = format!("--tolerance={bad}");
        let output = run(check("knapsack.mps", &solution).arg(flag), 2);
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_column_left_out_where_all_are_listed_is_a_warning() {
    let folder = folder();
    let text = "# Objective value = 7\ntent 1\nstove 1\n";
    let solution = file(&folder, "a.sol", text);
    let output = run(&mut check("knapsack.mps", &solution), 0);
    assert!(stderr(&output).starts_with("warning: "));
    assert!(stderr(&output).contains("a.sol"));
    let output = run(check("knapsack.mps", &solution).arg("-q"), 0);
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_solution_of_another_model_is_refused() {
    let folder = folder();
    let solution = file(&folder, "a.sol", "=obj= 7\ntent 1\nboat 1\n");
    let output = run(&mut check("knapsack.mps", &solution), 2);
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("a.sol:3: the model has no column `boat`"));
}

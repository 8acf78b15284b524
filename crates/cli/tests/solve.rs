//! `idpas solve`: results, exit codes, what goes to which stream.

mod common;

use assert_cmd::Command;
use common::{checked_objective, data, folder, idpas, json, run, stderr, stdout, without_time};
use insta::assert_snapshot;

fn solve(name: &str) -> Command {
    let mut command = idpas();
    command.arg("solve").arg(data(name));
    command
}

#[test]
fn text_for_people() {
    let output = run(&mut solve("knapsack.mps"), 0);
    assert_snapshot!(without_time(&output), @r"
    status       optimal
    objective    7
    bound        7
    gap          0.00%
    time         [time]
    checked      feasible, no violation
    ");
    let log = stderr(&output);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines[0],
        "knapsack.mps: 1 row, 3 columns (3 binary), 3 nonzeros"
    );
    assert!(lines[1].starts_with("highs ") && lines[1].contains("1 thread, seed 0, gap 0.01%"));
    assert_eq!(
        lines[2],
        "     time  source            objective              bound       gap"
    );
    assert!(lines[3].contains("s  highs "));
    assert!(lines.iter().all(|line| line.chars().count() <= 100));
    assert!(
        !log.contains('\x1b'),
        "no colours or bars outside a terminal"
    );
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let report = json(&run(solve("mixed.mps").args(["--format", "json"]), 0));
    assert_eq!(report["status"], "optimal");
    assert_eq!(report["objective"], 29.75);
    assert_eq!(report["bound"], 29.75);
    assert_eq!(report["gap"], 0.0);
    assert!(report["time"].is_number());
    let trajectory = report["trajectory"].as_array().unwrap();
    assert_eq!(trajectory.last().unwrap()["objective"], 29.75);
    assert!(trajectory.iter().all(|point| point["time"].is_number()));
    let stages = report["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 1);
    assert_eq!(stages[0]["name"], "highs");
    assert_eq!(stages[0]["status"], "optimal");
    assert_eq!(stages[0]["objective"], 29.75);
    assert_eq!(report["check"]["feasible"], true);
    assert!(report["solution"].is_null() && report["start"].is_null());
}

#[test]
fn a_maximisation_keeps_its_sense_and_constant() {
    let report = json(&run(solve("constant.lp").args(["--format", "json"]), 0));
    assert_eq!(report["objective"], 112.0);
    assert_eq!(report["bound"], 112.0);
}

#[test]
fn no_optimum_exits_with_1() {
    let folder = folder();
    let path = folder.path().join("out.sol");
    let mut command = solve("infeasible.lp");
    command.arg("--solution").arg(&path);
    let report = json(&run(command.args(["--format", "json"]), 1));
    assert_eq!(report["status"], "infeasible");
    assert!(report["objective"].is_null() && report["solution"].is_null());
    assert!(!path.exists());
    let mut command = solve("unbounded.lp");
    let report = json(&run(command.args(["--format", "json"]), 1));
    assert_eq!(report["status"], "unbounded");
    assert!(report["bound"].is_null());
    let output = run(&mut solve("infeasible.lp"), 1);
    assert_snapshot!(without_time(&output), @r"
    status       infeasible
    objective    no solution
    bound        inf
    gap          -
    time         [time]
    ");
}

#[test]
fn no_time_is_a_time_limit_too() {
    let report = json(&run(
        solve("routes.lp").args(["--time-limit", "0", "--format", "json"]),
        1,
    ));
    assert_eq!(report["status"], "time_limit");
    assert!(report["objective"].is_null() && report["bound"].is_null());
    assert_eq!(report["trajectory"].as_array().unwrap().len(), 0);
}

#[test]
fn every_solution_format_is_read_back_feasible() {
    let folder = folder();
    for name in ["knapsack.mps", "routes.lp", "constant.lp", "mixed.mps"] {
        for format in ["highs", "scip", "miplib", "gurobi"] {
            for ending in ["sol", "sol.gz"] {
                let path = folder.path().join(format!("{name}.{format}.{ending}"));
                let mut command = solve(name);
                command.arg("--solution").arg(&path);
                command.args(["--solution-format", format, "--format", "json"]);
                let report = json(&run(&mut command, 0));
                assert_eq!(report["solution"], path.display().to_string());
                let objective = checked_objective(&data(name), &path);
                assert_eq!(report["objective"], objective, "{name} as {format}");
            }
        }
    }
}

#[test]
fn the_trajectory_as_csv() {
    let folder = folder();
    let path = folder.path().join("t.csv");
    run(solve("constant.lp").arg("--trajectory").arg(&path), 0);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,objective,bound"));
    let last: Vec<&str> = lines.next_back().unwrap().split(',').collect();
    assert!(last[0].parse::<f64>().unwrap() >= 0.0);
    assert_eq!(last[1], "112");
    assert_eq!(last.len(), 3);
}

#[test]
fn stdout_holds_only_data_and_quiet_is_quiet() {
    let output = run(solve("routes.lp").args(["-v", "--format", "json"]), 0);
    assert_eq!(json(&output)["objective"], 11.0);
    assert!(
        stderr(&output).contains("Presolving model"),
        "the solver's log"
    );
    let output = run(solve("routes.lp").args(["-q", "--format", "json"]), 0);
    assert_eq!(json(&output)["objective"], 11.0);
    assert_eq!(stderr(&output), "");
    let output = run(solve("routes.lp").args(["-q", "-v"]), 2);
    assert_eq!(stdout(&output), "");
}

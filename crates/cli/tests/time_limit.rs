//! A time limit holds even where the solver does not look at the clock: at the root of this model HiGHS alone spends
//! minutes on cuts.

#![allow(clippy::unwrap_used)]

mod common;

use common::{checked_objective, folder, idpas, json, run};

#[test]
fn the_best_solution_is_kept_when_the_solver_overruns() {
    let folder = folder();
    let out = folder.path().join("slap");
    let family = ["generate", "slap", "--size", "large", "--count", "1", "-q"];
    run(idpas().args(family).arg("--out").arg(&out), 0);
    let model = out.join("inst_0001.mps.gz");
    let solution = folder.path().join("best.sol");
    let mut solve = idpas();
    solve
        .arg("solve")
        .arg(&model)
        .arg("--solution")
        .arg(&solution);
    // The helper that runs the program gives up after two minutes.
    let report = json(&run(
        solve.args(["--time-limit", "20", "--format", "json", "-q"]),
        0,
    ));
    assert_eq!(report["status"], "time_limit");
    let objective = report["objective"].as_f64().unwrap();
    assert_eq!(checked_objective(&model, &solution), objective);
    assert!(report["bound"].as_f64().unwrap() < objective);
}

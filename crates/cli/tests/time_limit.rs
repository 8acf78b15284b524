//! A time limit holds even where the solver does not look at the clock: at the root of this model HiGHS alone spends
//! minutes on cuts.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use common::{checked_objective, folder, idpas, json, run};
use serde_json::Value;
use tempfile::TempDir;

/// Seconds that a run may take beyond its limit on a machine that has other things to do; without a hard stop it is two
/// at least.
const LATE: f64 = 1.0;

/// One run at a time: they are about time.
static ONE: Mutex<()> = Mutex::new(());

/// A SLAP model of the size of the paper's.
struct Slap {
    folder: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Slap {
    fn new() -> Self {
        let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = folder();
        let family = ["generate", "slap", "--size", "large", "--count", "1", "-q"];
        let out = folder.path().join("slap");
        run(idpas().args(family).arg("--out").arg(&out), 0);
        Slap { folder, _alone }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("slap/inst_0001.mps.gz")
    }

    /// Solves it within `limit` seconds and gives the report; whatever it says must have been found within the limit.
    fn solve(&self, limit: f64, how: &[&str]) -> Value {
        let mut solve = idpas();
        solve.arg("solve").arg(self.path()).args(how);
        solve.args(["--format", "json", "-q", "--time-limit"]);
        let began = Instant::now();
        let output = solve.arg(limit.to_string()).output().unwrap();
        let seconds = began.elapsed().as_secs_f64();
        let report = json(&output);
        assert!(seconds < limit + LATE, "{seconds} s of {limit} s, {how:?}");
        assert_eq!(report["status"], "time_limit", "{how:?}");
        // A run without a solution is no failure here; one that breaks is.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{how:?}");
        for point in report["trajectory"].as_array().unwrap() {
            let time = point["time"].as_f64().unwrap();
            assert!(time <= limit, "{time} s of {limit} s, {how:?}");
        }
        report
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_best_solution_is_kept_when_the_solver_overruns() {
    let slap = Slap::new();
    let solution = slap.folder.path().join("best.sol");
    let report = slap.solve(20.0, &["--solution", text(&solution)]);
    let objective = report["objective"].as_f64().unwrap();
    assert_eq!(checked_objective(&slap.path(), &solution), objective);
    assert!(report["bound"].as_f64().unwrap() < objective);
}

#[test]
fn of_every_method_with_one_thread_and_with_two() {
    let slap = Slap::new();
    for how in [
        &["--threads", "2"][..],
        &["--method", "solver"],
        &["--method", "idpas"],
        &["--method", "idpas", "--threads", "2"],
    ] {
        slap.solve(5.0, how);
    }
}

/// The linear relaxation alone takes longer than this limit, and the network is not stopped by anything.
#[test]
fn while_scores_are_made() {
    let slap = Slap::new();
    let family = common::family::family();
    for (method, model) in [("idpas", "gnn"), ("pas+", "gnn-off")] {
        let model = family.model(model);
        slap.solve(2.0, &["--method", method, "--model", text(&model)]);
    }
}

#[test]
fn while_the_file_is_read() {
    let slap = Slap::new();
    for how in [&[][..], &["--method", "idpas"]] {
        let report = slap.solve(0.02, how);
        assert!(report["objective"].is_null() && report["bound"].is_null());
    }
}

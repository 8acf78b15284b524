//! Known optima come out, from a file as it was read and after writing it and reading it back.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests too

mod common;

use std::path::Path;

use common::fixture;
use idpas_mip::{Model, WriteError, read_model, write_model};
use idpas_solver::checked::{CheckedResult, solve_checked};
use idpas_solver::highs::Highs;
use idpas_solver::{Control, Params, Termination};
use idpas_testing::shared_data;

fn solve(model: &Model) -> CheckedResult {
    let params = Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(60.0)
    };
    solve_checked(&Highs, model, &params, None, &mut Control::default()).unwrap()
}

/// The model as read, after a way through MPS, and after one through LP if its names allow.
fn ways(path: &Path) -> Vec<(&'static str, Model)> {
    let read = read_model(path).unwrap().model;
    let folder = tempfile::tempdir().unwrap();
    let mut ways = Vec::new();
    for (way, file) in [("MPS", "m.mps"), ("LP", "m.lp.gz")] {
        let copy = folder.path().join(file);
        match write_model(&read, &copy) {
            Ok(()) => ways.push((way, read_model(&copy).unwrap().model)),
            Err(error @ WriteError::Name { .. }) if way == "LP" => println!("not as LP: {error}"),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(ways[0].1, read, "after writing and reading MPS");
    ways.insert(0, ("read", read));
    ways
}

fn check_optimum(path: &Path, optimum: f64) {
    for (way, model) in ways(path) {
        let label = format!("{} ({way})", path.display());
        let solved = solve(&model);
        assert_eq!(solved.result.termination, Termination::Optimal, "{label}");
        let objective = solved.solution.unwrap().report.objective;
        // The published optima have about nine digits.
        let error = (objective - optimum).abs() / optimum.abs().max(1.0);
        assert!(
            error < 1e-7,
            "{label}: found {objective}, expected {optimum}"
        );
    }
}

fn check_infeasible(path: &Path) {
    for (way, model) in ways(path) {
        let solved = solve(&model);
        assert_eq!(
            solved.result.termination,
            Termination::Infeasible,
            "{} ({way})",
            path.display()
        );
        assert!(solved.solution.is_none());
    }
}

#[test]
fn of_our_own_files() {
    check_optimum(&fixture("fixed.mps"), 1150.0);
    check_optimum(&fixture("names.mps"), 19.0);
    check_optimum(&fixture("unindented.mps"), -10.5);
    check_infeasible(&fixture("infeasible.mps"));
}

/// Each is a test of its own, so that they run side by side.
macro_rules! optima {
    ($($test:ident: $file:literal $optimum:literal),+ $(,)?) => {$(
        #[test]
        fn $test() {
            if let Some(path) = shared_data(concat!("mps/", $file)) {
                check_optimum(&path, $optimum);
            }
        }
    )+};
}

optima! {
    of_bell5: "bell5.mps" 8_966_406.491_52,
    of_flugpl: "flugpl.mps" 1_201_500.0,
    of_gt2: "gt2.mps" 21_166.0,
    of_gesa2: "gesa2.mps" 25_779_856.371_7,
    of_egout: "egout.mps" 568.100_7,
    of_dcmulti: "dcmulti.mps" 188_182.0,
    of_rgn: "rgn.mps" 82.199_999,
    of_small_mip: "small_mip.mps" 3.236_842_1,
}

#[test]
fn of_infeasible_files() {
    for name in ["mps/infeasible-mip0.mps", "mps/infeasible-mip1.mps"] {
        if let Some(path) = shared_data(name) {
            check_infeasible(&path);
        }
    }
}

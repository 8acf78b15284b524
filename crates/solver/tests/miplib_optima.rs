//! Known optima come out, from a file as it was read and after writing it and reading it back.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests too

mod common;

use std::path::Path;

use common::fixture;
use idpas_mip::check::{Tolerances, check};
use idpas_mip::{Model, VarKind, WriteError, read_model, write_model};
use idpas_solver::highs::Highs;
use idpas_solver::judge::{CheckedSolution, Judge, JudgeOptions};
use idpas_solver::{Control, Params, Solver, Termination, by_name};
use idpas_testing::shared_data;

/// The open solvers that are there.
fn solvers() -> Vec<Box<dyn Solver>> {
    let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Highs)];
    solvers.extend(by_name("scip"));
    solvers
}

/// Why the solver stopped, and its best solution, which must pass the check.
fn solve(solver: &dyn Solver, model: &Model) -> (Termination, Option<CheckedSolution>) {
    let params = Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(60.0)
    };
    let mut loaded = solver.load(model).unwrap();
    let result = loaded
        .solve(&params, None, &mut Control::default())
        .unwrap();
    let judge = Judge::new(model, JudgeOptions::default());
    let checked = result.best.map(|best| judge.check(&best.values).unwrap());
    (result.termination, checked)
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

/// Every solver on the model in every way.
fn ways_and_solvers(path: &Path) -> Vec<(&'static str, Model, Box<dyn Solver>)> {
    let mut all = Vec::new();
    for (way, model) in ways(path) {
        for solver in solvers() {
            all.push((way, model.clone(), solver));
        }
    }
    all
}

fn check_optimum(path: &Path, optimum: f64) {
    for (way, model, solver) in ways_and_solvers(path) {
        let label = format!("{} ({way}, {})", path.display(), solver.name());
        let (termination, solution) = solve(&*solver, &model);
        assert_eq!(termination, Termination::Optimal, "{label}");
        let objective = solution.unwrap().objective;
        // The published optima have about nine digits.
        let error = (objective - optimum).abs() / optimum.abs().max(1.0);
        assert!(
            error < 1e-7,
            "{label}: found {objective}, expected {optimum}"
        );
    }
}

fn check_infeasible(path: &Path) {
    for (way, model, solver) in ways_and_solvers(path) {
        let (termination, solution) = solve(&*solver, &model);
        assert_eq!(
            termination,
            Termination::Infeasible,
            "{} ({way}, {})",
            path.display(),
            solver.name()
        );
        assert!(solution.is_none());
    }
}

#[test]
fn of_our_own_files() {
    check_optimum(&fixture("mps/fixed.mps"), 1150.0);
    check_optimum(&fixture("mps/names.mps"), 19.0);
    check_optimum(&fixture("mps/unindented.mps"), -10.5);
    check_infeasible(&fixture("mps/infeasible.mps"));
}

/// The best objective of a model without continuous columns, by trying all values within the bounds.
fn enumerated(model: &Model) -> Option<f64> {
    let columns = &model.columns;
    let mut values = columns.lower.clone();
    let mut best = None;
    loop {
        let report = check(model, &values, &Tolerances::default()).unwrap();
        let found = report.objective;
        if report.feasible && best.is_none_or(|best| model.sense.is_better(found, best)) {
            best = Some(found);
        }
        // The next vector, as an odometer counts.
        let Some(j) = (0..values.len()).find(|&j| values[j] < columns.upper[j]) else {
            return best;
        };
        values[j] += 1.0;
        values[..j].copy_from_slice(&columns.lower[..j]);
    }
}

/// General integers with a range, binaries, and integers of either sign.
#[test]
fn known_by_trying_all_values() {
    for (name, optimum) in [
        ("mips/crews.mps", 45.5),
        ("mips/cover.mps", 5.0),
        ("mips/signs.mps", 16.0),
    ] {
        let path = fixture(name);
        let model = read_model(&path).unwrap().model;
        assert_eq!(model.shape().continuous, 0, "{name}");
        assert_eq!(enumerated(&model), Some(optimum), "{name}");
        check_optimum(&path, optimum);
    }
}

/// Continuous columns, fixed charges, a constant in the objective. The files say why nothing is better.
#[test]
fn known_by_argument() {
    check_optimum(&fixture("mips/lots.mps"), 33.0);
    check_optimum(&fixture("mips/roads.mps"), 122.0);
}

/// Relaxations that are feasible, of models that are not.
#[test]
fn known_to_be_infeasible() {
    for name in ["mips/parity.mps", "mips/pigeons.mps"] {
        let path = fixture(name);
        let mut model = read_model(&path).unwrap().model;
        assert_eq!(enumerated(&model), None, "{name}");
        check_infeasible(&path);
        model.columns.kind.fill(VarKind::Continuous);
        let (termination, solution) = solve(&Highs, &model);
        assert_eq!(termination, Termination::Optimal, "{name}");
        assert!(solution.is_some(), "{name}");
    }
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
    let Some(folder) = shared_data("mps") else {
        return;
    };
    for name in ["infeasible-mip0.mps", "infeasible-mip1.mps"] {
        check_infeasible(&folder.join(name));
    }
}

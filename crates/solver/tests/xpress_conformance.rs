//! Xpress passes the suite that every backend must pass, where it is installed, and what is special about it.

#![allow(clippy::print_stdout)] // helpers of tests are tests too

mod common;

use std::process::Command;

use common::installed;
use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};
use idpas_solver::{Control, Params, SolveResult, Solver, SolverError, Termination, by_name};

#[test]
fn xpress_conforms() {
    if let Some(solver) = installed("xpress") {
        common::expect_conforming(&*solver);
    }
}

/// A knapsack: which of `columns` to take, of weights and worths that differ a little, and half of all may be taken.
fn knapsack(columns: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
    let mut entries = Vec::new();
    for j in 0..columns {
        let worth = 100.0 + (j * 37 % 101) as f64 * 1e-5;
        let x = b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, worth)?;
        entries.push((x, 10.0 + (j * 53 % 17) as f64));
    }
    let room = (entries.iter().map(|entry| entry.1).sum::<f64>() / 2.0).floor() + 0.5;
    b.row("weight", f64::NEG_INFINITY, room, entries)?;
    b.build()
}

fn solve(solver: &dyn Solver, model: &Model, params: &Params) -> Result<SolveResult, SolverError> {
    let mut loaded = solver.load(model)?;
    loaded.solve(params, None, &mut Control::default())
}

fn raw(name: &str, value: &str) -> Params {
    Params {
        raw: vec![(name.into(), value.into())],
        ..Params::with_time_limit(60.0)
    }
}

#[test]
fn controls_of_every_type_by_their_names() -> Result<(), Box<dyn std::error::Error>> {
    let Some(solver) = installed("xpress") else {
        return Ok(());
    };
    let model = knapsack(30)?;
    for (name, value) in [
        ("HEUREMPHASIS", "0"),
        ("xprs_extraelems", "1000"),
        ("FeasTol", "1e-7"),
        ("OUTPUTMASK", "????????"),
    ] {
        let result = solve(&*solver, &model, &raw(name, value))?;
        assert_eq!(result.termination, Termination::Optimal, "{name}");
    }
    let limited = solve(&*solver, &model, &raw("MAXMIPSOL", "1"))?;
    assert_eq!(limited.termination, Termination::Limit);
    for (name, value, expected) in [
        ("HEUREMPHASIS", "much", "expected a whole number"),
        ("HEUREMPHASIS", "99999999999", "expected a whole number"),
        ("FEASTOL", "small", "expected a number"),
        ("TIMELIMIT", "-1", "Invalid value"),
        ("NOSUCHCONTROL", "1", "no such control"),
        ("NO\0CONTROL", "1", "no such control"),
    ] {
        let error = solve(&*solver, &model, &raw(name, value)).map(drop);
        let error = error.expect_err(name);
        assert!(
            matches!(&error, SolverError::Parameter { name: known, message }
                if known == name && message.contains(expected)),
            "{error}"
        );
    }
    Ok(())
}

/// The community licence has room for 5,000 rows and columns; a larger one has room for this model as well.
#[test]
fn a_model_that_the_licence_has_no_room_for() -> Result<(), Box<dyn std::error::Error>> {
    let Some(solver) = installed("xpress") else {
        return Ok(());
    };
    match solve(&*solver, &knapsack(5000)?, &Params::with_time_limit(1.0)) {
        Ok(result) => assert!(result.bound.is_finite()),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("too many rows and columns"), "{message}");
        }
    }
    Ok(())
}

/// Set where a test runs in a process of its own: a library is loaded once in each.
const ALONE: &str = "IDPAS_TEST_ALONE";

/// What opening Xpress says in a process of its own with this variable, to the test of this name.
fn opened_with(test: &str, variable: &str, value: &str) -> String {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .env(variable, value)
        .output()
        .expect("this program again");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Says what opening Xpress says, if this is the process for that.
fn is_alone() -> bool {
    let is_alone = std::env::var_os(ALONE).is_some();
    if is_alone {
        match by_name("xpress") {
            Ok(solver) => println!("opened {}", solver.version()),
            Err(error) => println!("{error}"),
        }
    }
    is_alone
}

#[cfg(target_os = "linux")]
#[test]
fn another_library_is_named() {
    if !is_alone() {
        let said = opened_with("another_library_is_named", "IDPAS_XPRESS_LIB", "libm.so.6");
        let expected = "xpress: libm.so.6 cannot be used: it has no function XPRSgetversion \
                        (IDPAS_XPRESS_LIB). Install it with `pip install xpress`";
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_missing_licence_is_told() {
    if is_alone() || installed("xpress").is_none() {
        return;
    }
    let said = opened_with(
        "a_missing_licence_is_told",
        "XPAUTH_PATH",
        "/no/such/file.xpr",
    );
    assert!(said.contains("it has no licence"), "{said}");
    assert!(said.contains("/no/such/file.xpr"), "{said}");
}

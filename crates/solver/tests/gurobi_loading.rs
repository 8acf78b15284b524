//! What is said where Gurobi's library is missing, is something else, or has no licence.
//!
//! Environment variables decide, so each case is a process of its own: this program again, with one test.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests too

use std::process::Command;

/// Set in a process that is only to say what becomes of Gurobi.
const ASKED: &str = "IDPAS_TEST_GUROBI";
/// What comes before the answer.
const ANSWER: &str = "answer: ";

/// Not a test by itself: in a process of its own, it says what becomes of Gurobi.
#[test]
fn says_what_becomes_of_gurobi() {
    if std::env::var_os(ASKED).is_none() {
        return;
    }
    match idpas_solver::by_name("gurobi") {
        Ok(solver) => println!("\n{ANSWER}{} {}", solver.name(), solver.version()),
        Err(error) => println!("\n{ANSWER}{error}"),
    }
}

/// What becomes of Gurobi with these environment variables; those without a value are taken away.
fn with(variables: &[(&str, Option<&str>)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["says_what_becomes_of_gurobi", "--exact", "--nocapture"])
        .env(ASKED, "1");
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let answer = lines.find_map(|line| line.strip_prefix(ANSWER));
    answer
        .unwrap_or_else(|| panic!("no answer in {text}"))
        .to_owned()
}

#[test]
fn a_library_that_is_missing() {
    let named = with(&[("IDPAS_GUROBI_LIB", Some("/no/such/libgurobi130.so"))]);
    assert!(named.starts_with("gurobi: /no/such/libgurobi130.so cannot be used"));
    assert!(named.contains("(IDPAS_GUROBI_LIB)"), "{named}");
    let nowhere = with(&[
        ("IDPAS_GUROBI_LIB", None),
        ("GUROBI_HOME", None),
        ("VIRTUAL_ENV", None),
        ("CONDA_PREFIX", None),
        ("LD_LIBRARY_PATH", None),
        ("HOME", Some("/no/such/home")),
        ("PATH", Some("")),
    ]);
    if !nowhere.starts_with("gurobi was not found") {
        return idpas_testing::skip("the system has a libgurobi of its own");
    }
    for word in ["$IDPAS_GUROBI_LIB", "$GUROBI_HOME", "gurobi.com"] {
        assert!(nowhere.contains(word), "{nowhere}");
    }
}

/// Any library of the system that is not Gurobi.
#[cfg(target_os = "linux")]
#[test]
fn a_library_of_another_kind() {
    let answer = with(&[("IDPAS_GUROBI_LIB", Some("libm.so.6"))]);
    let expected = "gurobi: libm.so.6 cannot be used: it has no function GRBversion";
    assert!(answer.starts_with(expected), "{answer}");
}

#[test]
fn a_library_without_a_licence() {
    let answer = with(&[("GRB_LICENSE_FILE", Some("/no/such/gurobi.lic"))]);
    if answer.starts_with("gurobi was not found") {
        return idpas_testing::skip(&answer);
    }
    assert!(answer.starts_with("gurobi failed to start: "), "{answer}");
    assert!(answer.contains("(error 10009)"), "{answer}");
    assert!(answer.contains("GRB_LICENSE_FILE names"), "{answer}");
}

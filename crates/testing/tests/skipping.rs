//! Skipped tests reach the file that collects them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use std::path::Path;
use std::process::{Command, Output};

use idpas_testing::{SKIPPED_TESTS, shared_data, skip};

/// Set in the second process that each test here starts: the same test again, which then skips.
const AGAIN: &str = "IDPAS_TESTING_AGAIN";

fn again() -> bool {
    std::env::var_os(AGAIN).is_some()
}

/// Runs `test` of this binary in a process of its own, where skipped tests go to `file`.
fn run_again(test: &str, file: &Path) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(AGAIN, "1")
        .env(SKIPPED_TESTS, file)
        .env("CARGO_PKG_NAME", "idpas-testing")
        .output()
        .unwrap()
}

#[test]
fn a_skipped_test_is_printed_and_appended() {
    if again() {
        return skip("only to see\tthat it works");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skipped");
    std::fs::write(&file, "earlier\tline\n").unwrap();
    let output = run_again("a_skipped_test_is_printed_and_appended", &file);
    assert!(output.status.success(), "{output:?}");
    let name = "idpas-testing/skipping::a_skipped_test_is_printed_and_appended";
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains(&format!("skipped: {name}: only to see\tthat it works\n")),
        "{stderr}"
    );
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        format!("earlier\tline\n{name}\tonly to see that it works\n")
    );
}

#[test]
fn absent_data_is_a_skipped_test() {
    if again() {
        assert_eq!(shared_data("no/such file"), None);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skipped");
    let output = run_again("absent_data_is_a_skipped_test", &file);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "idpas-testing/skipping::absent_data_is_a_skipped_test\t../shared/data/no/such file is absent\n"
    );
}

#[test]
fn a_skip_that_cannot_be_recorded_fails_the_test() {
    if again() {
        return skip("never counted");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = run_again(
        "a_skip_that_cannot_be_recorded_fails_the_test",
        folder.path(),
    );
    assert!(!output.status.success(), "{output:?}");
}

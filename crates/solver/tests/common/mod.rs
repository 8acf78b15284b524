//! What the tests with files share.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code, unreachable_pub)] // helpers of tests are tests too

use std::path::{Path, PathBuf};

use idpas_solver::{Solver, SolverError, by_name};

/// A solver that is loaded while the program runs, or `None` after counting the test as skipped.
pub fn installed(name: &str) -> Option<Box<dyn Solver>> {
    match by_name(name) {
        Ok(solver) => {
            println!("{} {}", solver.name(), solver.version());
            Some(solver)
        }
        Err(error @ SolverError::NotInstalled { .. }) => {
            idpas_testing::skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Fails with a list of all cases if the solver fails any.
pub fn expect_conforming(solver: &dyn Solver) {
    let outcomes = idpas_solver::conformance::run(solver);
    let mut failed = 0;
    for outcome in &outcomes {
        match &outcome.failure {
            None => println!("ok      {}", outcome.name),
            Some(why) => {
                failed += 1;
                println!("FAILED  {}: {why}", outcome.name);
            }
        }
    }
    assert!(outcomes.len() > 50);
    let all = outcomes.len();
    assert_eq!(failed, 0, "{failed} of {all} cases failed; see above");
}

/// A file or folder of this workspace's own test data.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../mip/tests/data")
        .join(name)
}

/// The files of a folder that end in one of `endings`, sorted.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &PathBuf| {
        let name = path.to_string_lossy();
        endings.iter().any(|ending| name.ends_with(ending))
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(wanted)
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds nothing", folder.display());
    files
}

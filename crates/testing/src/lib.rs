//! What the tests of several crates share; a dev-dependency only, and never published.
//!
//! Some tests need what a machine may not have: the collection of instances in `../shared/data` beside the clone, a
//! browser, an account that is not root. Rust's test harness knows no test that skips itself: one that returns early
//! counts as passed. [`skip`] makes the difference visible: it writes each skipped test and the reason into the file
//! that the environment variable [`SKIPPED_TESTS`] names, so that whoever runs the tests can list them at the end.
//!
//! ```no_run
//! # fn find_browser() -> Option<&'static str> { None }
//! // At the start of a test:
//! let Some(browser) = find_browser() else {
//!     return idpas_testing::skip("no browser is installed");
//! };
//! # let _ = browser;
//! ```

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with the path of the file that collects skipped tests: a line `NAME<TAB>REASON` for each.
pub const SKIPPED_TESTS: &str = "IDPAS_SKIPPED_TESTS";

/// Records that the running test is skipped, and why; the test should return right after.
///
/// Prints `skipped: NAME: REASON` to standard error, and appends the line `NAME<TAB>REASON` to the file named by
/// [`SKIPPED_TESTS`] if that is set. `NAME` is `PACKAGE/BINARY::TEST`, for example
/// `idpas-mip/lp_reading::reads_the_shared_small_files`. Call it on the thread of the test, whose name is the test's.
///
/// # Panics
/// If the file cannot be written: a test that is neither run nor counted must not pass.
#[allow(clippy::print_stderr)] // the harness shows it beside the test
pub fn skip(reason: &str) {
    let name = running_test();
    eprintln!("skipped: {name}: {reason}");
    let Some(file) = std::env::var_os(SKIPPED_TESTS).filter(|file| !file.is_empty()) else {
        return;
    };
    if let Err(error) = append(Path::new(&file), &name, reason) {
        panic!(
            "{SKIPPED_TESTS}: {} cannot be written: {error}",
            Path::new(&file).display()
        );
    }
}

/// A file or folder of the collection `../shared/data` beside the clone, by its path in the collection, or `None` after
/// recording with [`skip`] that it is absent.
pub fn shared_data(name: &str) -> Option<PathBuf> {
    let path = clone_folder().join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("../shared/data/{name} is absent"));
    None
}

/// The folder of the clone whose tests are running.
///
/// Cargo says at run time where the package of the tests is. What it said when this crate was compiled may be about
/// another clone, if both build into the same folder.
fn clone_folder() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let clone = package
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").exists());
    clone.unwrap_or(&package).to_owned()
}

/// The running test as `PACKAGE/BINARY::TEST`, without the package where cargo does not run the tests.
fn running_test() -> String {
    let package = std::env::var("CARGO_PKG_NAME").map_or(String::new(), |name| name + "/");
    let program = std::env::current_exe().unwrap_or_default();
    let binary = program.file_stem().unwrap_or_default().to_string_lossy();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("unnamed thread");
    format!("{package}{}::{test}", without_hash(&binary))
}

/// The name of a test binary without the hash of 16 hexadecimal digits that cargo puts behind it.
fn without_hash(binary: &str) -> &str {
    let is_hash = |tail: &str| tail.len() == 16 && tail.bytes().all(|b| b.is_ascii_hexdigit());
    match binary.rsplit_once('-') {
        Some((name, tail)) if is_hash(tail) => name,
        _ => binary,
    }
}

/// Appends a line in one write, so that lines of tests and processes that run side by side do not mix.
fn append(file: &Path, name: &str, reason: &str) -> std::io::Result<()> {
    let in_one_line = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let line = format!("{}\t{}\n", in_one_line(name), in_one_line(reason));
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_a_hash_is_taken_off() {
        for (binary, name) in [
            ("lp_reading-0123456789abcdef", "lp_reading"),
            ("idpas_mip-fedcba9876543210", "idpas_mip"),
            ("no-hash", "no-hash"),
            ("too-0123456789abcde", "too-0123456789abcde"),
            ("plain", "plain"),
        ] {
            assert_eq!(super::without_hash(binary), name);
        }
    }
}

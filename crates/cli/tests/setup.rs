//! The scripts behind `make`: which libclang they find, and what they say when a build fails for want of a tool.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // tests

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scripts")
        .join(name)
}

/// What `find_libclang` finds in a folder, if anything.
fn libclang_in(folder: &Path) -> Option<String> {
    let text = ". \"$1\"; find_libclang && printf '%s' \"$libclang_found\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", text, "bash"]).arg(script("libclang.sh"));
    let output = bash.env("LIBCLANG_PATH", folder).output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(found)
}

/// Some shared library of this system, whatever it is for.
fn library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let is_library = |path: &&str| path.starts_with('/') && path.contains(".so");
    let mut paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    PathBuf::from(paths.find(is_library).unwrap())
}

#[test]
fn only_a_libclang_that_can_be_loaded_counts() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(libclang_in(folder.path()), None);
    let put = |name: &str| fs::copy(library(), folder.path().join(name)).unwrap();
    // The C++ library of clang, and a file that is no library.
    put("libclang-cpp.so.14");
    fs::write(folder.path().join("libclang.so"), "INPUT(elsewhere)").unwrap();
    assert_eq!(libclang_in(folder.path()), None);
    put("libclang-14.so.1");
    let expected = folder.path().join("libclang-14.so.1");
    assert_eq!(libclang_in(folder.path()).as_deref(), expected.to_str());
}

/// Runs `cargo.sh` with a program in cargo's place that says this and ends with this code.
fn built(says: &str, code: i32) -> Output {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("build-env.sh"), "").unwrap();
    let cargo = folder.path().join("cargo");
    let text = format!("#!/bin/sh\necho \"made $*\"\necho '{says}' >&2\nexit {code}\n");
    fs::write(&cargo, text).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(script("cargo.sh"));
    command.arg(folder.path()).args(["build", "--release"]);
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    command.output().unwrap()
}

#[test]
fn a_build_that_fails_for_want_of_a_tool_ends_with_what_to_install() {
    for (says, expected) in [
        (
            "Unable to find libclang: couldnt find any valid",
            "apt-get install libclang1",
        ),
        ("is `cmake` not installed?", "apt-get install cmake"),
        ("error: linker `cc` not found", "apt-get install g++"),
        ("write failed: No space left on device", "the disk is full"),
    ] {
        let output = built(says, 101);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(101));
        let last = errors.lines().last().unwrap_or_default();
        assert!(last.contains(expected), "{says}: {errors}");
        assert!(errors.contains(says), "{errors}");
    }
}

#[test]
fn a_build_that_works_or_fails_by_itself_says_nothing_more() {
    let well = built("Finished", 0);
    assert!(well.status.success());
    assert_eq!(well.stdout, b"made build --release\n");
    assert_eq!(well.stderr, b"Finished\n");
    let ill = built("error[E0308]: mismatched types", 101);
    assert_eq!(ill.stderr, b"error[E0308]: mismatched types\n");
}

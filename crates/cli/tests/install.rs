//! `cargo install --path crates/cli`, as a user runs it, with what the tests have built already.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{data, folder, json, stderr, stdout};

/// Where cargo builds: the folder above the one this test is in, TARGET/release/deps.
fn target() -> std::path::PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let target = test.ancestors().nth(3).expect("a target folder");
    target.to_path_buf()
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Output {
    let output = command.output().expect("a program that runs");
    assert!(output.status.success(), "{}", stderr(&output));
    output
}

#[test]
fn cargo_install_gives_a_program_that_solves() {
    let root = folder();
    let mut install = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    // Cargo tells a test about its package in variables that a user's shell does not have; build scripts that ask for
    // them would run again.
    for (name, _) in std::env::vars_os() {
        let told = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_")
                || name.starts_with("CARGO_MANIFEST_")
                || [
                    "CARGO_CRATE_NAME",
                    "CARGO_BIN_NAME",
                    "LD_LIBRARY_PATH",
                    "OUT_DIR",
                ]
                .contains(&name)
        });
        if told {
            install.env_remove(name);
        }
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    install
        .args(["install", "--locked", "--offline", "--no-track", "--path"])
        .arg(package);
    install.arg("--root").arg(root.path());
    install.env("CARGO_TARGET_DIR", target());
    run(&mut install);

    let program = root
        .path()
        .join(format!("bin/idpas{}", std::env::consts::EXE_SUFFIX));
    let version = run(Command::new(&program).arg("--version"));
    assert_eq!(
        stdout(&version),
        format!("idpas {}\n", env!("CARGO_PKG_VERSION"))
    );
    let mut solve = Command::new(&program);
    solve
        .arg("solve")
        .arg(data("knapsack.mps"))
        .args(["--format", "json", "-q"]);
    let solved = json(&run(&mut solve));
    assert_eq!(solved["status"], "optimal");
}

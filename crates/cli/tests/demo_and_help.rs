//! Help, completions, manual pages, and what the shell may do to the streams.

mod common;

use common::{data, folder, idpas, run, stderr, stdout};

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = stdout(&run(idpas().arg("--help"), 0));
    let listed = help
        .split("Commands:\n")
        .nth(1)
        .expect("a list of commands");
    listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_subcommand_has_help() {
    let names = subcommands();
    for name in ["inspect", "solve", "check", "relax", "convert"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
    for name in names {
        let output = run(idpas().args([&name, "--help"]), 0);
        assert!(stdout(&output).contains(&format!("Usage: idpas {name}")));
        assert_eq!(stderr(&output), "");
        let output = run(idpas().args(["help", &name]), 0);
        assert!(stdout(&output).contains("Usage: "));
        for line in stdout(&output).lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
        }
    }
}

#[test]
fn the_version() {
    let output = run(idpas().arg("--version"), 0);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(stdout(&output), format!("idpas {version}\n"));
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["solve"],
        &["solve", "a.mps", "--frobnicate"],
        &["inspect", "a.mps", "b.mps"],
        &["completions", "abacus"],
    ] {
        let output = run(idpas().args(arguments), 2);
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert!(stderr(&output).contains("Usage:") || stderr(&output).contains("--help"));
    }
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(idpas().args(["completions", shell]), 0);
        assert!(stdout(&output).contains("time-limit"), "{shell}");
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn manual_pages_go_to_a_folder_that_need_not_exist() {
    let folder = folder();
    let out = folder.path().join("share/man1");
    let output = run(idpas().arg("man").arg("--out").arg(&out), 0);
    assert_eq!(stdout(&output), format!("{}\n", out.display()));
    for page in ["idpas.1", "idpas-solve.1", "idpas-check.1"] {
        let text = std::fs::read_to_string(out.join(page)).expect(page);
        assert!(text.contains(".TH "), "{page}");
    }
}

#[cfg(unix)]
mod streams {
    use super::*;
    use std::fs::File;
    use std::process::{Command, Stdio};

    /// A pipe whose reader has gone away.
    fn broken_pipe() -> Stdio {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer.into()
    }

    fn solve() -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
        command.arg("solve").arg(data("knapsack.mps"));
        command
    }

    #[test]
    fn a_reader_that_goes_away_is_no_error() {
        let output = solve().stdout(broken_pipe()).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"));
        let mut help = Command::new(assert_cmd::cargo::cargo_bin!("idpas"));
        let output = help.arg("--help").stdout(broken_pipe()).output();
        assert_eq!(output.expect("a run").status.code(), Some(0));
    }

    #[test]
    fn nobody_reading_stderr_does_not_stop_a_solve() {
        for flag in ["--seed=1", "-v"] {
            let output = solve().arg(flag).stderr(broken_pipe()).output();
            let output = output.expect("a run");
            assert_eq!(output.status.code(), Some(0));
            assert!(stdout(&output).starts_with("status       optimal\n"));
        }
    }

    #[test]
    fn a_full_disk_behind_stdout_is_an_error() {
        let Ok(full) = File::options().write(true).open("/dev/full") else {
            return idpas_testing::skip("there is no /dev/full");
        };
        let output = solve().arg("-q").stdout(full).output().expect("a run");
        assert_eq!(output.status.code(), Some(3));
        assert!(stderr(&output).starts_with("error: cannot write the result to stdout"));
    }
}

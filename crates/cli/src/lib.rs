//! The `idpas` command line: arguments, one file per subcommand, output, exit codes.
//!
//! Everything a command does is in the library crates; this crate has only what concerns a person or script at a
//! terminal. Data goes to stdout, progress and messages to stderr.
//!
//! ```
//! use clap::Parser;
//! use idpas_cli::Arguments;
//!
//! // `idpas_cli::main` parses the process's own arguments like this, runs the command and returns its exit code.
//! let given = ["idpas", "solve", "model.mps.gz", "--time-limit", "60"];
//! assert!(Arguments::try_parse_from(given).is_ok());
//! let error = Arguments::try_parse_from(["idpas", "solve"]).expect_err("a file is missing");
//! assert!(error.to_string().contains("Usage: idpas solve"));
//! ```
//!
//! Programs that want more than commands use the library crates; `examples/drive_idpas.rs` shows how a program runs
//! commands and reads their results as JSON.

mod args;
mod cluster;
mod commands;
mod failure;
mod output;
mod processes;
mod progress;
mod signals;
mod target;
mod terminal;

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory, Parser};
use idpas_base::process::WorkerCommand;
use idpas_base::system;
use idpas_base::words::visible_lines;

use args::{Args, Command};
use failure::{Done, Failure};

pub use args::Args as Arguments;

/// Parses the program's arguments, runs the command, and returns its exit code.
pub fn main() -> u8 {
    main_with(std::env::args_os(), system::keep_stdout)
}

/// [`main`] for a program that is inside another one, such as an interpreter: with arguments that are given, and with the
/// command by which it is started, as it starts itself for pieces of its work.
pub fn main_as(program: WorkerCommand, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    processes::is_started_by(program);
    // Stdout is the other program's.
    main_with(iter::once("idpas".into()).chain(arguments), || None)
}

fn main_with(
    arguments: impl IntoIterator<Item = OsString>,
    keep_stdout: impl FnOnce() -> Option<File>,
) -> u8 {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are not errors; clap prints each where it belongs.
            let code = if error.use_stderr() {
                failure::USAGE
            } else {
                0
            };
            output::tell_clap(&error);
            return code;
        }
    };
    let own = keep_stdout();
    let done = without_panic(|| run(&args)).unwrap_or_else(Done::failed);
    let printed = match own {
        Some(mut own) => print(&done, own.is_terminal(), &mut own),
        None => {
            let mut stdout = std::io::stdout().lock();
            print(&done, stdout.is_terminal(), &mut stdout)
        }
    };
    let failure = done.failure.or(printed.err());
    let Some(failure) = failure else {
        return done.code;
    };
    output::tell_failure("error", &failure);
    failure.code()
}

/// Runs a command. A panic, which has told where it was on stderr, is a fault of the program and ends like its others.
fn without_panic(command: impl FnOnce() -> Result<Done, Failure>) -> Result<Done, Failure> {
    let caught = catch_unwind(AssertUnwindSafe(command));
    caught.unwrap_or_else(|_| {
        let words = "the program has a fault, and stopped: please report the lines above";
        Err(Failure::Internal(words.into()))
    })
}

/// Writes the result to stdout. That the reader has closed it is no failure; a full disk is one. Names come from files of
/// strangers: people never see what would act on their terminal, programs get data as they are.
fn print(done: &Done, is_terminal: bool, stdout: &mut dyn Write) -> Result<(), Failure> {
    let text: Cow<'_, str> = match done.is_data && !is_terminal {
        true => Cow::Borrowed(&done.text),
        false => Cow::Owned(visible_lines(&done.text)),
    };
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Internal(format!(
            "cannot write the result to stdout: {error}"
        ))),
        _ => Ok(()),
    }
}

fn run(args: &Args) -> Result<Done, Failure> {
    match &args.command {
        Command::Inspect(a) => commands::inspect::run(a, args.verbosity()),
        Command::Solve(a) => commands::solve::run(a, args.verbosity()),
        Command::Check(a) => commands::check::run(a, args.verbosity()),
        Command::Relax(a) => commands::relax::run(a, args.verbosity()),
        Command::Solvers(a) => commands::solvers::run(a),
        Command::Convert(a) => commands::convert::run(a, args.verbosity()),
        Command::Diff(a) => commands::diff::run(a, args.verbosity()),
        Command::Generate { family } => commands::generate::run(family, args.verbosity()),
        Command::Series(a) => commands::series::run(a, args.verbosity()),
        Command::Learn(a) => commands::learn::run(a, args.verbosity()),
        Command::Collect(a) => commands::collect::run(a, args.verbosity()),
        Command::CollectWorker => commands::collect::worker::run(),
        Command::Status(a) => commands::status::run(a),
        Command::Pool { command } => commands::pool::run(command, args.verbosity()),
        Command::Train(a) => commands::train::run(a, args.verbosity()),
        Command::Predict(a) => commands::predict::run(a, args.verbosity()),
        Command::Assess(a) => commands::assess::run(a, args.verbosity()),
        Command::Tune(a) => commands::tune::run(a, args.verbosity()),
        Command::Evaluate(a) => commands::evaluate::run(a, args.verbosity()),
        Command::Report(a) => commands::report::run(a),
        Command::Demo(a) => commands::demo::run(a, args.verbosity()),
        Command::Child(a) => commands::child::run(a),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "idpas", &mut text);
            Ok(Done::data(String::from_utf8_lossy(&text)))
        }
        Command::Man { out } => commands::man::run(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_as_documented() {
        let failure = without_panic(|| panic!("thrown by a test")).err();
        assert_eq!(
            failure.map(|failure| failure.code()),
            Some(failure::INTERNAL)
        );
        let done = without_panic(|| Ok(Done::text("well"))).ok();
        assert_eq!(done.map(|done| done.text).as_deref(), Some("well"));
    }
}

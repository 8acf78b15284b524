//! The `idpas` command line: arguments, one file per subcommand, output, exit codes.
//!
//! Everything a command does is in the library crates below it; here is only what concerns a person or script
//! at a terminal. Data goes to stdout, progress and messages to stderr.

#![allow(clippy::print_stderr)]

mod args;
mod commands;
mod failure;
mod output;
mod progress;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command};
use failure::{Done, Failure};

pub use args::Args as Arguments;

/// Parses the program's arguments, runs the command, and says how it went.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are not errors; clap prints each where it belongs.
            let code = if error.use_stderr() {
                failure::USAGE
            } else {
                0
            };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match run(&args) {
        Ok(done) => {
            // A reader that has gone away is no failure of ours.
            let _ = std::io::stdout().write_all(done.text.as_bytes());
            ExitCode::from(done.code)
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            if let Some(hint) = failure.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(failure.code())
        }
    }
}

fn run(args: &Args) -> Result<Done, Failure> {
    match &args.command {
        Command::Inspect(a) => commands::inspect::run(a, args.verbosity()),
        Command::Solve(a) => commands::solve::run(a, args.verbosity()),
        Command::Check(a) => commands::check::run(a, args.verbosity()),
        Command::Relax(a) => commands::relax::run(a, args.verbosity()),
        Command::Convert(a) => commands::convert::run(a, args.verbosity()),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "idpas", &mut text);
            Ok(Done::text(String::from_utf8_lossy(&text)))
        }
        Command::Man { out } => commands::man::run(out),
    }
}

//! `idpas solvers`: which solvers are there, where, and what they can do.

use std::fmt::Write;

use idpas_solver::{Abilities, Solver, SolverError};
use serde::Serialize;

use crate::args::{OutputFormat, SolversArgs};
use crate::failure::{Done, Failure};
use crate::output::json;

/// A solver, as it is printed.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    found: bool,
    version: Option<String>,
    /// The library; `None` for a part of the program.
    library: Option<String>,
    abilities: Vec<&'static str>,
    /// Why it cannot be used, and what to do about it.
    problem: Option<String>,
}

pub(crate) fn run(args: &SolversArgs) -> Result<Done, Failure> {
    let entries: Vec<Entry> = idpas_solver::NAMES
        .iter()
        .map(|&name| entry(name, idpas_solver::by_name(name)))
        .collect();
    if args.format == OutputFormat::Json {
        return json(&entries);
    }
    let mut text = String::new();
    for entry in &entries {
        let version = entry.version.as_deref().unwrap_or("not usable");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {version}", entry.name);
        match &entry.problem {
            Some(problem) => {
                let _ = writeln!(text, "  {problem}");
            }
            None => {
                let library = entry.library.as_deref().unwrap_or("a part of this program");
                let _ = writeln!(text, "  {library}");
                let _ = writeln!(text, "  can {}", entry.abilities.join(", "));
            }
        }
    }
    Ok(Done::text(text))
}

fn entry(name: &'static str, opened: Result<Box<dyn Solver>, SolverError>) -> Entry {
    match opened {
        Ok(solver) => Entry {
            name,
            found: true,
            version: Some(solver.version()),
            library: solver.library().map(|path| path.display().to_string()),
            abilities: words(solver.abilities()),
            problem: None,
        },
        Err(error) => Entry {
            name,
            found: false,
            version: None,
            library: None,
            abilities: Vec::new(),
            problem: Some(error.to_string()),
        },
    }
}

/// What every solver here can do, and what this one can beyond that.
fn words(abilities: Abilities) -> Vec<&'static str> {
    let Abilities {
        offers,
        pauses,
        indicators,
        pools,
        threads,
    } = abilities;
    let beyond = [
        (offers, "take solutions while it runs"),
        (pauses, "pause"),
        (indicators, "switch rows by binaries"),
        (pools, "fill a pool in one solve"),
        (threads, "use several threads"),
    ];
    ["solve", "solve relaxations"]
        .into_iter()
        .chain(
            beyond
                .into_iter()
                .filter(|(can, _)| *can)
                .map(|(_, word)| word),
        )
        .collect()
}

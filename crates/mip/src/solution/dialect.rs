//! Recognises by its first line which solver's format a solution file has.

use std::fmt;

use super::collect::{Collector, split_value};
use super::{cplex, highs, list, table};
use crate::files::{Input, Lines};
use crate::{Model, Problem, ReadError, numbers};

/// The kinds of solution files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// HiGHS, raw or sparse.
    Highs,
    /// HiGHS, the table that is meant for people.
    HighsTable,
    /// SCIP.
    Scip,
    /// MIPLIB's solution files.
    Miplib,
    /// CPLEX's XML.
    Cplex,
    /// Gurobi, or any list of names and values.
    Gurobi,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Highs => "HiGHS",
            Dialect::HighsTable => "HiGHS table",
            Dialect::Scip => "SCIP",
            Dialect::Miplib => "MIPLIB",
            Dialect::Cplex => "CPLEX",
            Dialect::Gurobi => "Gurobi",
        })
    }
}

impl Dialect {
    /// The dialect whose files begin with this line.
    fn of_first_line(line: &str) -> Option<Self> {
        let line = line.trim();
        if line == "Model status" {
            Some(Dialect::Highs)
        } else if line == "Columns" {
            Some(Dialect::HighsTable)
        } else if list::is_scip_header(line) {
            Some(Dialect::Scip)
        } else if line.starts_with('=') {
            Some(Dialect::Miplib)
        } else if line.starts_with("<?xml") || line.starts_with("<CPLEXSolution") {
            Some(Dialect::Cplex)
        } else if line.starts_with('#') {
            Some(Dialect::Gurobi)
        } else {
            let (_, value) = split_value(line)?;
            numbers::parse(value).map(|_| Dialect::Gurobi)
        }
    }

    /// The dialect of a file by its first line that is not blank. That line is then the last one read.
    fn of(lines: &mut Lines) -> Result<Self, ReadError> {
        let found = loop {
            match lines.next()? {
                None => return Err(lines.error_at(0, Problem::Empty)),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => break Self::of_first_line(line),
            }
        };
        found.ok_or_else(|| {
            lines.error(Problem::UnknownFormat {
                message: "it begins as no solution of HiGHS, SCIP, MIPLIB, CPLEX or Gurobi does, \
                          nor with a name and a value"
                    .into(),
            })
        })
    }
}

/// Reads a solution file in any dialect.
pub(super) fn read<'m>(
    input: &Input,
    model: &'m Model,
) -> Result<(Dialect, Collector<'m>), ReadError> {
    let mut lines = input.open()?;
    let dialect = Dialect::of(&mut lines)?;
    // Reading starts again with this line; those before it are blank.
    lines.take_back();
    let mut found = Collector::new(model);
    match dialect {
        Dialect::Highs => highs::read(&mut lines, &mut found)?,
        Dialect::HighsTable => table::read(&mut lines, &mut found)?,
        Dialect::Scip => list::read_scip(&mut lines, &mut found)?,
        Dialect::Miplib => list::read_miplib(&mut lines, &mut found)?,
        Dialect::Cplex => cplex::read(&mut lines, &mut found)?,
        Dialect::Gurobi => list::read_gurobi(&mut lines, &mut found)?,
    }
    Ok((dialect, found))
}

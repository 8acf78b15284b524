//! Lists of names and values: SCIP, MIPLIB and Gurobi.

use super::collect::Collector;
use crate::files::Lines;
use crate::{Problem, ReadError};

const SCIP_STATUS: &str = "solution status:";
const SCIP_OBJECTIVE: &str = "objective value:";
const SCIP_NONE: &str = "no solution available";

/// Whether a line is one of those that precede the values in SCIP's files.
pub(super) fn is_scip_header(line: &str) -> bool {
    [SCIP_STATUS, SCIP_OBJECTIVE, SCIP_NONE]
        .iter()
        .any(|header| line.starts_with(header))
}

/// Reads lines `name value (obj:coefficient)`, after the status and the objective.
pub(super) fn read_scip(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    found.sparse = true;
    each_line(lines, |line| {
        if let Some(status) = line.strip_prefix(SCIP_STATUS) {
            found.status = Some(status.trim().into());
            return Ok(());
        }
        if let Some(value) = line.strip_prefix(SCIP_OBJECTIVE) {
            return found.put_objective(value.trim());
        }
        if line == SCIP_NONE {
            return Err(no_solution(line));
        }
        match line.rfind("(obj:") {
            Some(at) if line.ends_with(')') => found.put_line(&line[..at]),
            _ => found.put_line(line),
        }
    })
}

/// Reads lines `name value` after `=obj= value`; or a word that says that there is no solution.
pub(super) fn read_miplib(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    found.sparse = true;
    let mut first = true;
    each_line(lines, |line| {
        if !std::mem::take(&mut first) {
            return found.put_line(line);
        }
        match line.strip_prefix("=obj=") {
            Some(value) => found.put_objective(value.trim()),
            None if ["=infeas=", "=unbd=", "=unkn="].contains(&line) => Err(no_solution(line)),
            None => Err(Problem::syntax(format!(
                "expected `=obj=` and the objective value, found `{line}`"
            ))),
        }
    })
}

/// Reads lines `name value`, and comments after `#`, one of which may state the objective.
pub(super) fn read_gurobi(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    each_line(lines, |line| {
        let Some(comment) = line.strip_prefix('#') else {
            return found.put_line(line);
        };
        match comment.trim().strip_prefix("Objective value =") {
            Some(value) => found.put_objective(value.trim()),
            None => Ok(()),
        }
    })?;
    if found.entries.is_empty() && found.expects_columns() {
        return Err(lines.error_at(0, Problem::syntax("the file gives no column a value")));
    }
    Ok(())
}

fn no_solution(statement: &str) -> Problem {
    Problem::NoSolution {
        statement: statement.into(),
    }
}

/// Calls `take` with every line that is not blank, trimmed, and adds the line number to its errors.
fn each_line(
    lines: &mut Lines,
    mut take: impl FnMut(&str) -> Result<(), Problem>,
) -> Result<(), ReadError> {
    loop {
        let taken = match lines.next()? {
            None => return Ok(()),
            Some(line) if line.trim().is_empty() => Ok(()),
            Some(line) => take(line.trim()),
        };
        taken.map_err(|problem| lines.error(problem))?;
    }
}

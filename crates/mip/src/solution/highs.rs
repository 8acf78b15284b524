//! HiGHS's raw solution files (style 0) and sparse ones (style 4).
//!
//! ```text
//! Model status
//! Optimal
//!
//! # Primal solution values
//! Feasible
//! Objective 12.5
//! # Columns 2
//! x 1
//! y 0.5
//! # Rows 1
//! …
//! ```
//!
//! A sparse file has the number of nonzeros, negated, after `# Columns`, and the column's index after
//! each value. Rows, duals and the basis, which may follow, are not read.

use super::collect::{Collector, split_value};
use crate::files::Lines;
use crate::{Problem, ReadError, Warning};

const PRIMAL: &str = "# Primal solution values";
const PRIMAL_QUOTED: &str = "`# Primal solution values`";
const COLUMNS: &str = "# Columns";

pub(super) fn read(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    header(lines, "the status", |_| Ok(()))?;
    let at_values = header(lines, PRIMAL_QUOTED, |line| {
        if line != PRIMAL {
            found.status = Some(line.into());
        }
        Ok(line == PRIMAL)
    })?;
    if !at_values {
        header(lines, PRIMAL_QUOTED, |line| match line {
            PRIMAL => Ok(()),
            _ => Err(expected(PRIMAL, line)),
        })?;
    }
    let infeasible = header(
        lines,
        "whether the values are feasible",
        |line| match line {
            "None" => Err(Problem::NoSolution {
                statement: format!("{PRIMAL}: None"),
            }),
            "Feasible" => Ok(false),
            "Infeasible" => Ok(true),
            _ => Err(expected("Feasible", line)),
        },
    )?;
    if infeasible {
        found.warnings.push(Warning {
            line: Some(lines.line()),
            message: "HiGHS says that these values are infeasible".into(),
        });
    }
    header(lines, "`Objective`", |line| {
        match line.strip_prefix("Objective ") {
            Some(value) => found.put_objective(value.trim()),
            None => Err(expected("Objective", line)),
        }
    })?;
    let count: i64 = header(lines, "`# Columns`", |line| {
        let count = line
            .strip_prefix(COLUMNS)
            .and_then(|n| n.trim().parse().ok());
        count.ok_or_else(|| expected("# Columns", line))
    })?;
    found.sparse = count < 0;
    for _ in 0..count.unsigned_abs() {
        column(lines, found)?;
    }
    // Reads on to the end, so that a damaged file is noticed.
    while lines.next()?.is_some() {}
    Ok(())
}

/// Reads one column's line.
fn column(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    const ALL: &str = "all columns that `# Columns` announces";
    let taken = match lines.next()? {
        None => Err(Problem::Truncated { expected: ALL }),
        Some(line) => match split_value(line) {
            // The heading of the next section, unless the model has a column of that name.
            Some(("# Rows", _)) if !found.knows("# Rows") => {
                Err(Problem::Truncated { expected: ALL })
            }
            Some((rest, _index)) if found.sparse => found.put_line(rest),
            _ => found.put_line(line),
        },
    };
    taken.map_err(|problem| lines.error(problem))
}

/// Passes the next line that is not blank to `take`; `what` names it in the error for a file that ends before.
fn header<T>(
    lines: &mut Lines,
    what: &'static str,
    take: impl FnOnce(&str) -> Result<T, Problem>,
) -> Result<T, ReadError> {
    loop {
        let taken = match lines.next()? {
            None => Err(Problem::Truncated { expected: what }),
            Some(line) if line.trim().is_empty() => continue,
            Some(line) => take(line.trim()),
        };
        return taken.map_err(|problem| lines.error(problem));
    }
}

fn expected(what: &str, found: &str) -> Problem {
    Problem::syntax(format!("expected `{what}`, found `{found}`"))
}

//! HiGHS's table for people (style 1).
//!
//! ```text
//! Columns
//!     Index Status        Lower        Upper       Primal         Dual  Type        Name
//!         0                   0          inf           60               Continuous  x
//! Rows
//!     …
//!
//! Model status: Optimal
//!
//! Objective value: 12.5
//! ```
//!
//! Status, primal and dual are blank where HiGHS has none. Numbers are 12 wide (or wider, if need be)
//! and keep 6 digits.

use super::collect::Collector;
use crate::files::Lines;
use crate::{Problem, ReadError, Warning};

pub(super) fn read(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    let mut part = Part::Title;
    loop {
        let taken = match lines.next()? {
            None => break,
            Some(line) => part.take(line, found),
        };
        part = taken.map_err(|problem| lines.error(problem))?;
    }
    if !matches!(part, Part::Summary) {
        return Err(lines.error(Problem::Truncated {
            expected: "`Model status:`",
        }));
    }
    found.warnings.push(Warning {
        line: None,
        message: "HiGHS's table keeps 6 digits of every value; its raw style keeps all".into(),
    });
    Ok(())
}

/// The part of the file to which the next line belongs.
enum Part {
    Title,
    Head,
    Columns { with_type: bool },
    Rows,
    Summary,
}

impl Part {
    fn take(self, line: &str, found: &mut Collector) -> Result<Part, Problem> {
        Ok(match self {
            Part::Title if line.trim() == "Columns" => Part::Head,
            Part::Title => self,
            Part::Head => {
                let words: Vec<&str> = line.split_whitespace().collect();
                if !words.starts_with(&["Index", "Status", "Lower", "Upper", "Primal"]) {
                    return Err(Problem::syntax(format!(
                        "expected the head of HiGHS's table of columns, found `{}`",
                        line.trim()
                    )));
                }
                Part::Columns {
                    with_type: words.contains(&"Type"),
                }
            }
            Part::Columns { .. } if line.trim() == "Rows" => Part::Rows,
            Part::Columns { with_type } => {
                let (name, value) = column(line, with_type)?;
                found.put(name, value)?;
                self
            }
            Part::Rows | Part::Summary => {
                if let Some(status) = line.strip_prefix("Model status:") {
                    found.status = Some(status.trim().into());
                    return Ok(Part::Summary);
                }
                if let Some(value) = line.strip_prefix("Objective value:") {
                    found.put_objective(value.trim())?;
                }
                self
            }
        })
    }
}

/// The name and value of a column's line.
fn column(line: &str, with_type: bool) -> Result<(&str, &str), Problem> {
    let bad = || {
        Problem::syntax(format!(
            "expected a line of HiGHS's table, found `{}`",
            line.trim()
        ))
    };
    let mut rest = line;
    let mut word = || {
        let text = rest.trim_start_matches(' ');
        let gap = rest.len() - text.len();
        let end = text.find(' ').unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        let before = std::mem::replace(&mut rest, after);
        (gap, word, before)
    };
    let (_, _index, _) = word();
    let (_, status, _) = word();
    if ["FX", "LB", "UB", "BS", "FR", "NB"].contains(&status) {
        word(); // the lower bound
    }
    let (_, _upper, _) = word();
    // A number is at most 11 blanks and a separator away from the one before; an empty field makes the gap wider.
    const WIDEST_GAP: usize = 12;
    let (gap, value, _) = word();
    if gap > WIDEST_GAP {
        return Err(Problem::NoSolution {
            statement: "no primal values in the table".into(),
        });
    }
    let (gap, _dual, before) = word();
    let mut after_numbers = if gap > WIDEST_GAP { before } else { rest };
    if with_type {
        let text = after_numbers.trim_start_matches(' ');
        after_numbers = text.find(' ').map_or("", |end| &text[end..]);
    }
    let name = after_numbers.trim();
    if value.is_empty() || name.is_empty() {
        return Err(bad());
    }
    Ok((name, value))
}

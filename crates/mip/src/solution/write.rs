//! Writing solution files.

use std::io::{self, Write};
use std::path::Path;

use super::Solution;
use crate::check::{Checker, Report, Tolerances};
use crate::files::save;
use crate::{Model, Names, WriteError, numbers};

/// The kinds of solution files that can be written.
///
/// The default is HiGHS's, the solver that is always there: its file is complete (all columns, all
/// rows), so nothing in it is left to a reader's assumptions. [`Miplib`](Self::Miplib) is the one that
/// most other tools understand; HiGHS and SCIP read it too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolutionFormat {
    /// HiGHS's raw style, with all columns and rows. HiGHS itself cannot read names with spaces.
    #[default]
    Highs,
    /// SCIP's style: columns that are not zero, with their objective coefficients.
    Scip,
    /// MIPLIB's style: `=obj=` and the columns that are not zero.
    Miplib,
    /// Gurobi's style: all columns after a comment with the objective.
    Gurobi,
}

impl SolutionFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Highs, Self::Scip, Self::Miplib, Self::Gurobi];

    /// `highs`, `scip`, `miplib` or `gurobi`.
    pub fn as_str(self) -> &'static str {
        match self {
            SolutionFormat::Highs => "highs",
            SolutionFormat::Scip => "scip",
            SolutionFormat::Miplib => "miplib",
            SolutionFormat::Gurobi => "gurobi",
        }
    }
}

/// Writes a solution file at `path`, compressed if it ends in `.gz`. The file appears whole or not at all.
pub fn write_file(
    model: &Model,
    solution: &Solution,
    format: SolutionFormat,
    path: impl AsRef<Path>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    save(path, |out| write(model, solution, format, &file, out))
}

/// Writes a solution, called `file` in messages.
///
/// The objective and the rows' activities are computed from the values, exactly, whatever the solution
/// states. Values are the shortest decimals that read back as the same doubles; −0 is written as 0.
pub fn write(
    model: &Model,
    solution: &Solution,
    format: SolutionFormat,
    file: &str,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let checker = Checker::new(model);
    let unfit = |source| WriteError::Solution {
        file: file.into(),
        source,
    };
    let x = solution.values.as_slice();
    let objective = checker.objective(x).map_err(unfit)?;
    writable(&model.columns.names, "column", format)?;
    let status = first_line(solution.status.as_deref().unwrap_or("Unknown"));
    // Behind this sign HiGHS's format has its headings, for one of which such a status would be taken.
    let status = match status.trim_start().starts_with('#') {
        true => "Unknown",
        false => status,
    };
    let mut page = Page {
        out,
        line: Vec::new(),
    };
    let written = match format {
        SolutionFormat::Highs => {
            writable(&model.rows.names, "row", format)?;
            let report = checker.check(x, &Tolerances::default()).map_err(unfit)?;
            let activities = checker.activities(x).map_err(unfit)?;
            highs(&mut page, model, x, status, &report, &activities)
        }
        SolutionFormat::Scip => scip(&mut page, model, x, status, objective),
        SolutionFormat::Miplib => miplib(&mut page, model, x, objective),
        SolutionFormat::Gurobi => gurobi(&mut page, model, x, objective),
    };
    written.map_err(|source| WriteError::Io {
        file: file.into(),
        source,
    })
}

fn highs(
    page: &mut Page,
    model: &Model,
    x: &[f64],
    status: &str,
    report: &Report,
    activities: &[f64],
) -> io::Result<()> {
    page.text(&format!(
        "Model status\n{status}\n\n# Primal solution values\n"
    ))?;
    page.text(if report.feasible {
        "Feasible\n"
    } else {
        "Infeasible\n"
    })?;
    page.entry("Objective", report.objective)?;
    page.text(&format!("# Columns {}\n", x.len()))?;
    for (name, &value) in model.columns.names.iter().zip(x) {
        page.entry(name, value)?;
    }
    page.text(&format!("# Rows {}\n", activities.len()))?;
    for (name, &value) in model.rows.names.iter().zip(activities) {
        page.entry(name, value)?;
    }
    page.text("\n# Dual solution values\nNone\n\n# Basis\nHiGHS_basis_file v2\nNone\n")
}

fn scip(page: &mut Page, model: &Model, x: &[f64], status: &str, objective: f64) -> io::Result<()> {
    page.text(&format!("solution status: {status}\n"))?;
    page.entry("objective value:", objective)?;
    for (j, &value) in x.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        page.begin(model.columns.names.get(j), value);
        page.line.extend(b" \t(obj:");
        numbers::push(&mut page.line, model.columns.cost[j] + 0.0);
        page.line.push(b')');
        page.end()?;
    }
    Ok(())
}

fn miplib(page: &mut Page, model: &Model, x: &[f64], objective: f64) -> io::Result<()> {
    page.entry("=obj=", objective)?;
    for (j, &value) in x.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        page.entry(model.columns.names.get(j), value)?;
    }
    Ok(())
}

fn gurobi(page: &mut Page, model: &Model, x: &[f64], objective: f64) -> io::Result<()> {
    page.text(&format!(
        "# Solution for model {}\n",
        first_line(&model.name)
    ))?;
    page.entry("# Objective value =", objective)?;
    for (name, &value) in model.columns.names.iter().zip(x) {
        page.entry(name, value)?;
    }
    Ok(())
}

/// The output, and the line under construction.
struct Page<'a> {
    out: &'a mut dyn Write,
    line: Vec<u8>,
}

impl Page<'_> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// A name and its value on a line.
    fn entry(&mut self, name: &str, value: f64) -> io::Result<()> {
        self.begin(name, value);
        self.end()
    }

    fn begin(&mut self, name: &str, value: f64) {
        self.line.clear();
        self.line.extend(name.as_bytes());
        self.line.push(b' ');
        numbers::push(&mut self.line, value + 0.0); // −0 + 0 is 0
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.out.write_all(&self.line)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// Refuses names that would not be read back.
fn writable(names: &Names, what: &'static str, format: SolutionFormat) -> Result<(), WriteError> {
    for name in names.iter() {
        let reason = if name.contains(char::is_control) {
            "it has a control character"
        } else if name.trim() != name || name.is_empty() {
            "it is empty, or begins or ends with a space"
        } else if format == SolutionFormat::Gurobi && name.starts_with('#') {
            "`#` begins a comment"
        } else {
            continue;
        };
        return Err(WriteError::Name {
            what,
            name: name.into(),
            format: format.as_str(),
            reason,
        });
    }
    Ok(())
}

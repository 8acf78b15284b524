//! The model while it is being read: columns by first appearance, finished rows, and warnings.
//! Knows nothing of tokens.

use super::row_names::RowNames;
use super::warnings::Warnings;
use crate::{Columns, Matrix, Model, ModelError, Parsed, Problem, Rows, Sense, VarKind, numbers};

/// A problem and the number of its line, counted from 1.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) problem: Problem,
}

pub(super) fn fault(line: usize, problem: impl Into<Problem>) -> Fault {
    Fault {
        line,
        problem: problem.into(),
    }
}

const LOWER_GIVEN: u8 = 1;
const UPPER_GIVEN: u8 = 2;
const BINARY: u8 = 4;

/// The part of the model that has been read so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) sense: Sense,
    pub(super) objective_name: String,
    pub(super) constant: f64,
    columns: Columns,
    /// Per column, a combination of `LOWER_GIVEN`, `UPPER_GIVEN` and `BINARY`.
    flags: Vec<u8>,
    /// Per column, the line of its last bound.
    bound_lines: Vec<u32>,
    /// Per column, the position in `row` where its entry may be: it is there if that entry names the column.
    slots: Vec<u32>,
    /// The column last looked up.
    last: usize,
    /// Entries of the row under construction.
    row: Vec<(u32, f64)>,
    row_names: RowNames,
    row_lower: Vec<f64>,
    row_upper: Vec<f64>,
    by_row: Matrix,
    /// Whether the next row may be the upper side of the last one, as [`RANGE_COMMENT`](super::read::RANGE_COMMENT)
    /// says.
    in_range: bool,
    warnings: Warnings,
}

impl Draft {
    pub(super) fn warn(&mut self, line: usize, message: impl FnOnce(&Self) -> String) {
        // Taken out for the moment, so that the message can borrow the rest of the draft.
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.add(line, || message(self));
        self.warnings = warnings;
    }

    pub(super) fn column_name(&self, column: usize) -> &str {
        self.columns.names.get(column)
    }

    /// The index of the column with this name, which is created if it is new.
    pub(super) fn column(&mut self, name: &str) -> usize {
        // Rows mostly list columns in order, and comparing one name is cheaper than hashing it.
        let guess = self.last + 1;
        if guess < self.columns.names.len() && self.columns.names.get(guess) == name {
            self.last = guess;
            return guess;
        }
        self.last = match self.columns.names.push(name) {
            Err(old) => old,
            Ok(new) => {
                self.columns.cost.push(0.0);
                self.columns.lower.push(0.0);
                self.columns.upper.push(f64::INFINITY);
                self.columns.kind.push(VarKind::Continuous);
                self.flags.push(0);
                self.bound_lines.push(0);
                self.slots.push(0);
                new
            }
        };
        self.last
    }

    /// The index of the column with this name; warns if it is neither in the objective nor in a row.
    pub(super) fn declared_column(&mut self, name: &str, line: usize) -> usize {
        let known = self.columns.names.len();
        let column = self.column(name);
        if column >= known {
            self.warn(line, |_| {
                format!("variable `{name}` is in neither the objective nor a constraint")
            });
        }
        column
    }

    /// Adds to a column's objective coefficient.
    pub(super) fn cost(&mut self, column: usize, value: f64, line: usize) -> Result<(), Problem> {
        let old = self.columns.cost[column];
        let sum = old + value;
        if !sum.is_finite() {
            let name = self.column_name(column);
            let role = format!("the coefficient of `{name}` in the objective");
            return Err(Problem::NotFinite { role, value: sum });
        }
        if old != 0.0 {
            self.warn(line, |draft| {
                let name = draft.column_name(column);
                format!("variable `{name}` is in the objective more than once: its coefficients are added")
            });
        }
        self.columns.cost[column] = sum;
        Ok(())
    }

    /// Adds an entry to the row under construction, called `row` in messages.
    pub(super) fn entry(
        &mut self,
        column: usize,
        value: f64,
        line: usize,
        row: impl Fn(&Self) -> String,
    ) -> Result<(), Problem> {
        let not_finite = |draft: &Self, value| {
            let name = draft.column_name(column);
            let role = format!("the coefficient of `{name}` in {}", row(draft));
            Problem::NotFinite { role, value }
        };
        if !value.is_finite() {
            return Err(not_finite(self, value));
        }
        if value == 0.0 {
            return Ok(());
        }
        let slot = self.slots[column] as usize;
        match self.row.get(slot) {
            Some(&(owner, old)) if owner as usize == column => {
                if !(old + value).is_finite() {
                    return Err(not_finite(self, old + value));
                }
                self.row[slot].1 = old + value;
                self.warn(line, |draft| {
                    let (name, row) = (draft.column_name(column), row(draft));
                    format!(
                        "variable `{name}` is in {row} more than once: its coefficients are added"
                    )
                });
            }
            _ => {
                self.slots[column] = self.row.len() as u32;
                self.row.push((column as u32, value));
            }
        }
        Ok(())
    }

    /// Names the row under construction.
    pub(super) fn name_row(&mut self, name: &str) -> Result<usize, Problem> {
        self.row_names
            .push(name)
            .map_err(|_| Problem::DuplicateName {
                what: "row",
                name: name.into(),
            })
    }

    /// The row under construction as messages call it.
    pub(super) fn row_label(&self, name: Option<usize>) -> String {
        match name {
            Some(index) => format!("row `{}`", self.row_names.get(index)),
            None => format!("constraint number {}", self.row_lower.len() + 1),
        }
    }

    /// Ends the row under construction.
    pub(super) fn end_row(
        &mut self,
        name: Option<usize>,
        lower: f64,
        upper: f64,
    ) -> Result<(), Problem> {
        let (lower, upper) = (
            numbers::clamp_infinite(lower),
            numbers::clamp_infinite(upper),
        );
        check_interval(lower, upper, || self.row_label(name))?;
        self.row.retain(|&(_, value)| value != 0.0);
        // The matrix would also sort them, but not in place.
        self.row.sort_unstable_by_key(|&(column, _)| column);
        if std::mem::take(&mut self.in_range) && self.joins_last_row(lower, upper) {
            if let Some(name) = name {
                self.row_names.drop(name);
            }
            self.row.clear();
            return Ok(());
        }
        if name.is_none() {
            self.row_names.leave_out();
        }
        self.row_lower.push(lower);
        self.row_upper.push(upper);
        for &(column, value) in &self.row {
            self.by_row.push(column as usize, value);
        }
        self.by_row.close();
        self.row.clear();
        Ok(())
    }

    /// Lets the next row be the upper side of the last one, if it has the same entries.
    pub(super) fn begin_range(&mut self) {
        self.in_range = true;
    }

    /// Gives the last row the upper side of the row under construction, if the two are a range.
    fn joins_last_row(&mut self, lower: f64, upper: f64) -> bool {
        let Some(last) = self.row_lower.len().checked_sub(1) else {
            return false;
        };
        let new = self
            .row
            .iter()
            .map(|&(column, value)| (column as usize, value));
        let is_range = self.row_upper[last] == f64::INFINITY
            && lower == f64::NEG_INFINITY
            && self.row_lower[last] <= upper
            && self.by_row.entries(last).eq(new);
        if is_range {
            self.row_upper[last] = upper;
        }
        is_range
    }

    /// Sets one or both bounds of a column.
    pub(super) fn bound(
        &mut self,
        column: usize,
        lower: Option<f64>,
        upper: Option<f64>,
        line: usize,
    ) -> Result<(), Problem> {
        for (value, flag, which) in [(lower, LOWER_GIVEN, "lower"), (upper, UPPER_GIVEN, "upper")] {
            let Some(value) = value else { continue };
            if self.flags[column] & flag != 0 {
                self.warn(line, |draft| {
                    let name = draft.column_name(column);
                    format!("the {which} bound of `{name}` is given again: the last one counts")
                });
            }
            self.flags[column] |= flag;
            let side = match flag {
                LOWER_GIVEN => &mut self.columns.lower[column],
                _ => &mut self.columns.upper[column],
            };
            *side = numbers::clamp_infinite(value);
        }
        self.bound_lines[column] = u32::try_from(line).unwrap_or(u32::MAX);
        let (lower, upper) = (self.columns.lower[column], self.columns.upper[column]);
        // Crossed bounds are reported at the end of the file, because later lines may change them.
        if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY
        {
            check_interval(lower, upper, || {
                format!("column `{}`", self.column_name(column))
            })?;
        }
        Ok(())
    }

    pub(super) fn make_integer(&mut self, column: usize) {
        self.columns.kind[column] = VarKind::Integer;
    }

    pub(super) fn make_binary(&mut self, column: usize, line: usize) {
        self.make_integer(column);
        self.flags[column] |= BINARY;
        if self.bound_lines[column] == 0 {
            self.bound_lines[column] = u32::try_from(line).unwrap_or(u32::MAX);
        }
    }

    /// The finished model.
    pub(super) fn finish(mut self) -> Result<Parsed, Fault> {
        for column in 0..self.columns.cost.len() {
            self.settle_bounds(column)?;
        }
        let rows = Rows {
            names: self.row_names.finish(),
            lower: self.row_lower,
            upper: self.row_upper,
        };
        self.columns.names.shrink_to_fit();
        let model = Model {
            name: self.name,
            sense: self.sense,
            objective_name: self.objective_name,
            objective_constant: self.constant,
            matrix: self.by_row.transposed(self.columns.cost.len()),
            columns: self.columns,
            rows,
        };
        Ok(Parsed {
            model,
            warnings: self.warnings.finish(),
        })
    }

    /// Narrows the bounds of a binary column to [0, 1], and refuses crossed bounds.
    fn settle_bounds(&mut self, column: usize) -> Result<(), Fault> {
        let line = self.bound_lines[column] as usize;
        let (lower, upper) = (self.columns.lower[column], self.columns.upper[column]);
        if self.flags[column] & BINARY != 0 {
            if lower < 0.0 || (upper > 1.0 && self.flags[column] & UPPER_GIVEN != 0) {
                self.warn(line, |draft| {
                    let name = draft.column_name(column);
                    format!("the bounds [{lower}, {upper}] of the binary variable `{name}` are narrowed to 0 and 1")
                });
            }
            self.columns.lower[column] = lower.max(0.0);
            self.columns.upper[column] = upper.min(1.0);
        }
        let given = self.flags[column] & LOWER_GIVEN != 0;
        let what = || {
            let name = self.column_name(column);
            let default = if given {
                ""
            } else {
                " (whose lower bound is 0 unless given)"
            };
            format!("column `{name}`{default}")
        };
        check_interval(self.columns.lower[column], self.columns.upper[column], what)
            .map_err(|problem| fault(line, problem))
    }
}

/// Refuses intervals that contain no number.
fn check_interval(lower: f64, upper: f64, what: impl Fn() -> String) -> Result<(), Problem> {
    if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
        return Err(ModelError::NotABound {
            what: what(),
            lower,
            upper,
        }
        .into());
    }
    if lower > upper {
        return Err(ModelError::Crossed {
            what: what(),
            lower,
            upper,
        }
        .into());
    }
    Ok(())
}

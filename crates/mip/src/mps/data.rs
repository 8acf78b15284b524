//! The data lines of COLUMNS, RHS, RANGES and BOUNDS.

use super::Section;
use super::fields::{self, Form};
use super::read::{DROPPED, LOWER, OBJECTIVE, Reader, UPPER, shorten};
use crate::{Problem, VarKind, numbers};

impl Reader {
    pub(super) fn column_line(&mut self, line: &str) -> Result<(), Problem> {
        // Marker lines do not keep to the columns of fixed form.
        let fields = if self.form == Form::Fixed && line.contains("'MARKER'") {
            fields::free(line)
        } else {
            self.fields(line, false)?
        };
        let fields = fields.without_comment(3);
        let (column, first, second) = match *fields.as_slice() {
            [] => return Ok(()),
            [_, "'MARKER'", ref rest @ ..] => return self.marker(rest),
            [column, row, value] => (column, (row, value), None),
            [column, row, value, row2, value2] if !fields.overflow => {
                (column, (row, value), Some((row2, value2)))
            }
            ref other => {
                let found = shorten(&other.join(" "));
                return Err(Problem::syntax(format!(
                    "column entry `{found}` does not have the form COLUMN ROW VALUE [ROW VALUE]"
                )));
            }
        };
        let columns = &self.model.columns;
        let current = columns.cost.len().checked_sub(1);
        if current.is_none_or(|j| columns.names.get(j) != column) {
            self.open_column(column)?;
        }
        self.entry(column, first.0, first.1)?;
        match second {
            Some((row, value)) => self.entry(column, row, value),
            None => Ok(()),
        }
    }

    fn open_column(&mut self, name: &str) -> Result<(), Problem> {
        if name.is_empty() {
            return Err(Problem::syntax("a column without a name"));
        }
        let columns = &mut self.model.columns;
        if !columns.cost.is_empty() {
            self.model.matrix.close();
        }
        columns
            .names
            .push(name)
            .map_err(|_| Problem::DuplicateName {
                what: "column",
                name: shorten(name),
            })?;
        columns.cost.push(0.0);
        columns.lower.push(0.0);
        columns.upper.push(f64::INFINITY);
        columns.kind.push(if self.in_integers {
            VarKind::Integer
        } else {
            VarKind::Continuous
        });
        self.stated.push(0);
        self.last_bound.push(0);
        Ok(())
    }

    fn marker(&mut self, rest: &[&str]) -> Result<(), Problem> {
        match *rest {
            ["'INTORG'"] => self.in_integers = true,
            ["'INTEND'"] => self.in_integers = false,
            [word] if word.starts_with('\'') => {
                return Err(Problem::Unsupported {
                    feature: format!("marker {}", shorten(word)),
                });
            }
            _ => {
                let found = shorten(&rest.join(" "));
                return Err(Problem::syntax(format!(
                    "`{found}` after 'MARKER'; expected 'INTORG' or 'INTEND'"
                )));
            }
        }
        Ok(())
    }

    fn entry(&mut self, column: &str, row: &str, value: &str) -> Result<(), Problem> {
        let index = self.row(row)?;
        let value = finite(value, || {
            format!(
                "the coefficient of column `{}` in row `{}`",
                shorten(column),
                shorten(row)
            )
        })?;
        let mark = self.model.columns.cost.len() as u32;
        if self.last_entry[index] == mark {
            return Err(Problem::DuplicateEntry {
                column: shorten(column),
                row: shorten(row),
            });
        }
        self.last_entry[index] = mark;
        match self.targets[index] {
            OBJECTIVE => self.model.columns.cost[mark as usize - 1] = value,
            DROPPED => {}
            _ if value == 0.0 => {}
            target => self.model.matrix.push(target as usize, value),
        }
        Ok(())
    }

    fn row(&self, name: &str) -> Result<usize, Problem> {
        self.names.find(name).ok_or_else(|| Problem::UnknownName {
            what: "row",
            name: shorten(name),
        })
    }

    pub(super) fn side_line(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        let fields = self.fields(line, false)?.without_comment(2);
        let pairs: &[(&str, &str)] = match *fields.as_slice() {
            [] => return Ok(()),
            [row, value] | [_, row, value] => &[(row, value)],
            [row, value, row2, value2] | [_, row, value, row2, value2] if !fields.overflow => {
                &[(row, value), (row2, value2)]
            }
            ref other => {
                let found = shorten(&other.join(" "));
                return Err(Problem::syntax(format!(
                    "entry `{found}` does not have the form [SET] ROW VALUE [ROW VALUE]"
                )));
            }
        };
        let ranges = self.section == Some(Section::Ranges);
        let what = if ranges { "range" } else { "right-hand side" };
        for &(row, text) in pairs {
            let index = self.row(row)?;
            let role = || format!("the {what} of row `{}`", shorten(row));
            let objective = self.targets[index] == OBJECTIVE;
            let value = if objective && !ranges {
                finite(text, role)?
            } else {
                self::number(text, role)?
            };
            let stated = if ranges {
                &mut self.range
            } else {
                &mut self.rhs
            };
            // If a bound is given twice with different values, tools differ in which one they use, so a warning
            // follows.
            let old = std::mem::replace(&mut stated[index], value);
            if !old.is_nan() && old != value {
                return Err(Problem::syntax(format!(
                    "row `{}` has two {what}s: {old} and {value}",
                    shorten(row)
                )));
            }
            self.last_side[index] = number as u32;
        }
        Ok(())
    }

    pub(super) fn bound_line(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        let fields = self.fields(line, true)?.without_comment(3);
        let fields = fields.as_slice();
        let Some(&kind) = fields.first() else {
            return Ok(());
        };
        let kind = kind.to_ascii_uppercase();
        let needs_value = match kind.as_str() {
            "UP" | "LO" | "FX" | "UI" | "LI" => true,
            "FR" | "MI" | "PL" | "BV" => false,
            "SC" | "SI" | "SB" => {
                let feature = format!("bound type {kind} (a semi-continuous variable)");
                return Err(Problem::Unsupported { feature });
            }
            _ => {
                let kind = shorten(&kind);
                return Err(Problem::syntax(format!(
                    "bound type `{kind}`; expected UP, LO, FX, FR, MI, PL, BV, UI or LI"
                )));
            }
        };
        let known = |name: &str| self.model.columns.names.find(name);
        let (column, value) = match (needs_value, &fields[1..]) {
            (true, &[_, column, value]) => (column, value),
            (true, &[column, value]) => (column, value),
            // These bound types need no value, but the file gives one, with or without the name of the bound set.
            (false, &[_, column, _]) => (column, ""),
            (false, &[first, second]) if known(second).is_none() && known(first).is_some() => {
                (first, "")
            }
            (false, &[_, column] | &[column]) => (column, ""),
            (_, other) => {
                let found = shorten(&other.join(" "));
                return Err(Problem::syntax(format!(
                    "bound `{kind} {found}` does not have the form TYPE [SET] COLUMN [VALUE]"
                )));
            }
        };
        let Some(j) = known(column) else {
            return Err(Problem::UnknownName {
                what: "column",
                name: shorten(column),
            });
        };
        let value = if needs_value {
            self::number(value, || {
                format!("the {kind} bound of column `{}`", shorten(column))
            })?
        } else {
            0.0
        };
        self.set_bound(number, j, &kind, numbers::clamp_infinite(value))
    }

    fn set_bound(&mut self, line: usize, j: usize, kind: &str, value: f64) -> Result<(), Problem> {
        let columns = &mut self.model.columns;
        let (lower, upper) = match kind {
            "UP" | "UI" => (None, Some(value)),
            "LO" | "LI" => (Some(value), None),
            "FX" => (Some(value), Some(value)),
            "MI" => (Some(f64::NEG_INFINITY), None),
            "PL" => (None, Some(f64::INFINITY)),
            "FR" => (Some(f64::NEG_INFINITY), Some(f64::INFINITY)),
            _ => (Some(0.0), Some(1.0)),
        };
        if lower == Some(f64::INFINITY) || upper == Some(f64::NEG_INFINITY) {
            let name = shorten(columns.names.get(j));
            let role = format!("the {kind} bound of column `{name}`");
            return Err(Problem::NotFinite { role, value });
        }
        if matches!(kind, "UI" | "LI" | "BV") {
            columns.kind[j] = VarKind::Integer;
        }
        let mut odd = None;
        if let Some(lower) = lower {
            if self.stated[j] & LOWER != 0 && columns.lower[j] != lower {
                odd = Some("a second lower bound replaces the first");
            }
            columns.lower[j] = lower;
            self.stated[j] |= LOWER;
        }
        if let Some(upper) = upper {
            if self.stated[j] & UPPER != 0 && columns.upper[j] != upper {
                odd = Some("a second upper bound replaces the first");
            }
            columns.upper[j] = upper;
            self.stated[j] |= UPPER;
        }
        self.last_bound[j] = line as u32;
        if let Some(odd) = odd {
            let name = self.model.columns.names.get(j);
            let message = format!("column `{}`: {odd}", shorten(name));
            self.warn(line, message);
        }
        Ok(())
    }
}

/// A number that may be infinite but not NaN.
fn number(text: &str, role: impl Fn() -> String) -> Result<f64, Problem> {
    match numbers::parse(text) {
        None => Err(Problem::NotANumber {
            text: shorten(text),
            role: role(),
        }),
        Some(value) if value.is_nan() => Err(Problem::NotFinite {
            role: role(),
            value,
        }),
        Some(value) => Ok(value),
    }
}

fn finite(text: &str, role: impl Fn() -> String) -> Result<f64, Problem> {
    let value = number(text, &role)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Problem::NotFinite {
            role: role(),
            value,
        })
    }
}

//! Work that has to wait for the end of the file: row sides, default bounds, and validation of the model.

use super::read::{DROPPED, LOWER, OBJECTIVE, Reader, RowType, shorten};
use crate::files::{Lines, Parsed};
use crate::{ModelError, ReadError, VarKind, Warning, numbers};

impl Reader {
    /// Computes row sides from right-hand sides and ranges, sets default bounds, and validates the model.
    pub(super) fn finish(mut self, lines: &Lines) -> Result<Parsed, ReadError> {
        if self.model.matrix.open_entries() > 0
            || self.model.matrix.majors() < self.model.num_columns()
        {
            self.model.matrix.close();
        }
        self.settle_rows(lines)?;
        self.settle_bounds(lines)?;
        self.model.columns.names.shrink_to_fit();
        self.model.matrix.shrink_to_fit();
        self.model
            .validate()
            .map_err(|error| lines.error_at(0, error))?;
        let mut warnings = self.warnings;
        warnings.sort_by_key(|warning| warning.line);
        if self.unlisted > 0 {
            warnings.push(Warning {
                line: None,
                message: format!("{} more warnings are not shown", self.unlisted),
            });
        }
        Ok(Parsed {
            model: self.model,
            warnings,
        })
    }

    fn settle_rows(&mut self, lines: &Lines) -> Result<(), ReadError> {
        let rows = &mut self.model.rows;
        for (i, &target) in self.targets.iter().enumerate() {
            let rhs = if self.rhs[i].is_nan() {
                0.0
            } else {
                self.rhs[i]
            };
            match target {
                OBJECTIVE => self.model.objective_constant = 0.0 - rhs,
                DROPPED => {}
                _ => {
                    let (lower, upper) = sides(self.types[i], rhs, self.range[i]);
                    if !(lower < f64::INFINITY && upper > f64::NEG_INFINITY) {
                        let what = format!("row `{}`", shorten(self.names.get(i)));
                        let error = ModelError::NotABound { what, lower, upper };
                        return Err(lines.error_at(self.last_side[i] as usize, error));
                    }
                    rows.lower.push(lower);
                    rows.upper.push(upper);
                }
            }
        }
        for &(i, lower, upper) in &self.exact_sides {
            let row = self.targets[i] as usize;
            if row >= rows.lower.len() {
                continue;
            }
            // If the comment does not agree with the row, a tool changed the row and kept the comment: it is ignored.
            let scale = rows.lower[row].abs().max(rows.upper[row].abs());
            let close = |a: f64, b: f64| (a - b).abs() <= 4.0 * f64::EPSILON * scale;
            if scale.is_finite() && close(rows.lower[row], lower) && close(rows.upper[row], upper) {
                rows.lower[row] = lower;
                rows.upper[row] = upper;
            }
        }
        Ok(())
    }

    fn settle_bounds(&mut self, lines: &Lines) -> Result<(), ReadError> {
        for j in 0..self.model.num_columns() {
            let columns = &mut self.model.columns;
            if columns.kind[j] == VarKind::Integer && self.stated[j] == 0 {
                columns.upper[j] = 1.0;
            }
            if columns.upper[j] < 0.0 && self.stated[j] & LOWER == 0 {
                columns.lower[j] = f64::NEG_INFINITY;
                let message = format!(
                    "column `{}`: a negative upper bound without a lower bound: \
                     the lower bound is -infinity",
                    shorten(columns.names.get(j))
                );
                self.warn(self.last_bound[j] as usize, message);
                continue;
            }
            let (lower, upper) = (columns.lower[j], columns.upper[j]);
            if lower > upper {
                let what = format!("column `{}`", shorten(columns.names.get(j)));
                let error = ModelError::Crossed { what, lower, upper };
                return Err(lines.error_at(self.last_bound[j] as usize, error));
            }
        }
        Ok(())
    }
}

fn sides(kind: RowType, rhs: f64, range: f64) -> (f64, f64) {
    let (mut lower, mut upper) = match kind {
        RowType::Free => (f64::NEG_INFINITY, f64::INFINITY),
        RowType::Less => (f64::NEG_INFINITY, rhs),
        RowType::Greater => (rhs, f64::INFINITY),
        RowType::Equal => (rhs, rhs),
    };
    if !range.is_nan() {
        match kind {
            RowType::Less => lower = rhs - range.abs(),
            RowType::Greater => upper = rhs + range.abs(),
            RowType::Equal if range < 0.0 => lower = rhs + range,
            RowType::Equal => upper = rhs + range,
            RowType::Free => {}
        }
    }
    (
        numbers::clamp_infinite(lower),
        numbers::clamp_infinite(upper),
    )
}

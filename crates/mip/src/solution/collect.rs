//! Collects the values of columns while a solution file is read.

use crate::{Model, Problem, Warning, numbers};

/// The content of a solution file as far as it has been read.
pub(super) struct Collector<'m> {
    model: &'m Model,
    seen: Vec<bool>,
    /// (column, value) in the file's order.
    pub(super) entries: Vec<(usize, f64)>,
    pub(super) objective: Option<f64>,
    pub(super) status: Option<String>,
    /// Whether the format leaves out zeros.
    pub(super) sparse: bool,
    pub(super) warnings: Vec<Warning>,
}

impl<'m> Collector<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self {
            model,
            seen: vec![false; model.num_columns()],
            entries: Vec::new(),
            objective: None,
            status: None,
            sparse: false,
            warnings: Vec::new(),
        }
    }

    /// Whether the model has a column with this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.model.columns.names.find(name).is_some()
    }

    /// Whether the model has any columns.
    pub(super) fn expects_columns(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Takes a column's value.
    pub(super) fn put(&mut self, name: &str, value: &str) -> Result<(), Problem> {
        let Some(j) = self.model.columns.names.find(name) else {
            return Err(Problem::NotInModel { name: name.into() });
        };
        let role = || format!("the value of column `{name}`");
        let value = number(value, role)?;
        if value.is_infinite() {
            return Err(Problem::NotFinite {
                role: role(),
                value,
            });
        }
        if std::mem::replace(&mut self.seen[j], true) {
            return Err(Problem::DuplicateName {
                what: "column",
                name: name.into(),
            });
        }
        self.entries.push((j, value));
        Ok(())
    }

    /// Takes a line whose last word is a value and whose other words are the name of a column.
    pub(super) fn put_line(&mut self, line: &str) -> Result<(), Problem> {
        match split_value(line) {
            Some((name, value)) => self.put(name, value),
            None => Err(Problem::syntax(format!(
                "expected a column's name and its value, found `{}`",
                line.trim()
            ))),
        }
    }

    /// Takes the objective value that the file states; it may be infinite.
    pub(super) fn put_objective(&mut self, value: &str) -> Result<(), Problem> {
        self.objective = Some(number(value, || "the objective value".into())?);
        Ok(())
    }

    /// Warns if the format lists all columns and the file does not.
    pub(super) fn warn_of_missing(&mut self) {
        let Some(first) = self.seen.iter().position(|seen| !seen) else {
            return;
        };
        if !self.sparse {
            let missing = self.seen.iter().filter(|seen| !**seen).count();
            let message = format!(
                "{missing} of {} columns are not in the file and were taken as 0, the first is `{}`",
                self.seen.len(),
                self.model.columns.names.get(first)
            );
            self.warnings.push(Warning {
                line: None,
                message,
            });
        }
    }
}

const BLANK: [char; 2] = [' ', '\t'];

/// Splits a line into the text before its last word and that word.
pub(super) fn split_value(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_matches(BLANK).rsplit_once(BLANK)?;
    Some((name.trim_end_matches(BLANK), value))
}

/// A number that is not NaN.
fn number(text: &str, role: impl Fn() -> String) -> Result<f64, Problem> {
    match numbers::parse(text) {
        None => Err(Problem::NotANumber {
            text: text.into(),
            role: role(),
        }),
        Some(value) if value.is_nan() => Err(Problem::NotFinite {
            role: role(),
            value,
        }),
        Some(value) => Ok(value),
    }
}

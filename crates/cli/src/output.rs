//! Shared pieces of output: reading with warnings, numbers for people, tables of two columns.

use std::fmt::Write;
use std::path::Path;

use idpas_mip::{Model, ReadError, Warning, read_model};
use serde::Serialize;

use crate::args::Verbosity;
use crate::failure::{Done, Failure};

/// Reads a model and prints its warnings.
pub(crate) fn read_with_warnings(path: &Path, verbosity: Verbosity) -> Result<Model, ReadError> {
    let parsed = read_model(path)?;
    warn(path, &parsed.warnings, verbosity);
    Ok(parsed.model)
}

pub(crate) fn warn(path: &Path, warnings: &[Warning], verbosity: Verbosity) {
    if verbosity == Verbosity::Quiet {
        return;
    }
    for warning in warnings {
        let place = match warning.line {
            Some(line) => format!("{}:{line}", path.display()),
            None => path.display().to_string(),
        };
        eprintln!("warning: {place}: {}", warning.message);
    }
}

/// A JSON document with a line end.
pub(crate) fn json(value: &impl Serialize) -> Result<Done, Failure> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
    text.push('\n');
    Ok(Done::text(text))
}

/// Lines of a label and a value.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn add(&mut self, label: &str, value: impl std::fmt::Display) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{label:<12} {value}");
        self
    }

    pub(crate) fn done(self) -> Done {
        Done::text(self.0)
    }
}

/// A count with its thousands apart.
pub(crate) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An objective or bound in the width that solver logs use.
pub(crate) fn value(x: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-3..1e12).contains(&magnitude) {
        format!("{x:.6e}")
    } else if x == x.trunc() {
        format!("{x}")
    } else {
        format!("{x:.4}")
    }
}

/// A gap in per cent.
pub(crate) fn percent(gap: Option<f64>) -> String {
    match gap {
        Some(gap) if gap < 10.0 => format!("{:.2}%", 100.0 * gap),
        Some(_) => "large".into(),
        None => "-".into(),
    }
}

/// What JSON can hold: infinities and NaN become null.
pub(crate) fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// A CSV field, quoted where it must be.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(15565), "15,565");
        assert_eq!(thousands(1234567), "1,234,567");
        assert_eq!(value(449687.0), "449687");
        assert_eq!(value(1.5), "1.5000");
        assert_eq!(value(f64::NEG_INFINITY), "-inf");
        assert_eq!(percent(Some(0.0277)), "2.77%");
        assert_eq!(percent(None), "-");
        assert_eq!(csv_field("x[1,2]"), "\"x[1,2]\"");
    }
}

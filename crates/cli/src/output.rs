//! Output that commands share: messages, warnings of files, numbers as text, and tables of two columns.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

use idpas_base::words::counted;
pub(crate) use idpas_base::words::one_line;
use idpas_mip::{Model, ReadError, Warning, read_model};
use serde::Serialize;

use crate::args::Verbosity;
use crate::failure::{Done, Failure};

/// Most warnings of one file that are shown, unless `--verbose`.
const MOST_WARNINGS: usize = 10;

/// Prints a line to stderr. An error is ignored: a closed stderr is no reason to stop.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints an error to stderr, with a hint where there is one.
pub(crate) fn tell_failure(prefix: &str, failure: &Failure) {
    tell(&one_line(&format!("{prefix}: {failure}")));
    if let Some(hint) = failure.hint() {
        tell(&format!("hint: {hint}"));
    }
}

/// Reads a model and prints its warnings.
pub(crate) fn read_with_warnings(path: &Path, verbosity: Verbosity) -> Result<Model, ReadError> {
    let parsed = read_model(path)?;
    warn(path, &parsed.warnings, verbosity);
    Ok(parsed.model)
}

/// Prints the warnings of a file, the first few unless more is asked for.
pub(crate) fn warn(path: &Path, warnings: &[Warning], verbosity: Verbosity) {
    if verbosity == Verbosity::Quiet {
        return;
    }
    let shown = match verbosity {
        Verbosity::Verbose => warnings.len(),
        _ => warnings.len().min(MOST_WARNINGS),
    };
    for warning in &warnings[..shown] {
        let place = match warning.line {
            Some(line) => format!("{}:{line}", path.display()),
            None => path.display().to_string(),
        };
        tell(&one_line(&format!("warning: {place}: {}", warning.message)));
    }
    if shown < warnings.len() {
        let more = counted(warnings.len() - shown, "more warning");
        tell(&format!(
            "warning: {}: {more}; -v shows all",
            path.display()
        ));
    }
}

/// A JSON document, ended by a newline.
pub(crate) fn json(value: &impl Serialize) -> Result<Done, Failure> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
    text.push('\n');
    Ok(Done::text(text))
}

/// Lines that have a label and a value each.
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

/// An objective or bound in the width that solver logs use; a dash if it is not known.
pub(crate) fn value(x: f64) -> String {
    if x.is_nan() {
        return "-".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-3..1e12).contains(&magnitude) {
        format!("{x:.6e}")
    } else {
        // Digits that a solver's rounding error leaves behind an integer are not shown.
        let text = format!("{x:.4}");
        text.strip_suffix(".0000").unwrap_or(&text).to_owned()
    }
}

/// A gap as text in per cent.
pub(crate) fn percent(gap: Option<f64>) -> String {
    match gap {
        Some(gap) if gap < 10.0 => format!("{:.2}%", 100.0 * gap),
        Some(_) => "large".into(),
        None => "-".into(),
    }
}

/// A number for JSON: `None` for infinities and NaN.
pub(crate) fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// A CSV field, quoted where that is needed.
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
        assert_eq!(value(449687.0), "449687");
        assert_eq!(value(1.5), "1.5000");
        assert_eq!(value(12230.9999999994), "12231");
        assert_eq!(value(0.0), "0");
        assert_eq!(value(-2.5e-5), "-2.500000e-5");
        assert_eq!(value(f64::NEG_INFINITY), "-inf");
        assert_eq!(percent(Some(0.0277)), "2.77%");
        assert_eq!(percent(None), "-");
        assert_eq!(csv_field("x[1,2]"), "\"x[1,2]\"");
    }
}

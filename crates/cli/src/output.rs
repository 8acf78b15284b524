//! Output that commands share: messages, warnings of files, numbers as text, and tables of two columns.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

pub(crate) use idpas_base::words::one_line;
use idpas_base::words::{counted, is_deceptive, visible, visible_lines};
use idpas_mip::{Model, ReadError, Warning, read_model};
use serde::Serialize;

use crate::args::Verbosity;
use crate::failure::{Done, Failure};

/// Most warnings of one file that are shown, unless `--verbose`.
const MOST_WARNINGS: usize = 10;

/// Prints a line to stderr, harmlessly whatever names it holds. An error is ignored: a closed stderr is no reason to stop.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(text));
}

/// [`tell`] for a text of several lines.
pub(crate) fn tell_lines(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(text));
}

/// Prints what is wrong with the arguments, or the help that they ask for, in colours where clap has them. What the user wrote
/// may come from a stranger's file by way of a script, so a message that repeats something deceptive has no colours.
pub(crate) fn tell_clap(error: &clap::Error) {
    let plain = error.to_string();
    let acts = |c: char| is_deceptive(c) && c != '\n';
    let given = std::env::args_os().any(|argument| argument.to_string_lossy().contains(acts));
    if error.use_stderr() && (given || plain.contains(acts)) {
        tell_lines(plain.trim_end());
    } else {
        let _ = error.print();
    }
    let _ = std::io::stdout().flush();
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
    Ok(Done::data(escaped_in_json(&text)))
}

/// A JSON document without characters that act on a terminal. JSON itself escapes only some of them; the others can only be
/// in its strings.
fn escaped_in_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Lines that have a label and a value each.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn add(&mut self, label: &str, value: impl std::fmt::Display) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{label:<12} {}", visible(&value.to_string()));
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

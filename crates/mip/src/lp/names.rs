//! Which names an LP file can hold, so that every common reader sees the same name.

use super::keywords::is_reserved;
use crate::{Model, WriteError};

/// Longest name in characters: CPLEX cuts longer ones, and Gurobi refuses them.
const LONGEST_NAME: usize = 255;

/// Refuses a model with a name that cannot be written.
pub(super) fn check(model: &Model) -> Result<(), WriteError> {
    let refuse = |what, name: &str, reason| WriteError::Name {
        what,
        name: name.into(),
        format: "LP",
        reason,
    };
    // The model's name is written in a comment, so it must only stay on its line.
    let name = &model.name;
    if name.trim() != name || name.contains(char::is_control) {
        return Err(refuse(
            "model",
            name,
            "it begins or ends with a blank, or contains a control character",
        ));
    }
    let objective = Some(model.objective_name.as_str()).filter(|name| !name.is_empty());
    let columns = model.columns.names.iter().map(|name| ("column", name));
    let rows = model.rows.names.iter().map(|name| ("row", name));
    let mut all = objective
        .map(|name| ("objective", name))
        .into_iter()
        .chain(columns)
        .chain(rows);
    all.try_for_each(|(what, name)| legal(name).map_err(|reason| refuse(what, name, reason)))
}

/// Whether a name can be written, or why not.
fn legal(name: &str) -> Result<(), &'static str> {
    let bytes = name.as_bytes();
    let reason = match bytes {
        [] => "it is empty",
        [b'0'..=b'9' | b'.', ..] => "it begins with a digit or a period",
        [b'[' | b']', ..] => "it begins with a square bracket",
        [b'e' | b'E', b'0'..=b'9', ..] => "it looks like the exponent of a number",
        _ if bytes.iter().any(|b| b"+-*/^:<>=\\".contains(b)) => {
            "it contains one of + - * / ^ : < > = \\, which mean something else there"
        }
        _ if name.contains(|c: char| c.is_whitespace() || c.is_control()) => {
            "it contains a blank or a control character"
        }
        _ if is_reserved(name) => "it is a keyword of the format",
        _ if name.chars().count() > LONGEST_NAME => "it is longer than 255 characters",
        _ => return Ok(()),
    };
    Err(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_names_that_every_reader_takes() {
        for name in [
            "x",
            "x[1,2]",
            "x(1)",
            "e",
            "eels",
            "_e5",
            "größe",
            "c!\"#$%&(),.;?@_`'{}~|",
            "ending",
            "x[1",
        ] {
            assert_eq!(legal(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn refuses_names_that_mean_something_else() {
        let long = "x".repeat(256);
        for name in [
            "", "1x", ".x", "[x]", "]", "e5", "E12cats", "a b", "a\tb", "a\u{a0}b", "a+b", "a-b",
            "a*b", "a/b", "a^b", "a:b", "a<b", "a>b", "a=b", "a\\b", "x[-1]", "free", "INF",
            "infinity", "nan", "st", "s.t.", "End", "Bin", "subject", "max", &long,
        ] {
            assert!(legal(name).is_err(), "{name}");
        }
    }
}

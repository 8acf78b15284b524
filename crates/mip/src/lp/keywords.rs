//! The words that begin a section.

use crate::Sense;

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Section {
    Objective(Sense),
    Rows,
    Bounds,
    Generals,
    Binaries,
    /// A section that is supported only if it is empty, with the name of what it would hold.
    Refused(&'static str),
    End,
}

/// Whether a word begins the objective, and with it an LP file.
pub(crate) fn is_objective_keyword(word: &str) -> bool {
    matches!(section(word, ""), Some((Section::Objective(_), _)))
}

/// The section that `word` begins, and how many bytes of `rest`, the remainder of its line, belong to the keyword as
/// well.
pub(super) fn section(word: &str, rest: &str) -> Option<(Section, usize)> {
    let mut lower = [0u8; 8];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let second = |words: &[&str]| second_word(rest, words);
    let found = match &*lower {
        b"min" | b"minimize" | b"minimise" | b"minimum" => (Section::Objective(Sense::Minimize), 0),
        b"max" | b"maximize" | b"maximise" | b"maximum" => (Section::Objective(Sense::Maximize), 0),
        b"st" | b"s.t." | b"st." => (Section::Rows, 0),
        b"subject" => (Section::Rows, second(&["to"])?),
        b"such" => (Section::Rows, second(&["that"])?),
        b"bound" | b"bounds" => (Section::Bounds, 0),
        b"general" | b"generals" | b"gen" => match second(&["constraints", "constraint"]) {
            Some(used) => (Section::Refused("a general constraint"), used),
            None => (Section::Generals, 0),
        },
        b"gencons" => (Section::Refused("a general constraint"), 0),
        b"integer" | b"integers" | b"int" => (Section::Generals, 0),
        b"binary" | b"binaries" | b"bin" => (Section::Binaries, 0),
        b"semi" | b"semis" => {
            let used = second(&["-continuous", "-integer", "-integers", "continuous"]);
            (
                Section::Refused("a semi-continuous variable"),
                used.unwrap_or(0),
            )
        }
        b"sos" | b"sos1" | b"sos2" => (Section::Refused("a special ordered set (SOS)"), 0),
        b"pwlobj" => (Section::Refused("a piecewise-linear objective"), 0),
        b"lazy" => (
            Section::Refused("a lazy constraint"),
            second(&["constraints"])?,
        ),
        b"user" => (Section::Refused("a user cut"), second(&["cuts"])?),
        b"multi" => {
            let used = second(&["-objectives", "-objective"])?;
            (Section::Refused("more than one objective"), used)
        }
        b"end" => (Section::End, 0),
        _ => return None,
    };
    // In `max >= 3`, `max` can only be a variable.
    let next = rest[found.1..].trim_start().as_bytes().first();
    (!matches!(next, Some(b'<' | b'>' | b'='))).then_some(found)
}

/// How many bytes of `rest` one of these words takes if it comes next; `None` if none of them does.
fn second_word(rest: &str, words: &[&str]) -> Option<usize> {
    let text = rest.trim_start_matches([' ', '\t']);
    let word = text.split([' ', '\t', '\\', ':']).next().unwrap_or("");
    words
        .iter()
        .any(|expected| word.eq_ignore_ascii_case(expected))
        .then(|| rest.len() - text.len() + word.len())
}

/// Whether some reader of LP files takes this name for a keyword or a number.
pub(super) fn is_reserved(name: &str) -> bool {
    const MORE: [&str; 9] = [
        "free", "inf", "infinity", "nan", "subject", "such", "lazy", "user", "multi",
    ];
    section(name, "").is_some() || MORE.iter().any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_every_spelling() {
        let kind = |word, rest| section(word, rest).map(|(section, _)| section);
        assert_eq!(section("Subject", " To c1: x"), Some((Section::Rows, 3)));
        assert_eq!(section("SUCH", "\tTHAT"), Some((Section::Rows, 5)));
        assert_eq!(section("subject", " x"), None);
        for word in ["st", "ST", "s.t.", "St."] {
            assert_eq!(kind(word, ""), Some(Section::Rows), "{word}");
        }
        for word in ["General", "generals", "GEN", "Integers", "integer", "int"] {
            assert_eq!(kind(word, ""), Some(Section::Generals), "{word}");
        }
        for word in ["Binary", "binaries", "BIN"] {
            assert_eq!(kind(word, " x y"), Some(Section::Binaries), "{word}");
        }
        assert_eq!(
            kind("General", " Constraints"),
            Some(Section::Refused("a general constraint"))
        );
        assert_eq!(
            section("Semi", "-Continuous"),
            Some((Section::Refused("a semi-continuous variable"), 11))
        );
        assert_eq!(kind("end", "\\ done"), Some(Section::End));
        assert_eq!(kind("end", " >= 3"), None);
        assert_eq!(kind("ending", ""), None);
        assert_eq!(kind("a-very-long-word", ""), None);
    }

    #[test]
    fn knows_how_an_objective_begins() {
        for word in [
            "min", "Minimize", "MINIMISE", "minimum", "max", "Maximize", "maximise", "Maximum",
        ] {
            assert!(is_objective_keyword(word), "{word}");
        }
        for word in ["", "NAME", "minus", "st"] {
            assert!(!is_objective_keyword(word), "{word}");
        }
    }
}

//! Known differences in files of LP.

use super::super::peer::difference;
use super::{Case, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "row-without-a-name",
        explains: row_without_a_name,
    },
    Rule {
        name: "row-that-goes-on-behind-a-number",
        explains: row_that_goes_on_behind_a_number,
    },
    Rule {
        name: "row-that-begins-with-a-comparison",
        explains: row_that_begins_with_a_comparison,
    },
    Rule {
        name: "name-that-begins-with-a-semicolon",
        explains: name_that_begins_with_a_semicolon,
    },
    Rule {
        name: "name-that-is-a-keyword",
        explains: name_that_is_a_keyword,
    },
    Rule {
        name: "keyword-of-other-tools",
        explains: keyword_of_other_tools,
    },
    Rule {
        name: "objective-of-nothing",
        explains: objective_of_nothing,
    },
    Rule {
        name: "objective-with-a-colon",
        explains: objective_with_a_colon,
    },
    Rule {
        name: "blank-of-another-kind",
        explains: blank_of_another_kind,
    },
    Rule {
        name: "mark-of-byte-order",
        explains: mark_of_byte_order,
    },
    Rule {
        name: "hexadecimal-number",
        explains: hexadecimal_number,
    },
    Rule {
        name: "name-that-begins-as-infinity",
        explains: name_that_begins_as_infinity,
    },
];

/// Each line without its comment.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split('\\').next().unwrap_or(""))
}

/// A row without a label is called `c` and its position from 1 by us, as by CPLEX, and `HiGHS_R` and its position from 0 by
/// HiGHS. Nothing but the name differs.
fn row_without_a_name(case: &Case) -> bool {
    difference(case.ours, case.theirs).is_none()
}

/// Not a number alone stands behind the comparison of a row, as in `-3 <= 2 x + y <= 4`, `x >= 2 y` or `x <= 2 + 3`. HiGHS
/// ends the row behind the first number, and begins the next one with the rest. We read a range as CPLEX does, move
/// variables to the left, and add numbers.
fn row_that_goes_on_behind_a_number(case: &Case) -> bool {
    let text: String = lines(case.text).flat_map(|line| [line, "\n"]).collect();
    text.match_indices(['<', '>', '=']).any(|(at, operator)| {
        let before = text[..at].rsplit([':', '\n']).next().unwrap_or("");
        let behind = text[at + operator.len()..]
            .trim_start_matches(['=', '<', '>', '+', '-', ' ', '\t', '\n']);
        let behind = behind.lines().next().unwrap_or("");
        !is_number(behind) || is_number(before.trim_start_matches(['+', '-', ' ', '\t']))
    })
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    // Else `nan` would be one.
    text.parse::<f64>().is_ok() && text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// `>= 1` right behind the heading of the rows, and `x + y` in the next line: for us, 0 is on the left and `1 x + y` on the right.
/// HiGHS has a row of nothing, and begins another one with the second line.
fn row_that_begins_with_a_comparison(case: &Case) -> bool {
    let text: String = lines(case.text).flat_map(|line| [line, " "]).collect();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    words.windows(2).any(|pair| {
        let heading = ["to", "that", "st", "s.t."]
            .iter()
            .any(|word| word.eq_ignore_ascii_case(pair[0]));
        heading && pair[1].starts_with(['<', '>', '='])
    })
}

/// A name begins with a semicolon, which CPLEX allows, or a label with a number and one. For HiGHS the line ends there; within
/// another name it means nothing.
fn name_that_begins_with_a_semicolon(case: &Case) -> bool {
    lines(case.text).any(|line| {
        let mut words = line.split(|c: char| c.is_ascii_whitespace() || "+-<>=:*/^[]".contains(c));
        words.any(|word| {
            let before = word.split_once(';').map(|(before, _)| before);
            before.is_some_and(|before| before.is_empty() || is_number(before))
        })
    })
}

/// A column has the name of a section, where only a column can be meant: behind an operator or before a comparison. HiGHS
/// begins the section.
fn name_that_is_a_keyword(case: &Case) -> bool {
    const KEYWORDS: [&str; 27] = [
        "minimize",
        "min",
        "minimum",
        "maximize",
        "max",
        "maximum",
        "subject",
        "such",
        "st",
        "s.t.",
        "bounds",
        "bound",
        "binary",
        "binaries",
        "bin",
        "general",
        "generals",
        "gen",
        "integer",
        "integers",
        "semi-continuous",
        "semi",
        "semis",
        "sos",
        "end",
        "to",
        "that",
    ];
    let mut names = case.ours.columns.names.iter();
    names.any(|name| KEYWORDS.iter().any(|k| k.eq_ignore_ascii_case(name)))
}

/// A word that begins a section for us, as for CPLEX, Gurobi or SCIP, and is the name of a column for HiGHS.
fn keyword_of_other_tools(case: &Case) -> bool {
    const KEYWORDS: [&str; 9] = [
        "minimise",
        "maximise",
        "st.",
        "int",
        "gencons",
        "sos1",
        "sos2",
        "pwlobj",
        "constraints",
    ];
    let mut names = case.theirs.columns.names.iter();
    names.any(|name| KEYWORDS.iter().any(|k| k.eq_ignore_ascii_case(name)))
}

/// `min: x + y`, as some write it. HiGHS takes `min` for a label, and passes over the objective, which belongs to no
/// section then.
fn objective_with_a_colon(case: &Case) -> bool {
    const WORDS: [&str; 6] = ["min", "max", "minimize", "maximize", "minimum", "maximum"];
    let first = lines(case.text).find(|line| !line.trim().is_empty());
    let label = first.and_then(|line| line.split_once(':'));
    label.is_some_and(|(word, _)| WORDS.contains(&word.trim()))
}

/// An objective without terms. HiGHS forgets its sense, which means nothing there.
fn objective_of_nothing(case: &Case) -> bool {
    let mut theirs = case.theirs.clone();
    theirs.sense = case.ours.sense;
    let nothing = case.ours.columns.cost.iter().all(|&cost| cost == 0.0);
    nothing && difference(case.ours, &theirs).is_none()
}

/// A vertical tab, a form feed or a carriage return within a line. It separates words for us, as in C, and is part of a
/// word for HiGHS.
fn blank_of_another_kind(case: &Case) -> bool {
    lines(case.text).any(|line| line.contains(['\r', '\u{b}', '\u{c}']))
}

/// The mark that some editors put before a text. For HiGHS it is a part of the first word, which begins no section then.
fn mark_of_byte_order(case: &Case) -> bool {
    case.text.starts_with('\u{feff}')
}

/// `0x1a`, which is 0 times the column `x1a` for us: the format knows decimal numbers only. HiGHS reads 26.
fn hexadecimal_number(case: &Case) -> bool {
    let hexadecimal = |name: &str| {
        let digits = name.strip_prefix(['x', 'X']).unwrap_or("");
        digits.starts_with(|c: char| c == '.' || c.is_ascii_hexdigit())
            && lines(case.text).any(|line| line.contains(&format!("0{name}")))
    };
    case.ours.columns.names.iter().any(hexadecimal)
}

/// A name that goes on behind `inf`, `infinity` or `nan`, in any case, such as `infeed`. HiGHS reads a number as C does, and
/// the rest as the next word.
fn name_that_begins_as_infinity(case: &Case) -> bool {
    let begins = |name: &str| {
        let start = name.get(..3).unwrap_or("").to_ascii_lowercase();
        start == "inf" || start == "nan"
    };
    let (columns, rows) = (&case.ours.columns.names, &case.ours.rows.names);
    columns.iter().chain(rows.iter()).any(begins)
}

//! Known differences in files of MPS.

use super::super::peer::difference;
use super::{Case, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "column-called-as-a-section",
        explains: column_called_as_a_section,
    },
    Rule {
        name: "sense-in-full-behind-its-heading",
        explains: sense_in_full_behind_its_heading,
    },
    Rule {
        name: "set-called-as-a-row-or-column",
        explains: set_called_as_a_row_or_column,
    },
    Rule {
        name: "ranges-before-right-hand-sides",
        explains: ranges_before_right_hand_sides,
    },
    Rule {
        name: "set-with-a-blank",
        explains: set_with_a_blank,
    },
    Rule {
        name: "sides-that-no-range-can-say",
        explains: sides_that_no_range_can_say,
    },
    Rule {
        name: "end-with-a-comment",
        explains: end_with_a_comment,
    },
    Rule {
        name: "marker-out-of-place",
        explains: marker_out_of_place,
    },
    Rule {
        name: "blank-of-another-kind",
        explains: blank_of_another_kind,
    },
];

/// The words of each line, and the section it is in. Lines that open a section are left out.
fn data(text: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let mut section = "";
    text.lines().filter_map(move |line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let first = *words.first()?;
        if words.len() == 1 && !line.starts_with([' ', '\t']) {
            section = first;
            return None;
        }
        Some((section, words))
    })
}

/// A column, or a set of right-hand sides, has the name of a section with words behind it. HiGHS begins that section in
/// the middle of the data, and loses what follows. We know data by its indentation and by the number of its fields.
fn column_called_as_a_section(case: &Case) -> bool {
    const SECTIONS: [&str; 5] = ["NAME", "OBJSENSE", "QCMATRIX", "QSECTION", "CSECTION"];
    data(case.text).any(|(section, words)| {
        // Before ROWS, it is the section.
        !section.is_empty() && SECTIONS.iter().any(|s| s.eq_ignore_ascii_case(words[0]))
    })
}

/// `OBJSENSE MAXIMIZE` in one line. HiGHS knows `MAX` and `MIN` there, though it takes the whole word in a line of its own,
/// and minimizes. We take all spellings in both places.
fn sense_in_full_behind_its_heading(case: &Case) -> bool {
    let headed = case.text.lines().any(|line| {
        let mut words = line.split_ascii_whitespace();
        let heading = words.next().unwrap_or("").to_ascii_uppercase();
        let sense = words.next().unwrap_or("").to_ascii_uppercase();
        heading == "OBJSENSE:" || heading == "OBJSENSE" && sense.len() > 3
    });
    let mut theirs = case.theirs.clone();
    theirs.sense = case.ours.sense;
    headed && difference(case.ours, &theirs).is_none()
}

/// A set of right-hand sides or ranges has the name of a row, or one of bounds that of a column. HiGHS takes the set for
/// left out, and the text behind it for the number, of which it makes 0. We count the fields, as the format wants it.
fn set_called_as_a_row_or_column(case: &Case) -> bool {
    let (rows, columns) = (&case.ours.rows.names, &case.ours.columns.names);
    let row = |name: &str| rows.find(name).is_some() || name == case.ours.objective_name;
    data(case.text).any(
        |(section, words)| match section.to_ascii_uppercase().as_str() {
            "RHS" | "RANGES" => words.len() % 2 == 1 && row(words[0]),
            "BOUNDS" => {
                words.len() > 2
                    && words[1..]
                        .iter()
                        .filter(|w| columns.find(w).is_some())
                        .count()
                        > 1
            }
            _ => false,
        },
    )
}

/// RANGES come before RHS. HiGHS adds the range to the right-hand side as it is at that time, which is 0. We wait for the
/// end of the file, since the format defines a range by the right-hand side wherever that stands.
fn ranges_before_right_hand_sides(case: &Case) -> bool {
    let heading = |wanted: &'static str| {
        let is = move |line: &&str| {
            line.split_ascii_whitespace()
                .next()
                .is_some_and(|word| word.eq_ignore_ascii_case(wanted))
        };
        move |text: &str| -> Vec<usize> {
            let all = text.lines().enumerate();
            all.filter(|(_, line)| is(line)).map(|(at, _)| at).collect()
        }
    };
    let (ranges, sides) = (heading("RANGES")(case.text), heading("RHS")(case.text));
    matches!((ranges.first(), sides.last()), (Some(first), Some(last)) if first < last)
}

/// A file that makes sense in fixed form alone, because the name of a set has a blank in it. HiGHS reads free form on, and
/// takes the second half of the name for the row or column, which it does not know: the line is lost. The format is older
/// than free form, and has the names of sets at their place in the line.
fn set_with_a_blank(case: &Case) -> bool {
    let (rows, columns) = (&case.ours.rows.names, &case.ours.columns.names);
    let row = |name: &&str| rows.find(name).is_some() || *name == case.ours.objective_name;
    let column = |name: &&str| columns.find(name).is_some();
    data(case.text).any(
        |(section, words)| match section.to_ascii_uppercase().as_str() {
            "RHS" | "RANGES" => !words.iter().take(2).any(row) && words.iter().skip(2).any(row),
            "BOUNDS" => words.len() > 3 && !column(&words[2]) && words[3..].iter().any(column),
            _ => false,
        },
    )
}

/// A comment `*sides` gives both sides of a row exactly, where their difference is no double, so that RANGES cannot say
/// it. HiGHS passes over comments and rounds one side. Our writer makes such comments.
fn sides_that_no_range_can_say(case: &Case) -> bool {
    if !case.text.lines().any(|line| line.starts_with("*sides ")) {
        return false;
    }
    let (mut ours, theirs) = (case.ours.clone(), case.theirs);
    let close =
        |a: f64, b: f64| a == b || (a - b).abs() <= 8.0 * f64::EPSILON * a.abs().max(b.abs());
    for (i, name) in case.ours.rows.names.iter().enumerate() {
        let Some(k) = theirs.rows.names.find(name) else {
            return false;
        };
        let rows = &mut ours.rows;
        for (our, their) in [
            (&mut rows.lower[i], theirs.rows.lower[k]),
            (&mut rows.upper[i], theirs.rows.upper[k]),
        ] {
            if close(*our, their) {
                *our = their;
            }
        }
    }
    difference(&ours, theirs).is_none()
}

/// `ENDATA $ a comment`. HiGHS knows the end by a line of that word alone, and reads on. A `$` begins a comment wherever the
/// format has a field.
fn end_with_a_comment(case: &Case) -> bool {
    case.text.lines().any(|line| {
        let mut words = line.split_ascii_whitespace();
        !line.starts_with([' ', '\t'])
            && words
                .next()
                .is_some_and(|word| word.eq_ignore_ascii_case("ENDATA"))
            && words.next().is_some_and(|word| word.starts_with('$'))
    })
}

/// A file in fixed form, by names with blanks, whose `'MARKER'` does not begin in column 15. HiGHS looks for it there only, and
/// makes a column of it, and continuous columns of those that it marks. The word in quotes can be nothing else for us.
fn marker_out_of_place(case: &Case) -> bool {
    let out_of_place = |line: &str| line.find("'MARKER'").is_some_and(|at| at != 14);
    let (columns, rows) = (&case.ours.columns.names, &case.ours.rows.names);
    let mut names = columns.iter().chain(rows.iter());
    names.any(|name| name.contains(' ')) && case.text.lines().any(out_of_place)
}

/// A vertical tab, a form feed or a carriage return within a line. It is a part of names for us, since the format knows
/// blanks and tabs only. HiGHS takes it off at the end of a line or of a word, as C does.
fn blank_of_another_kind(case: &Case) -> bool {
    let odd = ['\r', '\u{b}', '\u{c}'];
    case.text.lines().any(|line| line.contains(odd))
}

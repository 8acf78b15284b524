//! Reads MPS files in one pass over the lines.

use super::fields::{self, Fields, Form};
use super::{EXACT_SIDES, Section, section};
use crate::files::{Input, Lines, Parsed};
use crate::{Model, Names, Problem, ReadError, Sense, Warning, numbers};

const SECTIONS: &str = "NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS or ENDATA";
/// Most warnings that are kept; further ones are only counted.
const MOST_WARNINGS: usize = 20;

/// Reads an MPS file in free form, or in fixed form where that is the only way to make sense of it.
pub fn read(input: &Input) -> Result<Parsed, ReadError> {
    read_lines(input.open()?, input)
}

/// [`read`] from `lines` of `input`. `input` is opened a second time if the file must be read in fixed form.
pub(crate) fn read_lines(mut lines: Lines, input: &Input) -> Result<Parsed, ReadError> {
    let free = read_as(&mut lines, Form::Free);
    let Err(error) = free else { return free };
    let may_be_fixed = matches!(
        error.problem,
        Problem::Syntax { .. }
            | Problem::UnknownName { .. }
            | Problem::NotANumber { .. }
            | Problem::DuplicateName { .. }
            | Problem::DuplicateEntry { .. }
    );
    if !may_be_fixed {
        return Err(error);
    }
    // Lets a watcher of the content see the rest of the file now, because the second reading is not watched.
    let seen = lines.finish();
    // If both forms fail, report the error of the form that got further.
    let parsed = read_as(&mut input.open()?, Form::Fixed).map_err(|fixed| {
        if fixed.line > error.line {
            fixed
        } else {
            error
        }
    })?;
    seen.map(|()| parsed)
}

fn read_as(lines: &mut Lines, form: Form) -> Result<Parsed, ReadError> {
    let mut reader = Reader::new(form);
    while reader.section != Some(Section::End) {
        let number = lines.line() + 1;
        let Some(line) = lines.next()? else {
            return Err(lines.error(Problem::Truncated { expected: "ENDATA" }));
        };
        reader
            .line(number, line)
            .map_err(|problem| lines.error(problem))?;
    }
    lines.finish()?;
    reader.finish(lines)
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RowType {
    Free,
    Less,
    Greater,
    Equal,
}

/// What became of a line that starts in the first column.
enum Header {
    /// It opened a section and has been dealt with.
    Taken,
    /// It is a data line that is not indented.
    IsData,
}

pub(super) struct Reader {
    pub(super) form: Form,
    pub(super) section: Option<Section>,
    pub(super) model: Model,
    /// The names of all rows of type N, L, G and E, in file order.
    pub(super) names: Names,
    /// The type of each row in `names`.
    pub(super) types: Vec<RowType>,
    /// For each row in `names`, its index in the model, or `OBJECTIVE` or `DROPPED`. Complete once `rows_done`.
    pub(super) targets: Vec<u32>,
    wanted_objective: Option<String>,
    /// Whether the section ROWS has begun.
    rows_begun: bool,
    /// Whether the section COLUMNS has begun, after which no row can follow.
    rows_done: bool,
    /// Right-hand side of each row in `names`, NaN where the file gives none.
    pub(super) rhs: Vec<f64>,
    /// Range of each row in `names`, NaN where the file gives none.
    pub(super) range: Vec<f64>,
    /// The line of the last right-hand side or range of each row in `names`.
    pub(super) last_side: Vec<u32>,
    /// Both sides of rows, as (index in `names`, lower, upper), from comments that give them exactly.
    pub(super) exact_sides: Vec<(usize, f64, f64)>,
    /// For each row in `names`, one more than the index of the last column with an entry there, to find duplicates.
    pub(super) last_entry: Vec<u32>,
    pub(super) in_integers: bool,
    /// Which bounds the file gives for each column.
    pub(super) stated: Vec<u8>,
    /// The line of the last bound of each column.
    pub(super) last_bound: Vec<u32>,
    pub(super) warnings: Vec<Warning>,
    /// The number of warnings beyond `MOST_WARNINGS`.
    pub(super) unlisted: usize,
}

fn row_type(word: &str) -> Option<RowType> {
    Some(match word {
        "N" | "n" => RowType::Free,
        "L" | "l" => RowType::Less,
        "G" | "g" => RowType::Greater,
        "E" | "e" => RowType::Equal,
        _ => return None,
    })
}

/// The beginning of a text, short enough for a message.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

pub(super) const OBJECTIVE: u32 = u32::MAX;
pub(super) const DROPPED: u32 = u32::MAX - 1;

pub(super) const LOWER: u8 = 1;
pub(super) const UPPER: u8 = 2;

impl Reader {
    fn new(form: Form) -> Self {
        Reader {
            form,
            section: None,
            model: Model::default(),
            names: Names::new(),
            types: Vec::new(),
            targets: Vec::new(),
            wanted_objective: None,
            rows_begun: false,
            rows_done: false,
            rhs: Vec::new(),
            range: Vec::new(),
            last_side: Vec::new(),
            exact_sides: Vec::new(),
            last_entry: Vec::new(),
            in_integers: false,
            stated: Vec::new(),
            last_bound: Vec::new(),
            warnings: Vec::new(),
            unlisted: 0,
        }
    }

    pub(super) fn warn(&mut self, line: usize, message: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(Warning {
                line: Some(line),
                message,
            });
        } else {
            self.unlisted += 1;
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        match line.as_bytes().first() {
            None => return Ok(()),
            Some(b'*') => return self.comment(line),
            Some(b' ' | b'\t' | b'\r' | 0x0c) => {}
            Some(_) => match self.header(number, line)? {
                Header::Taken => return Ok(()),
                Header::IsData => {}
            },
        }
        match self.section {
            Some(Section::Columns) => self.column_line(line),
            Some(Section::Rows) => self.row_line(line),
            Some(Section::Rhs | Section::Ranges) => self.side_line(number, line),
            Some(Section::Bounds) => self.bound_line(number, line),
            Some(Section::ObjSense) => self.sense_line(line),
            Some(Section::ObjName) => {
                self.objective_line(line);
                Ok(())
            }
            _ if line.trim().is_empty() => Ok(()),
            _ => Err(Problem::syntax(format!(
                "data before the first section; expected {SECTIONS}"
            ))),
        }
    }

    /// Takes a line that starts in the first column, unless it holds data.
    fn header(&mut self, number: usize, line: &str) -> Result<Header, Problem> {
        let word = line.split_ascii_whitespace().next().unwrap_or("");
        let rest = line[word.len()..].trim();
        let next = section(word);
        if self.is_data(line, word, next, rest) {
            return Ok(Header::IsData);
        }
        let Some(next) = next else {
            return Err(Problem::UnknownSection {
                section: shorten(word),
                expected: SECTIONS,
            });
        };
        self.refuse_order(next, word)?;
        match next {
            Section::Refused => {
                return Err(Problem::Unsupported {
                    feature: format!("section {word}"),
                });
            }
            Section::Name => {
                // Some tools put the word FREE behind the name.
                let name = match rest.strip_suffix("FREE") {
                    Some(name) if name.is_empty() || name.ends_with([' ', '\t']) => name.trim(),
                    _ => rest,
                };
                // As it is written: on one line for every tool.
                self.model.name = name.replace(['\r', '\0'], " ").trim().to_owned();
            }
            Section::ObjSense if !rest.is_empty() => self.sense_line(rest)?,
            Section::ObjName if !rest.is_empty() => self.objective_line(rest),
            Section::ObjSense | Section::ObjName => {}
            _ if !is_comment(rest) => {
                return Err(Problem::syntax(format!(
                    "unexpected `{}` after the section name {word}",
                    shorten(rest)
                )));
            }
            Section::Rows => self.rows_begun = true,
            Section::Columns => self.end_rows(number)?,
            _ => {}
        }
        self.section = Some(next);
        Ok(Header::Taken)
    }

    /// Whether a line that starts in the first column holds data: in free form some tools do not indent it.
    fn is_data(&self, line: &str, word: &str, next: Option<Section>, rest: &str) -> bool {
        use Section::{Bounds, Columns, End, ObjName, ObjSense, Ranges, Rhs, Rows};
        if self.form == Form::Fixed {
            return false;
        }
        // A column, row or set may have the name of a section; then more fields follow.
        if next.is_some_and(|s| !matches!(s, Rows | Columns | Rhs | Ranges | Bounds | End))
            || next.is_some() && is_comment(rest)
        {
            return false;
        }
        let count = fields::free(line).as_slice().len();
        match self.section {
            Some(Rows) => count == 2 && row_type(word).is_some(),
            Some(Columns) => count >= 3,
            Some(Rhs | Ranges) => count >= 2,
            Some(Bounds) => count >= 2 && word.len() == 2,
            Some(ObjSense | ObjName) => true,
            _ => false,
        }
    }

    /// Refuses sections that come before those they depend on, or too late to have an effect.
    fn refuse_order(&self, next: Section, word: &str) -> Result<(), Problem> {
        let wrong = match next {
            Section::Columns if !self.rows_begun => "before ROWS",
            Section::Columns if self.rows_done => "for the second time",
            Section::Rhs | Section::Ranges | Section::Bounds | Section::End if !self.rows_done => {
                "before COLUMNS"
            }
            Section::Rows | Section::ObjName if self.rows_done => "after COLUMNS",
            Section::Rows if self.rows_begun => "for the second time",
            // Else an unindented column of that name would be lost without a word.
            Section::Name if self.rows_begun => "after ROWS",
            _ => return Ok(()),
        };
        Err(Problem::syntax(format!("section {word} {wrong}")))
    }

    fn comment(&mut self, line: &str) -> Result<(), Problem> {
        let Some(sides) = line.strip_prefix(EXACT_SIDES) else {
            return Ok(());
        };
        let mut words = sides.split_ascii_whitespace();
        // A comment in any other form is an ordinary comment.
        let (Some(name), Some(lower), Some(upper), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Ok(());
        };
        if let (Some(row), Some(lower), Some(upper)) = (
            self.names.find(name),
            numbers::parse(lower),
            numbers::parse(upper),
        ) {
            self.exact_sides.push((row, lower, upper));
        }
        Ok(())
    }

    fn sense_line(&mut self, line: &str) -> Result<(), Problem> {
        let word = line.trim();
        if word.is_empty() {
            return Ok(());
        }
        self.model.sense = match word.to_ascii_uppercase().as_str() {
            "MAX" | "MAXIMIZE" | "MAXIMISE" => Sense::Maximize,
            "MIN" | "MINIMIZE" | "MINIMISE" => Sense::Minimize,
            _ => {
                let word = shorten(word);
                return Err(Problem::syntax(format!(
                    "OBJSENSE is `{word}`; expected MIN or MAX"
                )));
            }
        };
        Ok(())
    }

    fn objective_line(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.wanted_objective = Some(line.trim().to_owned());
        }
    }

    /// The fields of a line. In fixed form and a `typed` section the first one is the type of the row or bound.
    pub(super) fn fields<'a>(&self, line: &'a str, typed: bool) -> Result<Fields<'a>, Problem> {
        match self.form {
            Form::Free => Ok(fields::free(line)),
            Form::Fixed => fields::fixed(line, typed)
                .ok_or_else(|| Problem::syntax("text between the fields of fixed form")),
        }
    }

    fn row_line(&mut self, line: &str) -> Result<(), Problem> {
        let fields = self.fields(line, true)?.without_comment(2);
        let (kind, name) = match *fields.as_slice() {
            [] => return Ok(()),
            [kind, name] if !name.is_empty() => (kind, name),
            ref other => {
                let found = shorten(&other.join(" "));
                return Err(Problem::syntax(format!(
                    "row `{found}` does not have the form TYPE NAME"
                )));
            }
        };
        let Some(kind) = row_type(kind) else {
            return Err(Problem::syntax(format!(
                "row type `{}`; expected N, L, G or E",
                shorten(kind)
            )));
        };
        self.names.push(name).map_err(|_| Problem::DuplicateName {
            what: "row",
            name: shorten(name),
        })?;
        self.types.push(kind);
        Ok(())
    }

    /// Ends the section ROWS: chooses the objective and numbers the other rows.
    fn end_rows(&mut self, number: usize) -> Result<(), Problem> {
        let free = |i: &usize| self.types[*i] == RowType::Free;
        let objective =
            match &self.wanted_objective {
                None => (0..self.types.len()).find(free),
                Some(wanted) => Some(self.names.find(wanted).filter(free).ok_or_else(|| {
                    Problem::UnknownName {
                        what: "objective row",
                        name: shorten(wanted),
                    }
                })?),
            };
        self.model.objective_name = "obj".into();
        let rows = &mut self.model.rows;
        rows.names = Names::with_room_of(&self.names);
        let mut dropped = 0;
        for i in 0..self.types.len() {
            if Some(i) == objective {
                self.model.objective_name = self.names.get(i).to_owned();
                self.targets.push(OBJECTIVE);
            } else if self.types[i] == RowType::Free {
                self.targets.push(DROPPED);
                dropped += 1;
            } else {
                // Cannot be a duplicate: `names` has refused those.
                let row = rows.names.push(self.names.get(i)).unwrap_or_else(|old| old);
                self.targets.push(row as u32);
            }
        }
        if dropped > 0 {
            let (rows, are) = if dropped == 1 {
                ("row", "is")
            } else {
                ("rows", "are")
            };
            let message =
                format!("{dropped} free {rows} (type N) beside the objective {are} left out");
            self.warn(number, message);
        }
        self.rows_done = true;
        self.rhs = vec![f64::NAN; self.types.len()];
        self.range = vec![f64::NAN; self.types.len()];
        self.last_side = vec![0; self.types.len()];
        self.last_entry = vec![0; self.types.len()];
        Ok(())
    }
}

fn is_comment(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['$', '*'])
}

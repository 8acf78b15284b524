//! Reading MPS: one pass over the lines, a state for the section, names resolved as they come.

use super::fields::{self, Fields, Form};
use super::{EXACT_SIDES, Section, section};
use crate::files::{Input, Lines, Parsed};
use crate::{Model, ModelError, Names, Problem, ReadError, Sense, VarKind, Warning, numbers};

const SECTIONS: &str = "NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS or ENDATA";
/// More warnings than this help nobody.
const MOST_WARNINGS: usize = 20;

/// Reads an MPS file in free form, or in fixed form where that is the only way to make sense of it.
pub fn read(input: &Input) -> Result<Parsed, ReadError> {
    let free = read_as(input, Form::Free);
    let Err(error) = free else { return free };
    let may_be_fixed = matches!(
        error.problem,
        Problem::Syntax { .. }
            | Problem::UnknownName { .. }
            | Problem::NotANumber { .. }
            | Problem::DuplicateName { .. }
            | Problem::DuplicateEntry { .. }
    );
    if may_be_fixed {
        if let Ok(parsed) = read_as(input, Form::Fixed) {
            return Ok(parsed);
        }
    }
    Err(error)
}

fn read_as(input: &Input, form: Form) -> Result<Parsed, ReadError> {
    let mut lines = input.open()?;
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
    reader.finish(&lines)
}

#[derive(Clone, Copy, PartialEq)]
enum RowType {
    Free,
    Less,
    Greater,
    Equal,
}

pub(super) struct Reader {
    form: Form,
    pub(super) section: Option<Section>,
    pub(super) model: Model,
    /// All N, L, G and E rows, in file order.
    pub(super) names: Names,
    /// For each of `names` its type, and its row in the model or `OBJECTIVE` or `DROPPED`.
    types: Vec<RowType>,
    pub(super) targets: Vec<u32>,
    wanted_objective: Option<String>,
    pub(super) rhs: Vec<f64>,
    /// NaN where there is none.
    pub(super) range: Vec<f64>,
    exact_sides: Vec<(usize, f64, f64)>,
    /// Per row name, one more than the last column with an entry there: finds duplicates.
    pub(super) last_entry: Vec<u32>,
    pub(super) in_integers: bool,
    /// Per column: which bounds the file stated, and in which line it last did.
    pub(super) stated: Vec<u8>,
    pub(super) last_bound: Vec<u32>,
    warnings: Vec<Warning>,
    dropped_rows: usize,
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

/// Enough of a text for a message.
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
            rhs: Vec::new(),
            range: Vec::new(),
            exact_sides: Vec::new(),
            last_entry: Vec::new(),
            in_integers: false,
            stated: Vec::new(),
            last_bound: Vec::new(),
            warnings: Vec::new(),
            dropped_rows: 0,
        }
    }

    pub(super) fn warn(&mut self, line: usize, message: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(Warning {
                line: Some(line),
                message,
            });
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Problem> {
        match line.as_bytes().first() {
            None => return Ok(()),
            Some(b'*') => return self.comment(line),
            Some(b' ' | b'\t' | b'\r' | 0x0c) => {}
            Some(_) => {
                if self.header(number, line)? {
                    return Ok(());
                }
            }
        }
        match self.section {
            Some(Section::Columns) => self.column_line(line),
            Some(Section::Rows) => self.row_line(line),
            Some(Section::Rhs | Section::Ranges) => self.side_line(line),
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

    /// Takes a line that starts in the first column; `false` if it is a data line after all.
    fn header(&mut self, number: usize, line: &str) -> Result<bool, Problem> {
        let word = line.split_ascii_whitespace().next().unwrap_or("");
        let rest = line[word.len()..].trim();
        let Some(next) = section(word) else {
            // Some tools do not indent data in free form.
            let fields = fields::free(line);
            let count = fields.as_slice().len();
            let data = match self.section {
                Some(Section::Rows) => count == 2 && row_type(word).is_some(),
                Some(Section::Columns) => count >= 3,
                Some(Section::Rhs | Section::Ranges) => count >= 2,
                Some(Section::Bounds) => count >= 2 && word.len() == 2,
                Some(Section::ObjSense) => true,
                _ => false,
            };
            if data && self.form == Form::Free {
                return Ok(false);
            }
            return Err(Problem::UnknownSection {
                section: shorten(word),
                expected: SECTIONS,
            });
        };
        match next {
            Section::Refused => {
                return Err(Problem::Unsupported {
                    feature: format!("section {word}"),
                });
            }
            Section::Name => {
                let name = rest.strip_suffix(" FREE").unwrap_or(rest);
                self.model.name = if name == "FREE" {
                    String::new()
                } else {
                    name.trim().to_owned()
                };
            }
            Section::ObjSense if !rest.is_empty() => self.sense_line(rest)?,
            Section::ObjName if !rest.is_empty() => self.objective_line(rest),
            Section::Columns if self.section == Some(Section::Columns) => {
                return Err(Problem::syntax("a second COLUMNS section"));
            }
            Section::Columns => self.end_rows(number)?,
            _ => {}
        }
        self.section = Some(next);
        Ok(true)
    }

    fn comment(&mut self, line: &str) -> Result<(), Problem> {
        let Some(sides) = line.strip_prefix(EXACT_SIDES) else {
            return Ok(());
        };
        let mut words = sides.split_ascii_whitespace();
        // Anything but our own form is an ordinary comment.
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

    /// The line's fields; in fixed form the first is the type of the row or bound, if the section has types.
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

    /// After ROWS: which row is the objective, and the numbers of the others.
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
        for i in 0..self.types.len() {
            if Some(i) == objective {
                self.model.objective_name = self.names.get(i).to_owned();
                self.targets.push(OBJECTIVE);
            } else if self.types[i] == RowType::Free {
                self.targets.push(DROPPED);
                self.dropped_rows += 1;
            } else {
                // Cannot be a duplicate: `names` has refused those.
                let row = rows.names.push(self.names.get(i)).unwrap_or_else(|old| old);
                self.targets.push(row as u32);
            }
        }
        if self.dropped_rows > 0 {
            let message = format!(
                "{} free rows (type N) beside the objective are left out",
                self.dropped_rows
            );
            self.warn(number, message);
        }
        self.rhs = vec![0.0; self.types.len()];
        self.range = vec![f64::NAN; self.types.len()];
        self.last_entry = vec![0; self.types.len()];
        Ok(())
    }

    /// Turns right-hand sides and ranges into row sides, settles default bounds, and checks the whole.
    fn finish(mut self, lines: &Lines) -> Result<Parsed, ReadError> {
        if self.model.matrix.open_entries() > 0
            || self.model.matrix.majors() < self.model.num_columns()
        {
            self.model.matrix.close();
        }
        for (i, &target) in self.targets.iter().enumerate() {
            match target {
                OBJECTIVE => self.model.objective_constant = 0.0 - self.rhs[i],
                DROPPED => {}
                _ => {
                    let (lower, upper) = sides(self.types[i], self.rhs[i], self.range[i]);
                    self.model.rows.lower.push(lower);
                    self.model.rows.upper.push(upper);
                }
            }
        }
        for &(i, lower, upper) in &self.exact_sides {
            let row = self.targets[i] as usize;
            // A tool may have changed the row and kept the comment; then the comment is stale.
            if row < self.model.num_rows()
                && is_close(self.model.rows.lower[row], lower)
                && is_close(self.model.rows.upper[row], upper)
            {
                self.model.rows.lower[row] = lower;
                self.model.rows.upper[row] = upper;
            }
        }
        let columns = &mut self.model.columns;
        for j in 0..columns.cost.len() {
            if columns.kind[j] == VarKind::Integer && self.stated[j] == 0 {
                columns.upper[j] = 1.0;
            }
            let (lower, upper) = (columns.lower[j], columns.upper[j]);
            if lower > upper {
                let what = format!("column `{}`", columns.names.get(j));
                let error = ModelError::Crossed { what, lower, upper };
                return Err(lines.error_at(self.last_bound[j] as usize, error));
            }
        }
        self.model.columns.names.shrink_to_fit();
        self.model.matrix.shrink_to_fit();
        match self.model.validate() {
            Ok(()) => Ok(Parsed {
                model: self.model,
                warnings: self.warnings,
            }),
            Err(error) => Err(lines.error_at(0, error)),
        }
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

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 4.0 * f64::EPSILON * a.abs().max(b.abs()).max(f64::MIN_POSITIVE)
}

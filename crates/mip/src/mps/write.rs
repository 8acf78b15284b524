//! Writing MPS in free form, one entry a line, so that every name stands where no comment can begin.

use std::io::Write;

use super::EXACT_SIDES;
use crate::{Model, Names, Sense, VarKind, WriteError, numbers};

/// Written for an infinite row side where the format asks for a number; read as infinite by every solver.
const INFINITE: f64 = 1e30;

/// Writes `model` to `out`; `file` is the name used in errors.
pub fn write(model: &Model, file: &str, out: &mut dyn Write) -> Result<(), WriteError> {
    refuse_names("row", &model.rows.names)?;
    refuse_names("column", &model.columns.names)?;
    let mut writer = Writer {
        out,
        text: Vec::with_capacity(1 << 16),
        file,
    };
    writer
        .model(model)
        .and_then(|()| writer.flush())
        .map_err(|source| WriteError::Io {
            file: writer.file.to_owned(),
            source,
        })
}

/// As the second field of a line in COLUMNS, where rows stand, this is not a name.
const MARKER: &str = "'MARKER'";

fn refuse_names(what: &'static str, names: &Names) -> Result<(), WriteError> {
    for name in names.iter() {
        let reason = if name.contains(char::is_whitespace) {
            "it holds a blank"
        } else if name.contains('\0') {
            "it holds a NUL"
        } else if what == "row" && name == MARKER {
            "it marks integer columns"
        } else {
            continue;
        };
        return Err(WriteError::Name {
            what,
            name: name.to_owned(),
            format: "MPS",
            reason,
        });
    }
    Ok(())
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    text: Vec<u8>,
    file: &'a str,
}

/// How a row is declared: its letter, right-hand side, range, and whether these say its sides exactly.
struct Declared {
    letter: u8,
    rhs: f64,
    range: Option<f64>,
    exact: bool,
}

fn declare(lower: f64, upper: f64) -> Declared {
    let plain = |letter, rhs| Declared {
        letter,
        rhs,
        range: None,
        exact: true,
    };
    if lower == upper {
        return plain(b'E', lower);
    }
    match (lower.is_finite(), upper.is_finite()) {
        (false, true) => plain(b'L', upper),
        (true, false) => plain(b'G', lower),
        // An N row would be dropped by readers, so a free row is one with no real side.
        (false, false) => plain(b'G', -INFINITE),
        (true, true) => {
            let range = upper - lower;
            if lower + range == upper {
                Declared {
                    letter: b'G',
                    rhs: lower,
                    range: Some(range),
                    exact: true,
                }
            } else {
                let exact = upper - range == lower;
                Declared {
                    letter: b'L',
                    rhs: upper,
                    range: Some(range),
                    exact,
                }
            }
        }
    }
}

impl Writer<'_> {
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn line(&mut self, parts: &[&str]) -> std::io::Result<()> {
        for part in parts {
            self.text.extend_from_slice(part.as_bytes());
        }
        self.text.push(b'\n');
        if self.text.len() > (1 << 16) - 1024 {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn entry(&mut self, first: &str, second: &str, value: f64) -> std::io::Result<()> {
        self.text.extend_from_slice(first.as_bytes());
        self.text.push(b' ');
        self.text.extend_from_slice(second.as_bytes());
        self.text.push(b' ');
        numbers::push(&mut self.text, value);
        self.line(&[])
    }

    fn model(&mut self, model: &Model) -> std::io::Result<()> {
        let objective = objective_name(model);
        self.line(&["NAME ", &title(&model.name)])?;
        if model.sense == Sense::Maximize {
            self.line(&["OBJSENSE\n    MAX"])?;
        }
        self.rows(model, &objective)?;
        self.columns(model, &objective)?;
        self.sides(model, &objective)?;
        self.bounds(model)?;
        self.line(&["ENDATA"])
    }

    fn rows(&mut self, model: &Model, objective: &str) -> std::io::Result<()> {
        self.line(&["ROWS\n N ", objective])?;
        for (i, name) in model.rows.names.iter().enumerate() {
            let declared = declare(model.rows.lower[i], model.rows.upper[i]);
            self.text.extend_from_slice(&[b' ', declared.letter, b' ']);
            self.line(&[name])?;
        }
        Ok(())
    }

    fn columns(&mut self, model: &Model, objective: &str) -> std::io::Result<()> {
        self.line(&["COLUMNS"])?;
        let mut inside_marker = false;
        for (j, name) in model.columns.names.iter().enumerate() {
            let integer = model.columns.kind[j] == VarKind::Integer;
            if integer != inside_marker {
                let word = if integer { "'INTORG'" } else { "'INTEND'" };
                self.line(&["    MARKER 'MARKER' ", word])?;
                inside_marker = integer;
            }
            let (cost, entries) = (model.columns.cost[j], model.matrix.entries(j));
            // A column exists by being mentioned, if only with a zero.
            if cost != 0.0 || entries.len() == 0 {
                self.text.extend_from_slice(b"    ");
                self.entry(name, objective, cost)?;
            }
            for (i, value) in entries {
                self.text.extend_from_slice(b"    ");
                self.entry(name, model.rows.names.get(i), value)?;
            }
        }
        if inside_marker {
            self.line(&["    MARKER 'MARKER' 'INTEND'"])?;
        }
        Ok(())
    }

    fn sides(&mut self, model: &Model, objective: &str) -> std::io::Result<()> {
        self.line(&["RHS"])?;
        if model.objective_constant != 0.0 {
            self.entry("    RHS", objective, -model.objective_constant)?;
        }
        let mut ranged = false;
        for i in 0..model.num_rows() {
            let declared = declare(model.rows.lower[i], model.rows.upper[i]);
            ranged |= declared.range.is_some();
            if declared.rhs != 0.0 {
                self.entry("    RHS", model.rows.names.get(i), declared.rhs)?;
            }
        }
        if !ranged {
            return Ok(());
        }
        self.line(&["RANGES"])?;
        for i in 0..model.num_rows() {
            let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
            let declared = declare(lower, upper);
            let Some(range) = declared.range else {
                continue;
            };
            let name = model.rows.names.get(i);
            self.entry("    RNG", name, range)?;
            if !declared.exact {
                self.text.extend_from_slice(EXACT_SIDES.as_bytes());
                self.text.extend_from_slice(name.as_bytes());
                self.text.push(b' ');
                numbers::push(&mut self.text, lower);
                self.text.push(b' ');
                numbers::push(&mut self.text, upper);
                self.line(&[])?;
            }
        }
        Ok(())
    }

    fn bounds(&mut self, model: &Model) -> std::io::Result<()> {
        self.line(&["BOUNDS"])?;
        for (j, name) in model.columns.names.iter().enumerate() {
            let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
            let integer = model.columns.kind[j] == VarKind::Integer;
            if lower == upper {
                self.entry(" FX BND", name, lower)?;
            } else if integer && lower == 0.0 && upper == 1.0 {
                self.line(&[" BV BND ", name])?;
            } else if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
                self.line(&[" FR BND ", name])?;
            } else {
                if lower == f64::NEG_INFINITY {
                    self.line(&[" MI BND ", name])?;
                } else if lower != 0.0 || upper < 0.0 {
                    self.entry(" LO BND", name, lower)?;
                }
                if upper < f64::INFINITY {
                    self.entry(" UP BND", name, upper)?;
                } else if integer {
                    // Without any bound an integer column would be read as binary.
                    self.line(&[" PL BND ", name])?;
                }
            }
        }
        Ok(())
    }
}

/// The model's name on one line. A final FREE would be read as the word for free form, so it gets one behind it.
fn title(name: &str) -> String {
    let mut title = name.replace(['\n', '\r', '\0'], " ").trim().to_owned();
    if title == "FREE" || title.ends_with(" FREE") {
        title.push_str(" FREE");
    }
    title
}

/// The objective's name, or one like it that is allowed and that no row has.
fn objective_name(model: &Model) -> String {
    let parts = model
        .objective_name
        .split(|c: char| c.is_whitespace() || c == '\0');
    let mut name = parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("_");
    if name.is_empty() {
        name.push_str("obj");
    }
    while name == MARKER || model.rows.names.find(&name).is_some() {
        name.push('_');
    }
    name
}

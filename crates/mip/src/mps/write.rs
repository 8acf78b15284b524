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

/// Stands in the place of a row name in lines of COLUMNS that begin or end integer columns.
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

/// The declaration of a row with two sides.
struct Declared {
    /// N, L, G or E.
    letter: u8,
    /// Right-hand side.
    rhs: f64,
    /// Range, if both sides are finite and differ.
    range: Option<f64>,
    /// Whether right-hand side and range give the two sides exactly, without rounding.
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
        // Readers would drop a row of type N, so a free row is written with an infinite side.
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
            // A column without entries is written with a zero cost, because a column exists only by being mentioned.
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

/// The model's name on one line. A name that ends in FREE gets another FREE behind it, because one is read as a
/// keyword.
fn title(name: &str) -> String {
    let mut title = name.replace(['\n', '\r', '\0'], " ").trim().to_owned();
    if title == "FREE" || title.ends_with(" FREE") {
        title.push_str(" FREE");
    }
    title
}

/// The objective's name, changed if it cannot be written or a row has the same.
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

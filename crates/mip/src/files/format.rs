//! Which format a file has, and reading or writing it accordingly.

use std::path::Path;

use super::lines::{ContentWatch, Input, Lines};
use super::save::save;
use crate::{Model, Problem, ReadError, Warning, WriteError, lp, mps};

/// A model file's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MPS, fixed or free.
    Mps,
    /// CPLEX LP.
    Lp,
}

/// A model that was read, with warnings about its file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model.
    pub model: Model,
    /// Oddities of the file that can still be read in one well-known way.
    pub warnings: Vec<Warning>,
}

impl Format {
    /// The format that a path's ending names, a final `.gz` aside.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match Path::new(name).extension()?.to_str()? {
            "mps" | "qps" | "sif" => Some(Format::Mps),
            "lp" | "rlp" => Some(Format::Lp),
            _ => None,
        }
    }

    /// The format of a text by its first line that is not blank; `None` if that line does not tell. That line is then
    /// the last one read.
    fn of_text(lines: &mut Lines) -> Result<Option<Self>, ReadError> {
        while let Some(line) = lines.next()? {
            if line.starts_with('*') {
                return Ok(Some(Format::Mps));
            }
            let text = line.trim_start();
            if text.starts_with('\\') {
                return Ok(Some(Format::Lp));
            }
            if text.is_empty() {
                continue;
            }
            let word = text.split([' ', '\t', ':']).next().unwrap_or("");
            if mps::is_section(word) {
                return Ok(Some(Format::Mps));
            }
            if lp::is_objective_keyword(word) {
                return Ok(Some(Format::Lp));
            }
            return Ok(None);
        }
        Ok(None)
    }
}

/// Reads a model. Compression and format are recognised by content; where the content does not tell the format, the
/// ending of the path does.
pub fn read_model(path: impl AsRef<Path>) -> Result<Parsed, ReadError> {
    read_model_from(&Input::path(path))
}

/// [`read_model`] from a file or from memory.
pub fn read_model_from(input: &Input) -> Result<Parsed, ReadError> {
    read_watched(input, None)
}

/// [`read_model`] that also passes the file's decompressed content to `watch`: all of it, in pieces, once and in
/// order. So the content can be hashed without reading the file a second time.
pub fn read_model_watched(
    path: impl AsRef<Path>,
    watch: impl FnMut(&[u8]) + 'static,
) -> Result<Parsed, ReadError> {
    read_watched(&Input::path(path), Some(Box::new(watch)))
}

fn read_watched(input: &Input, watch: Option<ContentWatch>) -> Result<Parsed, ReadError> {
    let mut lines = input.open_watched(watch)?;
    let by_content = Format::of_text(&mut lines)?;
    let by_name = match input {
        Input::Path(path) => Format::of_path(path),
        Input::Bytes(name, _) => Format::of_path(Path::new(name)),
    };
    let Some(format) = by_content.or(by_name) else {
        return Err(lines.error(Problem::UnknownFormat {
            message: "it begins neither as MPS (NAME, ROWS, …) nor as LP (Minimize, Maximize)"
                .into(),
        }));
    };
    // Reading starts again with this line; those before it are blank.
    lines.take_back();
    match format {
        Format::Mps => mps::read_lines(lines, input),
        Format::Lp => lp::read_lines(lines),
    }
}

/// Writes a model as MPS or LP by the path's ending, compressed if it ends in `.gz`.
/// The file appears whole or not at all.
pub fn write_model(model: &Model, path: impl AsRef<Path>) -> Result<(), WriteError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    match Format::of_path(path) {
        Some(Format::Mps) => save(path, |out| mps::write(model, &file, out)),
        Some(Format::Lp) => save(path, |out| lp::write(model, &file, out)),
        None => Err(WriteError::UnknownFormat { file }),
    }
}

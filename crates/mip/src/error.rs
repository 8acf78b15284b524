//! Everything that can be wrong with a model or a file. Each message says where, what was found, and what was
//! expected.

use std::io;

/// A model that breaks a rule every model must keep.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Two names are the same.
    #[error("duplicate {what} name `{name}`")]
    DuplicateName {
        /// `row` or `column`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name is empty.
    #[error("a {what} has an empty name")]
    EmptyName {
        /// `row` or `column`.
        what: &'static str,
    },
    /// A lower bound above its upper bound.
    #[error("{what} has crossed bounds: lower {lower} is above upper {upper}")]
    Crossed {
        /// The row or column, by name.
        what: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A bound that is NaN, or infinite on the wrong side.
    #[error("{what} has bounds [{lower}, {upper}], which no value can satisfy")]
    NotABound {
        /// The row or column, by name.
        what: String,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A NaN or infinite coefficient.
    #[error("{what} is {value}, not a finite number")]
    NotFinite {
        /// The coefficient, by name.
        what: String,
        /// Its value.
        value: f64,
    },
    /// A matrix entry out of range or given twice.
    #[error("{what} is given twice or outside the model")]
    Entry {
        /// Which entry, in words.
        what: String,
    },
    /// An array whose length does not fit the number of rows or columns.
    #[error("the model has {found} {what} where {expected} are expected")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
}

/// What is wrong in a file; [`ReadError`] adds the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// The file is not text.
    #[error("this is not UTF-8 text: found byte {byte:#04x} (a binary file?)")]
    Binary {
        /// The offending byte.
        byte: u8,
    },
    /// A line longer than any real file has.
    #[error("the line is longer than {limit} characters")]
    LongLine {
        /// The limit.
        limit: usize,
    },
    /// Compressed data that ends early or is damaged.
    #[error("the gzip data is damaged or cut short: {0}")]
    Gzip(io::Error),
    /// Compressed data that grows beyond reason.
    #[error(
        "the gzip data expands more than {ratio}-fold ({bytes} bytes so far): refused as a gzip bomb"
    )]
    GzipBomb {
        /// The allowed ratio.
        ratio: u64,
        /// Bytes decompressed when it was refused.
        bytes: u64,
    },
    /// The file ends before the end that its format requires.
    #[error("the file ends before {expected}: it was cut short")]
    Truncated {
        /// The part that is missing.
        expected: &'static str,
    },
    /// A section the format does not have.
    #[error("unknown section `{section}`; expected {expected}")]
    UnknownSection {
        /// The section found.
        section: String,
        /// The sections that may stand here.
        expected: &'static str,
    },
    /// A section or construct that is not a linear constraint, bound or integrality.
    #[error(
        "{feature} is not supported: only linear models with continuous and integer variables are"
    )]
    Unsupported {
        /// The construct, with the name used in the file.
        feature: String,
    },
    /// A name that was not declared.
    #[error("unknown {what} `{name}`")]
    UnknownName {
        /// `row` or `column`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A solution's column that the model does not have.
    #[error("the model has no column `{name}`: is this a solution of another model?")]
    NotInModel {
        /// The name in the solution.
        name: String,
    },
    /// A solution file that states that there is no solution.
    #[error("the file holds no solution: it says `{statement}`")]
    NoSolution {
        /// The file's own words.
        statement: String,
    },
    /// A name declared twice.
    #[error("duplicate {what} name `{name}`")]
    DuplicateName {
        /// `row` or `column`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The same coefficient given twice.
    #[error("column `{column}` has two entries in row `{row}`")]
    DuplicateEntry {
        /// The column.
        column: String,
        /// The row.
        row: String,
    },
    /// Something that should be a number and is not.
    #[error("`{text}` is not a number ({role})")]
    NotANumber {
        /// What stands there.
        text: String,
        /// What the number is for.
        role: String,
    },
    /// NaN, or an infinity where it makes no sense.
    #[error("{role} is {value}, not a finite number")]
    NotFinite {
        /// What the number is for.
        role: String,
        /// Its value.
        value: f64,
    },
    /// A line that does not have the fields its section needs.
    #[error("{message}")]
    Syntax {
        /// What was found and what was expected.
        message: String,
    },
    /// A file in none of the known formats.
    #[error("not a file in a known format: {message}")]
    UnknownFormat {
        /// What was found and what is known.
        message: String,
    },
    /// The file can be read, but the model in it breaks a rule.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Problem {
    /// A [`Problem::Syntax`] from anything printable.
    pub(crate) fn syntax(message: impl Into<String>) -> Self {
        Problem::Syntax {
            message: message.into(),
        }
    }
}

/// A problem with its place: `file:line: problem`.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", place(file, *line))]
pub struct ReadError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, counted from 1; `None` if the problem is not at one line.
    pub line: Option<usize>,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

fn place(file: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}

/// Something odd in a file that can still be read in one well-known way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, counted from 1; `None` if the warning is not about one line.
    pub line: Option<usize>,
    /// What was found and how it was read.
    pub message: String,
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system could not write the file.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// The reason.
        source: io::Error,
    },
    /// A name that the format cannot hold.
    #[error("{what} name `{name}` cannot be written in {format} format: {reason}")]
    Name {
        /// `row`, `column`.
        what: &'static str,
        /// The name.
        name: String,
        /// The format.
        format: &'static str,
        /// What the format forbids.
        reason: &'static str,
    },
    /// A solution that does not fit the model.
    #[error("{file}: {source}")]
    Solution {
        /// The file.
        file: String,
        /// What does not fit.
        source: crate::check::CheckError,
    },
    /// A path whose ending names no format.
    #[error("{file}: cannot tell the format from the ending; use .mps, .lp, or either with .gz")]
    UnknownFormat {
        /// The file.
        file: String,
    },
}

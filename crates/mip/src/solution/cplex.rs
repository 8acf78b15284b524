//! CPLEX's XML solution files; only status, objective and values are read.
//!
//! ```text
//! <CPLEXSolution version="1.2">
//!  <header objectiveValue="12.5" solutionStatusString="integer optimal solution"/>
//!  <variables>
//!   <variable name="x" index="0" value="1"/>
//!  </variables>
//! </CPLEXSolution>
//! ```
//!
//! A tag may span lines. A file with several solutions is read up to the end of the first.

use std::ops::ControlFlow;

use super::collect::Collector;
use crate::files::Lines;
use crate::{Problem, ReadError};

pub(super) fn read(lines: &mut Lines, found: &mut Collector) -> Result<(), ReadError> {
    let mut tag = Tag::default();
    loop {
        let taken = match lines.next()? {
            None => Err(Problem::Truncated {
                expected: "`</CPLEXSolution>`",
            }),
            Some(line) => tag.take_line(line, found),
        };
        if taken.map_err(|problem| lines.error(problem))?.is_break() {
            return Ok(());
        }
    }
}

/// An XML tag that is being read.
#[derive(Default)]
struct Tag {
    /// The text after `<`; `None` outside of tags.
    text: Option<String>,
    /// The quotation mark that has been opened and not closed.
    quote: Option<char>,
}

impl Tag {
    /// Takes a line; breaks at the end of the solution.
    fn take_line(&mut self, line: &str, found: &mut Collector) -> Result<ControlFlow<()>, Problem> {
        for c in line.chars().chain(['\n']) {
            let Some(text) = &mut self.text else {
                if c == '<' {
                    self.text = Some(String::new());
                }
                continue;
            };
            match (self.quote, c) {
                (None, '>') => {
                    let text = std::mem::take(text);
                    self.text = None;
                    if element(&text, found)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    continue;
                }
                (None, '"' | '\'') => self.quote = Some(c),
                (Some(open), _) if open == c => self.quote = None,
                _ => {}
            }
            text.push(c);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes an XML element, given by the text between `<` and `>`; breaks at the end of the solution.
fn element(text: &str, found: &mut Collector) -> Result<ControlFlow<()>, Problem> {
    let (name, attributes) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match name {
        "header" => {
            if let Some(value) = attribute(attributes, "objectiveValue") {
                found.put_objective(&value)?;
            }
            found.status = attribute(attributes, "solutionStatusString");
        }
        "variable" => {
            let wanted = ["name", "value"].map(|key| attribute(attributes, key));
            let [Some(name), Some(value)] = wanted else {
                return Err(Problem::syntax(format!(
                    "expected a variable's name and value, found `<{text}>`"
                )));
            };
            found.put(&name, &value)?;
        }
        "/CPLEXSolution" => return Ok(ControlFlow::Break(())),
        _ => {}
    }
    Ok(ControlFlow::Continue(()))
}

/// The value of the attribute `key` in a text of `key="value"` pairs.
fn attribute(mut text: &str, key: &str) -> Option<String> {
    loop {
        let (found, rest) = text.split_once('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| ['"', '\''].contains(c))?;
        let (value, after) = rest[1..].split_once(quote)?;
        if found.trim() == key {
            return Some(unescape(value));
        }
        text = after;
    }
}

/// Replaces XML's named and numbered characters; unknown ones stay as they are.
fn unescape(mut text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    while let Some(at) = text.find('&') {
        out.push_str(&text[..at]);
        text = &text[at..];
        let resolved = text.split_once(';').and_then(|(entity, rest)| {
            let c = match &entity[1..] {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                number => {
                    let digits = number.strip_prefix('#')?;
                    let code = match digits.strip_prefix('x') {
                        Some(hex) => u32::from_str_radix(hex, 16),
                        None => digits.parse(),
                    };
                    char::from_u32(code.ok()?)?
                }
            };
            Some((c, rest))
        });
        match resolved {
            Some((c, rest)) => {
                out.push(c);
                text = rest;
            }
            None => {
                out.push('&');
                text = &text[1..];
            }
        }
    }
    out.push_str(text);
    out
}

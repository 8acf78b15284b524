//! Reads a file line by line, and hands its tokens to the section they are in.

use super::bounds::BoundReader;
use super::draft::{Draft, Fault, fault};
use super::keywords::{Section, section};
use super::lex::Lexer;
use super::rows::RowReader;
use super::terms::{Step, Terms};
use super::token::{Token, shown};
use crate::files::{Input, Lines};
use crate::{Parsed, Problem, ReadError};

/// The sections that may follow the objective.
pub(super) const SECTIONS: &str = "Subject To, Bounds, Generals, Binaries or End";

/// The comment that the writer puts between the two rows of a range, followed by the name of the second one.
pub(super) const RANGE_COMMENT: &str = "\\ The row above is a range with the upper side";

/// Reads a model in LP format.
pub fn read(input: &Input) -> Result<Parsed, ReadError> {
    read_lines(input.open()?)
}

/// [`read`] from lines of which blank ones may already have been read.
pub(crate) fn read_lines(mut lines: Lines) -> Result<Parsed, ReadError> {
    let mut reader = Reader {
        line: lines.line(),
        ..Reader::default()
    };
    while let Some(text) = lines.next()? {
        if let Err(Fault { line, problem }) = reader.line(text) {
            return Err(lines.error_at(line, problem));
        }
    }
    reader
        .finish()
        .map_err(|Fault { line, problem }| lines.error_at(line, problem))
}

#[derive(Default)]
struct Reader {
    draft: Draft,
    line: usize,
    /// `None` until the objective begins.
    section: Option<Section>,
    objective: Terms,
    row: RowReader,
    bound: BoundReader,
    /// Whether the last token was an operator, so that on the same line a name must follow.
    after_operator: bool,
    /// A name that is alone on its line and may be meant as the heading of a section.
    lone: Option<Lone>,
}

struct Lone {
    column: usize,
    line: usize,
}

impl Reader {
    fn line(&mut self, text: &str) -> Result<(), Fault> {
        self.line += 1;
        let text = match self.line {
            1 => text.strip_prefix('\u{feff}').unwrap_or(text),
            _ => text,
        };
        if self.section.is_none()
            && self.draft.name.is_empty()
            && let Some(name) = model_name(text)
        {
            self.draft.name = name.to_owned();
        }
        match self.section {
            Some(Section::End) => return self.after_end(text),
            Some(Section::Rows) if text == RANGE_COMMENT => self.begin_range()?,
            _ => {}
        }
        let mut lexer = Lexer::new(text);
        let mut first = true;
        while let Some(token) = lexer.next().map_err(|problem| fault(self.line, problem))? {
            if let Token::Name(word) = token {
                let must_be_name = self.after_operator && !first;
                let keyword = if must_be_name {
                    None
                } else {
                    section(word, lexer.rest())
                };
                if let Some((section, used)) = keyword {
                    lexer.skip(used);
                    if used > 0 && lexer.rest().starts_with(':') {
                        // `Subject To:`
                        lexer.skip(1);
                    }
                    self.begin(section, word)?;
                    if section == Section::End {
                        return self.after_end(lexer.rest());
                    }
                    first = false;
                    continue;
                }
            }
            self.after_operator =
                matches!(token, Token::Sign { .. } | Token::Times | Token::Compare(_));
            let alone = first && lexer.at_end();
            self.token(token, first, alone)?;
            first = false;
        }
        Ok(())
    }

    /// Lets the next row, which follows a [`RANGE_COMMENT`], become the upper side of the last one.
    fn begin_range(&mut self) -> Result<(), Fault> {
        if self.row.is_complete() {
            self.row.end(&mut self.draft)?;
            self.draft.begin_range();
        }
        Ok(())
    }

    /// Ends the current section and begins another one.
    fn begin(&mut self, next: Section, word: &str) -> Result<(), Fault> {
        match self.section {
            None if !matches!(next, Section::Objective(_)) => return Err(self.no_objective(word)),
            Some(Section::Objective(_)) => {
                self.objective
                    .end("the next section")
                    .map_err(|problem| fault(self.line, problem))?;
                if !self.objective.constant.is_finite() {
                    let role = "the objective constant".into();
                    let problem = Problem::NotFinite {
                        role,
                        value: self.objective.constant,
                    };
                    return Err(fault(self.line, problem));
                }
                self.draft.constant = self.objective.constant;
            }
            Some(Section::Rows) => {
                let found = format!("the section `{}`", shown(word));
                self.row.refuse_incomplete(&self.draft, &found, self.line)?;
                self.row.end(&mut self.draft)?;
            }
            Some(Section::Bounds) => self.bound.end(&mut self.draft)?,
            _ => {}
        }
        if let Section::Objective(sense) = next {
            if self.section.is_some() {
                let feature = format!("a second objective (`{word}`)");
                return Err(fault(self.line, Problem::Unsupported { feature }));
            }
            self.draft.sense = sense;
            self.draft.objective_name = "obj".into();
        }
        self.section = Some(next);
        self.after_operator = false;
        self.lone = None;
        Ok(())
    }

    #[inline(always)]
    fn token(&mut self, token: Token, first: bool, alone: bool) -> Result<(), Fault> {
        match self.section {
            None => match token {
                // `max: 3 x`, as some write it.
                Token::Label(word) if super::is_objective_keyword(word) => {
                    match section(word, "") {
                        Some((objective, _)) => self.begin(objective, word),
                        None => Ok(()),
                    }
                }
                Token::Name(word) | Token::Label(word) => Err(self.no_objective(word)),
                token => Err(fault(
                    self.line,
                    Problem::syntax(format!("found {token}; expected Minimize or Maximize")),
                )),
            },
            Some(Section::Objective(_)) => self.objective_token(token, alone),
            Some(Section::Rows) => {
                self.refuse_section(token, alone)?;
                self.row.take(&mut self.draft, token, first, self.line)?;
                self.note_lone(token, alone);
                Ok(())
            }
            Some(Section::Bounds) => self.bound.take(&mut self.draft, token, alone, self.line),
            Some(Section::Generals | Section::Binaries) => self.list_token(token),
            Some(Section::Refused(feature)) => {
                let feature = match token {
                    Token::Name(name) | Token::Label(name) => {
                        format!("{feature} (`{}`)", shown(name))
                    }
                    _ => feature.to_owned(),
                };
                Err(fault(self.line, Problem::Unsupported { feature }))
            }
            Some(Section::End) => Ok(()),
        }
    }

    fn objective_token(&mut self, token: Token, alone: bool) -> Result<(), Fault> {
        let at = |problem| fault(self.line, problem);
        match token {
            Token::Label(name) if self.objective.is_empty() => {
                self.draft.objective_name = name.to_owned();
                Ok(())
            }
            Token::Label(_) | Token::Compare(_) => Err(at(Problem::syntax(format!(
                "found {token} in the objective; expected Subject To before the first constraint"
            )))),
            token => {
                self.refuse_section(token, alone)?;
                if let (Step::Term(value), Token::Name(name)) =
                    (self.objective.take(token).map_err(at)?, token)
                {
                    let column = self.draft.column(name);
                    self.draft.cost(column, value, self.line).map_err(at)?;
                    self.note_lone(token, alone);
                }
                Ok(())
            }
        }
    }

    fn list_token(&mut self, token: Token) -> Result<(), Fault> {
        let (binary, section) = match self.section {
            Some(Section::Binaries) => (true, "Binaries"),
            _ => (false, "Generals"),
        };
        let Token::Name(name) = token else {
            let message = format!("found {token} in `{section}`; expected the name of a variable");
            return Err(fault(self.line, Problem::syntax(message)));
        };
        let column = self.draft.declared_column(name, self.line);
        if binary {
            self.draft.make_binary(column, self.line);
        } else {
            self.draft.make_integer(column);
        }
        Ok(())
    }

    /// Remembers a name that is alone on its line.
    fn note_lone(&mut self, token: Token, alone: bool) {
        self.lone = match token {
            Token::Name(name) if alone => {
                let (column, line) = (self.draft.column(name), self.line);
                Some(Lone { column, line })
            }
            _ => None,
        };
    }

    /// Refuses two names in a row. If one of them is alone on its line, the error says that there is no such section.
    fn refuse_section(&self, token: Token, alone: bool) -> Result<(), Fault> {
        let Token::Name(name) = token else {
            return Ok(());
        };
        let expected = SECTIONS;
        let after_name = match self.section {
            Some(Section::Objective(_)) => self.objective.is_after_name(),
            _ => self.row.is_after_name(),
        };
        if !after_name {
            return Ok(());
        }
        if let Some(lone) = &self.lone {
            let section = shown(self.draft.column_name(lone.column));
            return Err(fault(
                lone.line,
                Problem::UnknownSection { section, expected },
            ));
        }
        if alone {
            let section = shown(name);
            return Err(fault(
                self.line,
                Problem::UnknownSection { section, expected },
            ));
        }
        Ok(())
    }

    fn no_objective(&self, word: &str) -> Fault {
        let problem = Problem::UnknownSection {
            section: shown(word),
            expected: "Minimize or Maximize",
        };
        fault(self.line, problem)
    }

    fn after_end(&mut self, rest: &str) -> Result<(), Fault> {
        if !Lexer::new(rest).at_end() {
            self.draft
                .warn(self.line, |_| "text after End is ignored".into());
        }
        Ok(())
    }

    fn finish(self) -> Result<Parsed, Fault> {
        match self.section {
            Some(Section::End) => self.draft.finish(),
            None => Err(fault(
                self.line,
                Problem::Truncated {
                    expected: "Minimize or Maximize",
                },
            )),
            Some(_) => Err(fault(self.line, Problem::Truncated { expected: "End" })),
        }
    }
}

/// The model's name, if this is a comment in which Gurobi (`\ Model x`), CPLEX (`\Problem name: x`)
/// or SCIP (`\   Problem name     : x`) gives it.
fn model_name(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix('\\')?.trim();
    if let Some(name) = comment.strip_prefix("Model ") {
        return Some(name.trim_start());
    }
    let name = comment.strip_prefix("Problem name")?.trim_start();
    Some(name.strip_prefix(':')?.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_model_name_in_known_comments() {
        assert_eq!(model_name("\\ Model Scheduler"), Some("Scheduler"));
        assert_eq!(model_name("\\Problem name: diet 2"), Some("diet 2"));
        assert_eq!(model_name("\\   Problem name     : p0033"), Some("p0033"));
        assert_eq!(model_name("\\ LP format - for model browsing."), None);
        assert_eq!(model_name("Problem name: x"), None);
    }
}

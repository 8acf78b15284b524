//! Rows: an expression, a comparison and a right-hand side, or a range with two comparisons.

use super::draft::{Draft, Fault, fault};
use super::terms::{Step, Terms};
use super::token::{Relation, Token, shown};
use crate::Problem;

/// The row under construction.
#[derive(Default)]
pub(super) struct RowReader {
    name: Option<usize>,
    /// The expressions between the comparisons; the last one is under construction.
    parts: [Terms; 3],
    relations: [Option<Relation>; 2],
    part: usize,
    /// Whether any token of the row has been read.
    started: bool,
    /// The line of the last token.
    line: usize,
}

impl RowReader {
    /// Takes the next token; `first` tells whether it is the first of its line.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        draft: &mut Draft,
        token: Token,
        first: bool,
        line: usize,
    ) -> Result<(), Fault> {
        if self.ends_before(token, first) {
            self.end(draft)?;
        }
        let at = |problem| fault(line, problem);
        match token {
            Token::Label(name) => {
                if self.started {
                    let found = format!("the label `{}:`", shown(name));
                    return Err(at(self.incomplete(draft, &found)));
                }
                self.name = Some(draft.name_row(name).map_err(at)?);
            }
            Token::Compare(relation) => self.compare(draft, relation, line)?,
            token => {
                let terms = &mut self.parts[self.part];
                if let Step::Term(coefficient) = terms.take(token).map_err(at)? {
                    let Token::Name(name) = token else {
                        return Ok(());
                    };
                    let column = draft.column(name);
                    // Terms on the right of a comparison move to the left, unless the left is only a number.
                    let moved = self.part == 1 && self.parts[0].has_names;
                    let value = if moved { -coefficient } else { coefficient };
                    let row = self.name;
                    draft
                        .entry(column, value, line, |draft| draft.row_label(row))
                        .map_err(at)?;
                }
            }
        }
        self.started = true;
        self.line = line;
        Ok(())
    }

    /// Whether the row is unfinished and a name was the last thing read.
    pub(super) fn is_after_name(&self) -> bool {
        self.part == 0 && self.parts[0].is_after_name()
    }

    /// Whether the row is complete and this token begins another one.
    fn ends_before(&self, token: Token, first: bool) -> bool {
        let side = &self.parts[self.part];
        if self.part == 0 || !side.is_complete() {
            return false;
        }
        // In `3 <= x + 2 y <= 8` the middle may be long, and broken anywhere.
        let may_be_range = self.part == 1 && !self.parts[0].has_names;
        match token {
            Token::Label(_) => true,
            _ if !first => false,
            Token::Compare(_) | Token::Times => false,
            Token::Sign { .. } => !side.has_names,
            Token::Name(_) => !(may_be_range && side.ends_with_number()),
            Token::Number(_) => true,
        }
    }

    fn compare(&mut self, draft: &Draft, relation: Relation, line: usize) -> Result<(), Fault> {
        let at = |message: &str| {
            let row = draft.row_label(self.name);
            fault(line, Problem::syntax(format!("{message} in {row}")))
        };
        // HiGHS writes a row without entries as `c1: <= 5`.
        if self.part > 0 && self.parts[self.part].is_empty() {
            return Err(at("found two comparisons with nothing between them"));
        }
        if self.part == 2 {
            return Err(at("found a third comparison"));
        }
        if self.part == 1 && self.parts[0].has_names {
            return Err(at(
                "found a second comparison, but the first has variables on its left,",
            ));
        }
        self.parts[self.part]
            .end("the comparison")
            .map_err(|problem| fault(line, problem))?;
        self.relations[self.part] = Some(relation);
        self.part += 1;
        Ok(())
    }

    /// Ends the row if one was begun.
    pub(super) fn end(&mut self, draft: &mut Draft) -> Result<(), Fault> {
        let row = std::mem::take(self);
        if !row.started {
            return Ok(());
        }
        let (name, line) = (row.name, row.line);
        let at = |problem| fault(line, problem);
        let (lower, upper) = row.sides(draft).map_err(at)?;
        draft.end_row(name, lower, upper).map_err(at)
    }

    /// Whether a row has been begun and could end here.
    pub(super) fn is_complete(&self) -> bool {
        self.part > 0 && self.parts[self.part].is_complete()
    }

    /// Whether a row has been begun that cannot end here.
    pub(super) fn refuse_incomplete(
        &self,
        draft: &Draft,
        found: &str,
        line: usize,
    ) -> Result<(), Fault> {
        if self.started && !self.is_complete() {
            return Err(fault(line, self.incomplete(draft, found)));
        }
        Ok(())
    }

    fn incomplete(&self, draft: &Draft, found: &str) -> Problem {
        let row = draft.row_label(self.name);
        let expected = match self.part {
            0 => "a comparison",
            _ => "a right-hand side",
        };
        Problem::syntax(format!("found {found} in {row}; expected {expected} first"))
    }

    /// The two sides of the finished row, with constants moved out of its middle.
    fn sides(mut self, draft: &mut Draft) -> Result<(f64, f64), Problem> {
        self.parts[self.part].end("the end of the row")?;
        let constants = [0, 1, 2].map(|part: usize| self.parts[part].constant);
        let body = match self.relations[1] {
            None if self.parts[0].has_names || !self.parts[1].has_names => 0,
            _ => 1,
        };
        let shift = constants[body];
        if !shift.is_finite() {
            let role = format!(
                "the constant among the variables of {}",
                draft.row_label(self.name)
            );
            return Err(Problem::NotFinite { role, value: shift });
        }
        if shift != 0.0 {
            let name = self.name;
            draft.warn(self.line, |draft| {
                let row = draft.row_label(name);
                format!("{row} has the constant {shift} among its variables: it is moved to the other side")
            });
        }
        let mut interval = (f64::NEG_INFINITY, f64::INFINITY);
        let mut limit = |relation, constant: f64| {
            let side = if shift == 0.0 {
                constant
            } else {
                constant - shift
            };
            if relation != Relation::AtMost {
                interval.0 = side;
            }
            if relation != Relation::AtLeast {
                interval.1 = side;
            }
        };
        match self.relations {
            [Some(first), Some(second)] => {
                if first != second || first == Relation::Equal {
                    return Err(Problem::syntax(format!(
                        "the comparisons of {} do not make a range; expected `a <= … <= b` or `b >= … >= a`",
                        draft.row_label(self.name)
                    )));
                }
                if self.parts[2].has_names {
                    return Err(Problem::syntax(format!(
                        "found variables behind the second comparison of {}; expected a number",
                        draft.row_label(self.name)
                    )));
                }
                limit(first.flipped(), constants[0]);
                limit(second, constants[2]);
            }
            [Some(relation), None] if body == 0 => limit(relation, constants[1]),
            [Some(relation), None] => limit(relation.flipped(), constants[0]),
            _ => return Err(self.incomplete(draft, "the end")),
        }
        Ok(interval)
    }
}

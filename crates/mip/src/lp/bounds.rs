//! Entries of the section `Bounds`: `x free`, `x <= 4`, `4 >= x`, `2 <= x <= 4`, `x = 3`.

use super::draft::{Draft, Fault, fault};
use super::token::{Relation, Token, shown};
use crate::Problem;

/// How much of an entry has been read.
#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Start,
    /// `x`, and whether it stands alone on its line.
    Name(usize, bool),
    /// `x <=`
    NameRelation(usize, Relation),
    /// `2`
    Value(f64),
    /// `2 <=`
    ValueRelation(f64, Relation),
    /// `2 <= x`, which may be the whole entry.
    ValueRelationName(f64, Relation, usize),
    /// `2 <= x <=`
    Range(f64, Relation, usize, Relation),
}

/// The entry under construction.
#[derive(Default)]
pub(super) struct BoundReader {
    state: State,
    /// Signs that precede the number to come: `Some(true)` for minus.
    sign: Option<bool>,
    line: usize,
}

impl BoundReader {
    /// Takes the next token; `alone` tells whether it is the only one on its line.
    pub(super) fn take(
        &mut self,
        draft: &mut Draft,
        token: Token,
        alone: bool,
        line: usize,
    ) -> Result<(), Fault> {
        if matches!(self.state, State::ValueRelationName(..)) && !matches!(token, Token::Compare(_))
        {
            self.end(draft)?;
        }
        let before = self.line;
        self.line = line;
        let at = |problem| fault(line, problem);
        if let Token::Sign { negative } = token {
            let wants_number = matches!(
                self.state,
                State::Start | State::NameRelation(..) | State::Range(..)
            );
            if !wants_number {
                return Err(self.unexpected(draft, token, before));
            }
            self.sign = Some(negative != self.sign.unwrap_or(false));
            return Ok(());
        }
        let token = match (self.sign.take(), token) {
            (Some(negative), Token::Number(value)) => {
                Token::Number(if negative { -value } else { value })
            }
            (None, token) => token,
            (Some(_), token) => {
                return Err(at(Problem::syntax(format!(
                    "found {token} after a sign in `Bounds`; expected a number"
                ))));
            }
        };
        self.state = match (self.state, token) {
            (State::Start, Token::Name(name)) => {
                State::Name(draft.declared_column(name, line), alone)
            }
            (State::Start, Token::Number(value)) => State::Value(value),
            (State::Name(column, _), Token::Name(word)) if word.eq_ignore_ascii_case("free") => {
                let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
                draft
                    .bound(column, Some(lower), Some(upper), line)
                    .map_err(at)?;
                State::Start
            }
            (State::Name(column, _), Token::Compare(relation)) => {
                State::NameRelation(column, relation)
            }
            (State::NameRelation(column, relation), Token::Number(value)) => {
                bound(draft, column, relation, value, line).map_err(at)?;
                State::Start
            }
            (State::Value(value), Token::Compare(relation)) => {
                State::ValueRelation(value, relation)
            }
            (State::ValueRelation(value, relation), Token::Name(name)) => {
                State::ValueRelationName(value, relation, draft.declared_column(name, line))
            }
            (State::ValueRelationName(value, relation, column), Token::Compare(second)) => {
                if relation != second || relation == Relation::Equal {
                    let name = draft.column_name(column);
                    return Err(at(Problem::syntax(format!(
                        "the comparisons around `{name}` do not make a range; expected `a <= {name} <= b`"
                    ))));
                }
                State::Range(value, relation, column, second)
            }
            (State::Range(first, relation, column, second), Token::Number(value)) => {
                bound(draft, column, relation.flipped(), first, line).map_err(at)?;
                bound(draft, column, second, value, line).map_err(at)?;
                State::Start
            }
            _ => return Err(self.unexpected(draft, token, before)),
        };
        Ok(())
    }

    /// Ends the entry if one was begun.
    pub(super) fn end(&mut self, draft: &mut Draft) -> Result<(), Fault> {
        let (state, sign) = (std::mem::take(&mut self.state), self.sign.take());
        match state {
            State::Start if sign.is_none() => Ok(()),
            State::ValueRelationName(value, relation, column) => {
                bound(draft, column, relation.flipped(), value, self.line)
                    .map_err(|problem| fault(self.line, problem))
            }
            _ => Err(fault(
                self.line,
                Problem::syntax(
                    "the last bound is incomplete; expected `x <= 4`, `2 <= x <= 4` or `x free`",
                ),
            )),
        }
    }

    /// The error for a token that cannot follow; `line` is the line of the token before it.
    fn unexpected(&self, draft: &Draft, token: Token, line: usize) -> Fault {
        if let State::Name(column, true) = self.state {
            let section = shown(draft.column_name(column));
            return fault(
                line,
                Problem::UnknownSection {
                    section,
                    expected: super::read::SECTIONS,
                },
            );
        }
        let expected = match self.state {
            State::Start => "a variable or a number",
            State::Name(..) => "a comparison or `free`",
            State::Value(_) | State::ValueRelationName(..) => "a comparison",
            State::ValueRelation(..) => "a variable",
            State::NameRelation(..) | State::Range(..) => "a number",
        };
        fault(
            self.line,
            Problem::syntax(format!("found {token} in `Bounds`; expected {expected}")),
        )
    }
}

fn bound(
    draft: &mut Draft,
    column: usize,
    relation: Relation,
    value: f64,
    line: usize,
) -> Result<(), Problem> {
    if value.is_nan() {
        let role = format!("the bound of `{}`", draft.column_name(column));
        return Err(Problem::NotFinite { role, value });
    }
    let lower = (relation != Relation::AtMost).then_some(value);
    let upper = (relation != Relation::AtLeast).then_some(value);
    draft.bound(column, lower, upper, line)
}

//! Puts signs, numbers, `*` and names together into terms, for the objective and for rows.

use super::token::{Token, shown};
use crate::Problem;

/// The beginning of a term that may go on.
#[derive(Clone, Copy, Default, PartialEq)]
enum Pending {
    #[default]
    Nothing,
    Sign {
        negative: bool,
    },
    /// A number, which is a constant unless a name follows.
    Number(f64),
    /// A number and `*`.
    Product(f64),
}

/// One side of a comparison, or the objective, under construction.
#[derive(Default)]
pub(super) struct Terms {
    pending: Pending,
    /// Whether a name was the last thing read.
    after_name: bool,
    /// Whether any name has been read.
    pub(super) has_names: bool,
    /// The sum of the constants read.
    pub(super) constant: f64,
}

/// The result of taking a token.
pub(super) enum Step {
    /// The token is part of a term.
    Part,
    /// The token is the name of a term with this coefficient.
    Term(f64),
}

impl Terms {
    /// Whether nothing has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.pending == Pending::Nothing && !self.after_name
    }

    /// Whether the expression could end here.
    pub(super) fn is_complete(&self) -> bool {
        self.after_name || matches!(self.pending, Pending::Number(_))
    }

    /// Whether a name was the last thing read, so that another one cannot follow.
    pub(super) fn is_after_name(&self) -> bool {
        self.after_name && self.pending == Pending::Nothing
    }

    /// Whether the last thing read is a number that a name would make a coefficient.
    pub(super) fn ends_with_number(&self) -> bool {
        matches!(self.pending, Pending::Number(_))
    }

    /// Takes a sign, number, `*` or name.
    #[inline(always)]
    pub(super) fn take(&mut self, token: Token) -> Result<Step, Problem> {
        let signed = |negative: bool, value: f64| if negative { -value } else { value };
        self.pending = match (token, self.pending) {
            (Token::Sign { negative }, Pending::Nothing) => Pending::Sign { negative },
            (Token::Sign { negative }, Pending::Sign { negative: before }) => Pending::Sign {
                negative: negative != before,
            },
            (Token::Sign { negative }, Pending::Number(value)) => {
                self.add_constant(value);
                Pending::Sign { negative }
            }
            (Token::Number(value), Pending::Nothing) => Pending::Number(value),
            (Token::Number(value), Pending::Sign { negative }) => {
                Pending::Number(signed(negative, value))
            }
            (Token::Number(value), Pending::Number(before)) => {
                return Err(Problem::syntax(format!(
                    "found the number {value} after the number {before}; expected an operator or a name between them"
                )));
            }
            (Token::Times, Pending::Number(value)) => Pending::Product(value),
            (Token::Times, Pending::Nothing) if self.after_name => {
                return Err(Problem::Unsupported {
                    feature: "a product of variables (`*`)".into(),
                });
            }
            (Token::Name(name), before) => {
                let coefficient = match before {
                    Pending::Nothing if self.after_name => {
                        return Err(Problem::syntax(format!(
                            "found `{}` right after another name; expected an operator between them",
                            shown(name)
                        )));
                    }
                    Pending::Nothing => 1.0,
                    Pending::Sign { negative } => signed(negative, 1.0),
                    Pending::Number(value) | Pending::Product(value) => value,
                };
                self.pending = Pending::Nothing;
                self.after_name = true;
                self.has_names = true;
                return Ok(Step::Term(coefficient));
            }
            (token, _) => {
                return Err(Problem::syntax(format!(
                    "found {token}; expected a number or a name"
                )));
            }
        };
        self.after_name = false;
        Ok(Step::Part)
    }

    /// Adds to the constant term; a −0 that is the only constant stays −0.
    fn add_constant(&mut self, value: f64) {
        self.constant = if self.constant == 0.0 {
            value
        } else {
            self.constant + value
        };
    }

    /// Ends the expression; `before` names what follows it, for error messages.
    pub(super) fn end(&mut self, before: &str) -> Result<(), Problem> {
        match self.pending {
            Pending::Nothing => Ok(()),
            Pending::Number(value) => {
                self.add_constant(value);
                self.pending = Pending::Nothing;
                self.after_name = true;
                Ok(())
            }
            Pending::Sign { .. } => Err(Problem::syntax(format!(
                "nothing follows the sign before {before}; expected a number or a name"
            ))),
            Pending::Product(_) => Err(Problem::syntax(format!(
                "nothing follows the `*` before {before}; expected a name"
            ))),
        }
    }
}

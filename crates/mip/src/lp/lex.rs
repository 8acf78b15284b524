//! Splits a line into tokens. Works on bytes: all that separates tokens is ASCII, and the bytes of
//! other characters belong to names.

use super::token::{Relation, Token, shown};
use crate::{Problem, numbers};

#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// Part of a name anywhere behind its first character.
    Name,
    Blank,
    /// Part of a name only inside square brackets.
    Operator,
    /// Never part of a name.
    Separator,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Name; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => Class::Blank,
            b'+' | b'-' | b'*' | b'/' | b'^' | b':' | b'<' | b'>' | b'=' => Class::Operator,
            b'\\' | 0x7f => Class::Separator,
            control if control < b' ' => Class::Separator,
            _ => Class::Name,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

const INDICATOR: &str = "an indicator constraint (`->`)";

/// The tokens of one line.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The part of the line that has not been read yet.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over some bytes of [`rest`](Self::rest).
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Whether no token follows on this line.
    pub(super) fn at_end(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        matches!(
            rest.iter().find(|&&b| class(b) != Class::Blank),
            None | Some(b'\\')
        )
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|b| class(b) == Class::Blank) {
            self.at += 1;
        }
    }

    /// Passes over a byte if it comes next.
    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The next token; `None` at the end of the line or where a comment begins.
    // Inlined, like everything that handles each token: passing tokens through memory takes longer than finding them.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, Problem> {
        self.skip_blanks();
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        let token = match byte {
            b'\\' => {
                self.at = self.text.len();
                return Ok(None);
            }
            b'0'..=b'9' => self.number()?,
            b'.' if self
                .rest()
                .as_bytes()
                .get(1)
                .is_some_and(u8::is_ascii_digit) =>
            {
                self.number()?
            }
            b'+' => self.single(Token::Sign { negative: false }),
            b'-' => {
                if self.rest().starts_with("->") {
                    return Err(unsupported(INDICATOR));
                }
                self.single(Token::Sign { negative: true })
            }
            b'<' if self.rest().starts_with("<->") => return Err(unsupported(INDICATOR)),
            b'*' => self.single(Token::Times),
            b'<' | b'>' | b'=' => self.relation(byte),
            b'[' => return Err(unsupported("a quadratic expression (`[ … ]`)")),
            b'^' => return Err(unsupported("a power (`^`)")),
            _ if byte == b']' || class(byte) != Class::Name => {
                return Err(Problem::syntax(format!(
                    "unexpected `{}`; expected a number, a name or an operator",
                    char::from(byte).escape_default()
                )));
            }
            _ => self.name(),
        };
        Ok(Some(token))
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    fn relation(&mut self, first: u8) -> Token<'a> {
        self.at += 1;
        Token::Compare(match first {
            b'<' => {
                self.accept(b'=');
                Relation::AtMost
            }
            b'>' => {
                self.accept(b'=');
                Relation::AtLeast
            }
            _ if self.accept(b'<') => Relation::AtMost,
            _ if self.accept(b'>') => Relation::AtLeast,
            _ => {
                self.accept(b'=');
                Relation::Equal
            }
        })
    }

    /// A name, or a label if a colon follows.
    #[inline(always)]
    fn name(&mut self) -> Token<'a> {
        self.name_from(self.at)
    }

    /// A name that begins at `start`, where some of it has been passed over already.
    #[inline(always)]
    fn name_from(&mut self, start: usize) -> Token<'a> {
        let bytes = self.text.as_bytes();
        loop {
            while self.peek().is_some_and(|b| class(b) == Class::Name) {
                self.at += 1;
            }
            let operator = self.peek().is_some_and(|b| class(b) == Class::Operator);
            if !operator || !in_brackets(&bytes[start..self.at], &bytes[self.at..]) {
                break;
            }
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        self.skip_blanks();
        if self.accept(b':') {
            return Token::Label(name);
        }
        match name.len() {
            3 if name.eq_ignore_ascii_case("inf") => Token::Number(f64::INFINITY),
            3 if name.eq_ignore_ascii_case("nan") => Token::Number(f64::NAN),
            8 if name.eq_ignore_ascii_case("infinity") => Token::Number(f64::INFINITY),
            _ => Token::Name(name),
        }
    }

    fn skip_digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// The longest number that can be read here, or a label that begins with one.
    #[inline(always)]
    fn number(&mut self) -> Result<Token<'a>, Problem> {
        let start = self.at;
        let digits = self.skip_digits();
        if self.accept(b'.') {
            self.skip_digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let mantissa = self.at;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.skip_digits() == 0 {
                // Not an exponent: the `e` begins a name.
                self.at = mantissa;
            }
        }
        let end = self.at;
        if self.peek().is_some_and(|b| class(b) == Class::Name) {
            // `2x`, unless it is the label `2x:`.
            if let label @ Token::Label(_) = self.name_from(start) {
                return Ok(label);
            }
            self.at = end;
        } else {
            self.skip_blanks();
            if self.accept(b':') {
                return Ok(Token::Label(&self.text[start..end]));
            }
        }
        let text = &self.text[start..end];
        let value = match end - start {
            1 if digits == 1 => Some(f64::from(text.as_bytes()[0] - b'0')),
            _ => numbers::parse(text),
        };
        value.map(Token::Number).ok_or_else(|| Problem::NotANumber {
            text: shown(text),
            role: "a coefficient or a constant".into(),
        })
    }
}

/// Whether the end of `name` lies inside a square bracket that is closed before anything that cannot
/// belong to a name.
fn in_brackets(name: &[u8], rest: &[u8]) -> bool {
    let count = |byte| name.iter().filter(|&&b| b == byte).count();
    count(b'[') > count(b']')
        && rest
            .iter()
            .take_while(|&&b| matches!(class(b), Class::Name | Class::Operator))
            .any(|&b| b == b']')
}

fn unsupported(feature: &str) -> Problem {
    Problem::Unsupported {
        feature: feature.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Token::{Label, Name, Number};

    const PLUS: Token = Token::Sign { negative: false };
    const MINUS: Token = Token::Sign { negative: true };

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text);
        let mut all = Vec::new();
        while let Some(token) = lexer.next().unwrap() {
            all.push(token);
        }
        all
    }

    #[test]
    fn tells_numbers_from_names() {
        for (text, expected) in [
            ("2x", vec![Number(2.0), Name("x")]),
            ("3 e1", vec![Number(3.0), Name("e1")]),
            ("3e1", vec![Number(30.0)]),
            ("2e3x", vec![Number(2000.0), Name("x")]),
            ("3e", vec![Number(3.0), Name("e")]),
            ("3e+x", vec![Number(3.0), Name("e"), PLUS, Name("x")]),
            ("3e+2x", vec![Number(300.0), Name("x")]),
            (
                ".5x 5.y",
                vec![Number(0.5), Name("x"), Number(5.0), Name("y")],
            ),
            ("0x1", vec![Number(0.0), Name("x1")]),
            ("1.5d2", vec![Number(1.5), Name("d2")]),
            (
                "-inf +Infinity",
                vec![MINUS, Number(f64::INFINITY), PLUS, Number(f64::INFINITY)],
            ),
            ("infinite nano", vec![Name("infinite"), Name("nano")]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_names_of_every_kind() {
        for name in [
            "x[1,2,3]",
            "x(1)",
            "a!\"#$%&(),.;?@_`'{}~|",
            "größe",
            "x[-1]",
            "x[a:b,c*d]",
            "y[VND03>FC2]",
            "x[",
            "_e5",
            "{x}",
            "变量",
        ] {
            assert_eq!(tokens(name), [Name(name)]);
            assert_eq!(tokens(&format!("{name}: 1")), [Label(name), Number(1.0)]);
            assert_eq!(tokens(&format!("{name} :1")), [Label(name), Number(1.0)]);
        }
        assert_eq!(
            tokens("x+y-z*w"),
            [
                Name("x"),
                PLUS,
                Name("y"),
                MINUS,
                Name("z"),
                Token::Times,
                Name("w")
            ]
        );
        assert_eq!(tokens("x[1+y"), [Name("x[1"), PLUS, Name("y")]);
        assert_eq!(tokens("x[1]+y[2]"), [Name("x[1]"), PLUS, Name("y[2]")]);
        assert_eq!(tokens("12: x \\ y"), [Label("12"), Name("x")]);
        assert_eq!(tokens("2nd : 2nd"), [Label("2nd"), Number(2.0), Name("nd")]);
        assert_eq!(tokens("...: .x"), [Label("..."), Name(".x")]);
    }

    #[test]
    fn reads_every_comparison() {
        for (texts, relation) in [
            (["<", "<=", "=<"], Relation::AtMost),
            ([">", ">=", "=>"], Relation::AtLeast),
            (["=", "==", " = "], Relation::Equal),
        ] {
            for text in texts {
                assert_eq!(tokens(text), [Token::Compare(relation)], "{text}");
            }
        }
        assert_eq!(
            tokens("x<-5"),
            [
                Name("x"),
                Token::Compare(Relation::AtMost),
                MINUS,
                Number(5.0)
            ]
        );
    }

    #[test]
    fn refuses_what_no_linear_model_has() {
        for (text, message) in [
            ("[ x", "a quadratic expression (`[ … ]`) is not supported"),
            ("^2", "a power (`^`) is not supported"),
            ("-> x", "an indicator constraint (`->`) is not supported"),
            ("/2", "unexpected `/`"),
            ("]", "unexpected `]`"),
            (":", "unexpected `:`"),
            ("\u{1}", "unexpected `\\u{1}`"),
        ] {
            let problem = Lexer::new(text).next().unwrap_err().to_string();
            assert!(problem.starts_with(message), "{text}: {problem}");
        }
    }
}

//! The tokens of an LP file, and how messages show them.

/// A comparison. Strict ones (`<`, `>`) are read as `<=` and `>=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    AtMost,
    AtLeast,
    Equal,
}

impl Relation {
    /// The same comparison read from right to left.
    pub(super) fn flipped(self) -> Self {
        match self {
            Relation::AtMost => Relation::AtLeast,
            Relation::AtLeast => Relation::AtMost,
            Relation::Equal => Relation::Equal,
        }
    }
}

/// A token of an LP file. Signs are tokens of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Never negative; may be infinite or NaN.
    Number(f64),
    Name(&'a str),
    /// A name with a colon behind it, without the colon.
    Label(&'a str),
    Sign {
        negative: bool,
    },
    Times,
    Compare(Relation),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Number(value) => write!(f, "the number {value}"),
            Token::Name(name) => write!(f, "`{}`", shown(name)),
            Token::Label(name) => write!(f, "the label `{}:`", shown(name)),
            Token::Sign { negative: true } => write!(f, "`-`"),
            Token::Sign { negative: false } => write!(f, "`+`"),
            Token::Times => write!(f, "`*`"),
            Token::Compare(Relation::AtMost) => write!(f, "`<=`"),
            Token::Compare(Relation::AtLeast) => write!(f, "`>=`"),
            Token::Compare(Relation::Equal) => write!(f, "`=`"),
        }
    }
}

/// Text for a message, shortened to fit a line of a terminal.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

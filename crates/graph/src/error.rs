//! What can go wrong.

/// A graph cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Arrays that do not fit together.
    #[error("this is no graph: {what}")]
    Shape {
        /// What is wrong.
        what: String,
    },
    /// An array of the wrong length.
    #[error("{found} {what}, expected {expected}")]
    Length {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A set of features nobody knows.
    #[error("`{found}` is no set of features; there are `paper`, `full` and `light`")]
    UnknownSet {
        /// What was asked for.
        found: String,
    },
    /// A graph with other features than the statistics were learned from.
    #[error("the graph has the features `{found}`, the statistics are of `{expected}`")]
    OtherSet {
        /// The graph's features.
        found: &'static str,
        /// The features of the statistics.
        expected: &'static str,
    },
    /// A number that cannot be what it claims to be.
    #[error("{what} is {found}, expected {expected}")]
    Value {
        /// Which number.
        what: String,
        /// What it is.
        found: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A stored registry or stored statistics that are damaged.
    #[error("damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: String,
    },
}

impl GraphError {
    /// Damage of this kind.
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        GraphError::Damaged { what: what.into() }
    }
}

/// Refuses a count that is not the expected one.
pub(crate) fn expect_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), GraphError> {
    if found == expected {
        Ok(())
    } else {
        Err(GraphError::Length {
            what,
            found,
            expected,
        })
    }
}

//! Errors of making graphs.

/// A graph cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Arrays that do not fit together as a graph.
    #[error("this is no graph: {what}")]
    Shape {
        /// What is wrong.
        what: String,
    },
    /// An array of the wrong length.
    #[error("{found} {what}, expected {expected}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The name of a set of features that does not exist.
    #[error("`{found}` is no set of features; there are `paper`, `full` and `light`")]
    UnknownSet {
        /// The name that was given.
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
    /// A number outside of its range.
    #[error("{what} is {found}, expected {expected}")]
    Value {
        /// Which number, in words.
        what: String,
        /// Its value.
        found: f64,
        /// The range that it should be in.
        expected: &'static str,
    },
    /// A stored registry, profile or standardisation that is damaged.
    #[error("damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: String,
    },
}

impl GraphError {
    /// An error that says what is damaged.
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

//! Errors of networks.

/// An error in a configuration, a parameter vector or a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NnError {
    /// A setting is out of its range.
    #[error("network setting `{setting}`: {problem}")]
    Config {
        /// The setting's name.
        setting: &'static str,
        /// What was found and what was expected.
        problem: String,
    },
    /// The graph's features have another width than the network's.
    #[error("the graph has {found} features per {what}, the network expects {expected}")]
    Width {
        /// `variable`, `row` or `edge`.
        what: &'static str,
        /// The graph's width.
        found: usize,
        /// The network's width.
        expected: usize,
    },
    /// The graph's arrays contradict one another.
    #[error("the graph is inconsistent: {what}")]
    Graph {
        /// What does not fit.
        what: &'static str,
    },
    /// A vector of parameters or gradients has the wrong length.
    #[error("{what} has {found} numbers, the network has {expected} parameters")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
}

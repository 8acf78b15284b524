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
}

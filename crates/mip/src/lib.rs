//! Mixed-integer linear models, their files, and an exact check of their solutions.
//!
//! A [`Model`] is
//!
//! ```text
//!   min or max   c·x + c0
//!   subject to   L ≤ A·x ≤ U        (rows)
//!                l ≤   x ≤ u        (columns)
//!                x_j integer        for some columns
//! ```
//!
//! stored as plain arrays with the matrix by columns; names are kept exactly as the file had them,
//! because names are identities across the instances of a family.
//!
//! | to | call |
//! | --- | --- |
//! | read MPS or LP, plain or gzipped, told apart by content | [`read_model`] |
//! | write either, by the path's ending | [`write_model`] |
//! | read or write solutions | [`solution`] |
//! | evaluate a solution exactly | [`check`] |
//! | tighten bounds by the rows | [`propagate`] |
//! | build a model in code | [`ModelBuilder`] |
//!
//! This crate knows no solver and prints nothing.

mod builder;
pub mod check;
pub mod error;
pub mod exact;
pub mod files;
pub mod lp;
mod matrix;
mod model;
pub mod mps;
mod names;
mod numbers;
pub mod propagate;
pub mod reduce;
pub mod solution;

pub use builder::ModelBuilder;
pub use error::{ModelError, Problem, ReadError, Warning, WriteError};
pub use files::{Format, Parsed, read_model, read_model_watched, write_model};
pub use matrix::Matrix;
pub use model::{Columns, INFINITE_BOUND, Model, Rows, Sense, Shape, VarKind};
pub use names::Names;

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
//! stored as plain arrays, with the matrix by columns. Names are kept exactly as they are in the file: a variable is
//! recognised in other instances of its family by its name.
//!
//! ```
//! use idpas_mip::check::{Tolerances, check};
//! use idpas_mip::{ModelBuilder, Sense, VarKind, read_model, write_model};
//!
//! let mut builder = ModelBuilder::new("knapsack", Sense::Maximize);
//! let tent = builder.column("take[tent]", VarKind::Integer, 0.0, 1.0, 3.0)?;
//! let lamp = builder.column("take[lamp]", VarKind::Integer, 0.0, 1.0, 4.0)?;
//! builder.row("weight", f64::NEG_INFINITY, 5.0, [(tent, 2.0), (lamp, 4.0)])?;
//! let model = builder.build()?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("knapsack.mps.gz");
//! write_model(&model, &path)?;
//! let read = read_model(&path)?.model;
//! assert_eq!(read.columns.names.get(1), "take[lamp]");
//!
//! let report = check(&read, &[0.0, 1.0], &Tolerances::default())?;
//! assert!(report.feasible);
//! assert_eq!(report.objective, 4.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | read MPS or LP, plain or gzipped, told apart by content | [`read_model`] |
//! | write either, by the path's ending | [`write_model`] |
//! | read or write solutions | [`solution`] |
//! | evaluate a solution exactly | [`check`] |
//! | tighten bounds by the rows | [`propagate`] |
//! | fix columns one after the other, with what follows from each | [`incremental`] |
//! | use a solved linear relaxation | [`Relaxation`] |
//! | build a model in code | [`ModelBuilder`] |
//!
//! This crate knows no solver and prints nothing.

mod builder;
pub mod check;
pub mod error;
pub mod exact;
pub mod files;
pub mod incremental;
pub mod lp;
mod matrix;
mod model;
pub mod mps;
mod names;
mod numbers;
pub mod propagate;
pub mod reduce;
mod relaxation;
pub mod solution;

pub use builder::ModelBuilder;
pub use error::{ModelError, Problem, ReadError, Warning, WriteError};
pub use files::{Format, Parsed, read_model, read_model_watched, write_model};
pub use matrix::Matrix;
pub use model::{Columns, INFINITE_BOUND, Model, Rows, Sense, Shape, VarKind};
pub use names::Names;
pub use relaxation::{BasisStatus, Relaxation, RowSides};

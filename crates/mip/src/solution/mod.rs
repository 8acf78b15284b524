//! Solution files: the values of a model's columns.
//!
//! Every solver has its own `.sol`. [`read`] tells them apart by content, compressed or not; [`write()`]
//! makes the ones in [`SolutionFormat`].
//!
//! | file | recognised by its first line | columns it leaves out |
//! | --- | --- | --- |
//! | HiGHS, styles 0 (raw) and 4 (sparse) | `Model status` | none, or zeros in style 4 |
//! | HiGHS, style 1 (a table, 6 digits) | `Columns` | none |
//! | SCIP | `solution status:` or `objective value:` | zeros |
//! | MIPLIB | `=obj=` | zeros |
//! | CPLEX | `<?xml` or `<CPLEXSolution` | none |
//! | Gurobi, or any list of names and values | `#`, or a name and a number | none |
//!
//! A column left out is zero; where the format should have listed it, a warning says so. A name may
//! hold spaces: the value is the last word of a line.

mod collect;
mod cplex;
mod dialect;
mod highs;
mod list;
mod table;
mod write;

use crate::files::Input;
use crate::{Model, ReadError, Warning};

pub use dialect::Dialect;
pub use write::{SolutionFormat, write, write_file};

/// Values for all columns of a model, and what the file states about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// The values, one for each column of the model.
    pub values: Vec<f64>,
    /// The objective as the file stated it; [`check`](crate::check) computes the true one.
    pub objective: Option<f64>,
    /// How the solver ended, in its own words (`Optimal`, `optimal solution found`, …).
    pub status: Option<String>,
}

impl Solution {
    /// A solution of which only the values are known.
    pub fn new(values: Vec<f64>) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }
}

/// A solution that was read, with warnings about its file.
#[derive(Clone, Debug)]
pub struct SolutionFile {
    /// The solution.
    pub solution: Solution,
    /// The format in which the file was written.
    pub dialect: Dialect,
    /// Oddities of the file that can still be read in one well-known way.
    pub warnings: Vec<Warning>,
}

/// Reads a solution of `model`.
///
/// ```
/// use idpas_mip::files::Input;
/// use idpas_mip::{ModelBuilder, Sense, VarKind, solution};
/// let mut b = ModelBuilder::new("", Sense::Minimize);
/// b.column("x", VarKind::Integer, 0.0, 10.0, 2.0)?;
/// b.column("y", VarKind::Integer, 0.0, 10.0, 3.0)?;
/// let model = b.build()?;
/// let file = solution::read(&Input::bytes("a.sol", *b"=obj= 9\ny 3\n"), &model)?;
/// assert_eq!(file.solution.values, [0.0, 3.0]);
/// assert_eq!(file.solution.objective, Some(9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(input: &Input, model: &Model) -> Result<SolutionFile, ReadError> {
    let (dialect, mut found) = dialect::read(input, model)?;
    found.warn_of_missing();
    let mut values = vec![0.0; model.num_columns()];
    for (j, value) in found.entries {
        values[j] = value;
    }
    Ok(SolutionFile {
        solution: Solution {
            values,
            objective: found.objective,
            status: found.status,
        },
        dialect,
        warnings: found.warnings,
    })
}

/// Reads only the columns that a file lists, as (column index, value) in the file's order: a partial start for a
/// solver. Zeros that a format leaves out are not added.
pub fn read_partial(input: &Input, model: &Model) -> Result<Vec<(usize, f64)>, ReadError> {
    dialect::read(input, model).map(|(_, found)| found.entries)
}

//! Building a model in code, by rows and entries in any order.

use crate::{INFINITE_BOUND, Matrix, Model, ModelError, Sense, VarKind};

/// Collects columns, rows and entries, then makes a validated [`Model`].
///
/// ```
/// use idpas_mip::{ModelBuilder, Sense, VarKind};
/// let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
/// let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
/// let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
/// b.row("weight", f64::NEG_INFINITY, 5.0, [(x, 2.0), (y, 4.0)])?;
/// let model = b.build()?;
/// assert_eq!(model.shape().binaries, 2);
/// # Ok::<(), idpas_mip::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    model: Model,
    /// Matrix entries as (column, row, value).
    entries: Vec<(u32, u32, f64)>,
}

impl ModelBuilder {
    /// An empty model with this name and sense.
    pub fn new(name: impl Into<String>, sense: Sense) -> Self {
        let model = Model {
            name: name.into(),
            sense,
            objective_name: "obj".into(),
            ..Model::default()
        };
        Self {
            model,
            entries: Vec::new(),
        }
    }

    /// Names the objective and adds a constant to it.
    pub fn objective(&mut self, name: impl Into<String>, constant: f64) -> &mut Self {
        self.model.objective_name = name.into();
        self.model.objective_constant = constant;
        self
    }

    /// Adds a column and returns its index.
    pub fn column(
        &mut self,
        name: &str,
        kind: VarKind,
        lower: f64,
        upper: f64,
        cost: f64,
    ) -> Result<usize, ModelError> {
        let columns = &mut self.model.columns;
        if name.is_empty() {
            return Err(ModelError::EmptyName { what: "column" });
        }
        let index = columns
            .names
            .push(name)
            .map_err(|_| ModelError::DuplicateName {
                what: "column",
                name: name.into(),
            })?;
        columns.kind.push(kind);
        columns.lower.push(if lower <= -INFINITE_BOUND {
            f64::NEG_INFINITY
        } else {
            lower
        });
        columns.upper.push(if upper >= INFINITE_BOUND {
            f64::INFINITY
        } else {
            upper
        });
        columns.cost.push(cost);
        Ok(index)
    }

    /// Adds a row `lower ≤ Σ value·column ≤ upper` and returns its index. Zero values are left out.
    pub fn row(
        &mut self,
        name: &str,
        lower: f64,
        upper: f64,
        entries: impl IntoIterator<Item = (usize, f64)>,
    ) -> Result<usize, ModelError> {
        let rows = &mut self.model.rows;
        if name.is_empty() {
            return Err(ModelError::EmptyName { what: "row" });
        }
        let index = rows
            .names
            .push(name)
            .map_err(|_| ModelError::DuplicateName {
                what: "row",
                name: name.into(),
            })?;
        rows.lower.push(if lower <= -INFINITE_BOUND {
            f64::NEG_INFINITY
        } else {
            lower
        });
        rows.upper.push(if upper >= INFINITE_BOUND {
            f64::INFINITY
        } else {
            upper
        });
        for (column, value) in entries {
            self.entry(index, column, value)?;
        }
        Ok(index)
    }

    /// Adds one matrix entry to an existing row and column. Zero values are left out.
    pub fn entry(&mut self, row: usize, column: usize, value: f64) -> Result<(), ModelError> {
        if row >= self.model.num_rows() || column >= self.model.num_columns() {
            return Err(ModelError::Entry {
                what: format!("the entry at row number {row}, column number {column}"),
            });
        }
        if value != 0.0 {
            self.entries.push((column as u32, row as u32, value));
        }
        Ok(())
    }

    /// Makes the model, after checking it.
    pub fn build(mut self) -> Result<Model, ModelError> {
        self.entries.sort_by_key(|&(column, row, _)| (column, row));
        let mut matrix = Matrix::new();
        let mut rest = self.entries.as_slice();
        for column in 0..self.model.num_columns() {
            let here = rest.partition_point(|&(j, _, _)| j as usize == column);
            for &(_, row, value) in &rest[..here] {
                matrix.push(row as usize, value);
            }
            matrix.close();
            rest = &rest[here..];
        }
        self.model.matrix = matrix;
        self.model.validate()?;
        Ok(self.model)
    }
}

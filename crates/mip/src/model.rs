//! The model itself: arrays of columns and rows, and a sparse matrix between them.

use crate::{Matrix, ModelError, Names};

/// Bounds and row sides at least this large are infinite, as in HiGHS, CPLEX and Gurobi.
pub const INFINITE_BOUND: f64 = 1e20;

/// Whether the objective is minimised or maximised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sense {
    /// Smaller is better.
    #[default]
    Minimize,
    /// Larger is better.
    Maximize,
}

impl Sense {
    /// `minimize` or `maximize`.
    pub fn as_str(self) -> &'static str {
        match self {
            Sense::Minimize => "minimize",
            Sense::Maximize => "maximize",
        }
    }

    /// Whether objective `a` is better than `b`.
    pub fn is_better(self, a: f64, b: f64) -> bool {
        match self {
            Sense::Minimize => a < b,
            Sense::Maximize => a > b,
        }
    }

    /// The best of some objective values; `None` if there are none.
    pub fn best(self, objectives: impl IntoIterator<Item = f64>) -> Option<f64> {
        let better = |a, b| if self.is_better(b, a) { b } else { a };
        objectives.into_iter().reduce(better)
    }

    /// The tighter of two bounds on the objective, the one that promises less, as far as they are known.
    pub fn tighter(self, a: Option<f64>, b: Option<f64>) -> Option<f64> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if self.is_better(a, b) { b } else { a }),
            (a, b) => a.or(b),
        }
    }

    /// The worst objective value: +∞ when minimising.
    pub fn worst(self) -> f64 {
        match self {
            Sense::Minimize => f64::INFINITY,
            Sense::Maximize => f64::NEG_INFINITY,
        }
    }
}

/// Whether a column may take any value or integers only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VarKind {
    /// Any real value between its bounds.
    #[default]
    Continuous,
    /// Integers only; a binary is an integer between 0 and 1.
    Integer,
}

/// The variables, as arrays with one entry for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Unique names.
    pub names: Names,
    /// Objective coefficients.
    pub cost: Vec<f64>,
    /// Lower bounds, −∞ if none.
    pub lower: Vec<f64>,
    /// Upper bounds, +∞ if none.
    pub upper: Vec<f64>,
    /// Whether values must be integer.
    pub kind: Vec<VarKind>,
}

/// The constraints, as arrays with one entry for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Unique names.
    pub names: Names,
    /// Left-hand sides, −∞ if none.
    pub lower: Vec<f64>,
    /// Right-hand sides, +∞ if none.
    pub upper: Vec<f64>,
}

/// A mixed-integer linear model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The model's name, often empty.
    pub name: String,
    /// Minimise or maximise.
    pub sense: Sense,
    /// The objective's name.
    pub objective_name: String,
    /// Constant term of the objective.
    pub objective_constant: f64,
    /// Variables.
    pub columns: Columns,
    /// Constraints.
    pub rows: Rows,
    /// Constraint coefficients, by column; row indices are the minor ones.
    pub matrix: Matrix,
}

/// Counts that describe the size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Constraints.
    pub rows: usize,
    /// Variables.
    pub columns: usize,
    /// Integer variables whose bounds lie within 0 and 1.
    pub binaries: usize,
    /// Integer variables that are not binary.
    pub integers: usize,
    /// Variables that are not integer.
    pub continuous: usize,
    /// Entries of the matrix.
    pub nonzeros: usize,
}

impl Model {
    /// How many columns there are.
    pub fn num_columns(&self) -> usize {
        self.columns.cost.len()
    }

    /// How many rows there are.
    pub fn num_rows(&self) -> usize {
        self.rows.lower.len()
    }

    /// Whether column `j` takes integers only.
    pub fn is_integer(&self, j: usize) -> bool {
        self.columns.kind[j] == VarKind::Integer
    }

    /// Whether column `j` is an integer with bounds within 0 and 1.
    pub fn is_binary(&self, j: usize) -> bool {
        self.is_integer(j) && self.columns.lower[j] >= 0.0 && self.columns.upper[j] <= 1.0
    }

    /// Whether any column is integer.
    pub fn has_integers(&self) -> bool {
        self.columns.kind.contains(&VarKind::Integer)
    }

    /// The counts of rows, columns, kinds of columns and matrix entries.
    pub fn shape(&self) -> Shape {
        let columns = self.num_columns();
        let binaries = (0..columns).filter(|&j| self.is_binary(j)).count();
        let discrete = (0..columns).filter(|&j| self.is_integer(j)).count();
        Shape {
            rows: self.num_rows(),
            columns,
            binaries,
            integers: discrete - binaries,
            continuous: columns - discrete,
            nonzeros: self.matrix.nonzeros(),
        }
    }

    /// The objective value of `x` in ordinary floating-point arithmetic; [`check`](crate::check) computes it exactly.
    pub fn objective(&self, x: &[f64]) -> f64 {
        self.objective_constant
            + self
                .columns
                .cost
                .iter()
                .zip(x)
                .map(|(c, x)| c * x)
                .sum::<f64>()
    }

    /// Checks what every model must satisfy: array lengths that agree, finite coefficients, no NaN,
    /// no crossed bounds, no row or column that appears twice in a matrix column.
    pub fn validate(&self) -> Result<(), ModelError> {
        let (n, m) = (self.num_columns(), self.num_rows());
        let lengths = [
            ("column names", self.columns.names.len(), n),
            ("column lower bounds", self.columns.lower.len(), n),
            ("column upper bounds", self.columns.upper.len(), n),
            ("column kinds", self.columns.kind.len(), n),
            ("row names", self.rows.names.len(), m),
            ("row upper sides", self.rows.upper.len(), m),
            ("matrix columns", self.matrix.majors(), n),
        ];
        for (what, found, expected) in lengths {
            if found != expected {
                return Err(ModelError::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        if !self.objective_constant.is_finite() {
            return Err(ModelError::NotFinite {
                what: "the objective constant".into(),
                value: self.objective_constant,
            });
        }
        let column = |j: usize| format!("column `{}`", self.columns.names.get(j));
        for j in 0..n {
            if !self.columns.cost[j].is_finite() {
                return Err(ModelError::NotFinite {
                    what: format!("the objective coefficient of {}", column(j)),
                    value: self.columns.cost[j],
                });
            }
            interval(self.columns.lower[j], self.columns.upper[j], || column(j))?;
            let mut last = None;
            for (i, value) in self.matrix.entries(j) {
                let entry = || {
                    let row = if i < m {
                        self.rows.names.get(i).to_owned()
                    } else {
                        i.to_string()
                    };
                    format!("the entry of {} in row `{row}`", column(j))
                };
                if i >= m || last >= Some(i) {
                    return Err(ModelError::Entry { what: entry() });
                }
                if !value.is_finite() {
                    return Err(ModelError::NotFinite {
                        what: entry(),
                        value,
                    });
                }
                last = Some(i);
            }
        }
        for i in 0..m {
            interval(self.rows.lower[i], self.rows.upper[i], || {
                format!("row `{}`", self.rows.names.get(i))
            })?;
        }
        Ok(())
    }
}

/// Refuses intervals with NaN, crossed ends, or no finite number in them.
fn interval(lower: f64, upper: f64, what: impl Fn() -> String) -> Result<(), ModelError> {
    if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
        return Err(ModelError::NotABound {
            what: what(),
            lower,
            upper,
        });
    }
    if lower > upper {
        return Err(ModelError::Crossed {
            what: what(),
            lower,
            upper,
        });
    }
    Ok(())
}

//! A model in the form in which Gurobi takes it, and what it says about a relaxation in the form in which we want it.

use idpas_mip::{BasisStatus, Sense, VarKind};

use crate::Indicator;
use crate::backend::{LpSolution, Recorded, in_order};

/// Numbers of this size are infinite for Gurobi.
pub(super) const INFINITE: f64 = 1e100;

/// A model as Gurobi takes it. Its rows have one side each, so a row a ≤ f(x) ≤ b becomes f(x) − s = a with a column s from
/// 0 to b − a. Those columns come after those of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct GurobiForm {
    /// 1 to minimise, −1 to maximise.
    pub sense: i32,
    /// The constant of the objective.
    pub constant: f64,
    /// Objective coefficients by column.
    pub cost: Vec<f64>,
    /// Lower bounds by column.
    pub lower: Vec<f64>,
    /// Upper bounds by column.
    pub upper: Vec<f64>,
    /// Kinds by column: `C` or `I`.
    pub kind: Vec<u8>,
    /// Where the entries of each column begin; one more at the end.
    pub starts: Vec<usize>,
    /// Rows of the entries.
    pub rows: Vec<i32>,
    /// Values of the entries.
    pub values: Vec<f64>,
    /// Relations of the rows: `<`, `>` or `=`.
    pub relation: Vec<u8>,
    /// The side of each row.
    pub side: Vec<f64>,
    /// Rows that hold only where a column has a value.
    pub indicators: Vec<GurobiIndicator>,
    /// How many columns are those of the model.
    pub columns: usize,
    /// The row of each column that was added.
    pub ranges: Vec<usize>,
}

/// A row with one side that holds only where a column has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct GurobiIndicator {
    /// The binary column.
    pub column: i32,
    /// The row holds where the column is one if this is true, where it is zero if not.
    pub at_one: bool,
    /// Columns of the row's entries.
    pub columns: Vec<i32>,
    /// Values of the row's entries.
    pub values: Vec<f64>,
    /// Relation of the row: `<`, `>` or `=`.
    pub relation: u8,
    /// The row's side.
    pub side: f64,
}

/// What Gurobi says about an optimal solution of a relaxation. Reduced costs and basis are missing where a user has chosen an
/// algorithm without them.
#[derive(Debug, Default)]
pub(super) struct LpAttributes {
    pub(super) values: Vec<f64>,
    pub(super) reduced_costs: Option<Vec<f64>>,
    pub(super) duals: Option<Vec<f64>>,
    pub(super) column_basis: Option<Vec<i32>>,
    pub(super) row_basis: Option<Vec<i32>>,
}

/// The sides of a row, as Gurobi can express them.
enum Sides {
    One(u8, f64),
    Range(f64, f64),
}

fn sides(lower: f64, upper: f64) -> Sides {
    match (lower > f64::NEG_INFINITY, upper < f64::INFINITY) {
        (true, true) if is_one(lower, upper) => Sides::One(b'=', lower),
        (true, true) => Sides::Range(lower, upper),
        (true, false) => Sides::One(b'>', finite(lower)),
        // Also where there is none: the side is infinite then.
        (false, _) => Sides::One(b'<', finite(upper)),
    }
}

/// Whether two sides are one, or cross by a rounding error.
fn is_one(lower: f64, upper: f64) -> bool {
    in_order(lower, upper).is_some_and(|(lower, upper)| lower == upper)
}

fn finite(value: f64) -> f64 {
    value.clamp(-INFINITE, INFINITE)
}

impl GurobiForm {
    /// The model, or its relaxation. The relaxation has no indicators: without integers they say nothing.
    pub(super) fn of(model: &Recorded, relaxed: bool) -> Self {
        let matrix = model.by_columns();
        let kind = |kind: &VarKind| match kind {
            VarKind::Integer if !relaxed => b'I',
            _ => b'C',
        };
        let bounds = model.lower.iter().zip(&model.upper);
        let upper = bounds.map(|(&lower, &upper)| match is_one(lower, upper) {
            true => finite(lower),
            false => finite(upper),
        });
        let mut form = GurobiForm {
            sense: match model.sense {
                Sense::Minimize => 1,
                Sense::Maximize => -1,
            },
            constant: model.constant,
            cost: model.cost.clone(),
            lower: model.lower.iter().map(|&lower| finite(lower)).collect(),
            upper: upper.collect(),
            kind: model.kind.iter().map(kind).collect(),
            starts: matrix.starts().to_vec(),
            rows: matrix.indices().iter().map(|&row| row as i32).collect(),
            values: matrix.values().to_vec(),
            relation: Vec::with_capacity(model.rows.len()),
            side: Vec::with_capacity(model.rows.len()),
            indicators: Vec::new(),
            columns: model.num_columns(),
            ranges: Vec::new(),
        };
        for row in 0..model.rows.len() {
            form.add_sides(row, sides(model.rows.lower[row], model.rows.upper[row]));
        }
        if !relaxed {
            let all = model.indicators.iter();
            form.indicators = all.flat_map(one_sided).collect();
        }
        form
    }

    fn add_sides(&mut self, row: usize, sides: Sides) {
        let (relation, side) = match sides {
            Sides::One(relation, side) => (relation, side),
            Sides::Range(lower, upper) => {
                self.cost.push(0.0);
                self.lower.push(0.0);
                self.upper.push(finite(upper - lower));
                self.kind.push(b'C');
                self.rows.push(row as i32);
                self.values.push(-1.0);
                self.starts.push(self.values.len());
                self.ranges.push(row);
                (b'=', finite(lower))
            }
        };
        self.relation.push(relation);
        self.side.push(side);
    }

    /// How many columns Gurobi sees: those of the model, and one for each row with two sides.
    pub fn all_columns(&self) -> usize {
        self.cost.len()
    }

    /// How many rows there are.
    pub fn num_rows(&self) -> usize {
        self.side.len()
    }

    /// Whether there are integer columns.
    pub(super) fn is_discrete(&self) -> bool {
        self.kind.contains(&b'I')
    }

    /// How many entries each column has.
    pub(super) fn lengths(&self) -> Vec<i32> {
        let pairs = self.starts.windows(2);
        pairs.map(|pair| (pair[1] - pair[0]) as i32).collect()
    }

    /// A solution of the relaxation of `model`, whose form this is.
    pub(super) fn solution(&self, model: &Recorded, lp: LpAttributes) -> LpSolution {
        let rows = self.num_rows();
        let mut values = lp.values;
        values.truncate(self.columns);
        let activity = |row: usize| {
            let (columns, coefficients) = model.rows.entries(row);
            let terms = columns.iter().zip(coefficients);
            terms.map(|(&j, a)| a * values[j as usize]).sum::<f64>()
        };
        let activities = (0..rows).map(activity).collect();
        let of_columns = lp.column_basis.unwrap_or_default();
        let status = |column: usize| {
            let code = of_columns.get(column).copied();
            column_status(code, self.lower[column], self.upper[column])
        };
        let of_rows = lp.row_basis.unwrap_or_default();
        let mut row_basis: Vec<BasisStatus> = (0..rows)
            .map(|row| row_status(of_rows.get(row).copied(), self.relation[row]))
            .collect();
        for (range, &row) in self.ranges.iter().enumerate() {
            if row_basis[row] != BasisStatus::Basic {
                row_basis[row] = status(self.columns + range);
            }
        }
        let mut reduced_costs = lp.reduced_costs.unwrap_or_default();
        reduced_costs.resize(self.columns, 0.0);
        let mut duals = lp.duals.unwrap_or_default();
        duals.resize(rows, 0.0);
        LpSolution {
            column_basis: (0..self.columns).map(status).collect(),
            row_basis,
            values,
            reduced_costs,
            activities,
            duals,
        }
    }
}

/// Where a column stands, by Gurobi's number for it.
fn column_status(code: Option<i32>, lower: f64, upper: f64) -> BasisStatus {
    match code {
        Some(0) => BasisStatus::Basic,
        Some(-1) if lower > -INFINITE => BasisStatus::Lower,
        Some(-2) if upper < INFINITE => BasisStatus::Upper,
        Some(_) if lower <= -INFINITE && upper >= INFINITE => BasisStatus::Zero,
        _ => BasisStatus::Nonbasic,
    }
}

/// Where a row stands, by Gurobi's number for it. One with two sides is looked at again by its column.
fn row_status(code: Option<i32>, relation: u8) -> BasisStatus {
    match (code, relation) {
        (Some(0), _) => BasisStatus::Basic,
        (Some(-1), b'<') => BasisStatus::Upper,
        (Some(-1), _) => BasisStatus::Lower,
        _ => BasisStatus::Nonbasic,
    }
}

/// An indicator as rows with one side: two for a row with two, none for one without any.
fn one_sided(indicator: &Indicator) -> Vec<GurobiIndicator> {
    let row = &indicator.row;
    let of = |relation: u8, side: f64| GurobiIndicator {
        column: indicator.column as i32,
        at_one: indicator.at_one,
        columns: row.entries.iter().map(|entry| entry.0 as i32).collect(),
        values: row.entries.iter().map(|entry| entry.1).collect(),
        relation,
        side: finite(side),
    };
    if row.lower == f64::NEG_INFINITY && row.upper == f64::INFINITY {
        return Vec::new();
    }
    match sides(row.lower, row.upper) {
        Sides::One(relation, side) => vec![of(relation, side)],
        Sides::Range(lower, upper) => vec![of(b'>', lower), of(b'<', upper)],
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError};

    use super::*;
    use crate::NewRow;

    const INF: f64 = f64::INFINITY;

    /// min x + 2y, x integer and free, with a row of each kind.
    fn recorded() -> Result<Recorded, ModelError> {
        let mut b = ModelBuilder::new("kinds", Sense::Minimize);
        let x = b.column("x", VarKind::Integer, -INF, INF, 1.0)?;
        let y = b.column("y", VarKind::Continuous, 0.0, 4.0, 2.0)?;
        b.row("range", 1.0, 3.0, [(x, 1.0), (y, 1.0)])?;
        b.row("upper", -INF, 5.0, [(x, 2.0)])?;
        b.row("lower", -6.0, INF, [(y, 3.0)])?;
        b.row("equal", 7.0, 7.0, [(x, 4.0), (y, 5.0)])?;
        b.row("free", -INF, INF, [(y, 6.0)])?;
        Ok(Recorded::of(&b.build()?))
    }

    #[test]
    fn a_row_with_two_sides_gets_a_column() -> Result<(), ModelError> {
        let form = GurobiForm::of(&recorded()?, false);
        assert_eq!(form.relation, b"=<>=<");
        assert_eq!(form.side, [1.0, 5.0, -6.0, 7.0, INFINITE]);
        assert_eq!(form.lower, [-INFINITE, 0.0, 0.0]);
        assert_eq!(form.upper, [INFINITE, 4.0, 2.0]);
        assert_eq!(form.kind, b"ICC");
        assert_eq!(form.starts, [0, 3, 7, 8]);
        assert_eq!(form.rows[7], 0);
        assert_eq!(form.values[7], -1.0);
        assert_eq!(form.lengths(), [3, 4, 1]);
        assert_eq!((form.all_columns(), form.num_rows()), (3, 5));
        assert!(form.is_discrete());
        assert!(!GurobiForm::of(&recorded()?, true).is_discrete());
        Ok(())
    }

    #[test]
    fn sides_that_cross_by_a_rounding_error_are_one() -> Result<(), ModelError> {
        let mut model = recorded()?;
        model.rows.lower[0] = 3.0 + 1e-12;
        model.lower[1] = 4.0 + 1e-12;
        let form = GurobiForm::of(&model, false);
        assert_eq!((form.relation[0], form.ranges.len()), (b'=', 0));
        assert_eq!(form.lower[1], form.upper[1]);
        // By more than that: Gurobi says that there is no solution.
        model.rows.lower[0] = 3.5;
        let form = GurobiForm::of(&model, false);
        assert_eq!(form.upper[2], -0.5);
        Ok(())
    }

    #[test]
    fn the_basis_of_a_row_with_two_sides_is_that_of_its_column() -> Result<(), ModelError> {
        let model = recorded()?;
        let form = GurobiForm::of(&model, true);
        let expected = [
            (-1, BasisStatus::Lower),
            (-2, BasisStatus::Upper),
            (0, BasisStatus::Basic),
        ];
        for (code, status) in expected {
            let attributes = LpAttributes {
                values: vec![1.0, 2.0, 0.5],
                column_basis: Some(vec![-3, -2, code]),
                row_basis: Some(vec![-1, -1, -1, -1, 0]),
                ..LpAttributes::default()
            };
            let solution = form.solution(&model, attributes);
            assert_eq!(solution.values, [1.0, 2.0]);
            assert_eq!(solution.activities, [3.0, 2.0, 6.0, 14.0, 12.0]);
            assert_eq!(
                solution.row_basis,
                [
                    status,
                    BasisStatus::Upper,
                    BasisStatus::Lower,
                    BasisStatus::Lower,
                    BasisStatus::Basic
                ]
            );
            let columns = [BasisStatus::Zero, BasisStatus::Upper];
            assert_eq!(solution.column_basis, columns);
            assert_eq!(solution.duals, [0.0; 5]);
        }
        Ok(())
    }

    #[test]
    fn indicators_have_one_side_each() -> Result<(), ModelError> {
        let mut model = recorded()?;
        for (lower, upper) in [(-INF, INF), (1.0, 1.0), (1.0, 2.0)] {
            model.indicators.push(Indicator {
                column: 0,
                at_one: true,
                row: NewRow {
                    lower,
                    upper,
                    entries: vec![(1, 1.0)],
                },
            });
        }
        let form = GurobiForm::of(&model, false);
        let seen: Vec<(u8, f64)> = form
            .indicators
            .iter()
            .map(|indicator| (indicator.relation, indicator.side))
            .collect();
        assert_eq!(seen, [(b'=', 1.0), (b'>', 1.0), (b'<', 2.0)]);
        assert!(GurobiForm::of(&model, true).indicators.is_empty());
        Ok(())
    }
}

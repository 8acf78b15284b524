//! Whether a vector is a solution of a model, decided without rounding errors.
//!
//! Activities, violations and the objective are summed exactly and rounded once, when reported; the
//! comparison with a tolerance is exact too. So `1e16 + 1 − 1e16 ≥ 1` holds here, and a solver's own
//! rounding cannot hide a violation.
//!
//! # Tolerances
//! A row or bound may be violated by `feasibility · max(1, |side|)`, where `side` is the one violated.
//! The scale is needed (and SCIP uses the same): neighbouring doubles around 1e9 are 1e-7 apart, around
//! 1e11 already 1e-5, so no solver that computes in doubles can promise an absolute 1e-6 there. For
//! sides of ordinary size the tolerance is absolute. An integer column may be `integrality` away from
//! the nearest integer, whatever its size. Reported violations are always absolute.

mod report;
mod summary;
mod tolerances;

use std::cmp::Ordering;

use crate::exact::Accumulator;
use crate::{INFINITE_BOUND, Matrix, Model};

pub use report::{Report, Violation, ViolationKind};
pub use summary::{CheckSummary, ViolationSummary};
pub use tolerances::{CheckError, Tolerances};

/// Checks `x` against `model`. To check many vectors, keep a [`Checker`].
///
/// ```
/// use idpas_mip::check::{Tolerances, check};
/// use idpas_mip::{ModelBuilder, Sense, VarKind};
/// let mut b = ModelBuilder::new("", Sense::Minimize);
/// let x = b.column("x", VarKind::Integer, 0.0, 10.0, 2.0)?;
/// b.row("demand", 3.0, f64::INFINITY, [(x, 1.0)])?;
/// let model = b.build()?;
///
/// let report = check(&model, &[2.0], &Tolerances::default())?;
/// assert!(!report.feasible);
/// assert_eq!(report.objective, 4.0);
/// assert_eq!(
///     report.worst_row.unwrap().to_string(),
///     "the activity of row `demand` is 2, must be at least 3, is off by 1"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the model is not [valid](Model::validate).
pub fn check(model: &Model, x: &[f64], tolerances: &Tolerances) -> Result<Report, CheckError> {
    Checker::new(model).check(x, tolerances)
}

/// A copy of `x` in which every integer column has the nearest integer that lies within its bounds.
pub fn round_discrete(model: &Model, x: &[f64]) -> Vec<f64> {
    let mut rounded = x.to_vec();
    for (j, value) in rounded.iter_mut().enumerate() {
        if model.is_integer(j) {
            let lower = model.columns.lower[j].ceil();
            let upper = model.columns.upper[j].floor();
            *value = value.round();
            if lower <= upper {
                *value = value.clamp(lower, upper);
            }
            *value += 0.0; // −0 becomes 0
        }
    }
    rounded
}

/// Checks vectors against one model. Keeps the model's matrix by rows, so that many vectors are checked quickly.
#[derive(Clone, Debug)]
pub struct Checker<'a> {
    model: &'a Model,
    by_row: Matrix,
}

impl<'a> Checker<'a> {
    /// Prepares to check vectors against `model`.
    pub fn new(model: &'a Model) -> Self {
        let by_row = model.matrix.transposed(model.num_rows());
        Self { model, by_row }
    }

    /// Evaluates `x`: see [`check`].
    pub fn check(&self, x: &[f64], tolerances: &Tolerances) -> Result<Report, CheckError> {
        tolerances.validate()?;
        self.evaluable(x)?;
        let mut sum = Accumulator::new();
        let rows = self.rows(x, tolerances.feasibility, &mut sum);
        let bounds = self.bounds(x, tolerances.feasibility, &mut sum);
        let integrality = self.integrality(x, tolerances.integrality);
        Ok(Report {
            feasible: rows.beyond + bounds.beyond + integrality.beyond == 0,
            objective: self.exact_objective(x, &mut sum),
            largest: [rows.largest, bounds.largest, integrality.largest],
            worst_row: rows.worst,
            worst_bound: bounds.worst,
            worst_integrality: integrality.worst,
            violated_rows: rows.beyond,
            violated_bounds: bounds.beyond,
            violated_integrality: integrality.beyond,
        })
    }

    /// The objective with its constant, exact and correctly rounded.
    pub fn objective(&self, x: &[f64]) -> Result<f64, CheckError> {
        self.evaluable(x)?;
        Ok(self.exact_objective(x, &mut Accumulator::new()))
    }

    /// The activity (left-hand side value) of every row, exact and correctly rounded.
    pub fn activities(&self, x: &[f64]) -> Result<Vec<f64>, CheckError> {
        self.evaluable(x)?;
        let mut sum = Accumulator::new();
        let activity = |i| {
            self.activity(i, x, &mut sum);
            sum.to_f64()
        };
        Ok((0..self.model.num_rows()).map(activity).collect())
    }

    /// Refuses vectors that do not have exactly one finite value for each column.
    fn evaluable(&self, x: &[f64]) -> Result<(), CheckError> {
        let expected = self.model.num_columns();
        if x.len() != expected {
            return Err(CheckError::Length {
                found: x.len(),
                expected,
            });
        }
        match x.iter().position(|value| !value.is_finite()) {
            Some(j) => Err(CheckError::NotFinite {
                column: self.model.columns.names.get(j).into(),
                value: x[j],
            }),
            None => Ok(()),
        }
    }

    fn exact_objective(&self, x: &[f64], sum: &mut Accumulator) -> f64 {
        sum.clear();
        sum.add(self.model.objective_constant);
        for (&cost, &value) in self.model.columns.cost.iter().zip(x) {
            sum.add_product(cost, value);
        }
        sum.to_f64()
    }

    /// Sets `sum` to the activity of row `i`.
    fn activity(&self, i: usize, x: &[f64], sum: &mut Accumulator) {
        sum.clear();
        for (j, value) in self.by_row.entries(i) {
            sum.add_product(value, x[j]);
        }
    }

    fn rows(&self, x: &[f64], tolerance: f64, sum: &mut Accumulator) -> Tally {
        let rows = &self.model.rows;
        let mut tally = Tally::default();
        for i in 0..self.model.num_rows() {
            let (lower, upper) = (rows.lower[i], rows.upper[i]);
            self.activity(i, x, sum);
            if let Some(excess) = excess(sum, lower, upper, tolerance) {
                tally.add(excess, |violation, allowed| {
                    self.activity(i, x, sum);
                    Violation {
                        kind: ViolationKind::Row,
                        index: i,
                        name: rows.names.get(i).into(),
                        value: sum.to_f64(),
                        lower,
                        upper,
                        violation,
                        allowed,
                    }
                });
            }
        }
        tally
    }

    fn bounds(&self, x: &[f64], tolerance: f64, sum: &mut Accumulator) -> Tally {
        let columns = &self.model.columns;
        let mut tally = Tally::default();
        for (j, &value) in x.iter().enumerate() {
            let (lower, upper) = (columns.lower[j], columns.upper[j]);
            if (lower..=upper).contains(&value) {
                continue;
            }
            sum.clear();
            sum.add(value);
            if let Some(excess) = excess(sum, lower, upper, tolerance) {
                tally.add(excess, |violation, allowed| Violation {
                    kind: ViolationKind::Bound,
                    index: j,
                    name: columns.names.get(j).into(),
                    value,
                    lower,
                    upper,
                    violation,
                    allowed,
                });
            }
        }
        tally
    }

    fn integrality(&self, x: &[f64], tolerance: f64) -> Tally {
        let mut tally = Tally::default();
        for (j, &value) in x.iter().enumerate() {
            // The difference between a double and its nearest integer is itself a double, so nothing is rounded here.
            let nearest = value.round();
            let amount = (value - nearest).abs();
            if amount > 0.0 && self.model.is_integer(j) {
                let excess = Excess {
                    amount,
                    allowed: tolerance,
                    scale: 1.0,
                    beyond: amount > tolerance,
                };
                tally.add(excess, |violation, allowed| Violation {
                    kind: ViolationKind::Integrality,
                    index: j,
                    name: self.model.columns.names.get(j).into(),
                    value,
                    lower: nearest,
                    upper: nearest,
                    violation,
                    allowed,
                });
            }
        }
        tally
    }
}

/// How far a row or bound is violated.
struct Excess {
    /// The violation, in absolute terms.
    amount: f64,
    /// The violation that the tolerance allows, in absolute terms.
    allowed: f64,
    /// `max(1, |side|)`, by which the tolerance is multiplied.
    scale: f64,
    /// Whether `amount` is more than `allowed`; decided exactly, not from these two rounded numbers.
    beyond: bool,
}

/// How far `sum` lies outside `[lower, upper]`; `None` if it is inside. Leaves `sum` with another value.
fn excess(sum: &mut Accumulator, lower: f64, upper: f64, tolerance: f64) -> Option<Excess> {
    for (side, finite, outside) in [
        (lower, lower > -INFINITE_BOUND, Ordering::Less),
        (upper, upper < INFINITE_BOUND, Ordering::Greater),
    ] {
        if !finite {
            continue;
        }
        sum.add(-side);
        if sum.sign() == outside {
            let amount = sum.to_f64().abs();
            let scale = side.abs().max(1.0);
            let inward = if outside == Ordering::Less {
                tolerance
            } else {
                -tolerance
            };
            sum.add_product(inward, scale);
            return Some(Excess {
                amount,
                allowed: tolerance * scale,
                scale,
                beyond: sum.sign() == outside,
            });
        }
        sum.add(side);
    }
    None
}

/// Counts the violations of one kind and remembers the worst.
#[derive(Default)]
struct Tally {
    /// Number of violations beyond tolerance.
    beyond: usize,
    /// The largest violation, in absolute terms.
    largest: f64,
    worst: Option<Violation>,
    /// Rank of `worst`: whether it is beyond tolerance, then its violation divided by its scale.
    worst_rank: (bool, f64),
}

impl Tally {
    fn add(&mut self, excess: Excess, describe: impl FnOnce(f64, f64) -> Violation) {
        self.beyond += usize::from(excess.beyond);
        self.largest = self.largest.max(excess.amount);
        let rank = (excess.beyond, excess.amount / excess.scale);
        if self.worst.is_none() || rank > self.worst_rank {
            self.worst_rank = rank;
            self.worst = Some(describe(excess.amount, excess.allowed));
        }
    }
}

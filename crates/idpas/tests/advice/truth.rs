//! What is true of a small model, in exact arithmetic: its discrete columns are enumerated, and for each of their
//! assignments the continuous ones are a linear program.

use idpas::{Model, Sense};
use num_bigint::BigInt;

use super::number::{Fraction, Number};
use super::simplex::{Answer, Program, Range, Row};

/// Assignments of discrete columns that are looked at, at most, without and with continuous columns.
const MOST_POINTS: u64 = 2500;
const MOST_PROGRAMS: u64 = 96;
/// Discrete columns without bounds are searched this far for a first solution.
const REACH: i64 = 5;

/// What is true of a model.
#[derive(Clone, Debug)]
pub enum Truth {
    Infeasible,
    /// It has solutions of any objective value.
    Unbounded,
    Optimal(Optimum),
}

/// The best solution.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Objective value with its constant, in the model's own sense.
    pub value: Fraction,
    /// A solution that has it, its continuous columns rounded to doubles.
    pub point: Vec<f64>,
}

/// The truth, unless it takes too many assignments to find.
pub fn truth(model: &Model) -> Option<Truth> {
    let exact = ExactModel::new(model);
    let Some(ranges) = exact.integer_ranges() else {
        return Some(Truth::Infeasible);
    };
    if let Some(ranges) = within_reach(&ranges, exact.most()) {
        return Some(exact.enumerate(&ranges, true));
    }
    let near = |&(lower, upper): &(Option<i64>, Option<i64>)| {
        let low = lower.unwrap_or_else(|| upper.map_or(-REACH, |u| u - REACH));
        let high = upper.unwrap_or(low + 2 * REACH).min(low + 2 * REACH);
        (Some(low), Some(high))
    };
    let near: Vec<_> = ranges.iter().map(near).collect();
    match exact.relaxation(&exact.cost, None) {
        Answer::Infeasible => Some(Truth::Infeasible),
        // With rational data, a ray of the relaxation is one of the model, if that has a solution at all.
        Answer::Unbounded => match exact.enumerate(&within_reach(&near, exact.most())?, false) {
            Truth::Infeasible => None,
            _ => Some(Truth::Unbounded),
        },
        Answer::Optimal(..) => {
            let first = exact.enumerate(&within_reach(&near, exact.most())?, true);
            let cut = match &first {
                Truth::Optimal(best) => Some(best.value.clone()),
                _ => None,
            };
            let ranges = exact.ranges_above(&ranges, cut.as_ref())?;
            Some(exact.enumerate(&within_reach(&ranges, exact.most())?, true))
        }
    }
}

/// The ranges, if all are finite and have no more than so many points in all.
fn within_reach(ranges: &[(Option<i64>, Option<i64>)], most: u64) -> Option<Vec<(i64, i64)>> {
    let mut points = 1u64;
    let mut all = Vec::new();
    for &(lower, upper) in ranges {
        let (lower, upper) = (lower?, upper?);
        let width = u64::try_from(upper.checked_sub(lower)? + 1).ok()?;
        points = points.checked_mul(width)?;
        all.push((lower, upper));
    }
    (points <= most).then_some(all)
}

/// A model in exact numbers, to be minimised.
struct ExactModel {
    /// Columns by number: discrete and continuous.
    discrete: Vec<usize>,
    continuous: Vec<usize>,
    cost: Vec<Number>,
    constant: Number,
    sense: Sense,
    columns: Vec<Range>,
    rows: Vec<Row>,
}

fn range(lower: f64, upper: f64) -> Range {
    let finite = |x: f64| x.is_finite().then(|| Number::from(x));
    Range {
        lower: finite(lower),
        upper: finite(upper),
    }
}

impl ExactModel {
    fn new(model: &Model) -> Self {
        let (discrete, continuous) = (0..model.num_columns()).partition(|&j| model.is_integer(j));
        let signed = |x: f64| match model.sense {
            Sense::Minimize => Number::from(x),
            Sense::Maximize => Number::from(-x),
        };
        let columns = &model.columns;
        let mut rows: Vec<Row> = (model.rows.lower.iter().zip(&model.rows.upper))
            .map(|(&lower, &upper)| Row {
                coefficients: vec![Number::zero(); model.num_columns()],
                sides: range(lower, upper),
            })
            .collect();
        for j in 0..model.num_columns() {
            for (i, value) in model.matrix.entries(j) {
                rows[i].coefficients[j] = Number::from(value);
            }
        }
        ExactModel {
            discrete,
            continuous,
            cost: columns.cost.iter().map(|&c| signed(c)).collect(),
            constant: signed(model.objective_constant),
            sense: model.sense,
            columns: (columns.lower.iter().zip(&columns.upper))
                .map(|(&lower, &upper)| range(lower, upper))
                .collect(),
            rows,
        }
    }

    fn most(&self) -> u64 {
        match self.continuous.is_empty() {
            true => MOST_POINTS,
            false => MOST_PROGRAMS,
        }
    }

    /// The integers that each discrete column may be by its own bounds; none if one has no integer.
    fn integer_ranges(&self) -> Option<Vec<(Option<i64>, Option<i64>)>> {
        let whole = |number: BigInt| i64::try_from(number).ok();
        let mut all = Vec::new();
        for &j in &self.discrete {
            let column = &self.columns[j];
            let lower = column
                .lower
                .as_ref()
                .map(|l| -Fraction::of(&l.negated()).floor());
            let upper = column.upper.as_ref().map(|u| Fraction::of(u).floor());
            if let (Some(lower), Some(upper)) = (&lower, &upper)
                && lower > upper
            {
                return None;
            }
            all.push((lower.and_then(whole), upper.and_then(whole)));
        }
        Some(all)
    }

    /// The linear relaxation with this cost, and with its own objective cut off above a value.
    fn relaxation(&self, cost: &[Number], cut: Option<&Fraction>) -> Answer {
        let mut rows = self.rows.clone();
        if let Some(cut) = cut {
            // value ≥ cost·x + constant, all multiplied by the denominator of the value.
            let below = Number {
                whole: cut.below.clone(),
                shift: 0,
            };
            let above = Number {
                whole: cut.above.clone(),
                shift: 0,
            };
            rows.push(Row {
                coefficients: self.cost.iter().map(|c| c.times(&below)).collect(),
                sides: Range {
                    lower: None,
                    upper: Some(above.minus(&self.constant.times(&below))),
                },
            });
        }
        let program = Program {
            cost: cost.to_vec(),
            columns: self.columns.clone(),
            rows,
        };
        program.solve()
    }

    /// The integers that each discrete column may be in a solution that is at least as good as `cut`, by the relaxation. None
    /// if one may be any.
    fn ranges_above(
        &self,
        ranges: &[(Option<i64>, Option<i64>)],
        cut: Option<&Fraction>,
    ) -> Option<Vec<(Option<i64>, Option<i64>)>> {
        // In the sense of a minimisation.
        let cut = cut.map(|cut| match self.sense {
            Sense::Minimize => cut.clone(),
            Sense::Maximize => cut.negated(),
        });
        let mut all = Vec::new();
        for (&j, &(lower, upper)) in self.discrete.iter().zip(ranges) {
            let least = |sign: f64| {
                let mut cost = vec![Number::zero(); self.cost.len()];
                cost[j] = Number::from(sign);
                match self.relaxation(&cost, cut.as_ref()) {
                    Answer::Optimal(value, _) => Some(-value.negated().floor()),
                    // Nothing is in it: an empty range.
                    Answer::Infeasible => Some(BigInt::from(1)),
                    Answer::Unbounded => None,
                }
            };
            let low = i64::try_from(least(1.0)?).ok()?;
            let high = i64::try_from(-least(-1.0)?).ok()?;
            all.push((
                Some(lower.map_or(low, |l| l.max(low))),
                Some(upper.map_or(high, |u| u.min(high))),
            ));
        }
        Some(all)
    }

    /// The best of all assignments within the ranges; without `objective`, any.
    fn enumerate(&self, ranges: &[(i64, i64)], objective: bool) -> Truth {
        if ranges.iter().any(|(lower, upper)| lower > upper) {
            return Truth::Infeasible;
        }
        let mut best: Option<(Fraction, Vec<f64>)> = None;
        let mut at: Vec<i64> = ranges.iter().map(|r| r.0).collect();
        loop {
            match self.complete(&at, objective) {
                Answer::Infeasible => {}
                Answer::Unbounded => return Truth::Unbounded,
                Answer::Optimal(value, rest) => {
                    let is_better = |(b, _): &(Fraction, _)| value.compare(b).is_lt();
                    if best.as_ref().is_none_or(is_better) {
                        best = Some((value, self.point(&at, &rest)));
                        if !objective {
                            break;
                        }
                    }
                }
            }
            // The next assignment, as a counter goes.
            let Some(k) = (0..at.len()).find(|&k| at[k] < ranges[k].1) else {
                break;
            };
            at[k] += 1;
            for (value, range) in at[..k].iter_mut().zip(ranges) {
                *value = range.0;
            }
        }
        match best {
            None => Truth::Infeasible,
            Some((value, point)) => Truth::Optimal(Optimum {
                value: match self.sense {
                    Sense::Minimize => value,
                    Sense::Maximize => value.negated(),
                },
                point,
            }),
        }
    }

    fn point(&self, at: &[i64], rest: &[Fraction]) -> Vec<f64> {
        let mut point = vec![0.0; self.cost.len()];
        for (&j, &value) in self.discrete.iter().zip(at) {
            point[j] = value as f64;
        }
        for (&j, value) in self.continuous.iter().zip(rest) {
            point[j] = value.approximate();
        }
        point
    }

    /// The best continuous values beside these discrete ones.
    fn complete(&self, at: &[i64], objective: bool) -> Answer {
        let assigned: Vec<(usize, Number)> = (self.discrete.iter().zip(at))
            .filter(|(_, value)| **value != 0)
            .map(|(&j, &value)| {
                (
                    j,
                    Number {
                        whole: value.into(),
                        shift: 0,
                    },
                )
            })
            .collect();
        let sum = |coefficients: &[Number]| {
            let terms = assigned.iter().map(|(j, x)| coefficients[*j].times(x));
            terms.fold(Number::zero(), |sum, term| sum.plus(&term))
        };
        let mut rows = Vec::new();
        for row in &self.rows {
            let fixed = sum(&row.coefficients);
            let side = |side: &Option<Number>| side.as_ref().map(|side| side.minus(&fixed));
            let (lower, upper) = (side(&row.sides.lower), side(&row.sides.upper));
            let of = |&j: &usize| row.coefficients[j].clone();
            let coefficients: Vec<Number> = self.continuous.iter().map(of).collect();
            if coefficients.iter().all(|a| a.whole == BigInt::ZERO) {
                let above = lower
                    .as_ref()
                    .is_some_and(|l| !l.is_negative() && l.whole != BigInt::ZERO);
                if above || upper.as_ref().is_some_and(Number::is_negative) {
                    return Answer::Infeasible;
                }
                continue;
            }
            rows.push(Row {
                coefficients,
                sides: Range { lower, upper },
            });
        }
        let constant = Fraction::of(&self.constant.plus(&sum(&self.cost)));
        if self.continuous.is_empty() {
            return Answer::Optimal(constant, Vec::new());
        }
        let cost = |&j: &usize| match objective {
            true => self.cost[j].clone(),
            false => Number::zero(),
        };
        let program = Program {
            cost: self.continuous.iter().map(cost).collect(),
            columns: self
                .continuous
                .iter()
                .map(|&j| self.columns[j].clone())
                .collect(),
            rows,
        };
        match program.solve() {
            Answer::Optimal(value, point) => Answer::Optimal(value.plus(&constant), point),
            other => other,
        }
    }
}

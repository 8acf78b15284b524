//! The verdict of the check, its counts and the objective against arbitrary-precision integers: ordinary, huge, tiny and
//! denormal numbers, and violations within a few doubles of what is allowed.
#![allow(clippy::unwrap_used)]

mod big;

use big::{double, nearest, scaled};
use idpas_mip::check::{Checker, Tolerances, check};
use idpas_mip::{INFINITE_BOUND, Model, ModelBuilder, Sense, VarKind};
use num_bigint::BigInt;
use proptest::prelude::*;

/// A side of a row or a bound, in relation to the value that it is about.
#[derive(Clone, Debug)]
enum Side {
    None,
    Any(f64),
    /// So many times the allowed violation beyond the value, and so many doubles further.
    Near(f64, i64),
}

fn side() -> impl Strategy<Value = Side> {
    let times = prop::sample::select(vec![0.0, 0.5, 1.0, 1.0, 1.0, 2.0]);
    prop_oneof![
        1 => Just(Side::None),
        1 => double().prop_map(Side::Any),
        4 => (times, -3..4i64).prop_map(|(times, steps)| Side::Near(times, steps)),
    ]
}

/// The side below (`sign` 1) or above (−1) of a value.
fn resolve(side: &Side, value: f64, sign: f64) -> f64 {
    let found = match *side {
        Side::None => -sign * f64::INFINITY,
        Side::Any(side) => side,
        Side::Near(times, steps) => {
            let mut side = value + sign * times * 1e-6 * value.abs().max(1.0);
            for _ in 0..steps.abs() {
                side = if steps > 0 {
                    side.next_up()
                } else {
                    side.next_down()
                };
            }
            side
        }
    };
    match found.abs() < INFINITE_BOUND {
        true => found,
        false => -sign * f64::INFINITY,
    }
}

/// Sides of a value that do not cross.
fn sides(lower: &Side, upper: &Side, value: f64) -> (f64, f64) {
    let (lower, upper) = (resolve(lower, value, 1.0), resolve(upper, value, -1.0));
    match lower <= upper {
        true => (lower, upper),
        false => (f64::NEG_INFINITY, upper),
    }
}

/// Whether a value, a multiple of 2^-2148, is further from the sides than is allowed.
fn is_beyond(value: &BigInt, lower: f64, upper: f64, tolerance: f64) -> bool {
    let whole = |x: f64| scaled(x) << 1074;
    let allowed = |side: f64| scaled(tolerance) * scaled(side.abs().max(1.0));
    let below = lower.is_finite() && *value < whole(lower) - allowed(lower);
    below || upper.is_finite() && *value > whole(upper) + allowed(upper)
}

/// A column: integer or not, its value, its cost, its sides.
type Column = (bool, f64, f64, Side, Side);
/// A row: coefficients, sides.
type Row = (Vec<f64>, Side, Side);

fn build(columns: &[Column], rows: &[Row]) -> Model {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for (j, (integer, value, cost, lower, upper)) in columns.iter().enumerate() {
        let kind = match integer {
            true => VarKind::Integer,
            false => VarKind::Continuous,
        };
        let (lower, upper) = sides(lower, upper, *value);
        b.column(&format!("x{j}"), kind, lower, upper, *cost)
            .unwrap();
    }
    for (i, (coefficients, ..)) in rows.iter().enumerate() {
        let entries = coefficients.iter().copied().enumerate().take(columns.len());
        b.row(&format!("r{i}"), f64::NEG_INFINITY, f64::INFINITY, entries)
            .unwrap();
    }
    b.build().unwrap()
}

fn value() -> impl Strategy<Value = f64> {
    let near_integer = (-50..50i32, -3..4i32, -2..3i64).prop_map(|(whole, millionths, steps)| {
        let mut x = f64::from(whole) + 0.5e-6 * f64::from(millionths);
        for _ in 0..steps.abs() {
            x = if steps > 0 {
                x.next_up()
            } else {
                x.next_down()
            };
        }
        x
    });
    prop_oneof![1 => double(), 2 => near_integer]
}

fn column() -> impl Strategy<Value = Column> {
    (any::<bool>(), value(), double(), side(), side())
}

fn row() -> impl Strategy<Value = Row> {
    (prop::collection::vec(double(), 4), side(), side())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_verdict_is_that_of_big_integers(
        columns in prop::collection::vec(column(), 1..5),
        rows in prop::collection::vec(row(), 0..4),
        tolerance in prop::sample::select(vec![1e-6, 1e-6, 0.0, 1e-9]),
    ) {
        let mut model = build(&columns, &rows);
        let x: Vec<f64> = columns.iter().map(|column| column.1).collect();
        // Sides near the activities themselves.
        let activities = Checker::new(&model).activities(&x).unwrap();
        for (i, (_, lower, upper)) in rows.iter().enumerate() {
            let (lower, upper) = match activities[i].is_finite() {
                true => sides(lower, upper, activities[i]),
                false => (f64::NEG_INFINITY, f64::INFINITY),
            };
            (model.rows.lower[i], model.rows.upper[i]) = (lower, upper);
        }
        let tolerances = Tolerances { feasibility: tolerance, integrality: tolerance };
        let report = check(&model, &x, &tolerances).unwrap();

        let mut sums = vec![BigInt::ZERO; model.num_rows()];
        let mut cost = BigInt::ZERO;
        for (j, &x) in x.iter().enumerate() {
            cost += scaled(model.columns.cost[j]) * scaled(x);
            for (i, a) in model.matrix.entries(j) {
                sums[i] += scaled(a) * scaled(x);
            }
        }
        let rows = sums.iter().enumerate().filter(|(i, sum)| {
            is_beyond(sum, model.rows.lower[*i], model.rows.upper[*i], tolerance)
        }).count();
        let bounds = x.iter().enumerate().filter(|(j, x)| {
            let (lower, upper) = (model.columns.lower[*j], model.columns.upper[*j]);
            is_beyond(&(scaled(**x) << 1074), lower, upper, tolerance)
        }).count();
        // The distance from the nearest multiple of 2^1074, in which integers are whole.
        let one = BigInt::from(1) << 1074;
        let integrality = x.iter().enumerate().filter(|(j, x)| {
            let rest: BigInt = ((scaled(**x) % &one) + &one) % &one;
            let distance = rest.clone().min(&one - rest);
            model.is_integer(*j) && distance > scaled(tolerance)
        }).count();
        prop_assert_eq!(report.violated_rows, rows);
        prop_assert_eq!(report.violated_bounds, bounds);
        prop_assert_eq!(report.violated_integrality, integrality);
        prop_assert_eq!(report.feasible, rows + bounds + integrality == 0);
        prop_assert_eq!(report.objective, nearest(&cost));
        for (found, sum) in activities.iter().zip(&sums) {
            prop_assert_eq!(*found, nearest(sum));
        }
    }
}

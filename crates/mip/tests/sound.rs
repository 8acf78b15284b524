//! Propagation cuts off no feasible point, and a model without its fixed columns has just the solutions that it should:
//! with numbers of any size, bounds that are infinite, and sides that the point just meets.
#![allow(clippy::unwrap_used)]

use idpas_mip::check::{Checker, Tolerances, check};
use idpas_mip::incremental::Incremental;
use idpas_mip::propagate::{Bounds, Propagator, Trail};
use idpas_mip::reduce::Reduced;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use proptest::prelude::*;

/// A column: integer or not, its value, how far its bounds are from it (none if infinite).
type Column = (bool, f64, Option<f64>, Option<f64>);
/// A row: coefficients, and how far its sides are from the activity (none if infinite). A negative distance is a violation
/// within the tolerance.
type Row = (Vec<f64>, Option<f64>, Option<f64>);

/// Ordinary numbers, and those between 1e-10 and 1e12.
fn coefficient() -> impl Strategy<Value = f64> {
    let digits = || (1..100i32, any::<bool>());
    let signed = |(digits, minus): (i32, bool)| f64::from(if minus { -digits } else { digits });
    prop_oneof![
        2 => digits().prop_map(move |d| signed(d) / 10.0),
        2 => digits().prop_map(move |d| f64::from(signed(d) as i32 % 6)),
        1 => (digits(), -10..11i32).prop_map(move |(d, e)| signed(d) * 10f64.powi(e)),
        1 => Just(0.0),
    ]
}

fn distance() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        2 => Just(Some(0.0)),
        3 => (0..9i32).prop_map(|d| Some(f64::from(d))),
        1 => (-9..10i32).prop_map(|e| Some(10f64.powi(e))),
        2 => Just(None),
    ]
}

fn column() -> impl Strategy<Value = Column> {
    let value = prop_oneof![
        3 => (-8..9i32).prop_map(f64::from),
        2 => -1e3..1e3f64,
        1 => (-9..10i32, -9..10i32).prop_map(|(d, e)| f64::from(d) * 10f64.powi(e)),
    ];
    (any::<bool>(), value, distance(), distance()).prop_map(|(integer, value, below, above)| {
        let whole = |x: f64| if integer { x.round() } else { x };
        (integer, whole(value), below.map(whole), above.map(whole))
    })
}

fn row() -> impl Strategy<Value = Row> {
    let side = prop_oneof![4 => distance(), 1 => Just(Some(-0.9e-6))];
    (prop::collection::vec(coefficient(), 8), side.clone(), side)
}

/// A model, and a point that is within its bounds, integer where it must be, and within the tolerances of its rows.
fn build(columns: &[Column], rows: &[Row]) -> (Model, Vec<f64>) {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for (j, &(integer, value, below, above)) in columns.iter().enumerate() {
        let kind = match integer {
            true => VarKind::Integer,
            false => VarKind::Continuous,
        };
        let lower = below.map_or(f64::NEG_INFINITY, |by| value - by);
        let upper = above.map_or(f64::INFINITY, |by| value + by);
        let cost = f64::from(j as u32) - 2.0;
        b.column(&format!("x{j}"), kind, lower, upper, cost)
            .unwrap();
    }
    for (i, (coefficients, ..)) in rows.iter().enumerate() {
        let entries = coefficients.iter().copied().enumerate().take(columns.len());
        b.row(&format!("r{i}"), f64::NEG_INFINITY, f64::INFINITY, entries)
            .unwrap();
    }
    let mut model = b.build().unwrap();
    let point: Vec<f64> = columns.iter().map(|column| column.1).collect();
    let activities = Checker::new(&model).activities(&point).unwrap();
    for (i, (_, below, above)) in rows.iter().enumerate() {
        let at = activities[i];
        // The activity is rounded, so that the sides are one double further.
        let by = |by: f64| if by < 0.0 { by * at.abs().max(1.0) } else { by };
        model.rows.lower[i] = below.map_or(f64::NEG_INFINITY, |d| (at - by(d)).next_down());
        model.rows.upper[i] = above.map_or(f64::INFINITY, |d| (at + by(d)).next_up());
        // Sides that cross have nothing between them.
        if model.rows.lower[i] > model.rows.upper[i] {
            (model.rows.lower[i], model.rows.upper[i]) = (at.next_down(), at.next_up());
        }
    }
    (model, point)
}

fn is_within(bounds: &Bounds, point: &[f64]) -> bool {
    let all = bounds.lower.iter().zip(&bounds.upper).zip(point);
    all.into_iter()
        .all(|((lower, upper), x)| lower <= x && x <= upper)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn propagation_cuts_off_no_feasible_point(
        columns in prop::collection::vec(column(), 1..8),
        rows in prop::collection::vec(row(), 1..6),
        fixed in prop::collection::vec(any::<bool>(), 8),
    ) {
        let (model, point) = build(&columns, &rows);
        prop_assert!(check(&model, &point, &Tolerances::default()).unwrap().feasible);
        let propagator = Propagator::new(&model);
        let mut bounds = Bounds::of(&model);
        prop_assert_eq!(propagator.tighten(&mut bounds, 10), Ok(()));
        prop_assert!(is_within(&bounds, &point), "{:?} {:?}", bounds, point);
        // With some columns at the values of the point, by both ways of propagating; and without them again.
        let mut state = Incremental::new(&propagator, bounds.clone());
        let (before, mark) = (bounds.clone(), state.mark());
        let mut trail = Trail::default();
        for j in (0..point.len()).filter(|&j| fixed[j]) {
            trail.fix(j, point[j], &mut bounds);
            prop_assert_eq!(propagator.tighten_after(&[j], &mut bounds, 10, &mut trail), Ok(()));
            prop_assert!(is_within(&bounds, &point), "{:?} {:?}", bounds, point);
            state.set(j, point[j], point[j]);
            prop_assert_eq!(state.propagate(10_000), Ok(()));
            prop_assert!(is_within(state.bounds(), &point), "{:?} {:?}", state.bounds(), point);
        }
        trail.undo(&mut bounds);
        state.undo(mark);
        prop_assert_eq!(&bounds, &before);
        prop_assert_eq!(state.bounds(), &before);
        for (j, &x) in point.iter().enumerate() {
            state.set(j, x, x);
            prop_assert_eq!(state.propagate(10_000), Ok(()));
        }
    }
}

/// Eighths, of which sums and products of a few are exact.
fn eighths() -> impl Strategy<Value = f64> {
    (-40..41i32).prop_map(|eighths| f64::from(eighths) / 8.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever the free columns are, the reduced model accepts them if and only if the model accepts them beside the fixed ones.
    #[test]
    fn a_reduced_model_has_the_same_solutions(
        values in prop::collection::vec((eighths(), eighths(), any::<bool>()), 1..8),
        rows in prop::collection::vec((prop::collection::vec(eighths(), 8), eighths(), eighths()), 1..5),
        others in prop::collection::vec(prop::collection::vec(0..5u32, 8), 6),
        constant in eighths(),
    ) {
        let mut b = ModelBuilder::new("", Sense::Maximize);
        b.objective("o", constant);
        for (j, &(value, cost, _)) in values.iter().enumerate() {
            b.column(&format!("x{j}"), VarKind::Continuous, value, value + 1.0, cost).unwrap();
        }
        for (i, (coefficients, side, width)) in rows.iter().enumerate() {
            let entries = coefficients.iter().copied().enumerate().take(values.len());
            let (lower, upper) = (*side, side + 4.0 * width.abs());
            b.row(&format!("r{i}"), lower, upper, entries).unwrap();
        }
        let model = b.build().unwrap();
        let mut bounds = Bounds::of(&model);
        for (j, &(value, _, is_fixed)) in values.iter().enumerate() {
            if is_fixed {
                (bounds.lower[j], bounds.upper[j]) = (value, value);
            }
        }
        let exact = Tolerances { feasibility: 0.0, integrality: 0.0 };
        let full = |quarters: &[u32]| -> Vec<f64> {
            let free = |j: usize| bounds.lower[j] < bounds.upper[j];
            (0..values.len())
                .map(|j| bounds.lower[j] + if free(j) { f64::from(quarters[j]) / 4.0 } else { 0.0 })
                .collect()
        };
        match Reduced::new(&model, &bounds) {
            Err(conflict) => for quarters in &others {
                let report = check(&model, &full(quarters), &exact).unwrap();
                prop_assert!(!report.feasible, "row {}", conflict.row);
            },
            Ok(reduced) => for quarters in &others {
                prop_assert!(reduced.model().validate().is_ok());
                let x = full(quarters);
                let projected = reduced.project(&x);
                prop_assert_eq!(reduced.expand(&projected), x.clone());
                prop_assert_eq!(reduced.project(&reduced.expand(&projected)), projected.clone());
                let whole = check(&model, &x, &exact).unwrap();
                let part = check(reduced.model(), &projected, &exact).unwrap();
                prop_assert_eq!(whole.feasible, part.feasible);
                prop_assert_eq!(whole.objective, part.objective);
            },
        }
    }
}

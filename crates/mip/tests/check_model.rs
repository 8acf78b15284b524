//! The feasibility check: exact activities, scaled tolerances, and reports that name what is wrong.

#![allow(clippy::unwrap_used)] // the helpers are tests too

use idpas_mip::check::{CheckError, Checker, Tolerances, ViolationKind, check, round_discrete};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

/// One row over continuous columns without bounds.
fn row(lower: f64, upper: f64, coefficients: &[f64]) -> Model {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    let entries: Vec<(usize, f64)> = coefficients
        .iter()
        .enumerate()
        .map(|(j, &a)| {
            let name = format!("x{j}");
            (
                b.column(&name, VarKind::Continuous, -INF, INF, a).unwrap(),
                a,
            )
        })
        .collect();
    b.row("row", lower, upper, entries).unwrap();
    b.build().unwrap()
}

fn column(kind: VarKind, lower: f64, upper: f64) -> Model {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    b.column("x", kind, lower, upper, 1.0).unwrap();
    b.build().unwrap()
}

fn feasible(model: &Model, x: &[f64]) -> bool {
    check(model, x, &Tolerances::default()).unwrap().feasible
}

#[test]
fn activities_are_exact() {
    let exact = Tolerances {
        feasibility: 0.0,
        integrality: 0.0,
    };
    let x = [1e16, 1.0, -1e16];
    let model = row(1.0, 1.0, &[1.0, 1.0, 1.0]);
    let report = check(&model, &x, &exact).unwrap();
    assert!(report.feasible, "floating point would find 0 or 2");
    assert_eq!(report.worst_row, None);
    assert_eq!(report.max_row_violation(), 0.0);
    assert_eq!(report.objective, 1.0);
    assert_eq!(Checker::new(&model).activities(&x).unwrap(), [1.0]);

    // Ten times the double nearest to 0.1 is a little more than 1; floating point sums to a little less.
    let tenths = row(-INF, 1.0, &[0.1; 10]);
    let report = check(&tenths, &[1.0; 10], &exact).unwrap();
    assert_eq!((report.feasible, report.violated_rows), (false, 1));
    assert_eq!(report.worst_row.unwrap().violation, 2f64.powi(-54));
}

#[test]
fn the_tolerance_is_decided_exactly_and_inclusive() {
    let tolerances = Tolerances {
        feasibility: 2f64.powi(-20),
        integrality: 0.25,
    };
    let model = row(-INF, 1.0, &[1.0, 1.0]);
    let at = [1.0, 2f64.powi(-20)];
    assert!(check(&model, &at, &tolerances).unwrap().feasible);
    let mut b = ModelBuilder::new("", Sense::Minimize);
    let columns =
        ["a", "b", "c"].map(|n| b.column(n, VarKind::Continuous, -INF, INF, 0.0).unwrap());
    b.row("row", -INF, 1.0, columns.map(|j| (j, 1.0))).unwrap();
    let report = check(
        &b.build().unwrap(),
        &[1.0, 2f64.powi(-20), 5e-324],
        &tolerances,
    )
    .unwrap();
    assert!(!report.feasible, "beyond by the least of all doubles");
    let worst = report.worst_row.unwrap();
    assert_eq!(worst.violation, worst.allowed, "which no double can show");

    let integer = column(VarKind::Integer, 0.0, 9.0);
    assert!(check(&integer, &[2.25], &tolerances).unwrap().feasible);
    assert!(
        !check(&integer, &[2.25 + 1e-12], &tolerances)
            .unwrap()
            .feasible
    );
}

#[test]
fn tolerances_grow_with_the_side_that_is_violated() {
    let large = row(1e9, INF, &[1.0]);
    assert!(feasible(&large, &[1e9 - 999.0]));
    assert!(!feasible(&large, &[1e9 - 1001.0]));
    let small = row(-1e9, 1e-3, &[1.0]);
    assert!(feasible(&small, &[1e-3 + 9.9e-7]));
    assert!(
        !feasible(&small, &[1e-3 + 1.1e-6]),
        "the other side's size does not help"
    );
    assert!(feasible(
        &column(VarKind::Continuous, 0.0, 1e6),
        &[1e6 + 0.9]
    ));
    assert!(
        !feasible(&column(VarKind::Integer, 0.0, 1e7), &[1e7 - 1e-5]),
        "not for integrality"
    );
}

#[test]
fn a_report_names_the_worst_and_counts_the_rest() {
    let mut b = ModelBuilder::new("", Sense::Maximize);
    b.objective("profit", 100.0);
    let x = b.column("x", VarKind::Integer, 0.0, 5.0, 1.0).unwrap();
    let y = b.column("y", VarKind::Continuous, 1.0, INF, 0.5).unwrap();
    let z = b.column("z", VarKind::Integer, -5.0, 5.0, 0.0).unwrap();
    b.row("free", -INF, INF, [(x, 1e300)]).unwrap();
    b.row("big", -INF, 1e9, [(x, 1e9)]).unwrap();
    b.row("small", 2.0, 3.0, [(y, 1.0)]).unwrap();
    b.row("equal", 4.0, 4.0, [(z, 2.0)]).unwrap();
    let model = b.build().unwrap();

    let report = check(&model, &[1.0 + 1e-7, 0.5, 2.25], &Tolerances::default()).unwrap();
    assert!(!report.feasible);
    assert_eq!(report.objective, 101.2500001);
    assert_eq!(
        (
            report.violated_rows,
            report.violated_bounds,
            report.violated_integrality
        ),
        (2, 1, 1)
    );
    // The largest violation in absolute terms is within its tolerance; the worst row is not.
    assert!(report.max_row_violation() > 99.0);
    let worst = report.worst_row.unwrap();
    assert_eq!(
        (worst.kind, worst.index, worst.violation),
        (ViolationKind::Row, 2, 1.5)
    );
    assert_eq!(
        worst.to_string(),
        "the activity of row `small` is 0.5, must be at least 2, is off by 1.5"
    );
    let worst = report.worst_bound.unwrap();
    assert_eq!(
        (worst.kind, worst.index, worst.allowed),
        (ViolationKind::Bound, 1, 1e-6)
    );
    assert_eq!(
        worst.to_string(),
        "the value of column `y` is 0.5, must be at least 1, is off by 0.5"
    );
    let worst = report.worst_integrality.unwrap();
    assert_eq!(
        worst.to_string(),
        "the value of integer column `z` is 2.25, must be 2, is off by 0.25"
    );
    assert_eq!(worst.violation, 0.25);

    let above = check(&model, &[1.0, 9.0, 2.0], &Tolerances::default()).unwrap();
    assert_eq!(
        above.worst_row.unwrap().to_string(),
        "the activity of row `small` is 9, must be at most 3, is off by 6"
    );
    assert_eq!(above.worst_bound, None);
}

#[test]
fn what_cannot_be_evaluated_is_refused_by_name() {
    let model = row(0.0, 1.0, &[1.0, 1.0]);
    let message = |x: &[f64], t: Tolerances| check(&model, x, &t).unwrap_err().to_string();
    let default = Tolerances::default();
    assert_eq!(
        message(&[1.0], default),
        "the solution has 1 values where the model has 2 columns"
    );
    assert_eq!(
        message(&[0.0, f64::NAN], default),
        "the value of column `x1` is NaN, not a finite number"
    );
    assert_eq!(
        message(&[-INF, 0.0], default),
        "the value of column `x0` is -inf, not a finite number"
    );
    let bad = Tolerances {
        integrality: 0.5,
        ..default
    };
    assert_eq!(
        message(&[0.0, 0.0], bad),
        "the integrality tolerance is 0.5; expected at least 0 and less than 0.5"
    );
    let bad = Tolerances {
        feasibility: f64::NAN,
        ..default
    };
    assert!(matches!(
        bad.validate(),
        Err(CheckError::Tolerance {
            what: "feasibility",
            ..
        })
    ));
}

#[test]
fn rounding_respects_bounds_and_leaves_continuous_columns() {
    let round = |kind, lower, upper, x| round_discrete(&column(kind, lower, upper), &[x])[0];
    let integer = VarKind::Integer;
    assert_eq!(round(integer, 0.0, 1.0, 0.9999), 1.0);
    assert_eq!(round(integer, 0.5, 3.7, 0.4), 1.0);
    assert_eq!(round(integer, 0.5, 3.7, 4.0), 3.0);
    assert_eq!(
        round(integer, 0.2, 0.4, 0.3),
        0.0,
        "no integer is within these bounds"
    );
    assert_eq!(round(integer, -INF, INF, -7.6), -8.0);
    assert_eq!(round(integer, -1.0, 1.0, -0.2).to_bits(), 0, "0, not −0");
    assert_eq!(round(VarKind::Continuous, 0.0, 1.0, 0.3), 0.3);
}

#[test]
fn a_model_without_rows_or_columns_is_met_by_nothing() {
    let model = ModelBuilder::new("", Sense::Minimize).build().unwrap();
    let report = check(&model, &[], &Tolerances::default()).unwrap();
    assert!(report.feasible);
    assert_eq!(report.objective, 0.0);
}

proptest! {
    /// With integers small enough for floating point to be exact, both ways of summing agree.
    #[test]
    fn agrees_with_plain_arithmetic_where_that_is_exact(
        terms in prop::collection::vec((-1000i32..1000, -1000i32..1000), 1..30),
        lower in -2000i32..2000,
        width in 0i32..2000,
    ) {
        let (a, x): (Vec<f64>, Vec<f64>) =
            terms.iter().map(|&(a, x)| (f64::from(a), f64::from(x))).unzip();
        let (lower, upper) = (f64::from(lower), f64::from(lower + width));
        let activity: f64 = a.iter().zip(&x).map(|(a, x)| a * x).sum();
        let report = check(&row(lower, upper, &a), &x, &Tolerances::default()).unwrap();
        let violation = (lower - activity).max(activity - upper).max(0.0);
        prop_assert_eq!(report.max_row_violation(), violation);
        prop_assert_eq!(report.objective, activity);
        prop_assert_eq!(report.worst_row.map_or(0.0, |w| w.violation), violation);
        prop_assert_eq!(report.feasible, violation == 0.0);
    }
}

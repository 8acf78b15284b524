//! Propagation that keeps activities: what it concludes, and that it cuts nothing off.
#![allow(clippy::unwrap_used)]

use idpas_mip::check::{Tolerances, check};
use idpas_mip::incremental::Incremental;
use idpas_mip::propagate::{Bounds, Propagator, Trail};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use proptest::prelude::*;

/// A column: (discrete, lower, width or none).
type Column = (bool, i32, Option<i32>);
/// A row: coefficients, lower side, width or none.
type Row = (Vec<i32>, i32, Option<i32>);

fn build(columns: &[Column], rows: &[Row]) -> Model {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    for (j, &(discrete, lower, width)) in columns.iter().enumerate() {
        let kind = match discrete {
            true => VarKind::Integer,
            false => VarKind::Continuous,
        };
        let upper = width.map_or(f64::INFINITY, |width| f64::from(lower + width));
        b.column(&format!("x{j}"), kind, f64::from(lower), upper, 0.0)
            .unwrap();
    }
    for (i, (entries, lower, width)) in rows.iter().enumerate() {
        let upper = width.map_or(f64::INFINITY, |width| f64::from(lower + width));
        // Repeated, so that some rows are long ones.
        let entries = entries.iter().cycle().take(columns.len()).enumerate();
        let entries = entries.map(|(j, &a)| (j, f64::from(a)));
        let entries: Vec<(usize, f64)> = entries.filter(|&(_, a)| a != 0.0).collect();
        b.row(&format!("r{i}"), f64::from(*lower), upper, entries)
            .unwrap();
    }
    b.build().unwrap()
}

fn columns() -> impl Strategy<Value = Vec<Column>> {
    let column = (
        any::<bool>(),
        -2..2i32,
        prop::option::weighted(0.9, 0..4i32),
    );
    prop::collection::vec(column, 2..24)
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (
        prop::collection::vec(-3..4i32, 2..6),
        -8..4i32,
        prop::option::of(0..9i32),
    );
    prop::collection::vec(row, 1..5)
}

proptest! {
    /// A point within the bounds that the check accepts stays within them, whatever is fixed at its values.
    #[test]
    fn no_feasible_point_is_cut_off(
        columns in columns(),
        rows in rows(),
        picks in prop::collection::vec(0..4i32, 24),
    ) {
        let point: Vec<f64> = columns.iter().zip(&picks)
            .map(|(&(_, lower, width), &pick)| f64::from(lower + pick.min(width.unwrap_or(9))))
            .collect();
        // Sides that the point satisfies.
        let mut model = build(&columns, &rows);
        let mut activity = vec![0.0; model.num_rows()];
        for (j, x) in point.iter().enumerate() {
            for (i, a) in model.matrix.entries(j) {
                activity[i] += a * x;
            }
        }
        for (i, activity) in activity.into_iter().enumerate() {
            model.rows.lower[i] = model.rows.lower[i].min(activity);
            model.rows.upper[i] = model.rows.upper[i].max(activity);
        }
        prop_assert!(check(&model, &point, &Tolerances::default()).unwrap().feasible);
        let propagator = Propagator::new(&model);
        let mut state = Incremental::new(&propagator, Bounds::of(&model));
        for (j, &x) in point.iter().enumerate() {
            state.set(j, x, x);
            prop_assert!(state.propagate(100_000).is_ok());
            for (k, x) in point.iter().enumerate() {
                let bounds = state.bounds();
                prop_assert!(bounds.lower[k] <= x + 1e-5 && x - 1e-5 <= bounds.upper[k]);
            }
        }
    }

    /// Undone changes leave no trace, and with discrete columns it concludes what the propagator concludes.
    #[test]
    fn conclusions_are_those_of_the_propagator(
        mut columns in columns(),
        rows in rows(),
        fixed in prop::collection::vec((0..24usize, any::<bool>()), 1..5),
    ) {
        for column in &mut columns {
            *column = (true, column.1, Some(column.2.unwrap_or(3)));
        }
        let model = build(&columns, &rows);
        let propagator = Propagator::new(&model);
        let mut bounds = Bounds::of(&model);
        prop_assume!(propagator.tighten(&mut bounds, 1000).is_ok());
        let mut state = Incremental::new(&propagator, bounds.clone());
        for (j, up) in fixed {
            let j = j % columns.len();
            let value = if up { bounds.upper[j] } else { bounds.lower[j] };
            let (mark, before) = (state.mark(), state.bounds().clone());
            state.set(j, value, value);
            let mine = state.propagate(1_000_000);
            let mut trail = Trail::default();
            trail.fix(j, value, &mut bounds);
            let theirs = propagator.tighten_after(&[j], &mut bounds, 1000, &mut trail);
            prop_assert_eq!(mine.is_ok(), theirs.is_ok());
            if theirs.is_err() {
                trail.undo(&mut bounds);
                state.undo(mark);
                prop_assert_eq!(state.bounds(), &before);
            }
            prop_assert_eq!(state.bounds(), &bounds);
        }
    }
}

//! A shuffled file is put back in order, and its graph has the same numbers for every name.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Chance, named, random};
use idpas_graph::{FeatureSet, Registry, build, permuted};
use proptest::prelude::*;

proptest! {
    #[test]
    fn order_is_restored(seed in any::<u64>(), columns in 1usize..40, rows in 1usize..30) {
        let model = random(seed, columns, rows, 3);
        let mut registry = Registry::new();
        registry.add_instance(&model);
        prop_assert!(registry.order(&model).is_none());

        let mut chance = Chance(seed ^ 0x5eed);
        let shuffled = permuted(&model, &chance.permutation(columns), &chance.permutation(rows));
        shuffled.validate().unwrap();
        match registry.order(&shuffled) {
            None => prop_assert_eq!(&shuffled, &model),
            Some(order) => {
                prop_assert_eq!(&order.apply(&shuffled), &model);
                let costs = order.arrange(&shuffled.columns.cost);
                prop_assert_eq!(&costs, &model.columns.cost);
                prop_assert_eq!(&order.restore(&costs), &shuffled.columns.cost);
            }
        }
    }

    #[test]
    fn features_follow_names(seed in any::<u64>(), columns in 1usize..40, rows in 1usize..30) {
        let model = random(seed, columns, rows, 3);
        let mut chance = Chance(!seed);
        let shuffled = permuted(&model, &chance.permutation(columns), &chance.permutation(rows));
        let a = build(&model, None, FeatureSet::Full, None).unwrap();
        let b = build(&shuffled, None, FeatureSet::Full, None).unwrap();
        for (j, name) in shuffled.columns.names.iter().enumerate() {
            let old = model.columns.names.find(name).unwrap();
            prop_assert_eq!(a.variables.row(old), b.variables.row(j));
        }
        for (i, name) in shuffled.rows.names.iter().enumerate() {
            let old = model.rows.names.find(name).unwrap();
            prop_assert_eq!(&a.rows.row(old)[1..], &b.rows.row(i)[1..]);
            // The cosine is a sum, whose rounding depends on the order.
            prop_assert!((a.rows.row(old)[0] - b.rows.row(i)[0]).abs() < 1e-6);
            prop_assert!(b.by_row.of(i).is_sorted());
            prop_assert_eq!(a.by_row.of(old).len(), b.by_row.of(i).len());
        }
    }
}

#[test]
fn unknown_names_come_last_by_name() {
    let mut registry = Registry::new();
    registry.add_instance(&named(&["b", "a"]));
    let model = named(&["z", "a", "c", "b"]);
    let order = registry.order(&model).unwrap();
    assert_eq!(order.columns(), [3, 1, 2, 0]);
    assert_eq!(order.rows(), [0]);
    let moved = order.apply(&model);
    assert!(moved.columns.names.iter().eq(["b", "a", "c", "z"]));
    assert!(registry.order(&moved).is_none());
}

#[test]
fn positions_are_never_moved() {
    let mut registry = Registry::new();
    registry.add_instance(&named(&["a1", "b1"]));
    registry.add_instance(&named(&["a2", "b2"]));
    assert!(registry.order(&named(&["b1", "a1"])).is_none());
}

#[test]
#[should_panic(expected = "twice")]
fn a_permutation_names_everything_once() {
    permuted(&named(&["a", "b"]), &[0, 0], &[0]);
}

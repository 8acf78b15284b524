//! Names and positions, zero rates, and storage.

#![allow(clippy::unwrap_used)]

mod common;

use common::{example, named};
use idpas_graph::{Fit, GraphError, IdentityKey, Registry, RegistryParts};
use idpas_mip::{Model, Sense};

fn learned(instances: &[Model]) -> Registry {
    let mut registry = Registry::new();
    for model in instances {
        registry.add_instance(model);
    }
    registry
}

#[test]
fn names_are_numbered_in_order_of_appearance() {
    let registry = learned(&[named(&["a", "b"]), named(&["c", "b", "a"])]);
    assert!(registry.names().iter().eq(["a", "b", "c"]));
    assert_eq!(registry.index("c"), Some(2));
    assert_eq!(registry.index("d"), None);
    assert!(registry.stable());

    let model = named(&["d", "c", "a", "e"]);
    let identities = registry.identify(&model);
    assert_eq!(identities.index, [None, Some(2), Some(0), None]);
    assert_eq!(identities.by, IdentityKey::Name);
    assert_eq!(
        (identities.known_discrete, identities.known_rows),
        (0.5, 1.0)
    );
    assert!(registry.fit(&model).is_known(Fit::KNOWN));
    assert!(!registry.fit(&named(&["a", "x", "y"])).is_known(Fit::KNOWN));
    assert!(!Registry::new().fit(&model).is_known(Fit::KNOWN));
}

#[test]
fn only_discrete_columns_count_for_the_fit() {
    // Of x, y, z, w only y and z are discrete.
    let registry = learned(&[named(&["y", "z"])]);
    let fit = registry.fit(&example(Sense::Minimize, 1.0));
    assert_eq!((fit.columns, fit.rows), (1.0, 0.0));
}

#[test]
fn bits_leave_room_for_the_unknown() {
    for (n, bits) in [
        (0, 1),
        (1, 1),
        (2, 2),
        (3, 2),
        (4, 3),
        (7, 3),
        (8, 4),
        (1000, 10),
    ] {
        let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        assert_eq!(learned(&[named(&names)]).bits(), bits, "{n}");
    }
}

#[test]
fn families_without_stable_names_go_by_position() {
    let registry = learned(&[named(&["a1", "b1", "c"]), named(&["a2", "b2", "c"])]);
    assert!(!registry.stable());
    assert_eq!(registry.key(), IdentityKey::Position);
    assert_eq!((registry.len(), registry.bits()), (3, 2));
    assert_eq!(registry.index("c"), None);
    let identities = registry.identify(&named(&["c", "p", "q"]));
    assert_eq!(identities.index, [Some(0), Some(1), Some(2)]);
    assert_eq!(identities.by, IdentityKey::Position);
    assert_eq!(
        registry.fit(&named(&["a1", "b1"])),
        Fit {
            columns: 0.0,
            rows: 1.0
        }
    );

    // Of different sizes: nothing but the names is left.
    let registry = learned(&[named(&["a1", "b1"]), named(&["a2", "b2", "c2"])]);
    assert!(!registry.stable());
    assert_eq!(registry.key(), IdentityKey::Name);

    // A larger instance that contains the smaller one is stable.
    assert!(learned(&[named(&["a"]), named(&["a", "b", "c", "d"])]).stable());
}

#[test]
fn zero_rates_and_leaving_one_out() {
    let mut registry = learned(&[named(&["a", "b", "c"])]);
    let index = [Some(0), Some(1), None];
    assert_eq!(registry.zero_rate(0), None);
    registry.add_targets(&index, &[1.0, 0.25, 1.0]).unwrap();
    assert_eq!(registry.zero_rate_without(0, 1.0), None);
    registry.add_targets(&index, &[0.0, f32::NAN, 1.0]).unwrap();
    assert_eq!(registry.zero_rate(0), Some(0.5));
    assert_eq!(registry.zero_rate(1), Some(0.75));
    assert_eq!(registry.zero_rate(2), None);
    assert_eq!(registry.zero_rate(99), None);
    assert_eq!(registry.zero_rate_without(0, 1.0), Some(1.0));
    assert_eq!(registry.zero_rate_without(0, 0.0), Some(0.0));
    assert_eq!(registry.zero_rate_without(1, f32::NAN), Some(0.75));

    let identities = registry.identify(&named(&["b", "new", "a"]));
    assert_eq!(registry.history(&identities), [Some(0.75), None, Some(0.5)]);
    let own = registry
        .history_without(&identities, &[0.25, 0.0, 1.0])
        .unwrap();
    assert_eq!(own, [None, None, Some(1.0)]);
    assert!(registry.history_without(&identities, &[0.25]).is_err());

    // A call that fails changes nothing.
    let before = registry.to_parts();
    assert!(registry.add_targets(&index, &[1.0]).is_err());
    assert!(
        registry
            .add_targets(&[Some(0), Some(3)], &[1.0, 1.0])
            .is_err()
    );
    assert!(registry.add_targets(&index, &[1.0, 1.5, 0.0]).is_err());
    assert_eq!(registry.to_parts(), before);
}

#[test]
fn instances_added_later_keep_the_rates() {
    let mut registry = learned(&[named(&["a", "b"])]);
    registry
        .add_targets(&[Some(0), Some(1)], &[0.5, 1.0])
        .unwrap();
    registry.add_instance(&named(&["a", "b", "c"]));
    assert_eq!(registry.zero_rate(0), Some(0.5));
    assert_eq!(registry.zero_rate(2), None);
}

fn stored() -> RegistryParts {
    let mut registry = learned(&[named(&["x[1]", "größe", "x y"]), named(&["x[1]", "q"])]);
    let index = [Some(0), Some(1), Some(2), Some(3)];
    registry
        .add_targets(&index, &[0.5, 1.0, 0.0, f32::NAN])
        .unwrap();
    registry.to_parts()
}

#[test]
fn storage_loses_nothing() {
    let registry = Registry::from_parts(stored()).unwrap();
    assert_eq!(registry.to_parts(), stored());
    assert_eq!(registry.index("größe"), Some(1));
    assert_eq!(registry.zero_rate(0), Some(0.5));
    assert_eq!(registry.instances(), 2);

    let mut registry = learned(&[named(&["a1", "b1"]), named(&["a2", "b2"])]);
    registry
        .add_targets(&[Some(0), Some(1)], &[0.5, 1.0])
        .unwrap();
    let parts = registry.to_parts();
    assert!(parts.column_names.is_empty());
    let mut again = Registry::from_parts(parts.clone()).unwrap();
    assert_eq!(again.to_parts(), parts);
    again.add_instance(&named(&["a3", "b3"]));
    assert_eq!(again.key(), IdentityKey::Position);
    assert_eq!(again.zero_rate(0), Some(0.5));

    let empty = Registry::new().to_parts();
    assert!(Registry::from_parts(empty).unwrap().is_empty());
}

#[test]
fn names_that_storage_cannot_hold_stay_unknown() {
    let registry = learned(&[named(&["a", "b\0c"])]);
    assert_eq!(registry.index("b\0c"), None);
    assert_eq!(Registry::from_parts(registry.to_parts()).unwrap().len(), 1);
}

#[test]
fn damaged_parts_are_refused() {
    let damage: [fn(&mut RegistryParts); 13] = [
        |p| p.column_names.truncate(3),
        |p| p.column_names.clear(),
        |p| p.column_names[0] = 0xff,
        |p| p.column_names.extend_from_slice(b"x[1]\0"),
        |p| p.row_names.extend_from_slice(b"more"),
        |p| p.summary.columns += 1,
        |p| p.summary.rows = u64::MAX,
        |p| p.summary.shared = u64::MAX,
        |p| p.summary.comparable = u64::MAX,
        |p| p.summary.key = IdentityKey::Position,
        |p| p.nonzero_sums[0] = f64::NAN,
        |p| p.nonzero_sums[1] = 1.5,
        |p| p.counts.truncate(1),
    ];
    for (k, damage) in damage.into_iter().enumerate() {
        let mut parts = stored();
        damage(&mut parts);
        assert!(Registry::from_parts(parts).is_err(), "damage {k}");
    }
    let mut parts = stored();
    parts.nonzero_sums.push(0.0);
    let error = Registry::from_parts(parts).unwrap_err();
    assert!(matches!(
        error,
        GraphError::Length {
            found: 5,
            expected: 4,
            ..
        }
    ));
}

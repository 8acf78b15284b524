//! What every family promises: instances that can be made again, differ only where declared, and are feasible.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use idpas_families::diff::{Change, compare};
use idpas_families::{InstanceFamily, Size, course::Course, mmcnp::Mmcnp, slap::Slap};

fn families(size: Size, seed: u64) -> Vec<Box<dyn InstanceFamily>> {
    vec![
        Box::new(Mmcnp::new(size, seed).unwrap()),
        Box::new(Slap::new(size, seed).unwrap()),
        Box::new(Course::new(size, seed, None).unwrap()),
    ]
}

fn assert_feasible(family: &dyn InstanceFamily, number: u64) {
    let model = family.instance(number).unwrap().model;
    let x = family.feasible_point(number).unwrap().unwrap();
    let (name, size, seed) = (family.name(), family.size(), family.seed());
    let place = format!("{name} {size}, seed {seed}, number {number}");
    assert_eq!(x.len(), model.num_columns(), "{place}");
    let mut activity = vec![0.0; model.num_rows()];
    for (j, &value) in x.iter().enumerate() {
        let within = model.columns.lower[j] <= value && value <= model.columns.upper[j];
        assert!(
            within && value.fract() == 0.0,
            "{place}: {} = {value}",
            model.columns.names.get(j)
        );
        for (i, entry) in model.matrix.entries(j) {
            activity[i] += entry * value;
        }
    }
    for (i, &sum) in activity.iter().enumerate() {
        let within = model.rows.lower[i] <= sum && sum <= model.rows.upper[i];
        assert!(within, "{place}: row {} is {sum}", model.rows.names.get(i));
    }
}

#[test]
fn every_instance_has_a_feasible_point() {
    for seed in 1..4 {
        for family in families(Size::Tiny, seed)
            .iter()
            .chain(&families(Size::Small, seed))
        {
            for number in 1..6 {
                assert_feasible(family.as_ref(), number);
            }
        }
    }
    for size in [Size::Large, Size::Hard] {
        for family in families(size, 1) {
            assert_feasible(family.as_ref(), 1);
        }
    }
}

#[test]
fn only_what_is_declared_varies() {
    for family in families(Size::Small, 1) {
        let (first, second) = (
            family.instance(1).unwrap().model,
            family.instance(2).unwrap().model,
        );
        let changes = compare(&first, &second);
        let declared = |change: &Change| match (family.name(), change) {
            ("mmcnp", Change::Cost { column, .. }) => column.starts_with("x["),
            ("mmcnp", Change::Entry { row, column, .. }) => {
                row.starts_with("capacity[") && column.starts_with("x[")
            }
            ("slap", Change::Sides { row, .. }) => {
                row.starts_with("min[") || row.starts_with("max[")
            }
            ("slap", Change::Constant { .. }) => true,
            ("course", Change::Entry { row, column, .. }) => match row.as_str() {
                "pen1" | "pen2" => column.starts_with("x["),
                "pen3" => column.starts_with("z["),
                _ => false,
            },
            _ => false,
        };
        let other = changes.iter().find(|change| !declared(change));
        assert!(other.is_none(), "{}: {}", family.name(), other.unwrap());
        assert!(
            changes.len() > 20,
            "{}: {} changes",
            family.name(),
            changes.len()
        );
    }
}

#[test]
fn mmcnp_demand_moves_costs_and_capacity_together() {
    let family = Mmcnp::new(Size::Small, 1).unwrap();
    let (first, second) = (
        family.instance(1).unwrap().model,
        family.instance(2).unwrap().model,
    );
    let changes = compare(&first, &second);
    for (k, (a, b)) in family
        .demand(1)
        .into_iter()
        .zip(family.demand(2))
        .enumerate()
    {
        let commodity = &family.reference().commodities[k];
        assert!(0.5 * commodity.demand <= a.ceil() && a.floor() <= 1.5 * commodity.demand);
        let prefix = format!("x[{},", commodity.name);
        let touched = changes.iter().any(|change| match change {
            Change::Entry {
                column, from, to, ..
            } => column.starts_with(&prefix) && (*from, *to) == (a, b),
            _ => false,
        });
        let has_trucks = family
            .reference()
            .paths
            .iter()
            .any(|p| p.commodity == k && !p.arcs.is_empty());
        assert_eq!(touched, a != b && has_trucks, "{}", commodity.name);
    }
}

#[test]
fn slap_bounds_move_by_at_most_one() {
    let family = Slap::new(Size::Small, 1).unwrap();
    for number in 1..10 {
        let bounds = family.bounds(number).unwrap();
        for (i, leg) in family.reference().legs.iter().enumerate() {
            assert!((bounds.lower[i] - leg.lower).abs() <= 1 && bounds.lower[i] >= 1);
            assert!(bounds.upper[i] >= bounds.lower[i]);
            let expected = bounds.lower[i].max(leg.upper - 1)..=bounds.lower[i].max(leg.upper + 1);
            assert!(expected.contains(&bounds.upper[i]));
            assert!((1..=8).contains(&leg.lower) && (leg.lower..=8).contains(&leg.upper));
        }
    }
}

#[test]
fn names_tell_what_they_stand_for() {
    let model = Mmcnp::new(Size::Large, 1)
        .unwrap()
        .instance(1)
        .unwrap()
        .model;
    for name in ["y[VND03>FC2]", "y[FC1>LMD15]", "y[FC7>FC1]"] {
        assert!(model.columns.names.find(name).is_some(), "{name}");
    }
    assert!(
        model
            .columns
            .names
            .iter()
            .any(|n| n.starts_with("x[VND03>LMD") && n.ends_with(",direct]"))
    );
    let model = Slap::new(Size::Large, 1)
        .unwrap()
        .instance(1)
        .unwrap()
        .model;
    for prefix in [
        "x[ground,S01@",
        "x[light,S01@",
        "y[light,S01@",
        "x[M",
        "x[I",
        "x[L",
        "z[",
    ] {
        assert!(
            model.columns.names.iter().any(|n| n.starts_with(prefix)),
            "{prefix}"
        );
    }
    let model = Course::new(Size::Tiny, 1, None)
        .unwrap()
        .instance(1)
        .unwrap()
        .model;
    assert!(model.columns.names.find("x[1,2,3,4]").is_some());
}

#[test]
fn seeds_and_numbers_give_different_instances_and_the_same_again() {
    for size in [Size::Tiny, Size::Small] {
        let (one, again, other) = (families(size, 1), families(size, 1), families(size, 2));
        for ((a, b), c) in one.iter().zip(&again).zip(&other) {
            let model = a.instance(7).unwrap().model;
            assert_eq!(model, b.instance(7).unwrap().model);
            assert_ne!(model, a.instance(8).unwrap().model);
            assert_ne!(model, c.instance(7).unwrap().model);
        }
    }
}

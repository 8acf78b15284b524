//! MMCNP with lead times: what it adds to the plain family, and what its rows mean.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use idpas_base::random::Random;
use idpas_families::diff::{Change, compare};
use idpas_families::mmcnp::{MAX_FREQUENCY, Mmcnp, Reference, TRUCK_POUNDS};
use idpas_families::{
    FamilyError, FileFormat, GenerateOptions, InstanceFamily, Size, generate, name_of_lp,
    write_instance,
};
use idpas_mip::check::{Checker, Tolerances, check};
use idpas_mip::read_model;

#[test]
fn it_has_the_plain_model_inside() {
    let plain = Mmcnp::new(Size::Small, 4).unwrap();
    let family = Mmcnp::with_lead_time(Size::Small, 4).unwrap();
    let (small, big) = (
        plain.instance(2).unwrap().model,
        family.instance(2).unwrap().model,
    );
    assert_eq!(family.name(), "mmcnp-lead-time");
    assert_eq!(
        small.num_columns() + MAX_FREQUENCY * plain.reference().arcs.len(),
        big.num_columns()
    );
    for (j, name) in small.columns.names.iter().enumerate() {
        assert_eq!(big.columns.names.get(j), name);
        assert_eq!(big.columns.cost[j], small.columns.cost[j]);
        let entries = big.matrix.entries(j).filter(|&(i, _)| i < small.num_rows());
        assert!(entries.eq(small.matrix.entries(j)), "{name}");
    }
    for (i, name) in small.rows.names.iter().enumerate() {
        assert_eq!(big.rows.names.get(i), name);
    }
    for j in small.num_columns()..big.num_columns() {
        assert!(big.is_binary(j) && big.columns.cost[j] == 0.0);
    }
}

#[test]
fn names_and_counts_stay_and_only_demand_varies() {
    for size in [Size::Tiny, Size::Small, Size::Large] {
        let family = Mmcnp::with_lead_time(size, 1).unwrap();
        let first = family.instance(1).unwrap().model;
        for number in 2..5 {
            let other = family.instance(number).unwrap().model;
            assert_eq!(first.columns.names, other.columns.names);
            assert_eq!(first.rows.names, other.rows.names);
            assert_eq!(first.shape(), other.shape());
            let changes = compare(&first, &other);
            assert!(changes.len() > 20);
            for change in changes {
                let expected = match &change {
                    Change::Cost { column, .. } => column.starts_with("x["),
                    Change::Entry { row, column, .. } => {
                        row.starts_with("capacity[") && column.starts_with("x[")
                    }
                    _ => false,
                };
                assert!(expected, "{change}");
            }
        }
        for prefix in ["w[VND", "w[FC"] {
            assert!(first.columns.names.iter().any(|n| n.starts_with(prefix)));
        }
        for prefix in ["frequency[", "dispatch[", "operate[VND", "wait[VND"] {
            assert!(first.rows.names.iter().any(|n| n.starts_with(prefix)));
        }
    }
}

#[test]
fn the_feasible_point_passes_the_check() {
    for size in Size::ALL {
        let family = Mmcnp::with_lead_time(size, 2).unwrap();
        let x = family.feasible_point(3).unwrap().unwrap();
        let model = family.instance(3).unwrap().model;
        assert!(check(&model, &x, &Tolerances::default()).unwrap().feasible);
    }
}

/// Whether a path's arcs are operated and it keeps its lead time, by the definition, in days.
fn in_time(reference: &Reference, path: usize, frequencies: &[usize]) -> bool {
    let path = &reference.paths[path];
    let lead = reference.commodities[path.commodity].lead_days as f64;
    let days = path.arcs.iter().map(|&a| match frequencies[a] {
        0 => f64::INFINITY,
        f => reference.arcs[a].miles / 550.0 + 7.0 / f as f64,
    });
    days.sum::<f64>() <= lead + 1e-9
}

#[test]
fn random_plans_are_admitted_exactly_if_they_arrive_in_time() {
    let mut seen = [0, 0];
    for seed in 1..4 {
        let family = Mmcnp::with_lead_time(Size::Small, seed).unwrap();
        let reference = family.reference();
        let (paths, arcs) = (reference.paths.len(), reference.arcs.len());
        let model = family.instance(1).unwrap().model;
        let checker = Checker::new(&model);
        let demand = family.demand(1);
        let mut random = Random::new(seed, "plans", 0);
        for _ in 0..600 {
            let lazy = random.below(4) == 0;
            let frequencies: Vec<usize> = (0..arcs)
                .map(|_| {
                    if lazy {
                        random.below(8)
                    } else {
                        2 + random.below(6)
                    }
                })
                .collect();
            // Everything goes directly but a few commodities.
            let mut taken: Vec<usize> = (0..paths)
                .filter(|&p| reference.paths[p].arcs.is_empty())
                .collect();
            for _ in 0..1 + random.below(3) {
                let p = random.below(paths);
                taken[reference.paths[p].commodity] = p;
            }
            let mut x = vec![0.0; model.num_columns()];
            let mut loads = vec![0.0; arcs];
            for &p in &taken {
                x[p] = 1.0;
                for &a in &reference.paths[p].arcs {
                    loads[a] += demand[reference.paths[p].commodity];
                }
            }
            for (a, &f) in frequencies.iter().enumerate() {
                x[paths + a] = (loads[a] / TRUCK_POUNDS).ceil().max(f as f64);
                if f > 0 {
                    x[paths + arcs + MAX_FREQUENCY * a + f - 1] = 1.0;
                }
            }
            let expected = taken.iter().all(|&p| {
                reference.paths[p].arcs.is_empty() || in_time(reference, p, &frequencies)
            });
            let report = checker.check(&x, &Tolerances::default()).unwrap();
            let plan = format!("seed {seed}: {taken:?} {frequencies:?}");
            assert_eq!(report.feasible, expected, "{plan}");
            seen[usize::from(expected)] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
}

#[test]
fn each_dispatch_needs_a_truck() {
    let family = Mmcnp::with_lead_time(Size::Tiny, 1).unwrap();
    let model = family.instance(1).unwrap().model;
    let mut x = family.feasible_point(1).unwrap().unwrap();
    let find = |name| model.columns.names.find(name).unwrap();
    let (w, y) = (find("w[VND1>FC2,3]"), find("y[VND1>FC2]"));
    x[w] = 1.0;
    for trucks in 0..5 {
        x[y] = f64::from(trucks);
        let report = check(&model, &x, &Tolerances::default()).unwrap();
        assert_eq!(report.feasible, trucks >= 3, "{trucks}");
    }
    x[find("w[VND1>FC2,1]")] = 1.0;
    assert!(!check(&model, &x, &Tolerances::default()).unwrap().feasible);
}

#[test]
fn both_formats_hold_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let family = Mmcnp::with_lead_time(Size::Tiny, 1).unwrap();
    let model = family.instance(1).unwrap().model;
    for format in [FileFormat::Mps, FileFormat::Lp] {
        let file = write_instance(&family, 1, folder.path(), format).unwrap();
        let mut read = read_model(folder.path().join(file.name)).unwrap().model;
        for names in [&mut read.columns.names, &mut read.rows.names] {
            let mut back = idpas_mip::Names::new();
            for name in names.iter() {
                back.push(&name_of_lp(name)).unwrap();
            }
            *names = back;
        }
        assert!(compare(&model, &read).is_empty(), "{format}");
    }
}

#[test]
fn a_folder_holds_one_of_the_two_families() {
    let folder = tempfile::tempdir().unwrap();
    let write = |family: &Mmcnp| {
        let options = GenerateOptions::new(folder.path(), 1);
        generate(family, &options, &|_| ControlFlow::Continue(()))
    };
    let manifest = write(&Mmcnp::with_lead_time(Size::Tiny, 1).unwrap()).unwrap();
    assert_eq!(manifest.family, "mmcnp-lead-time");
    let refused: Result<_, FamilyError> = write(&Mmcnp::new(Size::Tiny, 1).unwrap());
    assert!(refused.is_err());
}

#[test]
fn bytes_never_change() {
    // If this fails, instances of earlier versions cannot be made again: say so in the change log.
    let folder = tempfile::tempdir().unwrap();
    let family = Mmcnp::with_lead_time(Size::Tiny, 1).unwrap();
    let file = write_instance(&family, 1, folder.path(), FileFormat::Mps).unwrap();
    assert_eq!(&file.sha256[..16], "f5d0c6f7183c36dc");
}

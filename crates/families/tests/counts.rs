//! The six lines of the paper's table of instance sizes.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use idpas_families::{InstanceFamily, Size, course::Course, mmcnp::Mmcnp, slap::Slap};

fn assert_counts(family: &dyn InstanceFamily, rows: usize, binaries: usize, integers: usize) {
    let shape = family.instance(1).unwrap().model.shape();
    let found = (shape.rows, shape.binaries, shape.integers, shape.continuous);
    assert_eq!(
        found,
        (rows, binaries, integers, 0),
        "{} {}, seed {}",
        family.name(),
        family.size(),
        family.seed()
    );
}

#[test]
fn mmcnp_large() {
    assert_counts(&Mmcnp::new(Size::Large, 1).unwrap(), 643, 2_540, 357);
}

#[test]
fn mmcnp_hard() {
    assert_counts(&Mmcnp::new(Size::Hard, 1).unwrap(), 4_361, 23_984, 1_135);
}

#[test]
fn slap_large() {
    assert_counts(&Slap::new(Size::Large, 1).unwrap(), 80_982, 8, 77_946);
}

#[test]
fn slap_hard() {
    assert_counts(&Slap::new(Size::Hard, 1).unwrap(), 82_996, 20, 77_032);
}

#[test]
fn course_large() {
    assert_counts(
        &Course::new(Size::Large, 1, None).unwrap(),
        30_173,
        43_488,
        173,
    );
}

#[test]
fn course_hard() {
    assert_counts(
        &Course::new(Size::Hard, 1, None).unwrap(),
        53_205,
        79_968,
        229,
    );
}

#[test]
fn any_seed_gives_the_counts() {
    for seed in 2..6 {
        assert_counts(&Mmcnp::new(Size::Large, seed).unwrap(), 643, 2_540, 357);
    }
    assert_counts(&Slap::new(Size::Large, 2).unwrap(), 80_982, 8, 77_946);
}

#[test]
fn small_sizes_have_the_same_counts_for_every_seed() {
    for size in [Size::Tiny, Size::Small] {
        let families = |seed| -> [Box<dyn InstanceFamily>; 3] {
            [
                Box::new(Mmcnp::new(size, seed).unwrap()),
                Box::new(Slap::new(size, seed).unwrap()),
                Box::new(Course::new(size, seed, None).unwrap()),
            ]
        };
        let shapes = |seed| {
            families(seed).map(|family| {
                let shape = family.instance(1).unwrap().model.shape();
                (shape.rows, shape.binaries, shape.integers)
            })
        };
        for seed in 2..20 {
            assert_eq!(shapes(seed), shapes(1), "{size}, seed {seed}");
        }
    }
}

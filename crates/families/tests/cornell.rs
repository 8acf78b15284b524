//! COURSE on data in the shape of Cornell's, and on Cornell's own where it is at hand.

#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write;
use std::path::Path;

use idpas_families::course::{Course, CourseData};
use idpas_families::{InstanceFamily, Size, diff};
use idpas_mip::{Model, read_model};
use idpas_testing::shared_data;
use tempfile::TempDir;

/// The small term of this folder, as files of the kinds that Cornell has: only the blocks are not compressed.
fn small_term() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/course");
    for name in ["anon_coenrol.csv", "anon_t_co.csv", "sim_t_co.csv"] {
        let file = File::create(folder.path().join(format!("{name}.gz"))).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        let text = std::fs::read(data.join(name)).unwrap();
        encoder.write_all(&text).unwrap();
        encoder.finish().unwrap();
    }
    for name in ["anon24.csv", "expected.lp.gz"] {
        std::fs::copy(data.join(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// Compares two models, the order of rows included.
fn assert_same(theirs: &Model, ours: &Model) {
    let changes = diff::compare(theirs, ours);
    assert!(
        changes.is_empty(),
        "{} differences, first {}",
        changes.len(),
        changes[0]
    );
    assert!(
        theirs.rows.names.iter().eq(ours.rows.names.iter()),
        "the rows' order"
    );
}

/// Entries of a table by their place in it; all others are zero.
fn table(size: usize, entries: &[(usize, f64)]) -> Vec<f64> {
    let mut table = vec![0.0; size];
    for &(at, value) in entries {
        table[at] = value;
    }
    table
}

/// The coefficients of the small term with four blocks, worked out by hand. The 24 blocks become four of six, so that
/// courses 0 to 5 are in blocks 0, 1, 1, 3, 2, 3; course 6 has none, and what it shares with others is lost.
#[test]
fn a_small_term_is_read_with_its_quirks() {
    let folder = small_term();
    let term = CourseData::read(folder.path()).unwrap();
    let found = term.coefficients(4, term.triples.iter().copied());
    let at = |i: usize, j: usize, k: usize| (i * 4 + j) * 4 + k;
    // Of each triple the order of ascending ids counts, so that (1, 3, 2) has students and (1, 2, 3) has none.
    let triples = [(at(0, 1, 3), 6.0), (at(1, 1, 3), 4.0), (at(1, 3, 2), 3.0)];
    assert_eq!(found.triples, table(64, &triples));
    // Ids of pairs are looked up as they are, although they count from 1: course 1 is in block 1, not in block 0.
    let pairs = [
        (1 + 4, 3.0 + 3.0),
        (4 + 3, 5.0),
        (12 + 1, 5.0),
        (4 + 2, 7.0),
        (8 + 1, 7.0),
        (12 + 3, 2.0 + 2.0),
        (8 + 3, 4.0),
        (12 + 2, 4.0),
    ];
    assert_eq!(found.pairs, table(16, &pairs));
}

#[test]
fn the_model_of_a_small_term_comes_out_exactly() {
    let folder = small_term();
    let expected = read_model(folder.path().join("expected.lp.gz")).unwrap();
    assert_eq!(expected.warnings, []);
    let term = CourseData::read(folder.path()).unwrap();
    let simulated = folder.path().join("sim_t_co.csv.gz");
    let triples = CourseData::read_simulated(&simulated).unwrap();
    let ours = Course::model(&term.coefficients(4, triples)).unwrap();
    assert_same(&expected.model, &ours);
    let shape = ours.shape();
    assert_eq!((shape.rows, shape.binaries, shape.integers), (685, 608, 29));
}

#[test]
fn instances_of_a_small_term_hold_its_triples_and_a_hundred_thousand_more() {
    let folder = small_term();
    let family = Course::custom(4, 6, 42, CourseData::read(folder.path()).unwrap());
    // Every course below 6 has a block, so that no random triple is lost, and of the historical ones 6 + 4 + 3 count.
    let total: f64 = family.coefficients(1).triples.iter().sum();
    assert_eq!(total, 100_013.0);
    assert_eq!(family.coefficients(1).pairs, family.coefficients(2).pairs);
    assert_ne!(
        family.coefficients(1).triples,
        family.coefficients(2).triples
    );
    let tiny = Course::new(Size::Tiny, 1, Some(folder.path())).unwrap();
    assert_eq!(tiny.instance(1).unwrap().model.shape().rows, 685);
    let names: Vec<String> = tiny.inputs().into_iter().map(|input| input.name).collect();
    assert_eq!(
        names,
        ["anon24.csv", "anon_coenrol.csv.gz", "anon_t_co.csv.gz"]
    );
}

#[test]
fn the_authors_own_model_comes_out_exactly() {
    let Some(folder) = shared_data("course") else {
        return;
    };
    let theirs = read_model(folder.join("blockseq_n200_seed42.lp.gz"))
        .unwrap()
        .model;
    let term = CourseData::read(&folder).unwrap();
    let triples = CourseData::read_simulated(&folder.join("sim_t_co_n200_seed42.csv.gz")).unwrap();
    let ours = Course::model(&term.coefficients(10, triples)).unwrap();
    assert_same(&theirs, &ours);
    assert_eq!(ours.shape().rows, 15_565);
}

#[test]
fn instances_hold_the_historical_triples_and_a_hundred_thousand_more() {
    let Some(folder) = shared_data("course") else {
        return;
    };
    let family = Course::custom(10, 200, 42, CourseData::read(&folder).unwrap());
    let total: f64 = family.coefficients(1).triples.iter().sum();
    // Every course below 200 has a block, so none is lost: 14,829 historical ones.
    assert_eq!(total, 114_829.0);
    assert_eq!(family.coefficients(1).pairs, family.coefficients(2).pairs);
    let large = Course::new(Size::Large, 1, Some(&folder)).unwrap();
    assert_eq!(large.instance(1).unwrap().model.shape().rows, 30_173);
    let names: Vec<String> = large.inputs().into_iter().map(|input| input.name).collect();
    assert_eq!(
        names,
        ["anon24.csv", "anon_coenrol.csv.gz", "anon_t_co.csv.gz"]
    );
}

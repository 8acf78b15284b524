//! COURSE on Cornell's own data, where it is at hand.

#![allow(clippy::unwrap_used)]

use idpas_families::course::{Course, CourseData};
use idpas_families::{Family, Size, diff};
use idpas_mip::read_model;
use idpas_testing::shared_data;

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
    let changes = diff::compare(&theirs, &ours);
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

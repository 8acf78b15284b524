//! The most similar training instances, and how often variables are zero.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check_damage, demands, family, instance, judge, model, pool, restored, scores};
use idpas_learn::{Instance, Nearest, NearestSettings, Predictor, Source, Watch, ZeroFrequency};
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;

fn trained(neighbours: Option<usize>) -> (Nearest, common::Family, idpas_graph::Registry) {
    let (family, registry) = family(4, [120, 30, 20]);
    let settings = NearestSettings {
        neighbours,
        ..NearestSettings::default()
    };
    let watch = Watch::default();
    let nearest = Nearest::train(&family, &registry, &settings, Weighting::Uniform, watch);
    (nearest.unwrap(), family, registry)
}

#[test]
fn similar_instances_say_more_than_all_of_them() {
    let (nearest, family, registry) = trained(None);
    assert!([1, 3, 5, 10, 20].contains(&nearest.neighbours()));
    let frequency =
        ZeroFrequency::train(&family, &registry, Weighting::Uniform, Watch::default()).unwrap();
    let ours = judge(&nearest, &family, &registry).all;
    let theirs = judge(&frequency, &family, &registry).all;
    assert!(ours.brier.unwrap().mean < 0.7 * theirs.brier.unwrap().mean);
    assert!(ours.auc.unwrap().mean > 0.85, "{:?}", ours.auc);
}

#[test]
fn an_instance_seen_in_training_finds_itself() {
    let (nearest, family, registry) = trained(Some(1));
    let name = family.names(Part::Train)[17];
    let example = family.load(name).unwrap();
    let identities = registry.identify(&example.model);
    let asked = instance(&example.model, &identities, &registry);
    let solutions = nearest.solutions(&asked, 3);
    assert_eq!(solutions.len(), 3);
    assert_eq!(solutions[0], example.pool.solutions[0].values);
    let scores = nearest.scores(&asked).unwrap();
    for (j, target) in example.pool.targets(Weighting::Uniform).iter().enumerate() {
        if example.model.is_integer(j) {
            assert!((scores[j] - target).abs() < 0.02, "column {j}");
        }
    }
    let blind = Instance {
        with_identity: false,
        ..asked
    };
    assert!(nearest.scores(&blind).unwrap().iter().all(|s| s.is_nan()));
}

#[test]
fn starts_are_by_name_and_unknown_where_nothing_is_known() {
    let (nearest, _, registry) = trained(Some(1));
    let demands = demands(2, 5);
    let model = model(&demands, &[4, 2, 0, 3, 1]);
    let identities = registry.identify(&model);
    let start = &nearest.solutions(&instance(&model, &identities, &registry), 1)[0];
    for (j, name) in model.columns.names.iter().enumerate() {
        assert_eq!(start[j].is_nan(), name.ends_with('4'), "{name}");
    }
    assert!(scores(&nearest, &model, &registry)[0].is_nan());
}

#[test]
fn files_give_the_same_predictors_and_damage_is_noticed() {
    let (nearest, family, registry) = trained(None);
    let stored = nearest.store();
    assert_eq!(
        restored(&stored, |_| {}, Nearest::restore).unwrap(),
        nearest
    );
    check_damage(&stored, Nearest::restore);
    let frequency =
        ZeroFrequency::train(&family, &registry, Weighting::Uniform, Watch::default()).unwrap();
    let stored = frequency.store();
    let again = restored(&stored, |_| {}, ZeroFrequency::restore).unwrap();
    assert_eq!(again, frequency);
    check_damage(&stored, ZeroFrequency::restore);
}

#[test]
fn frequencies_are_smoothed_means() {
    let mut frequency = ZeroFrequency::new();
    frequency.add(&[Some(2), None, Some(0)], &[1.0, 1.0, f32::NAN]);
    frequency.add(&[Some(2)], &[0.5]);
    assert_eq!(frequency.probability(2), Some(2.0 / 3.0));
    assert_eq!(frequency.probability(0), None);
    assert_eq!(frequency.probability(7), None);
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let (nearest, _, registry) = trained(Some(5));
    let demands = demands(500, 4);
    let (a, b) = (
        model(&demands, &[0, 1, 2, 3]),
        model(&demands, &[3, 1, 0, 2]),
    );
    assert_eq!(pool(&a, &demands).solutions.len(), 1);
    let (first, second) = (
        scores(&nearest, &a, &registry),
        scores(&nearest, &b, &registry),
    );
    for (j, name) in b.columns.names.iter().enumerate() {
        let i = a.columns.names.find(name).unwrap();
        assert_eq!(first[i].to_bits(), second[j].to_bits(), "{name}");
    }
}

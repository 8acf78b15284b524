//! One small network per variable: learns a rule, survives a file, does not care about order.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use common::{check_damage, demands, family, judge, model, restored, scores};
use idpas_learn::{
    LearnError, ParameterSettings, PieceProgress, Predictor, Prop, PropSettings, Watch,
    ZeroFrequency,
};
use idpas_pools::pool::Weighting;

fn trained(
    variables: usize,
    settings: &PropSettings,
) -> (Prop, common::Family, idpas_graph::Registry) {
    let (family, registry) = family(variables, [120, 40, 20]);
    let prop = Prop::train(
        &family,
        &registry,
        settings,
        Weighting::Uniform,
        Watch::default(),
    );
    (prop.unwrap(), family, registry)
}

#[test]
fn it_learns_a_rule_that_frequencies_cannot() {
    let (prop, family, registry) = trained(20, &PropSettings::default());
    assert_eq!(prop.networks(), 20);
    // The demand is a cost, a row's side and a coefficient: one parameter each.
    assert_eq!(
        (prop.space().varying(), prop.space().dimensions()),
        (60, 20)
    );
    let frequency =
        ZeroFrequency::train(&family, &registry, Weighting::Uniform, Watch::default()).unwrap();
    let (ours, theirs) = (
        judge(&prop, &family, &registry),
        judge(&frequency, &family, &registry),
    );
    let (ours, theirs) = (ours.all, theirs.all);
    assert!(ours.auc.unwrap().mean > 0.95, "{:?}", ours.auc);
    assert!(theirs.auc.unwrap().mean < 0.7, "{:?}", theirs.auc);
    assert!(ours.log_loss.unwrap().mean < theirs.log_loss.unwrap().mean);
}

#[test]
fn it_learns_from_principal_components_too() {
    let parameters = ParameterSettings {
        max_dimensions: 16,
        ..ParameterSettings::default()
    };
    let settings = PropSettings {
        parameters,
        ..PropSettings::default()
    };
    let (prop, family, registry) = trained(20, &settings);
    assert_eq!(
        (prop.space().distinct(), prop.space().dimensions()),
        (20, 16)
    );
    assert!(judge(&prop, &family, &registry).all.auc.unwrap().mean > 0.8);
    let file = restored(&prop.store(), |_| {}, Prop::restore).unwrap();
    assert_eq!(file, prop);
    check_damage(&prop.store(), Prop::restore);
}

#[test]
fn columns_in_another_order_have_the_same_scores() {
    let (prop, _, registry) = trained(10, &PropSettings::default());
    let demands = demands(1000, 10);
    let straight = model(&demands, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let mixed = model(&demands, &[7, 2, 9, 0, 4, 1, 3, 8, 6, 5]);
    let (a, b) = (
        scores(&prop, &straight, &registry),
        scores(&prop, &mixed, &registry),
    );
    for (j, name) in mixed.columns.names.iter().enumerate() {
        let i = straight.columns.names.find(name).unwrap();
        assert_eq!(a[i].to_bits(), b[j].to_bits(), "{name}");
    }
}

#[test]
fn it_says_nothing_of_names_it_does_not_know() {
    let (prop, _, registry) = trained(4, &PropSettings::default());
    let model = model(&demands(1000, 6), &[5, 0, 1, 2, 3, 4]);
    let scores = scores(&prop, &model, &registry);
    for (j, name) in model.columns.names.iter().enumerate() {
        let known = ["x0", "x1", "x2", "x3"].contains(&name);
        assert_eq!(!scores[j].is_nan(), known, "{name}");
    }
}

#[test]
fn a_file_gives_the_same_predictor_and_damage_is_noticed() {
    let (prop, _, _) = trained(6, &PropSettings::default());
    let stored = prop.store();
    assert_eq!(restored(&stored, |_| {}, Prop::restore).unwrap(), prop);
    check_damage(&stored, Prop::restore);
    let mut foreign = stored.clone();
    foreign.settings["hidden"] = 17.into();
    assert!(restored(&foreign, |_| {}, Prop::restore).is_err());
    foreign.settings = serde_json::Value::Null;
    assert!(restored(&foreign, |_| {}, Prop::restore).is_err());
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    // More variables than train together.
    let few = PropSettings {
        epochs: 20,
        ..PropSettings::default()
    };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| trained(70, &few).0)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn it_reports_progress_and_can_be_stopped() {
    let (family, registry) = family(70, [20, 5, 0]);
    let seen: Mutex<Vec<PieceProgress>> = Mutex::default();
    let stop = AtomicBool::new(false);
    let report = |progress| seen.lock().unwrap().push(progress);
    let watch = Watch {
        report: &report,
        stop: &stop,
    };
    let settings = PropSettings::default();
    Prop::train(&family, &registry, &settings, Weighting::Uniform, watch).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen[0].done, 0);
    assert!(seen.iter().any(|p| p.done == 70 && p.total == 70));
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let watch = Watch {
        stop: &stop,
        ..Watch::default()
    };
    let stopped = Prop::train(&family, &registry, &settings, Weighting::Uniform, watch);
    assert!(matches!(stopped, Err(LearnError::Interrupted)));
}

//! Statistics against a direct computation, and what applying them gives.

#![allow(clippy::unwrap_used)]

mod common;

use common::random;
use idpas_graph::{CLAMP, FeatureSet, RawGraph, Standardiser, VariableFeature, build};

fn graphs() -> Vec<RawGraph> {
    (1..5)
        .map(|seed| {
            let mut model = random(seed, 30 * seed as usize, 20, 3);
            for cost in &mut model.columns.cost {
                // A large mean, at which a plain sum of squares would lose the deviation.
                *cost += 1e5;
            }
            build(&model, None, FeatureSet::Light, None).unwrap()
        })
        .collect()
}

/// The column of a feature.
fn column(feature: VariableFeature) -> usize {
    let features = FeatureSet::Light.variable_features();
    features.iter().position(|&f| f == feature).unwrap()
}

#[test]
fn statistics_are_those_of_all_nodes_together() {
    let graphs = graphs();
    let mut standardiser = Standardiser::new(FeatureSet::Light);
    for graph in &graphs {
        standardiser.observe(graph).unwrap();
    }
    let frozen = standardiser.finish();
    for (k, scaling) in frozen.variables().iter().enumerate() {
        let all = graphs
            .iter()
            .flat_map(|g| g.variables.data.iter().skip(k).step_by(g.variables.width));
        let all: Vec<f64> = all.map(|&x| f64::from(x)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let scale = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt();
        if !scaling.feature.is_standardised() {
            assert_eq!((scaling.mean, scaling.scale), (0.0, 1.0));
            continue;
        }
        assert!((scaling.mean - mean).abs() <= 1e-12 * mean.abs().max(1.0));
        let expected = if scale == 0.0 { 1.0 } else { scale };
        assert!(
            (scaling.scale - expected).abs() <= 1e-9 * expected,
            "{}",
            scaling.feature
        );
    }
    // Lower bounds are all zero: constant.
    assert_eq!(
        frozen.variables()[column(VariableFeature::Lower)].scale,
        1.0
    );

    let mut merged: Vec<RawGraph> = graphs;
    let at = column(VariableFeature::Objective);
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for graph in &mut merged {
        let before = graph.clone();
        frozen.apply(graph).unwrap();
        for j in 0..graph.variables.rows() {
            let z = f64::from(graph.variables.row(j)[at]);
            (sum, squares, count) = (sum + z, squares + z * z, count + 1.0);
            assert_eq!(graph.variables.row(j)[..3], before.variables.row(j)[..3]);
        }
    }
    assert!((sum / count).abs() < 1e-5);
    assert!((squares / count - 1.0).abs() < 1e-5);
}

#[test]
fn constants_are_centred_and_outliers_clamped() {
    let mut model = random(7, 20, 10, 2);
    model.columns.cost.fill(0.1);
    let graph = build(&model, None, FeatureSet::Light, None).unwrap();
    let mut standardiser = Standardiser::new(FeatureSet::Light);
    standardiser.observe(&graph).unwrap();
    standardiser.observe(&graph).unwrap();
    let frozen = standardiser.finish();
    let at = column(VariableFeature::Objective);
    let scaling = frozen.variables()[at];
    assert!((scaling.mean - f64::from(0.1f32)).abs() < 1e-15);
    assert_eq!(scaling.scale, 1.0);

    model.columns.cost[0] = 1e9;
    model.columns.cost[1] = -1e9;
    let mut graph = build(&model, None, FeatureSet::Light, None).unwrap();
    frozen.apply(&mut graph).unwrap();
    assert_eq!(graph.variables.row(0)[at], CLAMP);
    assert_eq!(graph.variables.row(1)[at], -CLAMP);
    assert!(graph.variables.row(2)[at].abs() < 1e-6);
}

#[test]
fn nothing_observed_changes_nothing_and_other_sets_are_refused() {
    let model = random(3, 10, 5, 2);
    let raw = build(&model, None, FeatureSet::Full, None).unwrap();
    let mut standardiser = Standardiser::new(FeatureSet::Paper);
    assert!(standardiser.observe(&raw).is_err());
    assert!(standardiser.finish().apply(&mut raw.clone()).is_err());

    let mut graph = raw.clone();
    Standardiser::new(FeatureSet::Full)
        .finish()
        .apply(&mut graph)
        .unwrap();
    assert_eq!(graph, raw);
}

//! What is usual in a family, and how far an instance is from it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{example, relaxed};
use idpas_graph::{
    FeatureSet, IdentityInput, Profile, Registry, VariableFeature, assemble, build, permuted, prior,
};
use idpas_mip::{Model, Sense};

/// [`example`] with another cost of `x`, another side of `less` and another coefficient of `x` in it.
fn varied(by: f64) -> Model {
    let mut model = example(Sense::Minimize, 1.0);
    model.columns.cost[0] = 3.0 + by;
    model.rows.upper[0] = 4.0 - 2.0 * by;
    let mut matrix = idpas_mip::Matrix::new();
    for j in 0..model.num_columns() {
        for (i, a) in model.matrix.entries(j) {
            matrix.push(i, if (i, j) == (0, 0) { a + by } else { a });
        }
        matrix.close();
    }
    model.matrix = matrix;
    model
}

fn family() -> (Registry, Profile) {
    let mut registry = Registry::new();
    let models = [-1.0, 0.0, 1.0].map(varied);
    for model in &models {
        registry.add_instance(model);
    }
    let mut profile = Profile::default();
    for model in &models {
        let identities = registry.identify(model);
        let lp = relaxed();
        profile
            .observe(&registry, &identities, model, Some(&lp))
            .unwrap();
    }
    profile.settle();
    (registry, profile)
}

#[test]
fn deviations_are_in_standard_deviations_of_the_very_place() {
    let (registry, profile) = family();
    let model = varied(0.5);
    let identities = registry.identify(&model);
    let lp = relaxed();
    let found = profile
        .deviations(&registry, &identities, &model, Some(&lp))
        .unwrap();
    // −1, 0 and 1 have the deviation √(2/3).
    let one = (0.5 / (2.0f64 / 3.0).sqrt()) as f32;
    assert!((found.columns[0][0] - one).abs() < 1e-6);
    assert!((found.rows[0][0] + one).abs() < 1e-6, "2·by, the other way");
    assert!((found.edges[0] - one).abs() < 1e-6);
    assert!(
        found.edges[1..].iter().all(|d| *d == 0.0),
        "the rest is the same"
    );
    assert!(found.columns[1..].iter().flatten().all(|d| *d == 0.0));
    // Far out, they are clamped.
    let far = varied(1e9);
    let found = profile
        .deviations(&registry, &identities, &far, None)
        .unwrap();
    assert_eq!(found.columns[0], [5.0, 0.0, 0.0]);
}

#[test]
fn deviations_go_with_names_and_are_hidden_with_identities() {
    let (registry, profile) = family();
    let model = varied(0.5);
    let shuffled = permuted(&model, &[2, 0, 3, 1], &[4, 2, 0, 1, 3]);
    let identities = registry.identify(&shuffled);
    let found = profile
        .deviations(&registry, &identities, &shuffled, None)
        .unwrap();
    assert!(found.columns[1][0] > 0.5 && found.rows[2][0] < -0.5);
    let mut raw = build(&shuffled, None, FeatureSet::Full, None).unwrap();
    raw.set_deviations(&found).unwrap();
    let place = FeatureSet::Full
        .variable_features()
        .iter()
        .position(|f| *f == VariableFeature::ObjectiveDeviation)
        .unwrap();
    let bits = registry.bits();
    let shown = assemble(raw.clone(), IdentityInput::All(identities.columns(bits))).unwrap();
    assert!(shown.variables.row(1)[place] > 0.5);
    assert!(shown.rows.data.chunks(13).any(|row| row[11] != 0.0));
    assert!(shown.edges.data.chunks(3).any(|edge| edge[2] != 0.0));
    for hidden in [IdentityInput::Off, IdentityInput::Unknown { bits }] {
        let graph = assemble(raw.clone(), hidden).unwrap();
        assert_eq!(graph.variables.row(1)[place], 0.0);
        assert!(graph.rows.data.chunks(13).all(|row| row[11] == 0.0));
        assert!(graph.edges.data.chunks(3).all(|edge| edge[2] == 0.0));
    }
    let dropped = [false, true, false, false];
    let identity = identities.columns(bits);
    let graph = assemble(
        raw,
        IdentityInput::Dropped {
            identity,
            dropped: &dropped,
        },
    )
    .unwrap();
    assert_eq!(graph.variables.row(1)[place], 0.0);
    assert!(
        graph.edges.data.chunks(3).all(|edge| edge[2] == 0.0),
        "only x varies"
    );
}

#[test]
fn profiles_are_kept_and_damage_is_noticed() {
    let (_, profile) = family();
    let parts = profile.to_parts();
    assert_eq!(parts.places, [0, 0], "constant entries are forgotten");
    assert_eq!(Profile::from_parts(&parts).unwrap(), profile);
    let mut short = parts.clone();
    short.usual.pop();
    assert!(Profile::from_parts(&short).is_err());
    let mut odd = parts.clone();
    odd.places.push(1);
    assert!(Profile::from_parts(&odd).is_err());
    let mut wrong = parts.clone();
    wrong.usual[1] = f64::NAN;
    assert!(Profile::from_parts(&wrong).is_err());
    let mut huge = parts;
    huge.rows = usize::MAX;
    assert!(Profile::from_parts(&huge).is_err());
}

#[test]
fn the_prior_is_the_logit_of_the_smoothed_rate() {
    let model = example(Sense::Minimize, 1.0);
    let history = [None, Some(0.75), Some(1.0), None];
    let raw = build(&model, None, FeatureSet::Full, Some(&history)).unwrap();
    let index = [Some(0), Some(1), Some(2), Some(3)];
    let identity = idpas_graph::IdentityColumns {
        index: &index,
        bits: 3,
    };
    let graph = assemble(raw.clone(), IdentityInput::All(identity)).unwrap();
    let found = prior(&graph, FeatureSet::Full, 100);
    assert_eq!(found[0], 0.0);
    assert!((found[1] - (25.5f32 / 75.5).ln()).abs() < 1e-6);
    assert!((found[2] - (0.5f32 / 100.5).ln()).abs() < 1e-6);
    let hidden = assemble(raw, IdentityInput::Off).unwrap();
    assert_eq!(prior(&hidden, FeatureSet::Full, 100), [0.0; 4]);
    assert_eq!(prior(&hidden, FeatureSet::Paper, 100), [0.0; 4]);
}

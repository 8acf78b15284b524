//! Which numbers vary.
#![allow(clippy::unwrap_used)]

mod common;

use common::Family;
use idpas_graph::Registry;
use idpas_learn::{Example, ParameterSettings, ParameterSpace, Watch};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_pools::split::Part;

/// One variable that varies in cost, bound and coefficient, with a row that is sometimes open and sometimes holds a
/// second variable.
fn build(cost: f64, upper: f64, side: f64, extra: f64) -> Model {
    let mut b = ModelBuilder::new("m", Sense::Minimize);
    let x = b.column("x", VarKind::Integer, 0.0, upper, cost).unwrap();
    let y = b
        .column("y", VarKind::Integer, 0.0, 1.0, -2.0 * cost + 7.0)
        .unwrap();
    b.row("r", f64::NEG_INFINITY, side, [(x, 1.0), (y, extra)])
        .unwrap();
    b.build().unwrap()
}

fn family(models: Vec<Model>) -> (Family, Registry) {
    let mut registry = Registry::new();
    let (mut names, mut examples) = (Vec::new(), Vec::new());
    for (k, model) in models.into_iter().enumerate() {
        registry.add_instance(&model);
        names.push((k.to_string(), Part::Train));
        examples.push(Example {
            name: k.to_string(),
            pool: pool(&model),
            model,
        });
    }
    (Family { names, examples }, registry)
}

fn pool(model: &Model) -> idpas_pools::pool::Pool {
    let (family, _) = common::family(1, [1, 0, 0]);
    let mut pool = family.examples[0].pool.clone();
    pool.solutions[0].values = vec![0.0; model.num_columns()];
    pool.info.instance.columns = model.num_columns();
    pool
}

fn learn(family: &Family, registry: &Registry, max_dimensions: usize) -> ParameterSpace {
    let settings = ParameterSettings {
        max_dimensions,
        ..ParameterSettings::default()
    };
    ParameterSpace::learn(family, registry, &settings, Watch::default()).unwrap()
}

#[test]
fn constants_are_left_out_and_images_merged() {
    let models = [1.0, 2.0, 4.0, 3.0].map(|c| build(c, 5.0, 10.0, 1.0));
    let (family, registry) = family(models.into());
    let space = learn(&family, &registry, 64);
    assert_eq!((space.varying(), space.dimensions()), (2, 1));
    let values = |model: &Model| space.values(model, &registry.identify(model), &registry);
    // Mean 2.5, deviation √1.25; far away is cut off.
    assert!((values(&build(5.0, 5.0, 10.0, 1.0))[0] - 2.5 / 1.25f64.sqrt()).abs() < 1e-6);
    assert_eq!(values(&build(1e9, 5.0, 10.0, 1.0)), [10.0]);
    let other = ModelBuilder::new("empty", Sense::Minimize).build().unwrap();
    assert_eq!(values(&other), [0.0]);
}

#[test]
fn infinite_sides_and_entries_that_come_and_go_are_parameters() {
    let inf = f64::INFINITY;
    let sides = [10.0, inf, 12.0, inf, 11.0];
    let extras = [3.0, 3.0, 0.0, 0.0, 3.0];
    let models = (0..5).map(|k| build(1.0, 5.0, sides[k], extras[k]));
    let (family, registry) = family(models.collect());
    let space = learn(&family, &registry, 64);
    assert_eq!((space.varying(), space.dimensions()), (2, 2));
    let values = |side, extra| {
        let model = build(1.0, 5.0, side, extra);
        space.values(&model, &registry.identify(&model), &registry)
    };
    let (finite, infinite) = (values(10.0, 3.0), values(inf, 3.0));
    assert_eq!(finite, values(77.0, 3.0), "only being infinite counts");
    assert_ne!(finite, infinite);
    assert_ne!(finite, values(10.0, 0.0));
    assert!(infinite.iter().chain(&finite).all(|v| v.is_finite()));
}

#[test]
fn components_keep_the_training_distances() {
    let (family, registry) = common::family(30, [20, 0, 0]);
    let whole = learn(&family, &registry, 64);
    let reduced = learn(&family, &registry, 25);
    // Twenty instances span nineteen directions around their mean.
    assert_eq!((whole.dimensions(), reduced.dimensions()), (30, 19));
    let points = |space: &ParameterSpace| -> Vec<Vec<f64>> {
        let point = |e: &Example| {
            let values = space.values(&e.model, &registry.identify(&e.model), &registry);
            values
                .iter()
                .zip(space.spread())
                .map(|(v, s)| v * s)
                .collect()
        };
        family.examples.iter().map(point).collect()
    };
    let distance = |a: &[f64], b: &[f64]| {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let (whole, small) = (points(&whole), points(&reduced));
    for i in 0..20 {
        let (a, b) = (
            distance(&whole[0], &whole[i]),
            distance(&small[0], &small[i]),
        );
        assert!((a - b).abs() < 1e-3 * (1.0 + a), "{a} {b}");
    }
    // Each component has mean 0 and deviation 1 over training.
    for d in 0..19 {
        let values = small.iter().map(|p| p[d] / reduced.spread()[d]);
        let (sum, squares) = values.fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
        assert!(f64::abs(sum) < 1e-3 && (squares / 20.0 - 1.0).abs() < 1e-3);
    }
}

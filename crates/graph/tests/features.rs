//! Every feature of a small model, written out.

#![allow(clippy::unwrap_used)]

mod common;

use common::{assert_close, example, is_finite, relaxed};
use idpas_graph::{EdgeFeature, FeatureSet, GraphError, Widths, build};
use idpas_mip::{Matrix, Model, Relaxation, Sense};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

#[test]
fn full_features_are_these() {
    let model = example(Sense::Minimize, 1.0);
    let history = [None, Some(0.75), None, None];
    let graph = build(&model, Some(&relaxed()), FeatureSet::Full, Some(&history)).unwrap();

    // kinds | objective | has bounds | at bounds, fractionality | basis | reduced cost, value
    // | bounds, degree | zero rate, known
    #[rustfmt::skip]
    let variables = [
        [1., 0., 0., 3., 1., 0., 1., 0., 0., 0., 1., 0., 0., 1.5, 1e-7, 0., 0., 3., 0., 0.],
        [0., 1., 0., 0., 1., 1., 0., 0., 0.4, 1., 0., 0., 0., 0., 0.4, 0., 1., 2., 0.75, 1.],
        [0., 0., 1., -4., 1., 1., 0., 1., 0., 0., 0., 1., 0., -2.5, 5.000_000_1, -2., 5., 2., 0., 0.],
        [1., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0.5, 0., 0., 1., 0., 0.],
    ];
    for (j, expected) in variables.iter().enumerate() {
        assert_close(&graph.variables.row(j)[..20], expected);
        assert_eq!(
            graph.variables.row(j)[20..],
            [0.0; 3],
            "no profile, no deviation"
        );
    }

    // cosine, right-hand side, tight, dual | sense | sides, degree
    let (five, root) = (5.0, f64::sqrt);
    #[rustfmt::skip]
    let rows = [
        [6. / (root(5.) * five), 4., 1., -0.5, 1., 0., 0., 0., 0., 4., 2.],
        [19. / (root(17.) * five), 9., 0., 0., 0., 0., 0., 1., 1., 9., 2.],
        [-4. / (root(2.) * five), 1., 1., 0.25, 0., 0., 1., 0., 1., 1., 2.],
        [0., 2., 1., 0., 0., 1., 0., 0., 2., 0., 1.],
        [0.6, 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.],
    ];
    for (i, expected) in rows.iter().enumerate() {
        assert_close(&graph.rows.row(i)[..11], expected);
        assert_eq!(graph.rows.row(i)[11..], [0.0; 2]);
    }

    assert_eq!(graph.by_row.starts, [0, 2, 4, 6, 7, 8]);
    assert_eq!(graph.by_row.neighbours, [0, 1, 0, 2, 1, 2, 3, 0]);
    #[rustfmt::skip]
    let edges = [2., 1., 1., 0.5, 1., 0.25, -4., -1., 1., 1., 1., 1., 5., 1., 1., 1.];
    for (edge, expected) in edges.chunks(2).enumerate() {
        assert_close(&graph.edges.row(edge)[..2], expected);
        assert_eq!(graph.edges.row(edge)[2], 0.0);
    }
}

#[test]
fn paper_and_light_are_parts_of_full() {
    let model = example(Sense::Minimize, 1.0);
    let full = build(&model, Some(&relaxed()), FeatureSet::Full, None).unwrap();
    for set in FeatureSet::ALL {
        let graph = build(&model, Some(&relaxed()), set, None).unwrap();
        let place = |feature| {
            let all = FeatureSet::Full.variable_features();
            all.iter().position(|f| f == feature).unwrap()
        };
        for (k, feature) in set.variable_features().iter().enumerate() {
            for j in 0..model.num_columns() {
                assert_eq!(
                    graph.variables.row(j)[k],
                    full.variables.row(j)[place(feature)]
                );
            }
        }
        let place = |feature| {
            let all = FeatureSet::Full.row_features();
            all.iter().position(|f| f == feature).unwrap()
        };
        for (k, feature) in set.row_features().iter().enumerate() {
            for i in 0..model.num_rows() {
                assert_eq!(graph.rows.row(i)[k], full.rows.row(i)[place(feature)]);
            }
        }
    }
}

#[test]
fn sets_have_their_widths_and_names() {
    let widths = |set| {
        let Widths {
            variable,
            row,
            edge,
        } = Widths::new(set, None);
        (variable, row, edge)
    };
    assert_eq!(widths(FeatureSet::Paper), (15, 4, 1));
    assert_eq!(widths(FeatureSet::Full), (23, 13, 3));
    assert_eq!(widths(FeatureSet::Light), (12, 10, 2));
    assert_eq!(Widths::new(FeatureSet::Paper, Some(7)).variable, 23);

    // Light is what of full needs no relaxation.
    let full = FeatureSet::Full;
    let light: Vec<_> = full
        .variable_features()
        .iter()
        .filter(|f| !f.needs_relaxation())
        .collect();
    assert!(light.into_iter().eq(FeatureSet::Light.variable_features()));
    let light: Vec<_> = full
        .row_features()
        .iter()
        .filter(|f| !f.needs_relaxation())
        .collect();
    assert!(light.into_iter().eq(FeatureSet::Light.row_features()));
    assert_eq!(
        FeatureSet::Light.edge_features(),
        [EdgeFeature::Coefficient, EdgeFeature::CoefficientDeviation]
    );
    assert!(!FeatureSet::Light.needs_relaxation());
    assert!(FeatureSet::Paper.needs_relaxation());

    for set in FeatureSet::ALL {
        assert_eq!(set.to_string().parse::<FeatureSet>().unwrap(), set);
        let stored: StrDeserializer<'_, Error> = set.as_str().into_deserializer();
        assert_eq!(FeatureSet::deserialize(stored).unwrap(), set);
    }
    let error = "Full".parse::<FeatureSet>().unwrap_err();
    assert!(matches!(error, GraphError::UnknownSet { .. }));
}

#[test]
fn maximising_the_negated_objective_is_the_same() {
    let least = example(Sense::Minimize, 1.0);
    let most = example(Sense::Maximize, -1.0);
    let mut turned = relaxed();
    turned.reduced_costs = vec![-1.5, 0.0, 2.5, 0.0];
    turned.duals = vec![0.5, 0.0, -0.25, 0.0, 0.0];
    for set in FeatureSet::ALL {
        let a = build(&least, Some(&relaxed()), set, None).unwrap();
        let b = build(&most, Some(&turned), set, None).unwrap();
        let bits = |data: &[f32]| data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&a.variables.data), bits(&b.variables.data));
        assert_eq!(bits(&a.rows.data), bits(&b.rows.data));
        assert_eq!(a, b);
    }
}

#[test]
fn without_a_relaxation_its_features_are_zero() {
    let model = example(Sense::Maximize, 1.0);
    let set = FeatureSet::Paper;
    let graph = build(&model, None, set, None).unwrap();
    for (k, feature) in set.variable_features().iter().enumerate() {
        let zero = (0..4).all(|j| graph.variables.row(j)[k] == 0.0);
        assert!(zero || !feature.needs_relaxation(), "{feature}");
    }
    assert!((0..5).all(|i| graph.rows.row(i)[2..4] == [0.0, 0.0]));
}

#[test]
fn nothing_becomes_infinite() {
    let mut model = example(Sense::Minimize, 1.0);
    model.columns.cost[0] = 1e300;
    model.columns.lower[3] = -1e20;
    model.columns.upper[3] = 1e30;
    model.rows.upper[0] = 1e25;
    model.matrix.values_mut()[0] = -1e250;
    let mut odd = relaxed();
    odd.values = vec![f64::NAN, f64::INFINITY, -1e300, 0.0];
    odd.reduced_costs = vec![f64::NAN, f64::INFINITY, 0.0, 0.0];
    let graph = build(&model, Some(&odd), FeatureSet::Full, None).unwrap();
    assert!(is_finite(&graph));
    // Beyond 1e20 is no bound.
    assert_eq!(graph.variables.row(3)[4..6], [0.0, 0.0]);
    assert_eq!(graph.variables.row(3)[15..17], [0.0, 0.0]);
    assert_eq!(graph.rows.row(0)[4..10], [0.0; 6]);
}

#[test]
fn written_zeros_and_empty_models_are_no_trouble() {
    let mut model = example(Sense::Minimize, 1.0);
    let mut matrix = Matrix::new();
    for (column, entries) in [&[(0, 0.0), (1, 2.0)][..], &[], &[(4, 0.0)], &[]]
        .iter()
        .enumerate()
    {
        assert_eq!(matrix.majors(), column);
        for &(i, value) in *entries {
            matrix.push(i, value);
        }
        matrix.close();
    }
    model.matrix = matrix;
    let graph = build(&model, None, FeatureSet::Full, None).unwrap();
    assert_eq!(graph.by_row.starts, [0, 0, 1, 1, 1, 1]);
    assert_eq!(graph.variables.row(0)[17], 1.0);
    assert_eq!(graph.rows.row(0)[10], 0.0);
    assert!(is_finite(&graph));

    let empty = build(&Model::default(), None, FeatureSet::Full, None).unwrap();
    assert_eq!(empty.by_row.starts, [0]);
}

#[test]
fn a_relaxation_of_another_model_is_refused() {
    let model = example(Sense::Minimize, 1.0);
    let short: [fn(&mut Relaxation); 5] = [
        |r| r.values = vec![0.0],
        |r| r.reduced_costs = vec![],
        |r| r.column_basis = vec![],
        |r| r.duals = vec![],
        |r| r.row_sides = vec![Default::default(); 6],
    ];
    for cut in short {
        let mut relaxed = relaxed();
        cut(&mut relaxed);
        let error = build(&model, Some(&relaxed), FeatureSet::Paper, None).unwrap_err();
        assert!(matches!(error, GraphError::Length { .. }));
    }
    assert!(build(&model, None, FeatureSet::Full, Some(&[None])).is_err());
}

//! Identities as columns of the graph: codes, unknown ones, dropout, off.

#![allow(clippy::unwrap_used)]

mod common;

use common::named;
use idpas_graph::{FeatureSet, IdentityColumns, IdentityInput, RawGraph, Widths, assemble, build};

const RATE: usize = 9;

/// Four variables of which the third is unknown; the light set has 11 features, the rate at 9.
fn graph() -> (RawGraph, Vec<Option<u32>>) {
    let model = named(&["a", "b", "new", "c"]);
    let history = [Some(0.25), Some(0.5), None, Some(1.0)];
    let graph = build(&model, None, FeatureSet::Light, Some(&history)).unwrap();
    (graph, vec![Some(0), Some(1), None, Some(2)])
}

#[test]
fn known_identities_are_their_number_plus_one() {
    let (graph, index) = graph();
    let identity = IdentityColumns {
        index: &index,
        bits: 2,
    };
    let full = assemble(graph.clone(), IdentityInput::All(identity)).unwrap();
    assert_eq!(
        full.variables.width,
        Widths::new(FeatureSet::Light, Some(2)).variable
    );
    let tail = |j: usize| &full.variables.row(j)[RATE..];
    assert_eq!(tail(0), [0.25, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(tail(1), [0.5, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(tail(2), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(tail(3), [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    for j in 0..4 {
        assert_eq!(
            full.variables.row(j)[..RATE],
            graph.variables.row(j)[..RATE]
        );
    }
}

#[test]
fn dropped_identities_look_unknown_and_lose_their_rate() {
    let (graph, index) = graph();
    let identity = IdentityColumns {
        index: &index,
        bits: 2,
    };
    let dropped = [true, false, false, true];
    let input = IdentityInput::Dropped {
        identity,
        dropped: &dropped,
    };
    let masked = assemble(graph.clone(), input).unwrap();
    let unknown = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let tail = |j: usize| &masked.variables.row(j)[RATE..];
    assert_eq!(tail(0), unknown);
    assert_eq!(tail(1), [0.5, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(tail(3), unknown);

    let hidden = assemble(graph.clone(), IdentityInput::Unknown { bits: 2 }).unwrap();
    assert!((0..4).all(|j| hidden.variables.row(j)[RATE..] == unknown));
    let all = IdentityInput::Dropped {
        identity,
        dropped: &[true; 4],
    };
    assert_eq!(assemble(graph, all).unwrap(), hidden);
}

#[test]
fn off_means_no_columns_and_no_rates() {
    let (graph, _) = graph();
    let plain = assemble(graph, IdentityInput::Off).unwrap();
    assert_eq!(plain.variables.width, 12);
    assert!((0..4).all(|j| plain.variables.row(j)[RATE..] == [0.0, 0.0, 0.0]));
}

#[test]
fn identities_that_do_not_fit_are_refused() {
    let (graph, index) = graph();
    let input = |index, bits| IdentityInput::All(IdentityColumns { index, bits });
    assert!(assemble(graph.clone(), input(&index[..3], 2)).is_err());
    assert!(assemble(graph.clone(), input(&index, 1)).is_err());
    assert!(assemble(graph.clone(), input(&[Some(u32::MAX); 4], 32)).is_err());
    assert!(assemble(graph.clone(), input(&[Some(u32::MAX); 4], 70)).is_ok());
    let identity = IdentityColumns {
        index: &index,
        bits: 2,
    };
    let input = IdentityInput::Dropped {
        identity,
        dropped: &[true],
    };
    assert!(assemble(graph, input).is_err());
}

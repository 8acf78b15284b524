//! One file holds network, past zeros and past solutions, and a guide hands all of them to a search.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::{demands, model, pool, trained, write_pools};
use idpas_learn::train::Settings;
use idpas_learn::{Guide, PredictionRequest, Recipe, TrainedModel, UnfitModel};
use idpas_mip::Model;
use idpas_pools::pool::Weighting;
use idpas_search::{Method, ScoreOrigin, ScoreSet};
use idpas_solver::HardStop;

const VARIABLES: usize = 4;
const ORDER: [usize; VARIABLES] = [0, 1, 2, 3];

/// Pools of 40 instances of the rule, in `folder`; 30 of them to learn from, and 10 to validate by.
fn pools(folder: &Path, proportions: &str) -> std::path::PathBuf {
    let [instances, pools] = ["instances", "pools"].map(|name| folder.join(name));
    for path in [&instances, &pools] {
        std::fs::create_dir(path).unwrap();
    }
    let instance = |number| {
        let demands = demands(number, VARIABLES);
        let model = model(&demands, &ORDER);
        let values = pool(&model, &demands).solutions[0].values.clone();
        (model, values)
    };
    let all: Vec<_> = (0..40).map(instance).collect();
    write_pools(&instances, &pools, &all, proportions);
    pools
}

fn settings() -> Settings {
    Settings {
        epochs: 1,
        embedding: 4,
        heads: 1,
        ..Settings::default()
    }
}

fn network() -> Recipe {
    Recipe::Gnn(settings())
}

fn today() -> Model {
    model(&demands(500, VARIABLES), &ORDER)
}

fn request(method: Method) -> PredictionRequest {
    PredictionRequest {
        method,
        solver: "highs".into(),
        threads: 1,
        stop: HardStop::default(),
    }
}

fn origins(sets: &[ScoreSet]) -> Vec<ScoreOrigin> {
    let mut origins: Vec<_> = sets.iter().map(|set| set.origin).collect();
    origins.sort();
    origins
}

/// Bits, so that NaN equals NaN.
fn bits(scores: &[f32]) -> Vec<u32> {
    scores.iter().map(|score| score.to_bits()).collect()
}

#[test]
fn a_network_comes_with_past_zeros_and_past_solutions() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path(), "3/1/0");
    let model = trained(&pools, folder.path(), &network());
    let again = trained(&pools, folder.path(), &network());
    assert!(model.to_bytes().unwrap() == again.to_bytes().unwrap());
    let path = folder.path().join("guide.safetensors");
    model.write(&path).unwrap();
    let guide = Guide::read(&path).unwrap();

    let today = today();
    let early = guide.initial_guidance(&today, &request(Method::Idpas));
    let early = early.unwrap();
    let both = [ScoreOrigin::ZeroFrequency, ScoreOrigin::Nearest];
    assert_eq!(origins(&early.sets), both);
    assert!(early.sets[0].weight >= early.sets[1].weight);
    assert!(early.scores.is_none() && early.relaxation.is_none());
    assert_eq!(early.starts.len(), 8);
    assert_eq!(early.warnings, [""; 0]);
    assert!(guide.has_late_guidance(Method::Idpas));
    let late = guide.late_guidance(&today, &request(Method::Idpas));
    let late = late.unwrap();
    assert_eq!(origins(&late.sets), [ScoreOrigin::Network]);
    assert!(late.relaxation.is_some() && late.bound.is_some() && late.scores.is_none());

    // What a file of past solutions alone says is the same, and so is the method `nearest`.
    let nearest = Recipe::Nearest(Default::default(), Weighting::Uniform);
    let nearest = Guide::new(trained(&pools, folder.path(), &nearest)).unwrap();
    let alone = nearest.initial_guidance(&today, &request(Method::Idpas));
    let alone = alone.unwrap();
    for (ours, theirs) in early.sets.iter().zip(&alone.sets) {
        assert_eq!(ours.origin, theirs.origin);
        assert_eq!(bits(&ours.scores), bits(&theirs.scores));
    }
    assert_eq!(early.starts, alone.starts);
    let [ours, theirs] = [&guide, &nearest].map(|guide| {
        let prediction = guide.predict(&today, &request(Method::Nearest)).unwrap();
        (bits(&prediction.scores.unwrap()), prediction.starts.len())
    });
    assert_eq!(ours, theirs);
    assert_eq!(ours.1, 3);
}

#[test]
fn every_kind_gives_the_sets_that_it_has() {
    use ScoreOrigin::{Nearest, Network, ZeroFrequency};
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path(), "3/1/0");
    let uniform = Weighting::Uniform;
    for (recipe, sets, starts) in [
        (
            Recipe::Nearest(Default::default(), uniform),
            vec![ZeroFrequency, Nearest],
            8,
        ),
        (Recipe::ZeroFrequency(uniform), vec![ZeroFrequency], 0),
        (
            Recipe::Prop(Default::default(), uniform),
            vec![Network, ZeroFrequency],
            0,
        ),
    ] {
        let guide = Guide::new(trained(&pools, folder.path(), &recipe)).unwrap();
        assert!(!guide.has_late_guidance(Method::Idpas));
        let known = guide.initial_guidance(&today(), &request(Method::Idpas));
        let known = known.unwrap();
        assert_eq!(origins(&known.sets), sets);
        assert_eq!(known.starts.len(), starts);
    }
    let anonymous = Recipe::Gnn(Settings {
        identity: false,
        ..settings()
    });
    let guide = Guide::new(trained(&pools, folder.path(), &anonymous)).unwrap();
    let known = guide.initial_guidance(&today(), &request(Method::Idpas));
    assert!(known.unwrap().sets.is_empty());
    assert!(guide.has_late_guidance(Method::Idpas));
}

#[test]
fn a_file_without_past_solutions_is_read_and_does_without() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path(), "3/1/0");
    let whole = trained(&pools, folder.path(), &network());
    let sizes = whole.to_bytes().unwrap().len();
    // As files were before they held past solutions.
    let old = TrainedModel {
        past: None,
        other_sets: Vec::new(),
        ..whole
    };
    assert!(old.to_bytes().unwrap().len() < sizes);
    let path = folder.path().join("old.safetensors");
    old.write(&path).unwrap();
    let guide = Guide::read(&path).unwrap();
    let known = guide.initial_guidance(&today(), &request(Method::Idpas));
    let known = known.unwrap();
    assert_eq!(origins(&known.sets), [ScoreOrigin::ZeroFrequency]);
    assert_eq!(known.sets[0].weight, 1.0);
    assert!(known.starts.is_empty());
    for method in [Method::Nearest, Method::WarmStart] {
        let fit = guide.trained().check_method(method);
        assert!(matches!(fit, Err(UnfitModel::NoPastSolutions { .. })));
    }
    for method in [Method::ZeroFrequency, Method::IdPasPlus, Method::Idpas] {
        assert_eq!(guide.trained().check_method(method), Ok(()));
    }
}

#[test]
fn the_less_a_set_errs_the_more_it_weighs() {
    let folder = tempfile::tempdir().unwrap();
    let judged = pools(folder.path(), "3/1/0");
    let model = trained(&judged, folder.path(), &network());
    let mut sets = model.sets();
    assert_eq!(sets.len(), 3);
    sets.sort_by(|a, b| a.loss().unwrap().total_cmp(&b.loss().unwrap()));
    let weights: Vec<f64> = sets.iter().map(|set| model.weight(set.origin)).collect();
    assert_eq!(weights[0], 1.0);
    assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    assert!(weights.iter().all(|weight| *weight >= 0.05));
    // The rule is about data, which frequencies do not look at.
    let [past, zeros] = [ScoreOrigin::Nearest, ScoreOrigin::ZeroFrequency];
    assert!(model.weight(past) > model.weight(zeros), "{weights:?}");

    let folder = tempfile::tempdir().unwrap();
    let unjudged = pools(folder.path(), "1/0/0");
    let model = trained(&unjudged, folder.path(), &network());
    for set in model.sets() {
        assert_eq!(set.loss(), None);
        assert_eq!(model.weight(set.origin), 1.0);
    }
}

#[test]
fn a_warm_start_is_one_past_solution_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path(), "3/1/0");
    let guide = Guide::new(trained(&pools, folder.path(), &network())).unwrap();
    assert_eq!(guide.trained().check_method(Method::WarmStart), Ok(()));
    let today = today();
    let start = guide.initial_guidance(&today, &request(Method::WarmStart));
    let start = start.unwrap();
    assert!(start.scores.is_none() && start.sets.is_empty());
    let all = guide.initial_guidance(&today, &request(Method::Idpas));
    assert_eq!(start.starts, all.unwrap().starts[..1]);

    let zeros = Recipe::ZeroFrequency(Weighting::Uniform);
    let zeros = trained(&pools, folder.path(), &zeros);
    let fit = zeros.check_method(Method::WarmStart);
    assert!(matches!(fit, Err(UnfitModel::NoPastSolutions { .. })));
}

#[test]
fn an_unknown_instance_gets_no_sets_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path(), "3/1/0");
    let guide = Guide::new(trained(&pools, folder.path(), &network())).unwrap();
    // Of its discrete columns, 4 of 12 have names that are known.
    let order: Vec<usize> = (0..12).collect();
    let other = model(&demands(600, 12), &order);
    for method in [Method::Idpas, Method::WarmStart] {
        let known = guide.initial_guidance(&other, &request(method)).unwrap();
        assert!(known.sets.is_empty() && known.starts.is_empty());
        assert!(
            known.warnings[0].contains("knows 33 %"),
            "{:?}",
            known.warnings
        );
    }
    let late = guide.late_guidance(&other, &request(Method::Idpas));
    assert_eq!(origins(&late.unwrap().sets), [ScoreOrigin::Network]);
}

//! What training writes.

use std::path::Path;
use std::sync::LazyLock;

use idpas_learn::train::{EpochReport, read_checkpoint, read_graph};
use idpas_learn::{Guide, PredictOptions, PredictionRequest, TrainedModel};
use idpas_mip::Model;
use idpas_mip::files::{Input, read_model_from};
use idpas_nn::{Config, Network};
use idpas_search::Method;

use super::json;
use crate::limits::frugal;
use crate::unpack;

/// The instance that models are asked about: it has the names that the seeds were trained with.
static INSTANCE: LazyLock<Model> = LazyLock::new(|| {
    let text = include_bytes!("../../data/instance.mps");
    let input = Input::bytes("instance.mps", &text[..]);
    read_model_from(&input).expect("a model").model
});

/// The network whose checkpoint the seed is.
static NETWORK: LazyLock<Network> = LazyLock::new(|| {
    let config: Config = serde_json::from_str(include_str!("../../data/network.json"))
        .expect("the shape of a network");
    Network::new(config, 0).expect("a network")
});

pub(super) fn model(bytes: &[u8]) {
    let Some(file) = unpack(bytes, "model") else {
        return;
    };
    let read = || TrainedModel::from_bytes(&file, Path::new("a"));
    let Ok(trained) = frugal(&file, read) else {
        return;
    };
    let written = trained.to_bytes().expect("what was read can be written");
    let again = TrainedModel::from_bytes(&written, Path::new("a"));
    let again = again.map_err(|error| error.to_string());
    let again = again.expect("what was written can be read");
    assert!(again.to_bytes().ok() == Some(written), "other bytes");
    let scored = trained.score(&INSTANCE, None, &PredictOptions::default());
    if let Ok(prediction) = scored {
        assert_eq!(prediction.scores.len(), INSTANCE.num_columns());
        let fine = |score: &f32| score.is_nan() || (0.0..=1.0).contains(score);
        let odd = prediction.scores.iter().find(|score| !fine(score));
        assert_eq!(odd, None, "a score that is no probability");
    }
    guide(trained);
}

/// What a search is told at its beginning.
fn guide(trained: TrainedModel) {
    let Ok(guide) = Guide::new(trained) else {
        return;
    };
    for method in [Method::Idpas, Method::WarmStart, Method::Nearest] {
        let request = PredictionRequest {
            method,
            solver: "highs".into(),
            threads: 1,
            stop: Default::default(),
        };
        let Ok(guidance) = guide.initial_guidance(&INSTANCE, &request) else {
            continue;
        };
        for start in &guidance.starts {
            assert_eq!(start.len(), INSTANCE.num_columns());
        }
        for set in &guidance.sets {
            assert_eq!(set.scores.len(), INSTANCE.num_columns());
        }
    }
}

pub(super) fn checkpoint(bytes: &[u8]) {
    let Some(file) = unpack(bytes, "checkpoint") else {
        return;
    };
    let _ = frugal(&file, || read_checkpoint(&file, &NETWORK).is_ok());
}

pub(super) fn graph(bytes: &[u8]) {
    let Some(file) = unpack(bytes, "graph") else {
        return;
    };
    let _ = frugal(&file, || read_graph(&file).is_ok());
}

pub(super) fn log(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        json::value::<EpochReport>(line);
    }
}

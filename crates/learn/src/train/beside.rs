//! What a network's file holds beside the network: past solutions, and how good the sets are that go without it.

use idpas_graph::Registry;
use idpas_pools::pool::Weighting;
use idpas_search::ScoreOrigin;

use super::{Stage, TrainControl};
use crate::sets::{SetJudge, SetSource};
use crate::{Examples, LearnError, LearnedSet, Nearest, NearestSettings};

/// Past solutions and sets that are kept beside a network.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) past: Option<Nearest>,
    pub(super) sets: Vec<LearnedSet>,
}

impl Beside {
    /// Remembers the training set, and judges what goes without the network on the validation set.
    pub(super) fn learn(
        examples: &Examples,
        registry: &Registry,
        weighting: Weighting,
        control: &mut TrainControl,
    ) -> Result<Self, LearnError> {
        let settings = NearestSettings::default();
        let past = control.watched(Stage::Reading, |watch| {
            Nearest::train(examples, registry, &settings, weighting, watch)
        })?;
        let judge = SetJudge {
            source: examples,
            registry,
            fitted: weighting,
            measured: weighting,
        };
        let frequencies = ScoreOrigin::ZeroFrequency;
        let frequencies = judge.judge(frequencies, &SetSource::Frequencies, control)?;
        let solutions = SetSource::Predictor(&past);
        let solutions = judge.judge(ScoreOrigin::Nearest, &solutions, control)?;
        Ok(Beside {
            sets: vec![frequencies, solutions],
            past: Some(past),
        })
    }
}

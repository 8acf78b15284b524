//! The sets of scores that a trained model can give a staged search, how good each was on the validation set, and what
//! it is worth beside the others.
//!
//! A model's predictor gives one set. How often variables were not zero in training is another one that every model
//! knows, and the past solutions of the most similar instances are a third, where the file holds them.

use idpas_graph::{Identities, Registry};
use idpas_mip::Model;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use idpas_search::ScoreOrigin;
use serde::{Deserialize, Serialize};

use crate::calibration::{Calibration, CalibrationFit};
use crate::metrics::{Summary, measure};
use crate::predictor::{Instance, Predictor, PredictorKind};
use crate::train::{Stage, TrainControl};
use crate::truth::{Class, settle};
use crate::{LearnError, Source, TrainedModel, Truth};

/// The least weight of a set: even a poor one is tried now and then, since validation instances are not the next one.
const LEAST_WEIGHT: f64 = 0.05;

/// A set of scores that a trained model can give, as the validation set judged it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedSet {
    /// Where the scores are from.
    pub origin: ScoreOrigin,
    /// Turns its scores into probabilities.
    pub calibration: Calibration,
    /// Quality of the calibrated scores on the validation set; `None` if that is empty.
    pub validation: Option<Summary>,
}

impl LearnedSet {
    /// Cross-entropy of the calibrated scores on the validation set, in nats per discrete variable that may be zero or
    /// not; `None` if there was nothing to measure it on.
    pub fn loss(&self) -> Option<f64> {
        let loss = self.validation.as_ref()?.all.log_loss?;
        Some(loss.mean)
    }
}

impl PredictorKind {
    /// Where the scores of such a predictor are from.
    pub fn origin(self) -> ScoreOrigin {
        match self {
            PredictorKind::Gnn | PredictorKind::Prop => ScoreOrigin::Network,
            PredictorKind::ZeroFrequency => ScoreOrigin::ZeroFrequency,
            PredictorKind::Nearest => ScoreOrigin::Nearest,
        }
    }
}

impl TrainedModel {
    /// The past solutions that the file holds, behind the interface of a predictor.
    pub fn past_solutions(&self) -> Option<&dyn Predictor> {
        match (&self.past, self.predictor.kind()) {
            (Some(past), _) => Some(past),
            (None, PredictorKind::Nearest) => Some(&*self.predictor),
            _ => None,
        }
    }

    /// All sets that were calibrated and measured: the predictor's own, then the others.
    pub fn sets(&self) -> Vec<LearnedSet> {
        let own = LearnedSet {
            origin: self.predictor.kind().origin(),
            calibration: self.calibration,
            validation: self.training.validation.clone(),
        };
        let mut sets = vec![own];
        sets.extend(self.other_sets.iter().cloned());
        sets
    }

    /// What a set is worth beside the others of this model: 1 for the one with the least loss, less for others, but never
    /// below 0.05; 1 for a set that was not measured.
    pub fn weight(&self, origin: ScoreOrigin) -> f64 {
        let sets = self.sets();
        let best = sets.iter().filter_map(LearnedSet::loss);
        let best = best.fold(f64::INFINITY, f64::min);
        let set = sets.iter().find(|set| set.origin == origin);
        let loss = set.and_then(LearnedSet::loss);
        loss.map_or(1.0, |loss| weight(loss, best))
    }

    /// The sets that need neither a relaxation nor a graph network. A network that was trained without identities is
    /// asked without them, and so has none.
    pub(crate) fn origins_at_once(&self) -> Vec<ScoreOrigin> {
        if !self.predictor.is_identity_aware() {
            return Vec::new();
        }
        let own = self.predictor.kind() == PredictorKind::Prop;
        let all = [
            own.then_some(ScoreOrigin::Network),
            Some(ScoreOrigin::ZeroFrequency),
            self.past_solutions().map(|_| ScoreOrigin::Nearest),
        ];
        all.into_iter().flatten().collect()
    }

    /// The calibrated scores of a set of [`origins_at_once`](Self::origins_at_once); NaN where it knows nothing.
    pub(crate) fn scores_at_once(
        &self,
        origin: ScoreOrigin,
        model: &Model,
        identities: &Identities,
    ) -> Result<Vec<f32>, LearnError> {
        let source = match (origin, self.past_solutions()) {
            (ScoreOrigin::Nearest, Some(past)) => SetSource::Predictor(past),
            (ScoreOrigin::Network, _) => SetSource::Predictor(&*self.predictor),
            _ => SetSource::Frequencies,
        };
        let mut scores = source.scores(&by_name(model, identities, &self.registry))?;
        let classes = Class::of(model);
        if let Some(set) = self.sets().iter().find(|set| set.origin == origin) {
            set.calibration.apply(&classes, &mut scores);
        }
        settle(model, &classes, &mut scores);
        Ok(scores)
    }
}

/// What a set is worth by its loss and that of the best set.
fn weight(loss: f64, best: f64) -> f64 {
    if loss <= best {
        return 1.0;
    }
    // Beside a set without any loss, every other one is of least worth.
    (-(loss - best) / best).exp().max(LEAST_WEIGHT)
}

/// What makes the scores of a set, before calibration.
pub(crate) enum SetSource<'a> {
    /// How often variables were not zero, as the registry counted it.
    Frequencies,
    /// A predictor that needs no relaxation.
    Predictor(&'a dyn Predictor),
}

impl SetSource<'_> {
    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError> {
        match self {
            SetSource::Frequencies => {
                Ok(instance.registry.nonzero_frequencies(instance.identities))
            }
            SetSource::Predictor(predictor) => predictor.scores(instance),
        }
    }
}

/// An instance whose variables go by name, without its relaxation.
pub(crate) fn by_name<'a>(
    model: &'a Model,
    identities: &'a Identities,
    registry: &'a Registry,
) -> Instance<'a> {
    Instance {
        model,
        relaxation: None,
        identities,
        registry,
        with_identity: true,
    }
}

/// The instances by which sets are calibrated and measured.
pub(crate) struct SetJudge<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) registry: &'a Registry,
    /// How the solutions of a pool are weighted for calibrating.
    pub(crate) fitted: Weighting,
    /// How they are weighted for measuring.
    pub(crate) measured: Weighting,
}

impl SetJudge<'_> {
    /// Calibrates and measures a set on the validation set.
    pub(crate) fn judge(
        &self,
        origin: ScoreOrigin,
        set: &SetSource<'_>,
        control: &mut TrainControl,
    ) -> Result<LearnedSet, LearnError> {
        let mut fit = CalibrationFit::new();
        self.each(set, self.fitted, 0, control, |truth, scores| {
            fit.add(&truth.classes, &scores, &truth.targets);
        })?;
        let calibration = fit.fit();
        let mut instances = Vec::new();
        self.each(set, self.measured, 1, control, |truth, mut scores| {
            calibration.apply(&truth.classes, &mut scores);
            instances.push(measure(&truth, &scores));
        })?;
        Ok(LearnedSet {
            origin,
            calibration,
            validation: (!instances.is_empty()).then(|| Summary::of(&instances)),
        })
    }

    /// Passes the scores of each validation instance on; `pass` of the two passes is reported as progress.
    fn each(
        &self,
        set: &SetSource<'_>,
        weighting: Weighting,
        pass: usize,
        control: &mut TrainControl,
        mut each: impl FnMut(Truth, Vec<f32>),
    ) -> Result<(), LearnError> {
        let names = self.source.names(Part::Validation);
        for (done, name) in names.iter().enumerate() {
            let example = self.source.load(name)?;
            let identities = self.registry.identify(&example.model);
            let instance = by_name(&example.model, &identities, self.registry);
            let truth = Truth::new(&example.model, &example.pool, weighting);
            each(truth, set.scores(&instance)?);
            let done = pass * names.len() + done + 1;
            control.report(Stage::Judging, done, 2 * names.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn less_loss_is_more_weight() {
        assert_eq!(weight(0.1, 0.1), 1.0);
        let weights = [0.1, 0.11, 0.2, 0.3, 5.0].map(|loss| weight(loss, 0.1));
        assert!(weights.is_sorted_by(|a, b| a > b), "{weights:?}");
        assert_eq!(weights[4], 0.05);
        assert_eq!(weight(0.0, 0.0), 1.0);
        assert_eq!(weight(1e-9, 0.0), 0.05);
    }
}

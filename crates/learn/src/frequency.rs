//! How often a variable was not zero in past solutions, independent of the instance's data.
//!
//! Three callers use one formula, [`nonzero_frequency`]: the predictor `zero-frequency`, the frequencies that a model
//! of any kind knows from its training ([`TrainedModel::frequencies`]), and past solutions in files
//! ([`history_scores`]). So the same past solutions always give the same scores.

use idpas_base::container::tensor;
use idpas_graph::{Identities, Registry, nonzero_frequency};
use idpas_mip::Model;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use safetensors::SafeTensors;

use crate::truth::settle;
use crate::{
    Class, Instance, LearnError, Predictor, PredictorKind, Source, Stored, TrainedModel, Truth,
    Watch,
};

/// The predictor `zero-frequency`: scores every variable by how often it was not zero in training.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZeroFrequency {
    /// For each identity, the sum of its targets.
    sums: Vec<f64>,
    /// For each identity, the number of instances that have it.
    counts: Vec<u32>,
}

const SUMS: &str = "zero-frequency.sums";
const COUNTS: &str = "zero-frequency.counts";

impl ZeroFrequency {
    /// A predictor that has not seen any instance.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns from all instances of the training set.
    pub fn train(
        source: &dyn Source,
        registry: &Registry,
        weighting: Weighting,
        watch: Watch,
    ) -> Result<Self, LearnError> {
        let mut frequency = ZeroFrequency::new();
        for name in source.names(Part::Train) {
            watch.check()?;
            let example = source.load(name)?;
            let identities = registry.identify(&example.model);
            let truth = Truth::new(&example.model, &example.pool, weighting);
            frequency.add(&identities.index, &truth.discrete_targets());
        }
        Ok(frequency)
    }

    /// Adds an instance: identities and targets by column. Columns without either are skipped.
    pub fn add(&mut self, identities: &[Option<u32>], targets: &[f32]) {
        for (identity, &target) in identities.iter().zip(targets) {
            let Some(identity) = identity.filter(|_| !target.is_nan()) else {
                continue;
            };
            let at = identity as usize;
            if at >= self.sums.len() {
                self.sums.resize(at + 1, 0.0);
                self.counts.resize(at + 1, 0);
            }
            self.sums[at] += f64::from(target);
            self.counts[at] += 1;
        }
    }

    /// P(x ≠ 0) of an identity by [`nonzero_frequency`]; `None` if training did not have it.
    pub fn probability(&self, identity: u32) -> Option<f32> {
        let at = identity as usize;
        let (sum, count) = (self.sums.get(at)?, self.counts.get(at)?);
        nonzero_frequency(*sum, u64::from(*count))
    }

    /// Restores the predictor from what [`store`](Predictor::store) returned.
    pub fn restore(_settings: &serde_json::Value, tensors: &SafeTensors) -> Result<Self, String> {
        let sums = tensor::take_f64s(tensors, SUMS)?;
        let counts = tensor::take_u32s(tensors, COUNTS)?;
        if sums.len() != counts.len() {
            let (sums, counts) = (sums.len(), counts.len());
            return Err(format!("{sums} frequencies for {counts} identities"));
        }
        // Targets are single precision, so their sum may exceed the count by a rounding error.
        let fits =
            |(&sum, &count): (&f64, &u32)| (0.0..=f64::from(count) * (1.0 + 1e-6)).contains(&sum);
        match sums.iter().zip(&counts).position(|pair| !fits(pair)) {
            Some(at) => Err(format!(
                "identity {at} was not zero in {} of {} instances",
                sums[at], counts[at]
            )),
            None => Ok(ZeroFrequency { sums, counts }),
        }
    }
}

impl TrainedModel {
    /// P(x ≠ 0) of each column by how often it was not zero in training, which a model of any kind knows:
    /// [`nonzero_frequency`], not calibrated. NaN for continuous columns and unknown ones; 0 or 1 for columns whose
    /// bounds leave no choice.
    pub fn frequencies(&self, model: &Model, identities: &Identities) -> Vec<f32> {
        let mut scores = self.registry.nonzero_frequencies(identities);
        settle(model, &Class::of(model), &mut scores);
        scores
    }
}

/// P(x ≠ 0) of each column from past solutions, which have one value per column, NaN where a solution does not have
/// it: as [`TrainedModel::frequencies`], with every solution as an instance of its own. A value that rounds to 0
/// counts as 0.
///
/// # Panics
/// If a solution does not have one value for each column.
pub fn history_scores(model: &Model, solutions: &[Vec<f64>]) -> Vec<f32> {
    let score = |j: usize| {
        let known = || solutions.iter().map(|x| x[j]).filter(|x| x.is_finite());
        let nonzero = known().filter(|x| x.round() != 0.0).count();
        nonzero_frequency(nonzero as f64, known().count() as u64)
    };
    let columns = 0..model.num_columns();
    let mut scores: Vec<f32> = columns.map(|j| score(j).unwrap_or(f32::NAN)).collect();
    settle(model, &Class::of(model), &mut scores);
    scores
}

impl Predictor for ZeroFrequency {
    fn kind(&self) -> PredictorKind {
        PredictorKind::ZeroFrequency
    }

    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError> {
        let known = instance.identities.index.iter();
        let score = |identity: &Option<u32>| {
            let identity = identity.filter(|_| instance.with_identity)?;
            self.probability(identity)
        };
        Ok(known.map(|id| score(id).unwrap_or(f32::NAN)).collect())
    }

    fn store(&self) -> Stored {
        Stored {
            settings: serde_json::json!({}),
            tensors: vec![
                tensor::f64s(SUMS, &self.sums),
                tensor::u32s(COUNTS, &self.counts),
            ],
        }
    }
}

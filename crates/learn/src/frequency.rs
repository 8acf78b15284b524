//! How often a variable was not zero in training, whatever the instance looks like.

use idpas_graph::Registry;
use idpas_study::container::tensor;
use idpas_study::pool::Weighting;
use idpas_study::split::Part;
use safetensors::SafeTensors;

use crate::{Instance, LearnError, Predictor, PredictorKind, Source, Stored, Truth, Watch};

/// The predictor `zero-frequency`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZeroFrequency {
    /// Sums of targets by identity.
    sums: Vec<f64>,
    /// In how many instances the identity was.
    counts: Vec<u32>,
}

const SUMS: &str = "zero-frequency.sums";
const COUNTS: &str = "zero-frequency.counts";

impl ZeroFrequency {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns from the training set.
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

    /// P(x ≠ 0) of an identity, if training had it. Half an instance of either outcome is added, so that nothing is
    /// certain and what was seen more often counts for more.
    pub fn probability(&self, identity: u32) -> Option<f32> {
        let at = identity as usize;
        let count = *self.counts.get(at)?;
        (count > 0).then(|| ((self.sums[at] + 0.5) / (f64::from(count) + 1.0)) as f32)
    }

    /// Reads what [`store`](Predictor::store) gave.
    pub fn restore(_settings: &serde_json::Value, tensors: &SafeTensors) -> Result<Self, String> {
        let sums = tensor::take_f64s(tensors, SUMS)?;
        let counts = tensor::take_u32s(tensors, COUNTS)?;
        if sums.len() != counts.len() {
            let (sums, counts) = (sums.len(), counts.len());
            return Err(format!("{sums} frequencies for {counts} identities"));
        }
        // Targets are single precision: their sum may pass the count by a rounding error.
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

//! Measures how good a model is on a set of pools.

use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use rayon::prelude::*;

use crate::metrics::{InstanceMetrics, Summary, measure};
use crate::predict::{PredictOptions, UseIdentity};
use crate::truth::Truth;
use crate::{Examples, LearnError, TrainedModel};

/// The quality of a model on a set of instances.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Names of the instances.
    pub names: Vec<String>,
    /// Measures on each instance, in the order of `names`.
    pub instances: Vec<InstanceMetrics>,
    /// Measures over all instances.
    pub summary: Summary,
}

/// Judges a model on one set of a folder of pools, with the relaxations that the pools hold. `each` is called after
/// every few instances with the number done and the number in all; if it returns `false`, the work ends with
/// [`LearnError::Interrupted`].
pub fn assess(
    model: &TrainedModel,
    examples: &Examples,
    part: Part,
    identity: UseIdentity,
    mut each: impl FnMut(usize, usize) -> bool,
) -> Result<Assessment, LearnError> {
    let names = examples.names(part);
    let options = PredictOptions {
        identity,
        ..PredictOptions::default()
    };
    let mut instances = Vec::with_capacity(names.len());
    for chunk in names.chunks(2 * rayon::current_num_threads()) {
        let measured: Vec<Result<InstanceMetrics, LearnError>> = chunk
            .par_iter()
            .map(|name| {
                let example = examples.load(name)?;
                let relaxation = example.pool.relaxation.as_ref();
                let prediction = model.score(&example.model, relaxation, &options)?;
                let truth = Truth::new(&example.model, &example.pool, Weighting::Uniform);
                Ok(measure(&truth, &prediction.scores))
            })
            .collect();
        for measured in measured {
            instances.push(measured?);
        }
        if !each(instances.len(), names.len()) {
            return Err(LearnError::Interrupted);
        }
    }
    Ok(Assessment {
        names: names.into_iter().map(str::to_owned).collect(),
        summary: Summary::of(&instances),
        instances,
    })
}

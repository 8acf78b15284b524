//! Trains one network per variable from a training set.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use idpas_graph::Registry;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use rayon::prelude::*;

use super::chunk::{self, Chunk, Lessons, weighed};
use super::inputs::Points;
use super::networks::Networks;
use super::{Prop, PropSettings};
use crate::{LearnError, ParameterSpace, PieceProgress, Source, Truth, Watch};

/// Number of networks that are trained together: few enough to stay in a core's cache.
const CHUNK: usize = 64;

/// Largest difference between targets that count as all the same.
const CONSTANT: f32 = 1e-6;

/// The instances of a set as points, and their targets by identity.
struct Gathered {
    points: Points,
    targets: Vec<Vec<f32>>,
}

impl Prop {
    /// Learns from the training set; the validation set decides when to stop.
    pub fn train(
        source: &dyn Source,
        registry: &Registry,
        settings: &PropSettings,
        weighting: Weighting,
        watch: Watch,
    ) -> Result<Self, LearnError> {
        settings.validate()?;
        let began = Instant::now();
        let space = ParameterSpace::learn(source, registry, &settings.parameters, watch)?;
        let gather = |part| gather(source, registry, &space, weighting, part, watch);
        let (training, validation) = (gather(Part::Train)?, gather(Part::Validation)?);
        let (variables, constants) = sort(&training, registry.len(), settings.missed_weight as f32);
        let total = variables.len();
        let done = AtomicUsize::new(0);
        let report = |more: usize| {
            let done = done.fetch_add(more, Ordering::Relaxed) + more;
            (watch.report)(PieceProgress {
                done,
                total,
                seconds: began.elapsed().as_secs_f64(),
            });
        };
        report(0);
        let chunks: Option<Vec<Chunk>> = variables
            .par_chunks(CHUNK)
            .map(|identities| {
                let lessons = training.of(identities);
                let exams = validation.of(identities);
                let stopped = || watch.stopped();
                let trained = chunk::train(identities, &lessons, &exams, settings, &stopped)?;
                report(identities.len());
                Some(trained)
            })
            .collect();
        let chunks = chunks.ok_or(LearnError::Interrupted)?;
        let layer = |of: fn(&Networks) -> &[f32]| {
            let layers = chunks.iter().flat_map(|chunk| of(&chunk.networks));
            layers.copied().collect()
        };
        let networks = Networks {
            width: settings.inputs_of(space.dimensions()) + 1,
            hidden: settings.hidden,
            first: layer(|n| &n.first),
            second: layer(|n| &n.second),
        };
        let (constants, probabilities) = constants.into_iter().unzip();
        Ok(Prop {
            settings: *settings,
            space,
            variables,
            chosen: chunks.iter().flat_map(|c| &c.chosen).copied().collect(),
            networks,
            constants,
            probabilities,
        })
    }
}

fn gather(
    source: &dyn Source,
    registry: &Registry,
    space: &ParameterSpace,
    weighting: Weighting,
    part: Part,
    watch: Watch,
) -> Result<Gathered, LearnError> {
    let (mut points, mut all) = (Vec::new(), Vec::new());
    for name in source.names(part) {
        watch.check()?;
        let example = source.load(name)?;
        let identities = registry.identify(&example.model);
        points.push(space.values(&example.model, &identities, registry));
        let truth = Truth::new(&example.model, &example.pool, weighting);
        let mut targets = vec![f32::NAN; registry.len()];
        for (identity, target) in identities.index.iter().zip(truth.discrete_targets()) {
            if let Some(identity) = identity {
                targets[*identity as usize] = target;
            }
        }
        all.push(targets);
    }
    Ok(Gathered {
        points: Points::new(&points, space.dimensions()),
        targets: all,
    })
}

impl Gathered {
    /// The points and targets of these identities.
    fn of(&self, identities: &[u32]) -> Lessons<'_> {
        let one = |&identity: &u32| self.targets.iter().map(move |t| t[identity as usize]);
        Lessons {
            points: &self.points,
            targets: identities.iter().flat_map(one).collect(),
        }
    }
}

/// Divides discrete variables into those whose targets differ between instances, and the others with their P(x ≠ 0),
/// for which a network could not learn more; it is weighed as networks weigh it.
fn sort(training: &Gathered, identities: usize, missed_weight: f32) -> (Vec<u32>, Vec<(u32, f32)>) {
    let (mut variables, mut constants) = (Vec::new(), Vec::new());
    for identity in 0..identities as u32 {
        let targets = training.targets.iter().map(|t| t[identity as usize]);
        let (mut low, mut high, mut sum, mut count) = (f32::INFINITY, 0.0f32, 0.0, 0.0);
        for target in targets.filter(|t| !t.is_nan()) {
            (low, high) = (low.min(target), high.max(target));
            sum += target;
            count += 1.0;
        }
        if high - low > CONSTANT {
            variables.push(identity);
        } else if count > 0.0 {
            constants.push((
                identity,
                weighed((sum + 0.5) / (count + 1.0), missed_weight),
            ));
        }
    }
    (variables, constants)
}

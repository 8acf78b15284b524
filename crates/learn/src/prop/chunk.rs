//! Trains a chunk of networks together, each until its own validation loss no longer falls.
//!
//! The result of a network does not depend on the others in its chunk.

use idpas_base::random::Random;
use idpas_graph::PRIOR_INSTANCES;

use super::PropSettings;
use super::adam::Adam;
use super::inputs::{Points, Seen};
use super::networks::{Buffers, Networks, keep_rows};

/// Number of steps between two evaluations of the validation loss.
const LOOK_EVERY: usize = 5;

/// Least improvement that counts, as a share of the least loss so far. A validation set of a few dozen instances
/// cannot tell a smaller one from chance, and hundreds of variables are trained.
const LEAST_GAIN: f64 = 0.02;

/// Instances, and the targets of a chunk's variables.
pub(super) struct Lessons<'a> {
    pub(super) points: &'a Points,
    /// Targets: those of the first variable for all instances, then of the next. NaN where an instance does not have
    /// the variable.
    pub(super) targets: Vec<f32>,
}

impl Lessons<'_> {
    fn of(&self, variable: usize) -> &[f32] {
        let n = self.points.instances;
        &self.targets[variable * n..(variable + 1) * n]
    }
}

/// Trained networks, and the parameters that are their inputs, network after network.
pub(super) struct Chunk {
    pub(super) networks: Networks,
    pub(super) chosen: Vec<u32>,
}

/// The networks of a chunk during training.
struct School<'a> {
    /// The training set.
    lessons: &'a Lessons<'a>,
    /// The validation set.
    exams: &'a Lessons<'a>,
    networks: Networks,
    gradients: Networks,
    adam: Adam,
    /// Learning rate of the weights of each input: a row for each network.
    speeds: Vec<f32>,
    /// For each network that is still trained, the index of its variable in the chunk.
    variables: Vec<usize>,
    pupils: Vec<Pupil>,
    /// The best weights so far, for all variables of the chunk.
    best: Networks,
    buffers: Buffers,
    /// What a non-zero that is taken for zero costs.
    missed: f32,
}

#[derive(Clone, Copy)]
struct Pupil {
    /// The least validation loss so far.
    least: f64,
    /// Number of steps since the loss was least.
    stale: usize,
}

/// Trains networks for these identities and returns those with the best weights; `None` if it was stopped.
pub(super) fn train(
    identities: &[u32],
    lessons: &Lessons,
    exams: &Lessons,
    settings: &PropSettings,
    stopped: &dyn Fn() -> bool,
) -> Option<Chunk> {
    let each = settings.inputs_of(lessons.points.dimensions);
    let (chosen, mut school) = School::new(identities, lessons, exams, settings, each);
    let seen = |points: &Points| points.seen(&chosen, each, identities.len());
    let (studied, examined) = (seen(lessons.points), seen(exams.points));
    for step in 0..=settings.epochs {
        if step % LOOK_EVERY == 0 || step == settings.epochs {
            if stopped() {
                return None;
            }
            school.examine(&examined, settings.patience);
            if school.pupils.is_empty() {
                break;
            }
        }
        school.step(&studied, settings.rate as f32, settings.weight_decay as f32);
    }
    Some(Chunk {
        networks: school.best,
        chosen,
    })
}

impl<'a> School<'a> {
    fn new(
        identities: &[u32],
        lessons: &'a Lessons<'a>,
        exams: &'a Lessons<'a>,
        settings: &PropSettings,
        each: usize,
    ) -> (Vec<u32>, Self) {
        let mut networks = Networks {
            width: each + 1,
            hidden: settings.hidden,
            ..Networks::default()
        };
        let (mut chosen, mut speeds) = (Vec::new(), Vec::new());
        for (v, &identity) in identities.iter().enumerate() {
            let targets = lessons.of(v);
            let choice = match settings.inputs {
                0 => lessons.points.all(),
                _ => lessons.points.choose(targets, each, settings.strictness),
            };
            let (parameters, relevance): (Vec<u32>, Vec<f32>) = choice.into_iter().unzip();
            let mut random = Random::new(settings.seed, "prop", u64::from(identity));
            let prior = prior(targets, settings.missed_weight as f32);
            networks.push_random(&mut random, &relevance, prior);
            chosen.extend(parameters);
            speeds.extend(relevance.into_iter().chain([1.0]));
        }
        let fresh = Pupil {
            least: f64::INFINITY,
            stale: 0,
        };
        let school = School {
            lessons,
            exams,
            best: networks.clone(),
            gradients: networks.clone(),
            adam: Adam::new(&networks),
            networks,
            speeds,
            variables: (0..identities.len()).collect(),
            pupils: vec![fresh; identities.len()],
            buffers: Buffers::default(),
            missed: settings.missed_weight as f32,
        };
        (chosen, school)
    }

    /// Keeps weights that are better than before, and ends the training of networks that have not improved for
    /// `patience` steps.
    fn examine(&mut self, seen: &Seen, patience: usize) {
        self.networks
            .forward(seen, &self.variables, &mut self.buffers);
        let n = seen.instances;
        for (at, pupil) in self.pupils.iter_mut().enumerate() {
            let variable = self.variables[at];
            let logits = &self.buffers.logits[at * n..(at + 1) * n];
            let loss = loss(logits, self.exams.of(variable), self.missed);
            pupil.stale += LOOK_EVERY;
            // Without a validation set, the last weights are kept.
            if loss.is_none_or(|loss| loss < pupil.least * (1.0 - LEAST_GAIN)) {
                pupil.least = loss.unwrap_or(pupil.least);
                pupil.stale = 0;
                self.best.copy(variable, &self.networks, at);
            }
        }
        let going = |at: &usize| self.pupils[*at].stale < patience;
        let kept: Vec<usize> = (0..self.pupils.len()).filter(going).collect();
        if kept.len() == self.pupils.len() {
            return;
        }
        self.networks.keep(&kept);
        self.gradients.keep(&kept);
        self.adam.keep(&kept);
        keep_rows(&mut self.speeds, self.networks.width, &kept);
        self.variables = kept.iter().map(|&at| self.variables[at]).collect();
        self.pupils = kept.iter().map(|&at| self.pupils[at]).collect();
    }

    /// One step on all training instances.
    fn step(&mut self, seen: &Seen, rate: f32, decay: f32) {
        let (of, buffers) = (&self.variables, &mut self.buffers);
        self.networks.forward(seen, of, buffers);
        let logits = buffers.logits.chunks_mut(seen.instances.max(1));
        for (&variable, logits) in of.iter().zip(logits) {
            slopes(logits, self.lessons.of(variable), self.missed);
        }
        self.networks
            .backward(seen, of, buffers, &mut self.gradients);
        let (networks, gradients) = (&mut self.networks, &self.gradients);
        self.adam
            .step(networks, gradients, &self.speeds, rate, decay);
    }
}

/// The probability that minimises the loss where this share of targets is not zero.
pub(super) fn weighed(share: f32, missed: f32) -> f32 {
    missed * share / (missed * share + 1.0 - share)
}

/// The logit of a variable's [non-zero frequency](idpas_graph::nonzero_frequency), weighed, in single precision.
fn prior(targets: &[f32], missed: f32) -> f32 {
    let known = || targets.iter().filter(|t| !t.is_nan());
    let more = PRIOR_INSTANCES as f32;
    let share = (known().sum::<f32>() + more) / (known().count() as f32 + 2.0 * more);
    let p = weighed(share, missed);
    (p / (1.0 - p)).ln()
}

/// Mean cross-entropy, in which non-zeros have the weight `missed`, over the instances that have the variable; `None` if
/// none has.
fn loss(logits: &[f32], targets: &[f32], missed: f32) -> Option<f64> {
    let missed = f64::from(missed);
    let (mut sum, mut count) = (0.0, 0u32);
    for (&z, &t) in logits.iter().zip(targets).filter(|(_, t)| !t.is_nan()) {
        let (z, t) = (f64::from(z), f64::from(t));
        let softplus = z.max(0.0) + (-z.abs()).exp().ln_1p();
        sum += (missed * t + 1.0 - t) * softplus - missed * t * z;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Replaces logits by the derivatives of the mean cross-entropy with respect to them.
fn slopes(logits: &mut [f32], targets: &[f32], missed: f32) {
    let count = targets.iter().filter(|t| !t.is_nan()).count().max(1);
    for (logit, &target) in logits.iter_mut().zip(targets) {
        *logit = match target.is_nan() {
            true => 0.0,
            false => {
                let weight = missed * target + 1.0 - target;
                (crate::sigmoid(*logit) * weight - missed * target) / count as f32
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_loss() {
        let targets = [1.0, 0.0, 0.3, f32::NAN];
        let logits = [0.4, -1.2, 0.1, 5.0];
        for missed in [1.0, 3.0] {
            let mut found = logits;
            slopes(&mut found, &targets, missed);
            assert_eq!(found[3], 0.0);
            for at in 0..3 {
                let moved = |by: f32| {
                    let mut logits = logits;
                    logits[at] += by;
                    loss(&logits, &targets, missed).unwrap()
                };
                let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                assert!((slope - f64::from(found[at])).abs() < 1e-4, "{at} {missed}");
            }
        }
    }

    #[test]
    fn the_prior_has_no_slope() {
        let targets = [1.0, 0.0, 0.0, 0.0];
        for missed in [1.0, 3.0] {
            let p = weighed(0.25, missed);
            let mut logits = [(p / (1.0 - p)).ln(); 4];
            slopes(&mut logits, &targets, missed);
            assert!(logits.iter().sum::<f32>().abs() < 1e-6);
        }
    }
}

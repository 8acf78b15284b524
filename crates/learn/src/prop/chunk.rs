//! Training some networks together, each until its own validation loss stops falling.
//!
//! Networks of a chunk share matrix products and nothing else: the result of one does not depend on its company.

use idpas_families::random::Random;

use super::PropSettings;
use super::adam::Adam;
use super::networks::{Buffers, Inputs, Networks};

/// Steps between looks at the validation loss.
const LOOK_EVERY: usize = 5;

/// A gain smaller than this share of the least loss so far is none: a validation set of a few dozen instances cannot
/// tell it from luck, and hundreds of variables try theirs.
const LEAST_GAIN: f64 = 0.05;

/// Instances and what the networks should say: variable after variable, one target per instance, `NaN` where the
/// instance has no such variable.
pub(super) struct Lessons<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) targets: Vec<f32>,
}

impl Lessons<'_> {
    fn of(&self, variable: usize) -> &[f32] {
        let n = self.inputs.instances;
        &self.targets[variable * n..(variable + 1) * n]
    }
}

/// A network on its way.
struct Pupil {
    /// Which of the chunk.
    variable: usize,
    least: f64,
    /// Steps since the loss was least.
    stale: usize,
}

/// The best networks of these identities; `None` if it was stopped.
pub(super) fn train(
    identities: &[u32],
    lessons: &Lessons,
    exams: &Lessons,
    settings: &PropSettings,
    stopped: &dyn Fn() -> bool,
) -> Option<Networks> {
    let mut networks = Networks {
        width: lessons.inputs.width,
        hidden: settings.hidden,
        ..Networks::default()
    };
    for (v, &identity) in identities.iter().enumerate() {
        let mut random = Random::new(settings.seed, "prop", u64::from(identity));
        networks.push_random(&mut random, prior(lessons.of(v)));
    }
    let mut best = networks.clone();
    let mut adam = Adam::new(&networks);
    let (mut buffers, mut gradients) = (Buffers::default(), networks.clone());
    let fresh = |variable| Pupil {
        variable,
        least: f64::INFINITY,
        stale: 0,
    };
    let mut pupils: Vec<Pupil> = (0..identities.len()).map(fresh).collect();
    for step in 0..=settings.epochs {
        if step % LOOK_EVERY == 0 || step == settings.epochs {
            if stopped() {
                return None;
            }
            networks.forward(exams.inputs, &mut buffers);
            let n = exams.inputs.instances;
            for (at, pupil) in pupils.iter_mut().enumerate() {
                let logits = &buffers.logits[at * n..(at + 1) * n];
                let loss = loss(logits, exams.of(pupil.variable));
                pupil.stale += LOOK_EVERY;
                // Without anything to validate on, the last weights are kept.
                if loss.is_none_or(|loss| loss < pupil.least * (1.0 - std::env::var("G").unwrap().parse::<f64>().unwrap())) {
                    pupil.least = loss.unwrap_or(pupil.least);
                    pupil.stale = 0;
                    best.copy(pupil.variable, &networks, at);
                }
            }
            let going = |at: &usize| pupils[*at].stale < settings.patience;
            let kept: Vec<usize> = (0..pupils.len()).filter(going).collect();
            networks.keep(&kept);
            adam.keep(&kept);
            gradients.keep(&kept);
            pupils.retain(|pupil| pupil.stale < settings.patience);
            if pupils.is_empty() {
                break;
            }
        }
        networks.forward(lessons.inputs, &mut buffers);
        let n = lessons.inputs.instances;
        for (pupil, logits) in pupils.iter().zip(buffers.logits.chunks_mut(n)) {
            slopes(logits, lessons.of(pupil.variable));
        }
        networks.backward(lessons.inputs, &mut buffers, &mut gradients);
        let (rate, decay) = (settings.rate as f32, settings.weight_decay as f32);
        adam.step(&mut networks, &gradients, rate, decay);
    }
    Some(best)
}

/// The logit of how often a variable is not zero, kept from certainty.
fn prior(targets: &[f32]) -> f32 {
    let known = || targets.iter().filter(|t| !t.is_nan());
    let p = (known().sum::<f32>() + 0.5) / (known().count() as f32 + 1.0);
    (p / (1.0 - p)).ln()
}

/// Mean cross-entropy over the instances that have the variable.
fn loss(logits: &[f32], targets: &[f32]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for (&z, &t) in logits.iter().zip(targets).filter(|(_, t)| !t.is_nan()) {
        let (z, t) = (f64::from(z), f64::from(t));
        sum += z.max(0.0) + (-z.abs()).exp().ln_1p() - t * z;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Replaces logits by the slopes of the mean cross-entropy there.
fn slopes(logits: &mut [f32], targets: &[f32]) {
    let count = targets.iter().filter(|t| !t.is_nan()).count().max(1);
    for (logit, &target) in logits.iter_mut().zip(targets) {
        *logit = match target.is_nan() {
            true => 0.0,
            false => (crate::sigmoid(*logit) - target) / count as f32,
        };
    }
}

//! Fitting a calibration: Newton's method on a histogram of logits, so that memory does not grow with the data.

use super::{Calibration, Platt, SMALLEST_SLOPE, logit, sigmoid};
use crate::truth::Class;

/// Number of bins of a histogram.
const BINS: usize = 4096;
/// Logits are clamped to ±this: beyond it, a probability is 0 or 1 for every purpose.
const REACH: f64 = 16.0;
/// Weight of the regularisation towards changing nothing, as a number of variables.
const PRIOR: f64 = 1.0;

/// Collects scores and targets of validation instances, then fits a calibration to them.
#[derive(Clone, Debug, Default)]
pub struct CalibrationFit {
    binaries: Histogram,
    integers: Histogram,
}

impl CalibrationFit {
    /// A fit without any instances.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an instance: scores before calibration and targets, by column. Columns without a score are skipped.
    pub fn add(&mut self, classes: &[Class], scores: &[f32], targets: &[f32]) {
        for (class, (&score, &target)) in classes.iter().zip(scores.iter().zip(targets)) {
            let histogram = match class {
                Class::Binary => &mut self.binaries,
                Class::Integer => &mut self.integers,
                _ => continue,
            };
            if !score.is_nan() && !target.is_nan() {
                histogram.add(f64::from(score), f64::from(target));
            }
        }
    }

    /// The calibration with the least cross-entropy, slightly regularised; never worse than changing nothing.
    pub fn fit(&self) -> Calibration {
        Calibration {
            binaries: self.binaries.fit(),
            integers: self.integers.fit(),
        }
    }
}

/// A histogram of variables by logit.
#[derive(Clone, Debug, Default)]
struct Histogram {
    /// Empty until something is added, then [`BINS`] long.
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: f64,
    logits: f64,
    targets: f64,
}

impl Histogram {
    fn add(&mut self, score: f64, target: f64) {
        if self.bins.is_empty() {
            self.bins.resize(BINS, Bin::default());
        }
        let logit = logit(score).clamp(-REACH, REACH);
        let at = ((logit + REACH) / (2.0 * REACH) * BINS as f64) as usize;
        let bin = &mut self.bins[at.min(BINS - 1)];
        bin.count += 1.0;
        bin.logits += logit;
        bin.targets += target;
    }

    /// Regularised cross-entropy: its value, gradient and second derivatives (aa, ab, bb).
    fn loss(&self, platt: Platt) -> (f64, [f64; 2], [f64; 3]) {
        let Platt { slope, offset } = platt;
        let (da, db) = (slope - 1.0, offset);
        let mut value = 0.5 * PRIOR * (da * da + db * db);
        let mut gradient = [PRIOR * da, PRIOR * db];
        let mut second = [PRIOR, 0.0, PRIOR];
        for bin in self.bins.iter().filter(|bin| bin.count > 0.0) {
            let x = bin.logits / bin.count;
            let z = slope * x + offset;
            let p = sigmoid(z);
            // ln(1 + e^z) − t·z, without overflow.
            value += bin.count * (z.max(0.0) + (-z.abs()).exp().ln_1p()) - bin.targets * z;
            let error = bin.count * p - bin.targets;
            gradient[0] += error * x;
            gradient[1] += error;
            let curvature = bin.count * p * (1.0 - p);
            second[0] += curvature * x * x;
            second[1] += curvature * x;
            second[2] += curvature;
        }
        (value, gradient, second)
    }

    /// Newton steps from the identity, halved until they improve. The loss is convex, so this finds its minimum, or
    /// the minimum at the smallest slope allowed.
    fn fit(&self) -> Platt {
        let mut platt = Platt::default();
        let (mut value, mut gradient, mut second) = self.loss(platt);
        for _ in 0..100 {
            let [aa, ab, bb] = second;
            let determinant = aa * bb - ab * ab;
            let step = [
                (bb * gradient[0] - ab * gradient[1]) / determinant,
                (aa * gradient[1] - ab * gradient[0]) / determinant,
            ];
            // At the smallest slope, only the offset can change.
            let stuck = platt.slope <= SMALLEST_SLOPE && step[0] > 0.0;
            let step = if stuck { [0.0, gradient[1] / bb] } else { step };
            let mut length = 1.0;
            let better = loop {
                let next = Platt {
                    slope: (platt.slope - length * step[0]).max(SMALLEST_SLOPE),
                    offset: platt.offset - length * step[1],
                };
                let loss = self.loss(next);
                if loss.0 < value {
                    break Some((next, loss));
                }
                length *= 0.5;
                if length < 1e-10 {
                    break None;
                }
            };
            let Some((next, loss)) = better else { break };
            let gain = value - loss.0;
            (platt, (value, gradient, second)) = (next, loss);
            if gain <= 1e-12 * value.abs() {
                break;
            }
        }
        platt
    }
}

//! Adam with decoupled weight decay.

use super::networks::Networks;

const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const TINY: f32 = 1e-8;

/// Running means of gradients and of their squares.
pub(super) struct Adam {
    means: Networks,
    squares: Networks,
    steps: i32,
}

impl Adam {
    /// For networks of this shape and number.
    pub(super) fn new(networks: &Networks) -> Self {
        let zeros = Networks {
            width: networks.width,
            hidden: networks.hidden,
            first: vec![0.0; networks.first.len()],
            second: vec![0.0; networks.second.len()],
        };
        Adam {
            means: zeros.clone(),
            squares: zeros,
            steps: 0,
        }
    }

    /// Keeps only some networks.
    pub(super) fn keep(&mut self, kept: &[usize]) {
        self.means.keep(kept);
        self.squares.keep(kept);
    }

    /// Moves the weights. Biases do not decay, since they hold how often a variable is not zero.
    pub(super) fn step(&mut self, to: &mut Networks, gradients: &Networks, rate: f32, decay: f32) {
        self.steps += 1;
        let rates = Rates {
            rate: rate / (1.0 - FIRST.powi(self.steps)),
            unbias: 1.0 / (1.0 - SECOND.powi(self.steps)),
            keep: 1.0 - rate * decay,
        };
        let (means, squares) = (&mut self.means, &mut self.squares);
        let width = to.width;
        let slices = means.first.chunks_mut(width);
        let slices = slices.zip(squares.first.chunks_mut(width));
        let weights = to
            .first
            .chunks_mut(width)
            .zip(gradients.first.chunks(width));
        for ((mean, square), (weights, gradients)) in slices.zip(weights) {
            rates.apply(weights, gradients, mean, square);
        }
        let width = to.hidden + 1;
        let slices = means.second.chunks_mut(width);
        let slices = slices.zip(squares.second.chunks_mut(width));
        let weights = to.second.chunks_mut(width);
        let weights = weights.zip(gradients.second.chunks(width));
        for ((mean, square), (weights, gradients)) in slices.zip(weights) {
            rates.apply(weights, gradients, mean, square);
        }
    }
}

struct Rates {
    rate: f32,
    unbias: f32,
    keep: f32,
}

impl Rates {
    /// Moves weights whose last one is a bias.
    fn apply(
        &self,
        weights: &mut [f32],
        gradients: &[f32],
        means: &mut [f32],
        squares: &mut [f32],
    ) {
        if let Some((_, weights)) = weights.split_last_mut() {
            weights.iter_mut().for_each(|w| *w *= self.keep);
        }
        let moments = means.iter_mut().zip(squares);
        for ((weight, gradient), (mean, square)) in weights.iter_mut().zip(gradients).zip(moments) {
            *mean = FIRST * *mean + (1.0 - FIRST) * gradient;
            *square = SECOND * *square + (1.0 - SECOND) * gradient * gradient;
            *weight -= self.rate * *mean / ((self.unbias * *square).sqrt() + TINY);
        }
    }
}

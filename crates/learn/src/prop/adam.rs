//! The Adam optimiser with decoupled weight decay, for many small networks at a time.

use std::iter::repeat_n;

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
    /// The optimiser for these networks.
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

    /// Keeps only these networks, given in ascending order.
    pub(super) fn keep(&mut self, kept: &[usize]) {
        self.means.keep(kept);
        self.squares.keep(kept);
    }

    /// One step of all weights. The weights of an input move in proportion to its relevance: `relevance` has a row for
    /// each network.
    pub(super) fn step(
        &mut self,
        networks: &mut Networks,
        gradients: &Networks,
        relevance: &[f32],
        rate: f32,
        decay: f32,
    ) {
        self.steps += 1;
        let rates = Rates {
            rate: rate / (1.0 - FIRST.powi(self.steps)),
            unbias: 1.0 / (1.0 - SECOND.powi(self.steps)),
            keep: 1.0 - rate * decay,
        };
        let (width, hidden) = (networks.width, networks.hidden);
        let (means, squares) = (&mut self.means, &mut self.squares);
        let rows = relevance.chunks(width);
        rates.apply(
            width,
            rows.flat_map(|row| repeat_n(row, hidden)),
            &mut networks.first,
            &gradients.first,
            (&mut means.first, &mut squares.first),
        );
        let full = vec![1.0; hidden + 1];
        rates.apply(
            hidden + 1,
            std::iter::repeat(full.as_slice()),
            &mut networks.second,
            &gradients.second,
            (&mut means.second, &mut squares.second),
        );
    }
}

struct Rates {
    rate: f32,
    unbias: f32,
    keep: f32,
}

impl Rates {
    /// Moves rows of weights, each weight with its own rate. The last weight of a row is a bias and does not decay,
    /// because it represents how often a variable is not zero.
    fn apply<'a>(
        &self,
        width: usize,
        speeds: impl Iterator<Item = &'a [f32]>,
        weights: &mut [f32],
        gradients: &[f32],
        (means, squares): (&mut [f32], &mut [f32]),
    ) {
        let moments = means.chunks_mut(width).zip(squares.chunks_mut(width));
        let rows = weights.chunks_mut(width).zip(gradients.chunks(width));
        for (((row, gradients), (means, squares)), speeds) in rows.zip(moments).zip(speeds) {
            let (weights, _) = row.split_at_mut(width - 1);
            weights.iter_mut().for_each(|weight| *weight *= self.keep);
            let moments = means.iter_mut().zip(squares).zip(speeds);
            for ((weight, gradient), ((mean, square), speed)) in
                row.iter_mut().zip(gradients).zip(moments)
            {
                *mean = FIRST * *mean + (1.0 - FIRST) * gradient;
                *square = SECOND * *square + (1.0 - SECOND) * gradient * gradient;
                *weight -= speed * self.rate * *mean / ((self.unbias * *square).sqrt() + TINY);
            }
        }
    }
}

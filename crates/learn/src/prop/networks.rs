//! Many small networks of the same shape side by side.

use idpas_base::random::Random;
use nalgebra::{DMatrixView, DMatrixViewMut};

use super::inputs::Seen;

/// Networks with one hidden layer of rectifiers and one output, a logit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Networks {
    /// Number of inputs, with the constant one.
    pub(super) width: usize,
    pub(super) hidden: usize,
    /// Weights of the first layers: network after network, `hidden` rows of `width` weights, the bias last.
    pub(super) first: Vec<f32>,
    /// Weights of the second layers: network after network, `hidden` weights and the bias.
    pub(super) second: Vec<f32>,
}

/// Arrays for intermediate results.
#[derive(Default)]
pub(super) struct Buffers {
    /// For each network and hidden unit, a number per instance.
    hidden: Vec<f32>,
    /// For each network, a logit per instance.
    pub(super) logits: Vec<f32>,
}

impl Networks {
    pub(super) fn count(&self) -> usize {
        self.second.len() / (self.hidden + 1)
    }

    /// Adds a network with random weights: those of an input are in proportion to its relevance, and the output is
    /// about `logit` for any input.
    pub(super) fn push_random(&mut self, random: &mut Random, relevance: &[f32], logit: f32) {
        let squares: f32 = relevance.iter().map(|r| r * r).sum();
        let scale = (2.0 / f64::from(squares).max(1.0)).sqrt();
        for _ in 0..self.hidden {
            let weights = relevance
                .iter()
                .map(|r| r * (scale * random.normal()) as f32);
            self.first.extend(weights);
            self.first.push(0.0);
        }
        let scale = 0.1 / (self.hidden as f64).sqrt();
        let weights = (0..self.hidden).map(|_| (scale * random.normal()) as f32);
        self.second.extend(weights);
        self.second.push(logit);
    }

    /// Computes the logits of all networks for all instances; network `k` has the inputs number `of[k]`.
    pub(super) fn forward(&self, seen: &Seen, of: &[usize], buffers: &mut Buffers) {
        let (n, hidden) = (seen.instances, self.hidden);
        buffers.hidden.resize(self.count() * hidden * n, 0.0);
        buffers.logits.resize(self.count() * n, 0.0);
        if n == 0 {
            return;
        }
        let layers = self.first.chunks(hidden * self.width);
        let layers = layers.zip(self.second.chunks(hidden + 1)).zip(of);
        let rooms = buffers.hidden.chunks_mut(hidden * n);
        let rooms = rooms.zip(buffers.logits.chunks_mut(n));
        for (((first, second), &inputs), (units, logits)) in layers.zip(rooms) {
            DMatrixViewMut::from_slice(units, n, hidden).gemm(
                1.0,
                &DMatrixView::from_slice(seen.by_input(inputs), n, self.width),
                &DMatrixView::from_slice(first, self.width, hidden),
                0.0,
            );
            logits.fill(second[hidden]);
            for (&weight, unit) in second.iter().zip(units.chunks_mut(n)) {
                for (value, logit) in unit.iter_mut().zip(&mut *logits) {
                    *value = value.max(0.0);
                    *logit += weight * *value;
                }
            }
        }
    }

    /// Computes the gradients of all weights from those of the logits, which the caller has put into `buffers.logits`
    /// after [`forward`](Self::forward) on the same inputs.
    pub(super) fn backward(
        &self,
        seen: &Seen,
        of: &[usize],
        buffers: &mut Buffers,
        gradients: &mut Networks,
    ) {
        let (n, hidden) = (seen.instances, self.hidden);
        let layers = self.second.chunks(hidden + 1).zip(of);
        let rooms = buffers.hidden.chunks_mut(hidden * n);
        let rooms = rooms.zip(buffers.logits.chunks(n));
        let firsts = gradients.first.chunks_mut(hidden * self.width);
        let gradients = firsts.zip(gradients.second.chunks_mut(hidden + 1));
        for (((layer, &inputs), (units, slopes)), (first, second)) in
            layers.zip(rooms).zip(gradients)
        {
            second[hidden] = slopes.iter().sum();
            for (k, unit) in units.chunks_mut(n).enumerate() {
                let mut sum = 0.0;
                for (value, slope) in unit.iter_mut().zip(slopes) {
                    sum += *value * slope;
                    *value = if *value > 0.0 { layer[k] * slope } else { 0.0 };
                }
                second[k] = sum;
            }
            DMatrixViewMut::from_slice(first, self.width, hidden).gemm(
                1.0,
                &DMatrixView::from_slice(seen.by_instance(inputs), self.width, n),
                &DMatrixView::from_slice(units, n, hidden),
                0.0,
            );
        }
    }

    /// The logit of one network for inputs without the constant one.
    pub(super) fn logit(&self, network: usize, inputs: impl Iterator<Item = f32> + Clone) -> f32 {
        let (a, b) = (self.hidden * self.width, self.hidden + 1);
        let rows = self.first[network * a..(network + 1) * a].chunks(self.width);
        let second = &self.second[network * b..(network + 1) * b];
        let units = rows.zip(second).map(|(row, weight)| {
            let products = row.iter().zip(inputs.clone().chain([1.0]));
            let unit: f32 = products.map(|(w, x)| w * x).sum();
            weight * unit.max(0.0)
        });
        units.sum::<f32>() + second[self.hidden]
    }

    /// Replaces network `at` by network `from` of another set.
    pub(super) fn copy(&mut self, at: usize, other: &Networks, from: usize) {
        let (a, b) = (self.hidden * self.width, self.hidden + 1);
        self.first[at * a..(at + 1) * a].copy_from_slice(&other.first[from * a..(from + 1) * a]);
        self.second[at * b..(at + 1) * b].copy_from_slice(&other.second[from * b..(from + 1) * b]);
    }

    /// Keeps only these networks, given in ascending order.
    pub(super) fn keep(&mut self, kept: &[usize]) {
        keep_rows(&mut self.first, self.hidden * self.width, kept);
        keep_rows(&mut self.second, self.hidden + 1, kept);
    }
}

/// Keeps only these rows of a table, given in ascending order.
pub(super) fn keep_rows(table: &mut Vec<f32>, width: usize, kept: &[usize]) {
    for (to, &from) in kept.iter().enumerate() {
        table.copy_within(from * width..(from + 1) * width, to * width);
    }
    table.truncate(kept.len() * width);
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Points;
    use super::*;

    /// Σ cᵢ·logitᵢ over networks and instances, and its inputs.
    fn weighed(networks: &Networks, seen: &Seen, of: &[usize], weights: &[f32]) -> f64 {
        let mut buffers = Buffers::default();
        networks.forward(seen, of, &mut buffers);
        let pairs = buffers.logits.iter().zip(weights);
        pairs.map(|(z, c)| f64::from(*z) * f64::from(*c)).sum()
    }

    #[test]
    fn gradients_are_those_of_finite_differences_and_one_at_a_time_gives_the_same() {
        let mut random = Random::new(5, "networks", 0);
        let mut point = |_| (0..6).map(|_| random.normal()).collect();
        let points: Vec<Vec<f64>> = (0..7).map(&mut point).collect();
        let chosen = [5, 0, 2, 1, 3, 4];
        let seen = Points::new(&points, 6).seen(&chosen, 3, 2);
        let mut networks = Networks {
            width: 4,
            hidden: 5,
            ..Networks::default()
        };
        let of = [1, 0];
        for _ in 0..2 {
            networks.push_random(&mut random, &[1.0, 0.5, 0.8], 0.3);
        }
        let weights: Vec<f32> = (0..14).map(|_| random.normal() as f32).collect();
        let mut buffers = Buffers::default();
        networks.forward(&seen, &of, &mut buffers);
        for (k, &logit) in buffers.logits.iter().enumerate() {
            let inputs = chosen[of[k / 7] * 3..][..3].iter();
            let inputs = inputs.map(|&p: &u32| points[k % 7][p as usize] as f32);
            assert!((networks.logit(k / 7, inputs) - logit).abs() < 1e-5);
        }
        buffers.logits.copy_from_slice(&weights);
        let mut gradients = networks.clone();
        networks.backward(&seen, &of, &mut buffers, &mut gradients);
        let step = 1e-3;
        let differs = |change: &dyn Fn(&mut Networks, f32), found: f32| {
            let at = |step: f32| {
                let mut changed = networks.clone();
                change(&mut changed, step);
                weighed(&changed, &seen, &of, &weights)
            };
            let slope = (at(step) - at(-step)) / f64::from(2.0 * step);
            (slope - f64::from(found)).abs() > 1e-2 * (1.0 + slope.abs())
        };
        // A step may cross the kink of a rectifier: a few weights out of many may disagree.
        let first = (0..networks.first.len())
            .filter(|&k| differs(&|n, step| n.first[k] += step, gradients.first[k]));
        assert!(first.count() <= 2);
        for k in 0..networks.second.len() {
            assert!(!differs(
                &|n, step| n.second[k] += step,
                gradients.second[k]
            ));
        }
    }
}

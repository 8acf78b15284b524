//! Many small networks of the same shape side by side, so that the first layers of all are one matrix product.

use idpas_families::random::Random;
use nalgebra::{DMatrixView, DMatrixViewMut};

/// Instances as the networks see them: parameters and a constant 1, which makes biases ordinary weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    pub(super) instances: usize,
    /// Parameters and the constant.
    pub(super) width: usize,
    by_parameter: Vec<f32>,
    by_instance: Vec<f32>,
}

impl Inputs {
    pub(super) fn new(points: &[Vec<f64>], dimensions: usize) -> Self {
        let width = dimensions + 1;
        let row = |point: &Vec<f64>| {
            let values = point.iter().map(|&v| v as f32);
            values.chain([1.0]).collect::<Vec<_>>()
        };
        let by_instance: Vec<f32> = points.iter().flat_map(row).collect();
        let columns = (0..width).flat_map(|p| by_instance.iter().skip(p).step_by(width));
        Inputs {
            instances: points.len(),
            width,
            by_parameter: columns.copied().collect(),
            by_instance,
        }
    }
}

/// Networks with one hidden layer of rectifiers and one output, a logit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Networks {
    pub(super) width: usize,
    pub(super) hidden: usize,
    /// First layers: network after network, `hidden` rows of `width` weights, the bias last.
    pub(super) first: Vec<f32>,
    /// Second layers: network after network, `hidden` weights and the bias.
    pub(super) second: Vec<f32>,
}

/// Room for intermediate results.
#[derive(Default)]
pub(super) struct Buffers {
    /// Per network and hidden unit, a number per instance.
    pub(super) hidden: Vec<f32>,
    /// Per network, a logit per instance.
    pub(super) logits: Vec<f32>,
}

impl Networks {
    pub(super) fn count(&self) -> usize {
        self.second.len() / (self.hidden + 1)
    }

    /// Weights before training. The output starts at `logit`, almost whatever the input.
    pub(super) fn push_random(&mut self, random: &mut Random, logit: f32) {
        let scale = (2.0 / self.width as f64).sqrt()*std::env::var("A").unwrap().parse::<f64>().unwrap();
        for _ in 0..self.hidden {
            let weights = (1..self.width).map(|_| (scale * random.normal()) as f32);
            self.first.extend(weights);
            self.first.push(0.0);
        }
        let scale = std::env::var("B").unwrap().parse::<f64>().unwrap() / (self.hidden as f64).sqrt();
        let weights = (0..self.hidden).map(|_| (scale * random.normal()) as f32);
        self.second.extend(weights);
        self.second.push(logit);
    }

    /// The logits of all networks on all instances.
    pub(super) fn forward(&self, inputs: &Inputs, buffers: &mut Buffers) {
        let (n, units) = (inputs.instances, self.count() * self.hidden);
        buffers.hidden.resize(units * n, 0.0);
        buffers.logits.resize(self.count() * n, 0.0);
        if n == 0 {
            return;
        }
        DMatrixViewMut::from_slice(&mut buffers.hidden, n, units).gemm(
            1.0,
            &DMatrixView::from_slice(&inputs.by_parameter, n, self.width),
            &DMatrixView::from_slice(&self.first, self.width, units),
            0.0,
        );
        let hidden = buffers.hidden.chunks_mut(self.hidden * n);
        let layers = self.second.chunks(self.hidden + 1).zip(hidden);
        for ((layer, hidden), logits) in layers.zip(buffers.logits.chunks_mut(n)) {
            logits.fill(layer[self.hidden]);
            for (&weight, unit) in layer.iter().zip(hidden.chunks_mut(n)) {
                for (value, logit) in unit.iter_mut().zip(&mut *logits) {
                    *value = value.max(0.0);
                    *logit += weight * *value;
                }
            }
        }
    }

    /// Gradients of all weights from those of the logits, which lie in `buffers.logits` after a
    /// [`forward`](Self::forward) on the same inputs.
    pub(super) fn backward(&self, inputs: &Inputs, buffers: &mut Buffers, to: &mut Networks) {
        let (n, units) = (inputs.instances, self.count() * self.hidden);
        to.first.resize(self.first.len(), 0.0);
        to.second.resize(self.second.len(), 0.0);
        let hidden = buffers.hidden.chunks_mut(self.hidden * n);
        let layers = self.second.chunks(self.hidden + 1).zip(hidden);
        let gradients = to.second.chunks_mut(self.hidden + 1);
        for (((layer, hidden), to), slopes) in layers.zip(gradients).zip(buffers.logits.chunks(n)) {
            to[self.hidden] = slopes.iter().sum();
            for (k, unit) in hidden.chunks_mut(n).enumerate() {
                let mut sum = 0.0;
                for (value, slope) in unit.iter_mut().zip(slopes) {
                    sum += *value * slope;
                    *value = if *value > 0.0 { layer[k] * slope } else { 0.0 };
                }
                to[k] = sum;
            }
        }
        DMatrixViewMut::from_slice(&mut to.first, self.width, units).gemm(
            1.0,
            &DMatrixView::from_slice(&inputs.by_instance, self.width, n),
            &DMatrixView::from_slice(&buffers.hidden, n, units),
            0.0,
        );
    }

    /// Copies network `from` of another set over network `at`.
    pub(super) fn copy(&mut self, at: usize, other: &Networks, from: usize) {
        let (a, b) = (self.hidden * self.width, self.hidden + 1);
        self.first[at * a..(at + 1) * a].copy_from_slice(&other.first[from * a..(from + 1) * a]);
        self.second[at * b..(at + 1) * b].copy_from_slice(&other.second[from * b..(from + 1) * b]);
    }

    /// Keeps only some networks, given in ascending order.
    pub(super) fn keep(&mut self, kept: &[usize]) {
        for (to, &from) in kept.iter().enumerate() {
            let (a, b) = (self.hidden * self.width, self.hidden + 1);
            self.first.copy_within(from * a..(from + 1) * a, to * a);
            self.second.copy_within(from * b..(from + 1) * b, to * b);
        }
        self.first.truncate(kept.len() * self.hidden * self.width);
        self.second.truncate(kept.len() * (self.hidden + 1));
    }
}

//! Computes gradients of parameters from the sums over nodes. All products are small.

use super::sums::{Sums, add};
use super::{Context, Head, Stage};
use crate::Real;
use crate::kernels::{Onto, Product};
use crate::layout::{Slots, StageSlots};

/// Computes the gradients of one stage's parameters.
pub(super) struct Finish<'a, T> {
    pub(super) context: &'a Context<'a, T>,
    pub(super) stage: &'a Stage<'a, T>,
    pub(super) slots: &'a Slots,
    pub(super) at: &'a StageSlots,
}

impl<T: Real> Finish<'_, T> {
    /// Gradients of the parameters that a stage has once: W_own, b_c and the norm.
    pub(super) fn stage(&self, sums: &Sums<T>, gradient: &mut [T]) {
        let embedding = self.context.config.embedding;
        let combine = &self.at.combine;
        let stride = combine.weight.len() / embedding;
        let rows = gradient[combine.weight.clone()].chunks_exact_mut(stride);
        for (row, own) in rows.zip(sums.own.chunks_exact(embedding)) {
            add(row, own);
        }
        add(&mut gradient[combine.bias.clone()], &sums.all);
        if let Some(norm) = &self.at.norm {
            add(&mut gradient[norm.weight.clone()], &sums.norm_weight);
            add(&mut gradient[norm.bias.clone()], &sums.norm_bias);
        }
    }

    /// Gradients from the sums over sources of head `h`: ∂W_l and ∂a through the scores.
    pub(super) fn sources(&self, h: usize, sums: &Sums<T>, gradient: &mut [T]) {
        let embedding = self.context.config.embedding;
        let width = self.context.config.head_width;
        for (c, left) in sums.left.chunks_exact(embedding).enumerate() {
            let channel = h * width + c;
            let row = channel * embedding..(channel + 1) * embedding;
            let weight = &self.stage.left.weight[row.clone()];
            gradient[self.at.att.start + channel] += dot(weight, left);
            let to = &mut gradient[self.at.left.weight.clone()][row];
            add_scaled(to, self.stage.att[channel], left);
        }
    }

    /// Gradients from the sums over targets of head `h`: all others of the head.
    pub(super) fn targets(&self, h: usize, head: &Head<T>, sums: &Sums<T>, gradient: &mut [T]) {
        self.values(h, head, sums, gradient);
        let (stage, at) = (self.stage, self.at);
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        for c in 0..width {
            let channel = h * width + c;
            let row = channel * embedding..(channel + 1) * embedding;
            let att = stage.att[channel];
            let slope = sums.slopes[c];
            let right = &sums.right[c * embedding..][..embedding];
            let bias = stage.left.bias[channel] + head.right_bias[c];
            let mut total = bias * slope + dot(&stage.right.weight[row.clone()], right);
            for f in 0..config.edge_width {
                total += head.projection[f * width + c] * sums.features[f * width + c];
            }
            gradient[at.att.start + channel] += total;
            gradient[at.left.bias.start + channel] += att * slope;
            gradient[at.right.bias.start + channel] += att * slope;
            let to = &mut gradient[at.right.weight.clone()][row];
            add_scaled(to, att, right);
            self.edges(c, channel, sums, gradient);
        }
    }

    /// Gradients through U = W_e E and v = W_e b_E, for one channel.
    fn edges(&self, c: usize, channel: usize, sums: &Sums<T>, gradient: &mut [T]) {
        let config = self.context.config;
        let (embedding, features) = (config.embedding, config.edge_width);
        let row = channel * embedding..(channel + 1) * embedding;
        let att = self.stage.att[channel];
        let weight = &self.stage.edge[row.clone()];
        let from = &self.stage.embedding;
        let slope = att * sums.slopes[c];
        add_scaled(&mut gradient[self.slots.edge.bias.clone()], slope, weight);
        add_scaled(
            &mut gradient[self.at.edge.clone()][row.clone()],
            slope,
            from.bias,
        );
        for f in 0..features {
            let slope = att * sums.features[f * config.head_width + c];
            let to = &mut gradient[self.slots.edge.weight.clone()][f..];
            for (to, &weight) in to.iter_mut().step_by(features).zip(weight) {
                *to += slope * weight;
            }
            let to = &mut gradient[self.at.edge.clone()][row.clone()];
            for (to, &weight) in to.iter_mut().zip(from.weight[f..].iter().step_by(features)) {
                *to += slope * weight;
            }
        }
    }

    /// Gradients through the weighted sums: y_i += M z_i + W_c b, and W_c b_l where there are edges.
    fn values(&self, h: usize, head: &Head<T>, sums: &Sums<T>, gradient: &mut [T]) {
        let (stage, at) = (self.stage, self.at);
        let config = self.context.config;
        let (embedding, width) = (config.embedding, config.head_width);
        let kernels = self.context.kernels;
        let stride = embedding + stage.bias.len();
        let slice = h * width * embedding..(h + 1) * width * embedding;
        // ∂W_l += W_cᵀ ∂M
        (kernels.product)(Product {
            rows: width,
            depth: embedding,
            columns: embedding,
            a: &stage.combine.weight[embedding + h * width..],
            a_strides: (1, stride),
            b: &sums.value,
            c: &mut gradient[at.left.weight.clone()][slice],
            onto: Onto::Itself,
        });
        // ∂W_c += ∂M W_lᵀ
        let mut product = vec![T::ZERO; embedding * width];
        kernels.times(&sums.value, &head.left, Onto::Zero, &mut product, width);
        let channels = h * width..(h + 1) * width;
        for (o, product) in product.chunks_exact(width).enumerate() {
            let (all, reached) = (sums.all[o], sums.reached[o]);
            let begin = o * stride + embedding + channels.start;
            let weight = &stage.combine.weight[begin..begin + width];
            let to = &mut gradient[at.combine.weight.clone()][begin..begin + width];
            add(to, product);
            add_scaled(to, all, &stage.bias[channels.clone()]);
            add_scaled(to, reached, &stage.left.bias[channels.clone()]);
            let to = &mut gradient[at.bias.clone()][channels.clone()];
            add_scaled(to, all, weight);
            let to = &mut gradient[at.left.bias.clone()][channels.clone()];
            add_scaled(to, reached, weight);
        }
    }
}

fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sum = T::ZERO;
    for (&a, &b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

/// `to += scale · from`.
fn add_scaled<T: Real>(to: &mut [T], scale: T, from: &[T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += scale * from;
    }
}

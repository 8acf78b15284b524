//! The end of a stage: ReLU, and optionally the residual connection and the normalisation.

use super::{Linear, Stage, Sums};
use crate::Real;

/// Added to the variance; PyTorch's default.
const EPSILON: f64 = 1e-5;

/// Turns sums into embeddings, in place. With the norm, `updates` receives the output of the ReLU unless it is empty.
pub(super) fn forward<T: Real>(stage: &Stage<'_, T>, own: &[T], out: &mut [T], updates: &mut [T]) {
    for value in out.iter_mut() {
        *value = if *value > T::ZERO { *value } else { T::ZERO };
    }
    let Some(norm) = &stage.norm else { return };
    if !updates.is_empty() {
        updates.copy_from_slice(out);
    }
    let width = norm.weight.len();
    for (own, out) in own.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let scale = standardise(own, out);
        for ((out, &weight), &bias) in out.iter_mut().zip(norm.weight).zip(norm.bias) {
            *out = *out * scale * weight + bias;
        }
    }
}

/// Replaces `out` by `own + out` minus its mean; returns the factor that makes its variance one.
fn standardise<T: Real>(own: &[T], out: &mut [T]) -> T {
    let count = T::from_f64(own.len() as f64);
    let mut mean = T::ZERO;
    for (out, &own) in out.iter_mut().zip(own) {
        *out += own;
        mean += *out;
    }
    mean = mean / count;
    let mut square = T::ZERO;
    for out in out.iter_mut() {
        *out = *out - mean;
        square += *out * *out;
    }
    T::ONE / (square / count + T::from_f64(EPSILON)).sqrt()
}

/// Turns the gradient of embeddings into that of sums, in place, and writes the part that goes directly to the
/// targets' old embeddings to `direct`. `out` and `updates` are those of the forward pass.
pub(super) fn backward<T: Real>(
    stage: &Stage<'_, T>,
    (own, out, updates): (&[T], &[T], &[T]),
    gradient: &mut [T],
    direct: &mut [T],
    sums: &mut Sums<T>,
) {
    let Some(norm) = &stage.norm else {
        direct.fill(T::ZERO);
        mask(gradient, out);
        return;
    };
    let width = norm.weight.len();
    let rows = own.chunks_exact(width).zip(updates.chunks_exact(width));
    let gradients = gradient.chunks_exact_mut(width);
    for (((own, update), gradient), direct) in
        rows.zip(gradients).zip(direct.chunks_exact_mut(width))
    {
        row(norm, (own, update), gradient, direct, sums);
    }
    gradient.copy_from_slice(direct);
    mask(gradient, updates);
}

fn row<T: Real>(
    norm: &Linear<'_, T>,
    (own, update): (&[T], &[T]),
    gradient: &[T],
    direct: &mut [T],
    sums: &mut Sums<T>,
) {
    direct.copy_from_slice(update);
    let scale = standardise(own, direct);
    let count = T::from_f64(own.len() as f64);
    let (mut mean, mut along) = (T::ZERO, T::ZERO);
    for (c, &g) in gradient.iter().enumerate() {
        let standard = direct[c] * scale;
        sums.norm_weight[c] += g * standard;
        sums.norm_bias[c] += g;
        mean += g * norm.weight[c];
        along += g * norm.weight[c] * standard;
    }
    (mean, along) = (mean / count, along / count);
    for (c, direct) in direct.iter_mut().enumerate() {
        let standard = *direct * scale;
        *direct = scale * (gradient[c] * norm.weight[c] - mean - standard * along);
    }
}

/// The backward pass of a ReLU whose output is known.
pub(crate) fn mask<T: Real>(gradient: &mut [T], out: &[T]) {
    for (gradient, &out) in gradient.iter_mut().zip(out) {
        if out <= T::ZERO {
            *gradient = T::ZERO;
        }
    }
}

//! The portable path: plain loops, for any width and either precision.

use std::ops::Range;

use super::{Attend, Gather, Masked, Pull, SLOPE, SOFTMAX_EPSILON, sign_bytes};
use crate::Real;

/// The edges of the block's node `i`, counted from the block's first edge.
pub(super) fn edges(starts: &[u32], i: usize) -> Range<usize> {
    (starts[i] - starts[0]) as usize..(starts[i + 1] - starts[0]) as usize
}

/// See [`Attend`].
pub(super) fn attend<T: Real>(x: Attend<'_, T>) {
    let width = x.width;
    let bytes = sign_bytes(width);
    let features = x.projection.len() / width;
    let slope = T::from_f64(SLOPE);
    for i in 0..x.starts.len() - 1 {
        let range = edges(x.starts, i);
        let target = &x.targets[i * width..][..width];
        let out = &mut x.out[i * width..][..width];
        for e in range.clone() {
            let source = &x.sources[x.neighbours[e] as usize * width..][..width];
            let mut score = T::ZERO;
            for c in 0..width {
                let mut t = source[c] + target[c];
                for f in 0..features {
                    t += x.features[e * features + f] * x.projection[f * width + c];
                }
                let negative = t < T::ZERO;
                score += x.att[c] * if negative { slope * t } else { t };
                if !x.signs.is_empty() {
                    let byte = &mut x.signs[e * bytes + c / 8];
                    *byte = *byte & !(1 << (c % 8)) | (u8::from(negative) << (c % 8));
                }
            }
            x.alpha[e] = score;
        }
        softmax(&mut x.alpha[range.clone()]);
        out.fill(T::ZERO);
        for e in range {
            let source = &x.sources[x.neighbours[e] as usize * width..][..width];
            let alpha = x.alpha[e];
            for (out, &value) in out.iter_mut().zip(source) {
                *out += alpha * value;
            }
        }
    }
}

fn softmax<T: Real>(scores: &mut [T]) {
    let Some(most) = scores
        .iter()
        .copied()
        .reduce(|a, b| if b > a { b } else { a })
    else {
        return;
    };
    let mut sum = T::ZERO;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    let scale = T::ONE / (sum + T::from_f64(SOFTMAX_EPSILON));
    for score in scores {
        *score = *score * scale;
    }
}

/// See [`Pull`].
pub(super) fn pull<T: Real>(x: Pull<'_, T>) {
    let width = x.width;
    for i in 0..x.starts.len() - 1 {
        let range = edges(x.starts, i);
        let gradient = &x.gradient[i * width..][..width];
        let sums = &mut x.sums[i * width..][..width];
        sums.fill(T::ZERO);
        let mut mean = T::ZERO;
        for e in range.clone() {
            let source = &x.sources[x.neighbours[e] as usize * width..][..width];
            let alpha = x.alpha[e];
            let mut dot = T::ZERO;
            for c in 0..width {
                dot += gradient[c] * source[c];
                sums[c] += alpha * source[c];
            }
            x.scores[e] = dot;
            mean += alpha * dot;
        }
        for e in range {
            x.scores[e] = x.alpha[e] * (x.scores[e] - mean);
        }
    }
}

/// See [`Masked`].
pub(super) fn masked<T: Real>(x: Masked<'_, T>) {
    let width = x.width;
    let bytes = sign_bytes(width);
    let drop = T::from_f64(1.0 - SLOPE);
    for i in 0..x.starts.len() - 1 {
        let out = &mut x.out[i * width..][..width];
        out.fill(T::ZERO);
        let mut total = T::ZERO;
        for e in edges(x.starts, i) {
            let at = x.positions.map_or(e, |positions| positions[e] as usize);
            let coefficient = x.coefficients[at];
            total += coefficient;
            let signs = &x.signs[at * bytes..][..bytes];
            for (c, out) in out.iter_mut().enumerate() {
                if signs[c / 8] >> (c % 8) & 1 == 1 {
                    *out += coefficient;
                }
            }
        }
        for out in out {
            *out = total - drop * *out;
        }
    }
}

/// See [`Gather`].
pub(super) fn gather<T: Real>(x: Gather<'_, T>) {
    let width = x.width;
    for i in 0..x.starts.len() - 1 {
        let out = &mut x.out[i * width..][..width];
        for e in edges(x.starts, i) {
            let row = &x.rows[x.neighbours[e] as usize * width..][..width];
            let alpha = x.alpha[x.positions[e] as usize];
            for (out, &value) in out.iter_mut().zip(row) {
                *out += alpha * value;
            }
        }
    }
}

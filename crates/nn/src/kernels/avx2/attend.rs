//! Attention of one head for a block of targets.

use std::arch::x86_64::*;

use super::super::portable::edges;
use super::super::{Attend, SLOPE};
use super::vector::{fetch_row, load, softmax, store, sum};

/// See [`Attend`]. `V` vectors make a row, `F` is the number of edge features, 0 for any, and
/// `SIGNS` says whether signs are wanted.
#[target_feature(enable = "avx2,fma")]
pub(super) fn attend<const V: usize, const F: usize, const SIGNS: bool>(x: Attend<'_, f32>) {
    let width = V * 8;
    let features = if F == 0 {
        x.projection.len() / width
    } else {
        F
    };
    let projection = &x.projection[..features * width];
    let att = &x.att[..width];
    let slope = _mm256_set1_ps(SLOPE as f32);
    for i in 0..x.starts.len() - 1 {
        let range = edges(x.starts, i);
        let target: [__m256; V] = load(&x.targets[i * width..]);
        let alpha = &mut x.alpha[range.clone()];
        let neighbours = &x.neighbours[range.clone()];
        let mut most = f32::NEG_INFINITY;
        // The weight of a single edge is one, whatever its score.
        let scored = SIGNS || range.len() > 1;
        if !scored {
            alpha.fill(1.0);
        }
        let range = if scored { range } else { 0..0 };
        for (e, (&j, alpha)) in range.clone().zip(neighbours.iter().zip(alpha.iter_mut())) {
            fetch_row::<V>(x.sources, x.neighbours, e);
            let source = &x.sources[j as usize * width..][..width];
            let edge = &x.features[e * features..][..features];
            let mut signs = [0u8; V];
            let mut sums = [_mm256_setzero_ps(); 2];
            for v in 0..V {
                // SAFETY: `source`, `att` and each row of `projection` have V · 8 numbers.
                let (value, weight) = unsafe {
                    let mut value =
                        _mm256_add_ps(target[v], _mm256_loadu_ps(source.as_ptr().add(v * 8)));
                    for (f, &feature) in edge.iter().enumerate() {
                        let row = projection.as_ptr().add(f * width + v * 8);
                        value =
                            _mm256_fmadd_ps(_mm256_set1_ps(feature), _mm256_loadu_ps(row), value);
                    }
                    (value, _mm256_loadu_ps(att.as_ptr().add(v * 8)))
                };
                if SIGNS {
                    signs[v] = _mm256_movemask_ps(value) as u8;
                }
                let leaky = _mm256_max_ps(value, _mm256_mul_ps(slope, value));
                sums[v % 2] = _mm256_fmadd_ps(leaky, weight, sums[v % 2]);
            }
            if SIGNS {
                x.signs[e * V..][..V].copy_from_slice(&signs);
            }
            *alpha = sum(_mm256_add_ps(sums[0], sums[1]));
            most = most.max(*alpha);
        }
        if scored {
            softmax(alpha, most);
        }
        let mut out = [_mm256_setzero_ps(); V];
        for (&j, &alpha) in neighbours.iter().zip(alpha.iter()) {
            let source: [__m256; V] = load(&x.sources[j as usize * width..]);
            let weight = _mm256_set1_ps(alpha);
            for v in 0..V {
                out[v] = _mm256_fmadd_ps(weight, source[v], out[v]);
            }
        }
        store(&mut x.out[i * width..], out);
    }
}

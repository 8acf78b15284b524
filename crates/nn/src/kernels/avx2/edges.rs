//! The sums over edges that the backward pass needs.

use std::arch::x86_64::*;

use super::super::portable::edges;
use super::super::{Gather, Masked, Pull, SLOPE};
use super::vector::{AHEAD, fetch, fetch_row, load, store, sum};

/// See [`Pull`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn pull<const V: usize>(x: Pull<'_, f32>) {
    let width = V * 8;
    for i in 0..x.starts.len() - 1 {
        let range = edges(x.starts, i);
        let gradient = &x.gradient[i * width..][..width];
        let alphas = &x.alpha[range.clone()];
        let scores = &mut x.scores[range.clone()];
        let mut sums = [_mm256_setzero_ps(); V];
        let mut mean = 0.0;
        for (((e, &j), &alpha), score) in range
            .clone()
            .zip(&x.neighbours[range])
            .zip(alphas)
            .zip(scores.iter_mut())
        {
            fetch_row::<V>(x.sources, x.neighbours, e);
            let source = &x.sources[j as usize * width..][..width];
            let weight = _mm256_set1_ps(alpha);
            let mut dots = [_mm256_setzero_ps(); 4];
            for v in 0..V {
                // SAFETY: `source` and `gradient` have V · 8 numbers.
                let (value, slope) = unsafe {
                    (
                        _mm256_loadu_ps(source.as_ptr().add(v * 8)),
                        _mm256_loadu_ps(gradient.as_ptr().add(v * 8)),
                    )
                };
                dots[v % 4] = _mm256_fmadd_ps(value, slope, dots[v % 4]);
                sums[v] = _mm256_fmadd_ps(weight, value, sums[v]);
            }
            *score = sum(_mm256_add_ps(
                _mm256_add_ps(dots[0], dots[1]),
                _mm256_add_ps(dots[2], dots[3]),
            ));
            mean += alpha * *score;
        }
        for (score, &alpha) in scores.iter_mut().zip(alphas) {
            *score = alpha * (*score - mean);
        }
        store(&mut x.sums[i * width..], sums);
    }
}

/// See [`Masked`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn masked<const V: usize>(x: Masked<'_, f32>) {
    let width = V * 8;
    // Moves the sign of each lane to the top bit, for the four bytes of a word.
    let shifts: [__m256i; 4] = std::array::from_fn(|byte| {
        let top = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
        _mm256_sub_epi32(top, _mm256_set1_epi32(8 * byte as i32))
    });
    let drop = _mm256_set1_ps((1.0 - SLOPE) as f32);
    for i in 0..x.starts.len() - 1 {
        let mut sums = [_mm256_setzero_ps(); V];
        let mut total = 0.0;
        for e in edges(x.starts, i) {
            let at = match x.positions {
                None => e,
                Some(positions) => {
                    if let Some(&at) = positions.get(e + AHEAD) {
                        fetch(x.coefficients, at as usize, 1);
                        fetch(x.signs, at as usize * V, V);
                    }
                    positions[e] as usize
                }
            };
            let coefficient = x.coefficients[at];
            total += coefficient;
            let weight = _mm256_set1_ps(coefficient);
            let signs = &x.signs[at * V..][..V];
            for (word, bytes) in signs.chunks(4).enumerate() {
                let mut four = [0; 4];
                four[..bytes.len()].copy_from_slice(bytes);
                let bits = _mm256_set1_epi32(i32::from_le_bytes(four));
                for (byte, &shift) in shifts.iter().enumerate().take(bytes.len()) {
                    let mask = _mm256_castsi256_ps(_mm256_sllv_epi32(bits, shift));
                    let chosen = _mm256_blendv_ps(_mm256_setzero_ps(), weight, mask);
                    let v = word * 4 + byte;
                    sums[v] = _mm256_add_ps(sums[v], chosen);
                }
            }
        }
        let total = _mm256_set1_ps(total);
        store(
            &mut x.out[i * width..],
            sums.map(|sum| _mm256_fnmadd_ps(drop, sum, total)),
        );
    }
}

/// See [`Gather`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn gather<const V: usize>(x: Gather<'_, f32>) {
    let width = V * 8;
    for i in 0..x.starts.len() - 1 {
        let range = edges(x.starts, i);
        let mut sums: [__m256; V] = load(&x.out[i * width..]);
        let positions = &x.positions[range.clone()];
        for ((e, &j), &at) in range.clone().zip(&x.neighbours[range]).zip(positions) {
            fetch_row::<V>(x.rows, x.neighbours, e);
            if let Some(&at) = x.positions.get(e + AHEAD) {
                fetch(x.alpha, at as usize, 1);
            }
            let row: [__m256; V] = load(&x.rows[j as usize * width..]);
            let weight = _mm256_set1_ps(x.alpha[at as usize]);
            for v in 0..V {
                sums[v] = _mm256_fmadd_ps(weight, row[v], sums[v]);
            }
        }
        store(&mut x.out[i * width..], sums);
    }
}

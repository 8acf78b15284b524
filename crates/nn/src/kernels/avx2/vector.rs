//! Small functions that the kernels share.

use std::arch::x86_64::*;

use crate::real::{EXP, EXP_LOWEST, LN_2};

/// `V` vectors from the start of a slice.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn load<const V: usize>(from: &[f32]) -> [__m256; V] {
    let from = &from[..V * 8];
    // SAFETY: the slice has V · 8 numbers.
    std::array::from_fn(|v| unsafe { _mm256_loadu_ps(from.as_ptr().add(v * 8)) })
}

/// `V` vectors to the start of a slice.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn store<const V: usize>(to: &mut [f32], values: [__m256; V]) {
    let to = &mut to[..V * 8];
    for (v, value) in values.into_iter().enumerate() {
        // SAFETY: the slice has V · 8 numbers.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr().add(v * 8), value) };
    }
}

/// How many edges ahead memory is prefetched: enough to hide the latency.
pub(super) const AHEAD: usize = 8;

/// Prefetches `count` numbers from index `at`; nothing is read, so any index is allowed.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fetch<T>(from: &[T], at: usize, count: usize) {
    let bytes = from.as_ptr().wrapping_add(at).cast::<i8>();
    for line in 0..(count * size_of::<T>()).div_ceil(64) {
        _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(line * 64));
    }
}

/// Prefetches the row of an edge [`AHEAD`] of this one, if that is in this block.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fetch_row<const V: usize>(rows: &[f32], neighbours: &[u32], edge: usize) {
    if let Some(&j) = neighbours.get(edge + AHEAD) {
        fetch(rows, j as usize * V * 8, V * 8);
    }
}

/// The sum of the eight numbers of a vector.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sum(x: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}

/// A mask with all bits set in the first `count` lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn first(count: usize) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_cmpgt_epi32(_mm256_set1_epi32(count.min(8) as i32), lanes)
}

/// The exponential of numbers that are not positive; the same formula as in `real.rs`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn exp(x: __m256) -> __m256 {
    let x = _mm256_max_ps(x, _mm256_set1_ps(EXP_LOWEST));
    let n = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_ps(
        x,
        _mm256_set1_ps(std::f32::consts::LOG2_E),
    ));
    let r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN_2[0]), x);
    let r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN_2[1]), r);
    let mut series = _mm256_set1_ps(EXP[0]);
    for &c in &EXP[1..] {
        series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(c));
    }
    let y = _mm256_fmadd_ps(series, _mm256_mul_ps(r, r), r);
    let y = _mm256_add_ps(y, _mm256_set1_ps(1.0));
    let power = _mm256_slli_epi32::<23>(_mm256_add_epi32(
        _mm256_cvtps_epi32(n),
        _mm256_set1_epi32(127),
    ));
    _mm256_mul_ps(y, _mm256_castsi256_ps(power))
}

/// Computes the softmax in place; `most` is the largest score.
///
/// Whole vectors are stored, and the last numbers one by one: a store under a mask takes longer than
/// all the rest for the few edges that most nodes have.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn softmax(scores: &mut [f32], most: f32) {
    let mut total = _mm256_setzero_ps();
    let shift = _mm256_set1_ps(most);
    let (whole, rest) = scores.as_chunks_mut::<8>();
    for scores in &mut *whole {
        // SAFETY: there are eight numbers.
        unsafe {
            let value = exp(_mm256_sub_ps(_mm256_loadu_ps(scores.as_ptr()), shift));
            total = _mm256_add_ps(total, value);
            _mm256_storeu_ps(scores.as_mut_ptr(), value);
        }
    }
    let mut last = [0.0; 8];
    if !rest.is_empty() {
        let lanes = first(rest.len());
        // SAFETY: the mask leaves out what is beyond the slice.
        let value = unsafe { _mm256_maskload_ps(rest.as_ptr(), lanes) };
        let value = exp(_mm256_sub_ps(value, shift));
        let value = _mm256_and_ps(value, _mm256_castsi256_ps(lanes));
        total = _mm256_add_ps(total, value);
        // SAFETY: there are eight numbers.
        unsafe { _mm256_storeu_ps(last.as_mut_ptr(), value) };
    }
    let scale = 1.0 / (sum(total) + super::super::SOFTMAX_EPSILON as f32);
    for score in whole.as_flattened_mut() {
        *score *= scale;
    }
    for (score, value) in rest.iter_mut().zip(last) {
        *score = value * scale;
    }
}

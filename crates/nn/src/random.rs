//! A small random generator that is the same on every machine, because initial weights are part of a result.

/// Xoshiro256++ of Blackman and Vigna, seeded by splitmix64.
pub(crate) struct Random([u64; 4]);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Random(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform between `-bound` and `bound`.
    pub(crate) fn uniform(&mut self, bound: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        (2.0 * unit - 1.0) * bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_and_spread() {
        // The reference values of the published algorithms for seed 0.
        assert_eq!(Random::new(0).0[0], 0xe220_a839_7b1d_cdaf);
        let mut random = Random::new(7);
        let values: Vec<f64> = (0..10_000).map(|_| random.uniform(2.0)).collect();
        assert!(values.iter().all(|v| v.abs() <= 2.0));
        let mean = values.iter().sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05, "{mean}");
    }
}

//! Random numbers that are the same on every machine and in every later version.
//!
//! A stream is named by (seed, purpose, number), so that any instance can be drawn alone. The generator is
//! xoshiro256++ (Blackman and Vigna), started through SplitMix64 from an FNV-1a hash of the name. Logarithms
//! and the like come from `libm`, whose results do not depend on the platform; everything else is plain
//! IEEE arithmetic.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

/// The constant by which SplitMix64 counts.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The FNV-1a hash of bytes: the same on every machine, and too weak for anything but spreading names.
pub fn fnv(bytes: &[u8]) -> u64 {
    fnv_after(0xcbf2_9ce4_8422_2325, bytes)
}

fn fnv_after(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Bits in which every one depends on all of these: a step of SplitMix64.
pub fn mixed(bits: u64) -> u64 {
    let mut z = bits.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn split_mix(state: &mut u64) -> u64 {
    let bits = mixed(*state);
    *state = state.wrapping_add(STEP);
    bits
}

impl Random {
    /// The stream with this name. Streams with different names are independent.
    pub fn new(seed: u64, purpose: &str, number: u64) -> Self {
        let mut hash = fnv(&seed.to_le_bytes());
        hash = fnv_after(hash, purpose.as_bytes());
        hash = fnv_after(hash, &[0xff]);
        hash = fnv_after(hash, &number.to_le_bytes());
        Self::seeded(hash)
    }

    /// The stream of a number alone, started through SplitMix64 as the authors of the generator recommend.
    pub fn seeded(mut seed: u64) -> Self {
        Self {
            state: std::array::from_fn(|_| split_mix(&mut seed)),
        }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
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

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..n, without bias; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        if n == 0 {
            return 0;
        }
        // Lemire's multiplication, rejecting the few values that would be favoured.
        let reject = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.bits()) * u128::from(n);
            if product as u64 >= reject {
                return (product >> 64) as usize;
            }
        }
    }

    /// Uniform in low..=high.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(0) as usize) as i64
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// The exponential of a normally distributed number with this mean and standard deviation.
    pub fn log_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        libm::exp(mean + deviation * self.normal())
    }

    /// Puts items in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Draws indices in proportion to fixed weights.
#[derive(Clone, Debug)]
pub struct Weighted {
    /// Running sums of the weights.
    sums: Vec<f64>,
}

impl Weighted {
    /// From weights, one for each index, none of them negative.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let sums = weights
            .into_iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        Self { sums }
    }

    /// A random index.
    pub fn draw(&self, random: &mut Random) -> usize {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let at = random.unit() * total;
        self.sums
            .partition_point(|&sum| sum <= at)
            .min(self.sums.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut r = Random::new(1, "test", 2);
        assert_eq!(
            [r.bits(), r.bits()],
            [10_141_155_322_355_017_316, 18_028_266_032_897_228_754]
        );
    }

    #[test]
    fn seeds_give_the_published_states() {
        assert_eq!(Random::seeded(0).state[0], 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn streams_with_other_names_differ() {
        let first = |seed, purpose, number| Random::new(seed, purpose, number).bits();
        let all = [
            first(1, "a", 1),
            first(2, "a", 1),
            first(1, "b", 1),
            first(1, "a", 2),
        ];
        assert_eq!(std::collections::HashSet::from(all).len(), 4);
    }

    #[test]
    fn moments_are_right() {
        let mut r = Random::new(7, "moments", 0);
        let n = 200_000;
        let (mut sum, mut squares, mut sixes) = (0.0, 0.0, 0);
        for _ in 0..n {
            let x = r.normal();
            sum += x;
            squares += x * x;
            sixes += u32::from(r.between(1, 6) == 6);
        }
        let n = f64::from(n);
        assert!((sum / n).abs() < 0.01);
        assert!((squares / n - 1.0).abs() < 0.02);
        assert!((f64::from(sixes) / n - 1.0 / 6.0).abs() < 0.005);
    }

    #[test]
    fn weighted_draws_follow_the_weights() {
        let weighted = Weighted::new([1.0, 0.0, 3.0]);
        let mut r = Random::new(7, "weighted", 0);
        let mut counts = [0; 3];
        for _ in 0..40_000 {
            counts[weighted.draw(&mut r)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((9_500..10_500).contains(&counts[0]));
    }
}

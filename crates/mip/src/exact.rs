//! Exact sums of doubles and of products of two doubles.
//!
//! Every finite double is a whole multiple of 2⁻¹⁰⁷⁴, so every product of two is a whole multiple of
//! 2⁻²¹⁴⁸, and all of them are below 2²⁰⁴⁸. A fixed-point number with about 4300 bits therefore holds
//! any sum of them without rounding (Kulisch's accumulator). Rounding happens once, when the sum is
//! read.

use std::cmp::Ordering;

/// Bits of a digit after carries are propagated.
const DIGIT_BITS: usize = 32;
const DIGIT_MASK: i64 = (1 << DIGIT_BITS) - 1;
/// The weight of the lowest bit of the lowest digit is 2^-UNIT.
const UNIT: usize = 2148;
/// Bits that hold the sum of 2^60 products.
const BITS: usize = UNIT + 2048 + 60;
/// Digits in all: those of `BITS`, one for the sign, and two into which a shifted mantissa may reach with zeros.
const DIGITS: usize = BITS.div_ceil(DIGIT_BITS) + 3;
/// A digit grows by less than 2^33 with each addition, so this many fit into 63 bits.
const ADDITIONS_BETWEEN_CARRIES: u32 = 1 << 28;
/// The least exponent of a double: the smallest subnormal is 2^-1074.
const LEAST_EXPONENT: i32 = -1074;

/// A sum of doubles and products of doubles, without any rounding until it is read.
///
/// Holds up to 2⁶⁰ additions. Work and clearing cost only what the sum's magnitudes span, so one
/// accumulator serves many sums.
///
/// ```
/// use idpas_mip::exact::Accumulator;
/// let mut sum = Accumulator::new();
/// for x in [1e308, 1.0, -1e308] {
///     sum.add(x);
/// }
/// sum.add_product(1e-200, 1e-200);
/// assert!(sum.is_positive());
/// assert_eq!(sum.to_f64(), 1.0);
/// ```
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// The sum is Σ `digits[i]`·2^(32·i − UNIT). Digits are signed and may exceed 32 bits between carries.
    digits: [i64; DIGITS],
    /// `low..high` is the range of digits that may differ from zero.
    low: usize,
    high: usize,
    /// Additions since carries were last propagated.
    pending: u32,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self::new()
    }
}

impl Accumulator {
    /// A sum that is zero.
    pub fn new() -> Self {
        Self {
            digits: [0; DIGITS],
            low: DIGITS,
            high: 0,
            pending: 0,
        }
    }

    /// Makes the sum zero again.
    pub fn clear(&mut self) {
        if self.low < self.high {
            self.digits[self.low..self.high].fill(0);
        }
        self.low = DIGITS;
        self.high = 0;
        self.pending = 0;
    }

    /// Adds a number.
    ///
    /// # Panics
    /// If it is infinite or NaN.
    pub fn add(&mut self, x: f64) {
        if x != 0.0 {
            let (mantissa, exponent) = decompose(x);
            self.place(x.is_sign_negative(), mantissa.into(), exponent);
        }
    }

    /// Adds the product of two numbers.
    ///
    /// # Panics
    /// If either is infinite or NaN.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (mantissa_a, exponent_a) = decompose(a);
        let (mantissa_b, exponent_b) = decompose(b);
        if mantissa_a != 0 && mantissa_b != 0 {
            self.place(
                a.is_sign_negative() != b.is_sign_negative(),
                u128::from(mantissa_a) * u128::from(mantissa_b),
                exponent_a + exponent_b,
            );
        }
    }

    /// How the sum compares with zero.
    pub fn sign(&mut self) -> Ordering {
        self.carry();
        // Below its leading digit all are in [0, 2^32), so they cannot outweigh it.
        match self.leading() {
            Some(i) => self.digits[i].cmp(&0),
            None => Ordering::Equal,
        }
    }

    /// Whether the sum is below zero.
    pub fn is_negative(&mut self) -> bool {
        self.sign() == Ordering::Less
    }

    /// Whether the sum is above zero.
    pub fn is_positive(&mut self) -> bool {
        self.sign() == Ordering::Greater
    }

    /// Whether the sum is zero.
    pub fn is_zero(&mut self) -> bool {
        self.sign() == Ordering::Equal
    }

    /// The double nearest to the sum, ties to even; infinite where the sum is beyond all doubles.
    pub fn to_f64(&mut self) -> f64 {
        match self.sign() {
            Ordering::Equal => 0.0,
            Ordering::Greater => self.round(),
            Ordering::Less => {
                self.negate();
                let magnitude = self.round();
                self.negate();
                -magnitude
            }
        }
    }

    /// Adds ±mantissa·2^exponent, where the mantissa has at most 106 bits.
    fn place(&mut self, negative: bool, mantissa: u128, exponent: i32) {
        let position = (exponent + UNIT as i32) as usize;
        let (first, shift) = (position / DIGIT_BITS, position % DIGIT_BITS);
        // Shifted by up to 31 bits the mantissa may not fit into 128, so it is shifted in two halves.
        let low = u128::from(mantissa as u64) << shift;
        let high = (mantissa >> 64) << shift;
        let digit = |bits: u128| bits as i64 & DIGIT_MASK;
        let parts = [
            digit(low),
            digit(low >> 32),
            digit(low >> 64) + digit(high),
            digit(high >> 32),
            digit(high >> 64),
        ];
        let sign = if negative { -1 } else { 1 };
        let end = first + parts.len();
        for (digit, part) in self.digits[first..end].iter_mut().zip(parts) {
            *digit += sign * part;
        }
        self.low = self.low.min(first);
        self.high = self.high.max(end);
        self.pending += 1;
        if self.pending == ADDITIONS_BETWEEN_CARRIES {
            self.carry();
        }
    }

    /// Brings every digit but the top one into [0, 2^32), and the top one into (−2^32, 2^32).
    fn carry(&mut self) {
        if self.pending == 0 {
            return;
        }
        self.pending = 0;
        let mut carry = 0;
        for digit in &mut self.digits[self.low..self.high - 1] {
            let value = *digit + carry;
            *digit = value & DIGIT_MASK;
            carry = value >> DIGIT_BITS;
        }
        let mut top = self.digits[self.high - 1] + carry;
        while top.abs() > DIGIT_MASK {
            self.digits[self.high - 1] = top & DIGIT_MASK;
            top >>= DIGIT_BITS;
            self.high += 1;
        }
        self.digits[self.high - 1] = top;
    }

    fn negate(&mut self) {
        for digit in &mut self.digits[self.low..self.high] {
            *digit = -*digit;
        }
        self.pending += 1;
        self.carry();
    }

    /// The index of the highest digit that is not zero; `None` if the sum is zero.
    fn leading(&self) -> Option<usize> {
        (self.low..self.high).rev().find(|&i| self.digits[i] != 0)
    }

    /// Rounds a positive sum whose carries are propagated.
    fn round(&self) -> f64 {
        let Some(leading) = self.leading() else {
            return 0.0;
        };
        let first_bit = DIGIT_BITS * leading + self.digits[leading].ilog2() as usize;
        if first_bit >= UNIT + f64::MAX_EXP as usize {
            return f64::INFINITY;
        }
        let least = (UNIT as i32 + LEAST_EXPONENT) as usize;
        let last_bit = first_bit
            .saturating_sub(f64::MANTISSA_DIGITS as usize - 1)
            .max(least);

        let (i, shift) = (last_bit / DIGIT_BITS, last_bit % DIGIT_BITS);
        let window = (0..3).fold(0, |bits, k| {
            bits | (self.digits[i + k] as u128) << (DIGIT_BITS * k)
        });
        let kept = (window >> shift) as u64;

        let (i, shift) = ((last_bit - 1) / DIGIT_BITS, (last_bit - 1) % DIGIT_BITS);
        let half = self.digits[i] >> shift & 1 == 1;
        let below_half =
            self.digits[i] & ((1 << shift) - 1) != 0 || (self.low..i).any(|k| self.digits[k] != 0);
        let up = half && (below_half || kept % 2 == 1);

        // At most 2^53 times a power of two: exact, or beyond all doubles.
        (kept + u64::from(up)) as f64 * power_of_two(last_bit as i32 - UNIT as i32)
    }
}

/// The mantissa m and exponent e for which |x| = m·2^e.
fn decompose(x: f64) -> (u64, i32) {
    assert!(x.is_finite(), "an exact sum of {x}");
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52 & 0x7ff) as i32 {
        0 => (fraction, LEAST_EXPONENT),
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

/// 2^exponent, for the exponents of doubles and subnormals.
fn power_of_two(exponent: i32) -> f64 {
    if exponent >= f64::MIN_EXP - 1 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exponent - LEAST_EXPONENT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_are_propagated_in_time() {
        let mut acc = Accumulator::new();
        for _ in 0..1000 {
            acc.add_product(f64::MAX, f64::MAX);
            acc.pending = ADDITIONS_BETWEEN_CARRIES - 1;
            acc.add_product(-f64::MAX, 1.0 - f64::EPSILON);
        }
        for _ in 0..1000 {
            acc.add_product(-f64::MAX, f64::MAX);
            acc.add_product(f64::MAX, 1.0 - f64::EPSILON);
            assert_eq!(acc.sign(), acc.clone().to_f64().total_cmp(&0.0));
        }
        assert!(acc.is_zero());
    }
}

//! Exact numbers: whole multiples of powers of two, which every finite double is, and fractions of big integers.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// `whole / 2^shift`. Sums and products of such numbers are such numbers.
#[derive(Clone, Debug)]
pub struct Number {
    pub whole: BigInt,
    pub shift: u64,
}

impl Number {
    pub fn zero() -> Self {
        Number {
            whole: BigInt::ZERO,
            shift: 0,
        }
    }

    /// The double itself, not what it may have been meant to be: 0.1 is a little more than a tenth.
    pub fn from(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is not a number");
        let bits = x.to_bits();
        let (biased, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let (digits, exponent) = match biased {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, biased as i64 - 1075),
        };
        let zeros = u64::from(digits.trailing_zeros()).min(63);
        let (digits, exponent) = match digits {
            0 => (0, 0),
            _ => (digits >> zeros, exponent + zeros as i64),
        };
        let magnitude = match exponent {
            ..0 => BigInt::from(digits),
            _ => BigInt::from(digits) << exponent,
        };
        Number {
            whole: if x < 0.0 { -magnitude } else { magnitude },
            shift: exponent.min(0).unsigned_abs(),
        }
    }

    /// The number times `2^shift`, which must be whole.
    pub fn scaled(&self, shift: u64) -> BigInt {
        assert!(shift >= self.shift);
        &self.whole << (shift - self.shift)
    }

    pub fn plus(&self, other: &Number) -> Number {
        let shift = self.shift.max(other.shift);
        Number {
            whole: self.scaled(shift) + other.scaled(shift),
            shift,
        }
    }

    pub fn minus(&self, other: &Number) -> Number {
        self.plus(&other.negated())
    }

    pub fn times(&self, other: &Number) -> Number {
        Number {
            whole: &self.whole * &other.whole,
            shift: self.shift + other.shift,
        }
    }

    pub fn negated(&self) -> Number {
        Number {
            whole: -&self.whole,
            shift: self.shift,
        }
    }

    pub fn compare(&self, other: &Number) -> Ordering {
        self.minus(other).whole.cmp(&BigInt::ZERO)
    }

    pub fn is_negative(&self) -> bool {
        self.whole.sign() == Sign::Minus
    }
}

/// A fraction with a positive denominator; it need not be reduced.
#[derive(Clone, Debug)]
pub struct Fraction {
    pub above: BigInt,
    pub below: BigInt,
}

impl Fraction {
    pub fn new(above: BigInt, below: BigInt) -> Self {
        assert!(below.sign() == Sign::Plus, "a positive denominator");
        Fraction { above, below }
    }

    pub fn of(number: &Number) -> Self {
        let below = BigInt::from(1) << number.shift;
        Fraction::new(number.whole.clone(), below)
    }

    pub fn plus(&self, other: &Fraction) -> Fraction {
        let above = &self.above * &other.below + &other.above * &self.below;
        Fraction::new(above, &self.below * &other.below)
    }

    pub fn negated(&self) -> Fraction {
        Fraction::new(-&self.above, self.below.clone())
    }

    pub fn minus(&self, other: &Fraction) -> Fraction {
        self.plus(&other.negated())
    }

    pub fn compare(&self, other: &Fraction) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }

    /// The greatest integer that is not above it.
    pub fn floor(&self) -> BigInt {
        let quotient = &self.above / &self.below;
        // Division rounds towards zero.
        match &quotient * &self.below > self.above {
            true => quotient - 1,
            false => quotient,
        }
    }

    /// A double near it, for messages, starts and scores.
    pub fn approximate(&self) -> f64 {
        let magnitude = self.above.magnitude();
        let spare = 64 + self.below.bits() as i64 - magnitude.bits() as i64;
        let digits = match spare {
            0.. => (magnitude << spare as u64) / self.below.magnitude(),
            _ => magnitude / (self.below.magnitude() << spare.unsigned_abs()),
        };
        let digits = u128::try_from(digits).unwrap_or(0) as f64;
        // In two steps, since the power alone may be too small or too large for a double.
        let half = -spare as i32 / 2;
        let size = digits * 2f64.powi(half) * 2f64.powi(-spare as i32 - half);
        match self.above.sign() {
            Sign::Minus => -size,
            _ => size,
        }
    }
}

#[test]
fn doubles_are_exact() {
    let sum = Number::from(0.1).plus(&Number::from(0.2));
    assert_eq!(sum.compare(&Number::from(0.3)), Ordering::Greater);
    let large = Number::from(1e300).plus(&Number::from(5e-324));
    assert_eq!(large.compare(&Number::from(1e300)), Ordering::Greater);
    let product = Number::from(-1.5).times(&Number::from(0.25));
    assert_eq!(product.compare(&Number::from(-0.375)), Ordering::Equal);
    assert!(product.is_negative() && !Number::from(-0.0).is_negative());
    for x in [1.0 / 3.0, -7.25, 0.0, 1e-300, 123456789e12] {
        assert_eq!(Fraction::of(&Number::from(x)).approximate(), x);
    }
    let third = Fraction::new(BigInt::from(-1), BigInt::from(3));
    assert_eq!(third.floor(), BigInt::from(-1));
    assert!((third.approximate() + 1.0 / 3.0).abs() < 1e-16);
}

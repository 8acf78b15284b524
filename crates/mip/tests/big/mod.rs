//! Doubles as big integers, and doubles to test with.

#![allow(dead_code, unreachable_pub)] // helpers of tests

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;

/// A double as a whole multiple of 2^-1074.
pub fn scaled(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (biased, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let magnitude = match biased {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 1 << 52) << (biased - 1),
    };
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

/// The double nearest to `sum`·2^-2148, found by bisection over all doubles, which are ordered as their bits.
pub fn nearest(sum: &BigInt) -> f64 {
    let magnitude: &BigUint = sum.magnitude();
    let value = |bits: u64| -> BigUint { scaled(f64::from_bits(bits)).magnitude() << 1074 };
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    // `value` of infinity's bits is 2^1024, from which rounding up beyond the largest double follows.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(middle) <= *magnitude {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (below, above) = (magnitude - value(low), value(high));
    let up = match above.cmp(magnitude) {
        Ordering::Less => true,
        _ => match below.cmp(&(above - magnitude)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => low % 2 == 1,
        },
    };
    let found = f64::from_bits(if up { high } else { low });
    if sum.sign() == Sign::Minus {
        -found
    } else {
        found
    }
}

/// Any finite double, with the ends of the range and numbers of ordinary size more often.
pub fn double() -> impl Strategy<Value = f64> {
    let finite = any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("finite", |x| x.is_finite());
    prop_oneof![
        4 => finite,
        2 => (-1000i32..1000).prop_map(|n| f64::from(n) / 8.0),
        1 => -1e3..1e3f64,
        1 => (0u64..1 << 52, any::<bool>())
            .prop_map(|(bits, minus)| f64::from_bits(bits | u64::from(minus) << 63)),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1.0, -1.0, 0.0]),
    ]
}

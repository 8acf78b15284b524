//! The exact accumulator against hand-computed cases and against arbitrary-precision integers.

use std::cmp::Ordering;

use idpas_mip::exact::Accumulator;
use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;

fn sum(terms: &[f64]) -> f64 {
    let mut acc = Accumulator::new();
    terms.iter().for_each(|&x| acc.add(x));
    acc.to_f64()
}

#[test]
fn cancels_without_loss() {
    assert_eq!(sum(&[1e308, 1.0, -1e308]), 1.0);
    assert_eq!(sum(&[1e16, 1.0, -1e16]), 1.0);
    assert_eq!(
        sum(&[f64::MAX, f64::MAX, -f64::MAX, 5e-324, -f64::MAX]),
        5e-324
    );
    assert_eq!(sum(&[]), 0.0);
    assert_eq!(sum(&[0.1, -0.1]), 0.0);
}

#[test]
fn rounds_to_nearest_even() {
    let ulp = f64::EPSILON;
    assert_eq!(sum(&[1.0, ulp / 2.0]), 1.0);
    assert_eq!(sum(&[1.0 + ulp, ulp / 2.0]), 1.0 + 2.0 * ulp);
    assert_eq!(sum(&[1.0, ulp / 2.0, 5e-324]), 1.0 + ulp);
    assert_eq!(sum(&[-1.0, -ulp / 2.0, -5e-324]), -1.0 - ulp);
    assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(sum(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
    // Half a unit in the last place above the largest double rounds to infinity; less does not.
    let half = 2f64.powi(970);
    assert_eq!(sum(&[f64::MAX, half]), f64::INFINITY);
    assert_eq!(sum(&[f64::MAX, half, -5e-324]), f64::MAX);
}

#[test]
fn holds_the_extreme_products() {
    let mut acc = Accumulator::new();
    acc.add_product(f64::MAX, f64::MAX);
    assert_eq!(acc.to_f64(), f64::INFINITY);
    acc.add_product(5e-324, -5e-324);
    acc.add_product(-f64::MAX, f64::MAX);
    assert!(acc.is_negative());
    assert_eq!(acc.to_f64(), 0.0);
    acc.add_product(5e-324, 5e-324);
    assert!(acc.is_zero());
    acc.add_product(5e-324, 0.5);
    assert_eq!(
        acc.to_f64(),
        0.0,
        "a tie between 0 and the least subnormal goes to even"
    );
    acc.add_product(5e-324, 5e-324);
    assert_eq!(acc.to_f64(), 5e-324);
}

#[test]
fn clearing_forgets_everything() {
    let mut acc = Accumulator::new();
    acc.add(-1e300);
    acc.add(1e-300);
    assert!(acc.is_negative());
    acc.clear();
    assert!(acc.is_zero());
    acc.add(2.5);
    assert_eq!(acc.to_f64(), 2.5);
}

#[test]
#[should_panic(expected = "an exact sum of NaN")]
fn refuses_nan() {
    Accumulator::new().add(f64::NAN);
}

/// A double as a whole multiple of 2^-1074.
fn scaled(x: f64) -> BigInt {
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
fn nearest(sum: &BigInt) -> f64 {
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
fn double() -> impl Strategy<Value = f64> {
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

#[derive(Clone, Debug)]
enum Term {
    Number(f64),
    Product(f64, f64),
}

impl Term {
    fn negated(&self) -> Self {
        match *self {
            Term::Number(x) => Term::Number(-x),
            Term::Product(a, b) => Term::Product(a, -b),
        }
    }
}

/// Terms, some of them cancelled by their negatives later.
fn terms() -> impl Strategy<Value = Vec<Term>> {
    let term = prop_oneof![
        double().prop_map(Term::Number),
        (double(), double()).prop_map(|(a, b)| Term::Product(a, b)),
    ];
    prop::collection::vec((term, any::<bool>()), 0..24).prop_map(|drawn| {
        let cancelled = drawn.iter().filter(|d| d.1).map(|d| d.0.negated());
        let all: Vec<Term> = drawn.iter().map(|d| d.0.clone()).collect();
        all.into_iter().chain(cancelled).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn agrees_with_big_integers(sums in prop::collection::vec(terms(), 1..4)) {
        let mut acc = Accumulator::new();
        for terms in sums {
            acc.clear();
            let mut expected = BigInt::ZERO;
            for term in &terms {
                match *term {
                    Term::Number(x) => {
                        acc.add(x);
                        expected += scaled(x) << 1074;
                    }
                    Term::Product(a, b) => {
                        acc.add_product(a, b);
                        expected += scaled(a) * scaled(b);
                    }
                }
            }
            prop_assert_eq!(acc.sign(), expected.cmp(&BigInt::ZERO));
            let found = acc.to_f64();
            prop_assert_eq!(found, nearest(&expected), "{:?}", terms);
            // Reading the sum does not change it.
            prop_assert_eq!(found.to_bits(), acc.to_f64().to_bits());
        }
    }
}

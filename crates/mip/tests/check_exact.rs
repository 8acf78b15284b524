//! The exact accumulator against hand-computed cases and against arbitrary-precision integers.

mod big;

use big::{double, nearest, scaled};
use idpas_mip::exact::Accumulator;
use num_bigint::BigInt;
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

//! Rows in units that HiGHS can tell from its tolerances.
//!
//! HiGHS drops coefficients of 1e-9 and less, and its presolve takes numbers near its tolerances for zero. Little is left of
//! a row whose coefficients are all that small: bounded models become unbounded, and what is called optimal is not. The
//! dual of a row whose coefficients are all large is as small, with the same end. So such rows are handed over multiplied by
//! a power of two, which changes no digit. What HiGHS accepts within its tolerance of a row is still within that of the
//! exact check, which grows with the sides: a large row is divided by no more than its sides allow.

use std::ops::Range;

use idpas_mip::Model;

use crate::{BoundChange, NewRow};

/// Rows whose coefficients are all smaller than this are multiplied.
const TINY: f64 = 1.0 / 1024.0;
/// Rows whose coefficients are all at least this are divided.
const HUGE: f64 = 1024.0 * 1024.0;
/// No side becomes larger than this: HiGHS takes 1e20 for infinite.
const LARGEST_SIDE: f64 = 1e15;
const INFINITE_SIDE: f64 = 1e20;

/// What HiGHS's rows are: the model's, multiplied by these factors.
#[derive(Debug)]
pub(super) struct RowFactors(Vec<f64>);

/// The least and greatest absolute coefficient of a row.
#[derive(Clone, Copy, Debug)]
struct Extent {
    least: f64,
    most: f64,
}

impl Extent {
    const NONE: Extent = Extent {
        least: f64::INFINITY,
        most: 0.0,
    };

    fn add(&mut self, coefficient: f64) {
        let size = coefficient.abs();
        if size > 0.0 {
            self.least = self.least.min(size);
            self.most = self.most.max(size);
        }
    }
}

impl RowFactors {
    pub(super) fn new(model: &Model) -> Self {
        let mut extents = vec![Extent::NONE; model.num_rows()];
        for (&i, &value) in model.matrix.indices().iter().zip(model.matrix.values()) {
            extents[i as usize].add(value);
        }
        let sides = model.rows.lower.iter().zip(&model.rows.upper);
        let rows = extents.into_iter().zip(sides);
        RowFactors(rows.map(|(e, (&l, &u))| factor(e, l, u)).collect())
    }

    /// Adds a row at the end and says what it is multiplied by.
    pub(super) fn add(&mut self, row: &NewRow) -> f64 {
        let mut extent = Extent::NONE;
        row.entries.iter().for_each(|entry| extent.add(entry.1));
        let factor = factor(extent, row.lower, row.upper);
        self.0.push(factor);
        factor
    }

    /// What row `i` is multiplied by.
    pub(super) fn of(&self, i: usize) -> f64 {
        self.0[i]
    }

    /// The rows are no longer there; those behind them move up.
    pub(super) fn remove(&mut self, rows: Range<usize>) {
        self.0.drain(rows);
    }

    /// Entries, lower and upper sides of the model as HiGHS's; none if they are the same.
    pub(super) fn scaled(&self, model: &Model) -> Option<[Vec<f64>; 3]> {
        if self.0.iter().all(|&factor| factor == 1.0) {
            return None;
        }
        let entries = model.matrix.indices().iter().zip(model.matrix.values());
        let scaled = |sides: &[f64]| (sides.iter().zip(&self.0)).map(|(s, f)| s * f).collect();
        Some([
            entries.map(|(&i, a)| a * self.of(i as usize)).collect(),
            scaled(&model.rows.lower),
            scaled(&model.rows.upper),
        ])
    }

    /// New sides of a row as HiGHS's; none if a finite one would be infinite there.
    pub(super) fn sides(&self, change: &BoundChange) -> Option<BoundChange> {
        let factor = self.of(change.index);
        let is_lost = |side: f64| side.is_finite() && (side * factor).abs() >= INFINITE_SIDE;
        let has_lost = factor > 1.0 && (is_lost(change.lower) || is_lost(change.upper));
        (!has_lost).then_some(BoundChange {
            index: change.index,
            lower: change.lower * factor,
            upper: change.upper * factor,
        })
    }

    /// Activities of HiGHS's rows as those of the model's.
    pub(super) fn activities(&self, mut of_highs: Vec<f64>) -> Vec<f64> {
        let values = of_highs.iter_mut().zip(&self.0);
        values.for_each(|(value, factor)| *value /= factor);
        of_highs
    }

    /// Duals of HiGHS's rows as those of the model's.
    pub(super) fn duals(&self, mut of_highs: Vec<f64>) -> Vec<f64> {
        let values = of_highs.iter_mut().zip(&self.0);
        values.for_each(|(value, factor)| *value *= factor);
        of_highs
    }
}

/// The power of two that brings the greatest coefficient of a tiny row, or the least one of a huge row, to between 1 and 2,
/// as far as the sides allow; 1 for other rows.
fn factor(extent: Extent, lower: f64, upper: f64) -> f64 {
    let sides = [lower, upper].map(f64::abs);
    let finite = || sides.into_iter().filter(|side| side.is_finite());
    if extent.most > 0.0 && extent.most < TINY {
        let largest = finite().fold(0.0, f64::max);
        power_of_two((1.0 / extent.most).min(LARGEST_SIDE / largest)).max(1.0)
    } else if extent.most > 0.0 && extent.least >= HUGE {
        let smallest = finite().fold(f64::INFINITY, f64::min).max(1.0);
        1.0 / power_of_two(extent.least.min(smallest))
    } else {
        1.0
    }
}

/// The largest power of two that is not above a positive number: its exponent without its digits.
fn power_of_two(number: f64) -> f64 {
    let digits = (1u64 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits(number.min(f64::MAX).to_bits() & !digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    fn of(least: f64, most: f64, lower: f64, upper: f64) -> f64 {
        factor(Extent { least, most }, lower, upper)
    }

    #[test]
    fn tiny_rows_are_multiplied_until_a_side_is_large() {
        for most in [2e-7, 9.7e-4, 1e-10, 1e-300] {
            let factor = of(most / 2.0, most, -INF, most);
            assert!((0.5..2.0).contains(&(factor * most)), "{most}");
            assert_eq!(power_of_two(factor), factor);
        }
        assert!(of(5e-324, 5e-324, -INF, 0.0).is_finite());
        assert_eq!(of(1e-4, 1e-4, -INF, 0.0), 8192.0);
        assert_eq!(of(1e-10, 1e-10, -1e12, INF), 512.0);
        assert_eq!(of(1e-10, 1e-10, 0.0, 1e18), 1.0);
    }

    #[test]
    fn huge_rows_are_divided_by_what_their_sides_allow() {
        let million = 1024.0 * 1024.0;
        assert_eq!(of(million, 1e9, 1e9, INF), 1.0 / million);
        assert_eq!(of(million, 1e9, 5000.0, 1e9), 1.0 / 4096.0);
        assert_eq!(of(million, 1e9, -1e9, 0.0), 1.0);
        assert_eq!(of(1e7, 1e9, 0.5, 0.5), 1.0);
    }

    #[test]
    fn other_rows_stay_as_they_are() {
        for (least, most) in [(1.0, 1e9), (1e-9, 1.0), (0.001, 0.001), (INF, 0.0)] {
            assert_eq!(of(least, most, -INF, 1e6), 1.0, "{least} {most}");
        }
    }
}

//! How often each variable was zero in training.

use super::{Identities, Registry};
use crate::error::expect_length;
use crate::{GraphError, nonzero_frequency};

/// For each identity, the sum and the number of its non-zero rates. The arrays are shorter than the registry as long
/// as its last identities have no targets.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) sums: Vec<f64>,
    pub(super) counts: Vec<u64>,
}

impl Registry {
    /// Adds how often each variable of an instance is not zero in the instance's solutions: a rate between 0 and 1 per
    /// variable, NaN for variables without one (continuous ones). Unknown identities are skipped.
    ///
    /// If it fails, nothing has changed.
    pub fn add_targets(
        &mut self,
        index: &[Option<u32>],
        nonzero_rate: &[f32],
    ) -> Result<(), GraphError> {
        expect_length("non-zero rates", nonzero_rate.len(), index.len())?;
        let n = self.len();
        for (j, (index, rate)) in index.iter().zip(nonzero_rate).enumerate() {
            if !(rate.is_nan() || (0.0..=1.0).contains(rate)) {
                return Err(GraphError::Value {
                    what: format!("the non-zero rate of variable {j}"),
                    found: f64::from(*rate),
                    expected: "a rate between 0 and 1",
                });
            }
            if index.is_some_and(|index| index as usize >= n) {
                return Err(GraphError::Shape {
                    what: format!("variable {j} has an identity beyond the {n} known"),
                });
            }
        }
        self.history.sums.resize(n, 0.0);
        self.history.counts.resize(n, 0);
        for (index, &rate) in index.iter().zip(nonzero_rate) {
            if let Some(index) = index.filter(|_| !rate.is_nan()) {
                self.history.sums[index as usize] += f64::from(rate);
                self.history.counts[index as usize] += 1;
            }
        }
        Ok(())
    }

    /// Share of instances, between 0 and 1, in which an identity was zero; `None` if it never had a target.
    pub fn zero_rate(&self, index: u32) -> Option<f64> {
        let (sum, count) = self.tally(index)?;
        rate(sum, count)
    }

    /// [`zero_rate`](Self::zero_rate) without one training instance, so that this instance does not see its own label.
    /// `own_nonzero_rate` is that instance's rate; NaN if it had none.
    pub fn zero_rate_without(&self, index: u32, own_nonzero_rate: f32) -> Option<f64> {
        if own_nonzero_rate.is_nan() {
            return self.zero_rate(index);
        }
        let (sum, count) = self.tally(index)?;
        rate(sum - f64::from(own_nonzero_rate), count.checked_sub(1)?)
    }

    /// P(x ≠ 0) of each variable of an instance, by how often it was not zero in training; NaN where training does not
    /// tell.
    ///
    /// The formula is (s + ½) / (n + 1), with s the sum of the non-zero rates that were [added](Self::add_targets) for
    /// the identity, and n their number: half an instance of either outcome is added to those that were seen, so that
    /// nothing is certain and what was seen more often counts for more. The same formula holds wherever past solutions
    /// are counted.
    pub fn nonzero_frequencies(&self, identities: &Identities) -> Vec<f32> {
        let score = |index: &Option<u32>| {
            let (sum, count) = self.tally((*index)?)?;
            nonzero_frequency(sum, count)
        };
        let all = identities.index.iter();
        all.map(|index| score(index).unwrap_or(f32::NAN)).collect()
    }

    /// The zero rate of each variable of an instance, `None` where it is unknown: the input of
    /// [`build`](crate::build).
    pub fn history(&self, identities: &Identities) -> Vec<Option<f32>> {
        let rate = |index: &Option<u32>| self.zero_rate((*index)?).map(|rate| rate as f32);
        identities.index.iter().map(rate).collect()
    }

    /// [`history`](Self::history) for a training instance, without its own non-zero rates.
    pub fn history_without(
        &self,
        identities: &Identities,
        own_nonzero_rate: &[f32],
    ) -> Result<Vec<Option<f32>>, GraphError> {
        let n = identities.index.len();
        expect_length("non-zero rates", own_nonzero_rate.len(), n)?;
        let pairs = identities.index.iter().zip(own_nonzero_rate);
        let rate = |(index, own): (&Option<u32>, &f32)| {
            self.zero_rate_without((*index)?, *own)
                .map(|rate| rate as f32)
        };
        Ok(pairs.map(rate).collect())
    }

    fn tally(&self, index: u32) -> Option<(f64, u64)> {
        let at = index as usize;
        Some((*self.history.sums.get(at)?, *self.history.counts.get(at)?))
    }
}

/// The zero rate from the sum and the number of non-zero rates; clamped, because subtracting a rate may leave a
/// rounding error.
fn rate(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| (1.0 - sum / count as f64).clamp(0.0, 1.0))
}

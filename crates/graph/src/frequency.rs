//! How often a variable is not zero, from past instances that had it. All scores that only count use this formula.
//!
//! With *n* past instances that have the variable, and the sum *s* of its non-zero rates in them,
//!
//! ```text
//! P(x ≠ 0) = (s + ½) / (n + 1)
//! ```
//!
//! - The **rate** of a variable in an instance is the share of the instance's solutions in which it is not zero, between 0
//!   and 1; where solutions have weights, the share is weighted. So an instance counts once, however many solutions are
//!   known of it. A solution that comes alone is an instance with a rate of 0 or 1.
//! - **½** is half an instance of either outcome besides those that were seen (the estimator of Krichevsky and Trofimov):
//!   nothing is ever certain, and what was seen more often counts for more.
//! - A variable that **no past instance has**, by its name, has no score. Instances that do not have it do not count.

/// Number of instances of each outcome, zero and not zero, that are added to those that were seen.
pub const PRIOR_INSTANCES: f64 = 0.5;

/// P(x ≠ 0) of a variable whose non-zero rates over `instances` past instances sum up to `sum_of_rates`; `None`
/// without past instances. The documentation of
/// [`Registry::nonzero_frequencies`](crate::Registry::nonzero_frequencies) has the formula.
pub fn nonzero_frequency(sum_of_rates: f64, instances: u64) -> Option<f32> {
    let all = instances as f64 + 2.0 * PRIOR_INSTANCES;
    (instances > 0).then(|| ((sum_of_rates + PRIOR_INSTANCES) / all) as f32)
}

#[cfg(test)]
mod tests {
    use super::nonzero_frequency;

    #[test]
    fn more_instances_make_surer() {
        assert_eq!(nonzero_frequency(0.0, 0), None);
        assert_eq!(nonzero_frequency(0.0, 1), Some(0.25));
        assert_eq!(nonzero_frequency(1.0, 1), Some(0.75));
        assert_eq!(nonzero_frequency(1.5, 2), Some(2.0 / 3.0));
        assert_eq!(nonzero_frequency(0.0, 24), Some(0.02));
    }
}

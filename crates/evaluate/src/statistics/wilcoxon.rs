//! The Wilcoxon signed-rank test of whether paired differences are centred at zero.

use serde::Serialize;

/// Most differences for which the distribution is computed exactly.
const EXACT: usize = 50;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// Number of pairs that differ; only these count.
    pub pairs: usize,
    /// The smaller of the rank sums of positive and negative differences.
    pub statistic: f64,
    /// The two-sided p-value: the probability of ranks at least this uneven if neither sample is better.
    pub p: f64,
    /// Whether p is exact; otherwise it is the normal approximation, corrected for ties.
    pub exact: bool,
}

/// Tests the pairs of two samples, two-sided. Pairs that are at most `tolerance` apart are left out; tied differences
/// share their ranks. Up to 50 pairs the p-value is exact, with or without ties; beyond, it is the normal
/// approximation without continuity correction, as in SciPy's `wilcoxon`. `None` if no pair differs.
///
/// # Panics
/// If the samples have different lengths.
pub fn wilcoxon(a: &[f64], b: &[f64], tolerance: f64) -> Option<Wilcoxon> {
    assert_eq!(a.len(), b.len(), "pairs");
    let differences = a.iter().zip(b).map(|(x, y)| x - y);
    let mut differences: Vec<f64> = differences.filter(|d| d.abs() > tolerance).collect();
    if differences.is_empty() {
        return None;
    }
    differences.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
    // Twice the ranks, which are integers even if ties share them.
    let mut ranks = Vec::with_capacity(differences.len());
    let mut ties = 0.0;
    for tied in differences.chunk_by(|x, y| x.abs() == y.abs()) {
        let (first, count) = (ranks.len() + 1, tied.len());
        ranks.extend(std::iter::repeat_n(2 * first + count - 1, count));
        let t = count as f64;
        ties += t * t * t - t;
    }
    let signed = |sign: f64| -> usize {
        let pairs = differences.iter().zip(&ranks);
        pairs
            .filter(|(d, _)| **d * sign > 0.0)
            .map(|(_, r)| r)
            .sum()
    };
    let smaller = signed(1.0).min(signed(-1.0));
    let statistic = smaller as f64 / 2.0;
    let pairs = ranks.len();
    let exact = pairs <= EXACT;
    let p = if exact {
        (2.0 * at_most(&ranks, smaller)).min(1.0)
    } else {
        let n = pairs as f64;
        let expected = n * (n + 1.0) / 4.0;
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        let z = (statistic - expected).abs() / variance.sqrt();
        libm::erfc(z / std::f64::consts::SQRT_2)
    };
    Some(Wilcoxon {
        pairs,
        statistic,
        p,
        exact,
    })
}

/// The probability that the sum of ranks is at most `sum` if each counts with probability ½.
fn at_most(ranks: &[usize], sum: usize) -> f64 {
    // Computes the probability of each sum, adding one rank after the other.
    let mut probabilities = vec![0.0; ranks.iter().sum::<usize>() + 1];
    probabilities[0] = 1.0;
    let mut largest = 0;
    for &rank in ranks {
        largest += rank;
        for at in (0..=largest).rev() {
            let with = if at >= rank {
                probabilities[at - rank]
            } else {
                0.0
            };
            probabilities[at] = 0.5 * (probabilities[at] + with);
        }
    }
    probabilities[..=sum].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_differences(differences: &[f64]) -> Wilcoxon {
        let zeros = vec![0.0; differences.len()];
        wilcoxon(differences, &zeros, 0.0).unwrap()
    }

    fn close(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-10 * expected,
            "{found} {expected}"
        );
    }

    // Expected values: scipy.stats.wilcoxon of SciPy 1.17.1.

    #[test]
    fn darwins_maize_exactly() {
        let heights = [
            6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0,
            75.0,
        ];
        let test = of_differences(&heights);
        assert_eq!((test.pairs, test.statistic, test.exact), (15, 24.0, true));
        close(test.p, 0.041259765625);
        close(of_differences(&[1.0, 2.0, 3.0, 4.0, 5.0]).p, 0.0625);
        let a = [0.18, 0.16, 0.14, 0.09, 1.07, 0.58, 0.40, 0.15];
        let b = [0.10, 0.19, 0.04, 0.05, 0.57, 0.28, 0.44, 0.01];
        let test = wilcoxon(&a, &b, 0.0).unwrap();
        assert_eq!(test.statistic, 3.0);
        close(test.p, 0.0390625);
    }

    #[test]
    fn ties_share_ranks_and_zeros_are_left_out() {
        let a = [
            125.0, 115.0, 130.0, 140.0, 140.0, 115.0, 140.0, 125.0, 140.0, 135.0,
        ];
        let b = [
            110.0, 122.0, 125.0, 120.0, 140.0, 124.0, 123.0, 137.0, 135.0, 145.0,
        ];
        let test = wilcoxon(&a, &b, 0.0).unwrap();
        assert_eq!((test.pairs, test.statistic), (9, 18.0));
        // SciPy's PermutationMethod over all 2^9 signs.
        close(test.p, 0.6328125);
        assert_eq!(wilcoxon(&a, &a, 0.0), None);
        assert_eq!(wilcoxon(&[1.0, 2.0], &[1.1, 2.1], 0.2), None);
    }

    #[test]
    fn many_pairs_by_the_normal_approximation() {
        let a = [
            1.001, 1.348, 0.76, 0.41, 0.635, 0.371, 1.062, 3.82, 0.611, 0.538, 1.632, 1.429, 1.111,
            0.394, 0.971, 2.004, 0.261, 0.633, 0.149, 0.275, 0.159, 0.79, 0.282, 1.312, 1.17, 0.83,
            0.081, 0.584, 0.953, 1.12, 0.217, 0.62, 0.376, 0.445, 2.889, 0.446, 0.968, 2.422,
            0.558, 0.894, 1.117, 1.066, 0.294, 1.079, 3.892, 0.213, 2.362, 1.127, 0.527, 7.392,
            2.143, 0.301, 1.077, 1.78, 0.828, 1.98, 0.936, 1.949, 4.214, 0.509,
        ];
        let b = [
            0.954, 0.92, 0.697, 0.195, 0.409, 0.289, 1.433, 5.829, 0.271, 0.311, 1.941, 0.454,
            0.759, 0.323, 1.567, 2.435, 0.191, 0.453, 0.113, 0.507, 0.11, 0.584, 0.29, 1.063,
            0.912, 0.409, 0.069, 0.403, 1.47, 1.336, 0.185, 0.745, 0.273, 0.648, 2.48, 0.514,
            0.437, 2.479, 0.206, 0.278, 0.826, 0.585, 0.275, 2.853, 2.21, 0.134, 2.253, 1.241,
            0.415, 5.74, 2.621, 0.336, 0.553, 1.473, 0.725, 1.006, 0.917, 1.092, 5.897, 0.482,
        ];
        let test = wilcoxon(&a, &b, 0.0).unwrap();
        assert_eq!((test.pairs, test.statistic, test.exact), (60, 609.0, false));
        close(test.p, 0.024280711687113137);
    }

    #[test]
    fn ties_are_corrected_for_in_the_approximation() {
        // Differences 1, 2 and 3 in turn, every fifth of them negative.
        let differences: Vec<f64> = (0..60)
            .map(|k| f64::from(k % 3 + 1) * if k % 5 == 0 { -1.0 } else { 1.0 })
            .collect();
        let test = of_differences(&differences);
        assert_eq!(test.statistic, 366.0);
        close(test.p, 4.18048234828706e-05);
    }
}

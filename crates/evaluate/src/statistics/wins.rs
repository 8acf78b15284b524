//! Counts on how many instances each method is best.

/// The number of instances that each method wins. `values` has a row per method and a column per instance; smaller is
/// better. Methods within `tolerance` of the best share the win equally, so that wins add up to the number of
/// instances.
///
/// ```
/// use idpas_evaluate::statistics::wins;
/// assert_eq!(wins(&[vec![1.0, 2.0], vec![1.0, 3.0]], 0.0), [1.5, 0.5]);
/// ```
pub fn wins(values: &[Vec<f64>], tolerance: f64) -> Vec<f64> {
    let instances = values.iter().map(Vec::len).min().unwrap_or(0);
    let mut won = vec![0.0; values.len()];
    for at in 0..instances {
        let best = values
            .iter()
            .map(|row| row[at])
            .fold(f64::INFINITY, f64::min);
        let winners: Vec<usize> = (0..values.len())
            .filter(|&method| values[method][at] <= best + tolerance)
            .collect();
        for &winner in &winners {
            won[winner] += 1.0 / winners.len() as f64;
        }
    }
    won
}

/// The number of instances on which `a` is better than `b` by more than `tolerance`.
pub fn strictly_better(a: &[f64], b: &[f64], tolerance: f64) -> usize {
    a.iter()
        .zip(b)
        .filter(|(a, b)| **a < **b - tolerance)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_shared() {
        let third = 1.0 / 3.0;
        let values = [
            vec![0.0, 0.2, 0.5],
            vec![0.0, 0.1, 0.5 + 1e-9],
            vec![0.0, 0.3, 0.6],
        ];
        let won = wins(&values, 1e-6);
        let expected = [third + 0.5, third + 1.5, third];
        for (won, expected) in won.iter().zip(expected) {
            assert!((won - expected).abs() < 1e-12);
        }
        assert!((won.iter().sum::<f64>() - 3.0).abs() < 1e-12);
        assert_eq!(wins(&[], 0.0), Vec::<f64>::new());
    }

    #[test]
    fn better_means_strictly() {
        assert_eq!(strictly_better(&[1.0, 2.0, 3.0], &[1.0, 2.1, 2.0], 0.0), 1);
        assert_eq!(strictly_better(&[1.0, 2.0], &[1.1, 2.3], 0.2), 1);
    }
}

//! Loss functions of logits and their derivatives.

use crate::Real;

/// Binary cross-entropy `Σ w_j · −(t_j log σ(z_j) + (1 − t_j) log(1 − σ(z_j)))` of logits `z`
/// against targets between 0 and 1, with its derivative by each logit written to `gradient`.
///
/// The loss is linear in the target, so that of several solutions is one call with the mean of their targets. The
/// weights define the reduction: 1/n for each of n variables that count and 0 for the others gives the mean. Panics if
/// the four slices differ in length.
pub fn binary_cross_entropy<T: Real>(
    logits: &[T],
    targets: &[f32],
    weights: &[f32],
    gradient: &mut [T],
) -> f64 {
    assert_eq!(logits.len(), targets.len(), "a target per logit");
    assert_eq!(logits.len(), weights.len(), "a weight per logit");
    assert_eq!(logits.len(), gradient.len(), "a derivative per logit");
    let mut total = 0.0;
    for (j, &logit) in logits.iter().enumerate() {
        let weight = f64::from(weights[j]);
        if weight == 0.0 {
            gradient[j] = T::ZERO;
            continue;
        }
        let (z, target) = (logit.to_f64(), f64::from(targets[j]));
        // The exponential of a number that is not positive never overflows.
        let small = (-z.abs()).exp();
        total += weight * (z.max(0.0) - z * target + small.ln_1p());
        let probability = if z >= 0.0 { 1.0 } else { small } / (1.0 + small);
        gradient[j] = T::from_f64(weight * (probability - target));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_definition_and_survives_extremes() {
        let logits = [0.3f64, -2.0, 800.0, -800.0, 5.0];
        let targets = [0.25f32, 1.0, 1.0, 0.0, 0.5];
        let weights = [1.0f32, 0.5, 1.0, 1.0, 0.0];
        let mut gradient = [9.0; 5];
        let loss = binary_cross_entropy(&logits, &targets, &weights, &mut gradient);
        let sigma = |z: f64| 1.0 / (1.0 + (-z).exp());
        let first = -(0.25 * sigma(0.3).ln() + 0.75 * (1.0 - sigma(0.3)).ln());
        let expected = first - 0.5 * sigma(-2.0).ln();
        assert!((loss - expected).abs() < 1e-12);
        assert!((gradient[0] - (sigma(0.3) - 0.25)).abs() < 1e-12);
        assert!((gradient[1] - 0.5 * (sigma(-2.0) - 1.0)).abs() < 1e-12);
        assert_eq!(gradient[2..], [0.0, 0.0, 0.0]);
        let wrong = binary_cross_entropy(&[800.0], &[0.0], &[1.0], &mut gradient[..1]);
        assert_eq!((wrong, gradient[0]), (800.0, 1.0));
    }
}

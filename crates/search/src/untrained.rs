//! Scores where nothing was trained: from the linear relaxation.

use idpas_mip::{Model, Relaxation};

/// Values below this are zero.
const ZERO: f64 = 1e-7;
/// How fast the score of a column at zero falls with the rank of its reduced cost.
const FALL: f64 = 4.0;

/// Scores from the linear relaxation: high where it is not zero, and the lower the more a column at zero would cost,
/// by rank. They order columns and are no probabilities.
///
/// # Panics
/// If the solution is of another model.
pub fn relaxation_scores(model: &Model, relaxation: &Relaxation) -> Vec<f32> {
    assert_eq!(relaxation.values.len(), model.num_columns());
    let mut scores = vec![f32::NAN; model.num_columns()];
    let discrete = (0..model.num_columns()).filter(|&j| model.is_integer(j));
    let (mut zeros, others): (Vec<usize>, Vec<usize>) =
        discrete.partition(|&j| relaxation.values[j].abs() < ZERO);
    for j in others {
        scores[j] = (0.6 + 0.4 * relaxation.values[j].abs().min(1.0)) as f32;
    }
    let cost = |j: usize| relaxation.reduced_costs[j].abs();
    zeros.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
    let count = zeros.len().max(1) as f64;
    for (rank, j) in zeros.into_iter().enumerate() {
        scores[j] = (0.5 * (-FALL * rank as f64 / count).exp()) as f32;
    }
    scores
}

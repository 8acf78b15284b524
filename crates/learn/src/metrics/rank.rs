//! Measures that depend only on the order of scores.

/// The area under the ROC curve: the probability that a variable that is not zero has a higher score than one that is,
/// where ties count half. `None` if all variables are zero or none is.
pub fn auc(scores: &[f32], zero: &[bool]) -> Option<f64> {
    let order = ascending(scores);
    let zeros = zero.iter().filter(|z| **z).count() as f64;
    let others = zero.len() as f64 - zeros;
    if zeros == 0.0 || others == 0.0 {
        return None;
    }
    let (mut below, mut won) = (0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| value(scores[a]) == value(scores[b])) {
        let zeros_here = tied.iter().filter(|&&j| zero[j]).count() as f64;
        let others_here = tied.len() as f64 - zeros_here;
        won += others_here * (below + 0.5 * zeros_here);
        below += zeros_here;
    }
    Some(won / (zeros * others))
}

/// The number of variables that a share, between 0 and 1, selects out of `count`.
pub fn selected(share: f64, count: usize) -> usize {
    ((share * count as f64).round() as usize).min(count)
}

/// How many of the `k` variables with the lowest scores are zero; ties are broken by index, as in the search.
pub fn zeros_among_lowest(scores: &[f32], zero: &[bool], k: usize) -> usize {
    ascending(scores)
        .iter()
        .take(k)
        .filter(|&&j| zero[j])
        .count()
}

/// Indices sorted by score, then by index. A variable without a score counts as having the score 1.
fn ascending(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| value(scores[a]).total_cmp(&value(scores[b])));
    order
}

fn value(score: f32) -> f32 {
    // Adding zero turns −0 into 0.
    if score.is_nan() { 1.0 } else { score + 0.0 }
}

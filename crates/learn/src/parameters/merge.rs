//! Merges numbers that are affine images of each other over the training set.

use std::collections::HashMap;

use idpas_base::random::Random;

use super::learn::Training;

/// The first number of each set whose standardised values agree up to the sign, by index, ascending.
///
/// Candidates are found by a random projection: values that agree within the tolerance fall into the same bin of it or
/// into neighbouring ones.
pub(super) fn distinct(training: &Training, tolerance: f64) -> Vec<usize> {
    let mut random = Random::new(0, "parameters/merge", 0);
    let direction: Vec<f64> = (0..training.instances).map(|_| random.normal()).collect();
    let width = tolerance * direction.iter().map(|d| d.abs()).sum::<f64>();
    let mut bins: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut kept = Vec::new();
    for p in 0..training.numbers.len() {
        let values = training.of(p);
        let along = values.iter().zip(&direction);
        let along: f64 = along.map(|(&v, d)| f64::from(v) * d).sum();
        let bin = |along: f64| (along / width).floor() as i64;
        let is_image = [1.0f32, -1.0].into_iter().any(|sign| {
            let at = bin(along * f64::from(sign));
            let near = (at - 1..=at + 1).filter_map(|bin| bins.get(&bin)).flatten();
            let agrees = |&q: &usize| {
                let pairs = values.iter().zip(training.of(q));
                let apart = pairs.map(|(a, b)| f64::from((sign * a - b).abs()));
                apart.into_iter().all(|apart| apart <= tolerance)
            };
            near.into_iter().any(agrees)
        });
        if !is_image {
            bins.entry(bin(along)).or_default().push(p);
            kept.push(p);
        }
    }
    kept
}

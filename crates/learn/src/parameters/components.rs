//! Principal components of the numbers that vary between instances.

use nalgebra::{DMatrix, SymmetricEigen};

use super::learn::Training;

/// Most training instances that are used; more are thinned out evenly, because their eigenvectors would take minutes.
const MOST_INSTANCES: usize = 1024;

/// Directions with less than this share of the largest variance count as noise.
const SMALLEST_SHARE: f64 = 1e-9;

/// At most `most` principal components, scaled so that training values have standard deviation 1, and the standard
/// deviations before scaling. They are computed from the products between instances, of which there are fewer than
/// numbers.
pub(super) fn principal(training: &Training, most: usize) -> (Vec<f32>, Vec<f64>) {
    let step = training.instances.div_ceil(MOST_INSTANCES).max(1);
    let (n, count) = (training.instances.div_ceil(step), training.numbers.len());
    let row = |p: usize| training.of(p).iter().step_by(step).map(|&v| f64::from(v));
    let mut gram = vec![0.0; n * n];
    for p in 0..count {
        let values: Vec<f64> = row(p).collect();
        for (i, a) in values.iter().enumerate() {
            let products = gram[i * n..=i * n + i].iter_mut().zip(&values);
            products.for_each(|(sum, b)| *sum += a * b);
        }
    }
    let gram = DMatrix::from_fn(n, n, |i, j| gram[i.max(j) * n + i.min(j)] / n as f64);
    let eigen = SymmetricEigen::new(gram);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let largest = order.first().map_or(0.0, |&k| eigen.eigenvalues[k]);
    order.retain(|&k| eigen.eigenvalues[k] > SMALLEST_SHARE * largest);
    order.truncate(most);
    let (mut table, mut spread) = (Vec::with_capacity(order.len() * count), Vec::new());
    for k in order {
        let variance = eigen.eigenvalues[k];
        let vector = eigen.eigenvectors.column(k);
        let along = |p: usize| row(p).zip(vector.iter()).map(|(a, b)| a * b).sum::<f64>();
        let mut component: Vec<f64> = (0..count).map(along).collect();
        // An eigenvector's sign is arbitrary: the largest entry is made positive.
        let peak = component.iter().fold(
            0.0f64,
            |peak, &c| if c.abs() > peak.abs() { c } else { peak },
        );
        let scale = peak.signum() / ((n as f64).sqrt() * variance);
        component.iter_mut().for_each(|c| *c *= scale);
        table.extend(component.iter().map(|&c| c as f32));
        spread.push(variance.sqrt());
    }
    (table, spread)
}

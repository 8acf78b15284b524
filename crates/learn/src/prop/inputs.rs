//! Chooses the inputs of each network: the parameters that are most correlated with its variable, or all.
//!
//! A variable usually depends on a few of many parameters, and a hundred instances are too few for a network to find
//! out which. So a network gets only the parameters that are most correlated with its variable's target. Parameters
//! whose correlation is within what the best of so many reaches by chance are left out.

/// Instances as points in the parameter space.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    pub(super) instances: usize,
    /// The values of the first parameter for all instances, then of the next.
    pub(super) dimensions: usize,
    values: Vec<f32>,
}

impl Points {
    pub(super) fn new(points: &[Vec<f64>], dimensions: usize) -> Self {
        let column = |p: usize| points.iter().map(move |point| point[p] as f32);
        Points {
            instances: points.len(),
            dimensions,
            values: (0..dimensions).flat_map(column).collect(),
        }
    }

    /// The values of parameter `p` for all instances.
    fn parameter(&self, p: usize) -> &[f32] {
        &self.values[p * self.instances..(p + 1) * self.instances]
    }

    /// The `count` parameters that are most correlated with a variable's targets, with their relevance: 1 for the
    /// first, less for the others, 0 for those within the chance level. `strictness` is a multiple of that level,
    /// √(2·ln d / n).
    pub(super) fn choose(&self, targets: &[f32], count: usize, strictness: f64) -> Vec<(u32, f32)> {
        let known = targets.iter().filter(|t| !t.is_nan()).count().max(1) as f64;
        let most = (self.dimensions as f64).max(2.0).ln();
        let chance = strictness * (2.0 * most / known).sqrt();
        let excess = |p: usize| (correlation(self.parameter(p), targets) - chance).max(0.0);
        let mut all: Vec<(u32, f64)> = (0..self.dimensions)
            .map(|p| (p as u32, excess(p)))
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(count);
        let top = all.first().map_or(0.0, |&(_, excess)| excess);
        let share = |excess: f64| {
            if top > 0.0 {
                (excess / top) as f32
            } else {
                0.0
            }
        };
        all.into_iter().map(|(p, e)| (p, share(e))).collect()
    }

    /// All parameters, each as relevant as the others.
    pub(super) fn all(&self) -> Vec<(u32, f32)> {
        (0..self.dimensions as u32).map(|p| (p, 1.0)).collect()
    }

    /// The inputs of networks that use these parameters, `each` of them per network.
    pub(super) fn seen(&self, chosen: &[u32], each: usize, networks: usize) -> Seen {
        let (n, width) = (self.instances, each + 1);
        let mut seen = Seen {
            instances: n,
            width,
            by_input: Vec::with_capacity(networks * width * n),
            by_instance: Vec::with_capacity(networks * width * n),
        };
        for network in 0..networks {
            let start = seen.by_input.len();
            for &p in &chosen[network * each..(network + 1) * each] {
                seen.by_input.extend(self.parameter(p as usize));
            }
            // A constant input makes biases ordinary weights.
            seen.by_input.resize(start + width * n, 1.0);
            let own = &seen.by_input[start..];
            for i in 0..n {
                seen.by_instance
                    .extend((0..width).map(|input| own[input * n + i]));
            }
        }
        seen
    }
}

/// The inputs of some networks, in both orders. The last input is constant.
pub(super) struct Seen {
    pub(super) instances: usize,
    pub(super) width: usize,
    by_input: Vec<f32>,
    by_instance: Vec<f32>,
}

impl Seen {
    /// The inputs of one network: the first input for all instances, then the next.
    pub(super) fn by_input(&self, network: usize) -> &[f32] {
        let size = self.width * self.instances;
        &self.by_input[network * size..(network + 1) * size]
    }

    /// The inputs of one network: all inputs of the first instance, then of the next.
    pub(super) fn by_instance(&self, network: usize) -> &[f32] {
        let size = self.width * self.instances;
        &self.by_instance[network * size..(network + 1) * size]
    }
}

/// The absolute correlation of a parameter with targets, over the instances that have a target.
fn correlation(values: &[f32], targets: &[f32]) -> f64 {
    let pairs = || {
        let both = values.iter().zip(targets).filter(|(_, t)| !t.is_nan());
        both.map(|(&v, &t)| (f64::from(v), f64::from(t)))
    };
    let count = pairs().count().max(1) as f64;
    let (mut v_mean, mut t_mean) = (0.0, 0.0);
    for (v, t) in pairs() {
        v_mean += v / count;
        t_mean += t / count;
    }
    let (mut vv, mut tt, mut vt) = (0.0, 0.0, 0.0);
    for (v, t) in pairs() {
        let (v, t) = (v - v_mean, t - t_mean);
        vv += v * v;
        tt += t * t;
        vt += v * t;
    }
    if vv * tt > 0.0 {
        vt.abs() / (vv * tt).sqrt()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_behind_the_target_is_chosen_and_noise_is_not() {
        // The third parameter is the target with its sign changed; the others repeat with other periods.
        let point = |i: usize| vec![(i % 5) as f64, (i % 7) as f64, -((i % 2) as f64), 1.0];
        let points: Vec<Vec<f64>> = (0..70).map(point).collect();
        let mut targets: Vec<f32> = (0..70).map(|i| (i % 2) as f32).collect();
        targets[3] = f32::NAN;
        let chosen = Points::new(&points, 4).choose(&targets, 2, 1.0);
        assert_eq!(chosen[0], (2, 1.0));
        assert_eq!(chosen[1].1, 0.0);
        let nothing = Points::new(&points, 4).choose(&[f32::NAN; 70], 2, 1.0);
        assert!(nothing.iter().all(|&(_, relevance)| relevance == 0.0));
    }
}

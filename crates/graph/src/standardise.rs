//! Learns the mean and scale of every feature from raw graphs, one graph at a time.

use crate::standardisation::{Scaling, Standardisation};
use crate::{FeatureSet, GraphError, RawGraph, Table};

/// A standard deviation below the first number, or below the second one times the mean, is the noise of single
/// precision or of a solver: the feature counts as constant.
const CONSTANT: (f64, f64) = (1e-9, 1e-7);

/// Collects statistics of raw graphs.
#[derive(Clone, Debug)]
pub struct Standardiser {
    set: FeatureSet,
    variables: Vec<Moments>,
    rows: Vec<Moments>,
    edges: Vec<Moments>,
}

impl Standardiser {
    /// A standardiser that has not seen any graph.
    pub fn new(set: FeatureSet) -> Self {
        Standardiser {
            set,
            variables: vec![Moments::default(); set.variable_features().len()],
            rows: vec![Moments::default(); set.row_features().len()],
            edges: vec![Moments::default(); set.edge_features().len()],
        }
    }

    /// Adds a raw graph; every node and edge counts once.
    pub fn observe(&mut self, graph: &RawGraph) -> Result<(), GraphError> {
        if graph.set != self.set {
            return Err(GraphError::OtherSet {
                found: graph.set.as_str(),
                expected: self.set.as_str(),
            });
        }
        observe(&mut self.variables, &graph.variables);
        observe(&mut self.rows, &graph.rows);
        observe(&mut self.edges, &graph.edges);
        Ok(())
    }

    /// Means and scales of all graphs observed.
    pub fn finish(&self) -> Standardisation {
        let set = self.set;
        Standardisation {
            set,
            variables: scalings(set.variable_features(), &self.variables, |f| {
                f.is_standardised()
            }),
            rows: scalings(set.row_features(), &self.rows, |f| f.is_standardised()),
            edges: scalings(set.edge_features(), &self.edges, |f| f.is_standardised()),
        }
    }
}

fn scalings<F: Copy>(
    features: &[F],
    moments: &[Moments],
    is_standardised: impl Fn(F) -> bool,
) -> Vec<Scaling<F>> {
    let scaling = |(&feature, moments): (&F, &Moments)| {
        let (mean, scale) = if is_standardised(feature) {
            moments.scaling()
        } else {
            (0.0, 1.0)
        };
        Scaling {
            feature,
            mean,
            scale,
        }
    };
    features.iter().zip(moments).map(scaling).collect()
}

/// Count, mean and sum of squared deviations. The two-pass moments of a whole graph are added at a time: a plain sum
/// of squares would lose its digits for large means.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn merge(&mut self, other: &Moments) {
        if other.count == 0.0 {
            return;
        }
        let count = self.count + other.count;
        let shift = other.mean - self.mean;
        self.mean += shift * (other.count / count);
        self.squares += other.squares + shift * shift * (self.count * other.count / count);
        self.count = count;
    }

    fn scaling(&self) -> (f64, f64) {
        if self.count == 0.0 {
            return (0.0, 1.0);
        }
        let deviation = (self.squares / self.count).sqrt();
        let noise = CONSTANT.0.max(CONSTANT.1 * self.mean.abs());
        (self.mean, if deviation > noise { deviation } else { 1.0 })
    }
}

fn observe(moments: &mut [Moments], table: &Table) {
    let count = table.rows() as f64;
    if count == 0.0 {
        return;
    }
    let rows = || table.data.chunks_exact(table.width);
    let mut own = vec![Moments::default(); moments.len()];
    for row in rows() {
        for (own, &x) in own.iter_mut().zip(row) {
            own.mean += f64::from(x);
        }
    }
    for own in &mut own {
        own.count = count;
        own.mean /= count;
    }
    for row in rows() {
        for (own, &x) in own.iter_mut().zip(row) {
            own.squares += (f64::from(x) - own.mean).powi(2);
        }
    }
    for (all, own) in moments.iter_mut().zip(&own) {
        all.merge(own);
    }
}

//! The predictor `nearest`: scores by the solutions of the training instances that are most similar to the new one.
//!
//! The distance of two instances is the Euclidean one between their standardised [parameters](crate::ParameterSpace),
//! scaled so that two random training instances are √2 apart. The score of a variable is the mean of its targets in
//! the k nearest instances, weighted by 1/(distance + 0.01). Its frequency over all training instances counts as one
//! more neighbour at distance √2; this breaks the many ties that a few neighbours leave.

mod sparse;
mod store;
mod train;

use idpas_graph::{Identities, Registry};
use idpas_mip::Model;
use serde::{Deserialize, Serialize};

use crate::{
    Instance, LearnError, ParameterSettings, ParameterSpace, Predictor, PredictorKind, Stored,
    ZeroFrequency,
};
use sparse::SparseRows;

/// Added to distances, so that an instance that was seen before counts for much, but not for everything.
const NEAR: f64 = 0.01;

/// The target of a variable that an instance does not have.
const ABSENT: f64 = -1.0;

/// Settings of `nearest`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearestSettings {
    /// Number of neighbours; if `None`, the validation set chooses among 1, 3, 5, 10 and 20.
    pub neighbours: Option<usize>,
    /// How the numbers are found by which instances are compared.
    pub parameters: ParameterSettings,
}

/// Numbers of neighbours from which the validation set chooses.
const CANDIDATES: [usize; 5] = [1, 3, 5, 10, 20];

/// Number of neighbours if there is no validation set to choose it.
const DEFAULT_NEIGHBOURS: usize = 5;

/// The predictor `nearest`: it remembers all training instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    settings: NearestSettings,
    neighbours: usize,
    space: ParameterSpace,
    /// The training instances as points, one after the other.
    points: Vec<f64>,
    /// For each training instance, the targets of its discrete variables.
    targets: SparseRows,
    /// For each training instance, its best solution.
    solutions: SparseRows,
    frequency: ZeroFrequency,
}

/// A training instance and its distance from the new one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Neighbour {
    instance: usize,
    distance: f64,
}

impl Nearest {
    /// Number of neighbours.
    pub fn neighbours(&self) -> usize {
        self.neighbours
    }

    /// The space in which instances are compared.
    pub fn space(&self) -> &ParameterSpace {
        &self.space
    }

    /// The best solutions of the `count` most similar training instances, nearest first, by column of the new instance
    /// and moved within its bounds. NaN where the training instance does not have the variable.
    pub fn solutions(&self, instance: &Instance, count: usize) -> Vec<Vec<f64>> {
        let model = instance.model;
        let nearest = self.nearest(model, instance.identities, instance.registry);
        let value = |of: usize, identity: Option<u32>, j: usize| match identity {
            Some(id) if self.targets.get(of, id) != ABSENT => {
                let value = self.solutions.get(of, id);
                value.clamp(model.columns.lower[j], model.columns.upper[j])
            }
            _ => f64::NAN,
        };
        let solution = |neighbour: &Neighbour| {
            let columns = instance.identities.index.iter().zip(0..);
            columns
                .map(|(id, j)| value(neighbour.instance, *id, j))
                .collect()
        };
        nearest.iter().take(count).map(solution).collect()
    }

    /// All training instances, sorted by distance.
    fn nearest(&self, model: &Model, ids: &Identities, registry: &Registry) -> Vec<Neighbour> {
        let point = point(&self.space, model, ids, registry);
        let distance = |instance: usize| {
            let width = point.len();
            let other = &self.points[instance * width..(instance + 1) * width];
            let squares = point.iter().zip(other).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let mut all: Vec<Neighbour> = (0..self.targets.len())
            .map(|instance| Neighbour {
                instance,
                distance: distance(instance),
            })
            .collect();
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        all
    }

    /// The score of an identity from these neighbours; `None` if no training instance had it.
    fn score(&self, identity: u32, neighbours: &[Neighbour]) -> Option<f32> {
        let always = f64::from(self.frequency.probability(identity)?);
        let mut weights = 1.0 / (std::f64::consts::SQRT_2 + NEAR);
        let mut sum = weights * always;
        for neighbour in neighbours {
            let target = self.targets.get(neighbour.instance, identity);
            if target != ABSENT {
                let weight = 1.0 / (neighbour.distance + NEAR);
                weights += weight;
                sum += weight * target;
            }
        }
        Some((sum / weights) as f32)
    }

    fn scores_of(&self, ids: &Identities, neighbours: &[Neighbour]) -> Vec<f32> {
        let score = |id: &Option<u32>| self.score((*id)?, neighbours);
        let all = ids.index.iter();
        all.map(|id| score(id).unwrap_or(f32::NAN)).collect()
    }
}

/// An instance as a point, scaled so that two random training instances are √2 apart.
fn point(
    space: &ParameterSpace,
    model: &Model,
    identities: &Identities,
    registry: &Registry,
) -> Vec<f64> {
    let spread = space.spread();
    let size = spread.iter().map(|s| s * s).sum::<f64>().sqrt();
    let values = space.values(model, identities, registry);
    let scaled = values.iter().zip(spread).map(|(v, s)| v * s / size);
    scaled.collect()
}

impl Predictor for Nearest {
    fn kind(&self) -> PredictorKind {
        PredictorKind::Nearest
    }

    fn scores(&self, instance: &Instance) -> Result<Vec<f32>, LearnError> {
        if !instance.with_identity {
            return Ok(vec![f32::NAN; instance.model.num_columns()]);
        }
        let all = self.nearest(instance.model, instance.identities, instance.registry);
        let neighbours = &all[..self.neighbours.min(all.len())];
        Ok(self.scores_of(instance.identities, neighbours))
    }

    fn starts(&self, instance: &Instance, most: usize) -> Vec<Vec<f64>> {
        match instance.with_identity {
            true => self.solutions(instance, most),
            false => Vec::new(),
        }
    }

    fn store(&self) -> Stored {
        self.to_stored()
    }
}

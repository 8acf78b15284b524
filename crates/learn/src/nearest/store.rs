//! `nearest` as settings and arrays for a file, and back, with everything checked.

use idpas_base::container::tensor;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use super::{ABSENT, Nearest, NearestSettings, SparseRows};
use crate::{ParameterSpace, Predictor, Stored, ZeroFrequency};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    settings: NearestSettings,
    neighbours: usize,
}

const PREFIX: &str = "nearest";
const POINTS: &str = "nearest.points";
const TARGETS: &str = "nearest.targets";
const SOLUTIONS: &str = "nearest.solutions";

impl Nearest {
    pub(super) fn to_stored(&self) -> Stored {
        let kept = Kept {
            settings: self.settings,
            neighbours: self.neighbours,
        };
        let shape = [self.targets.len(), self.space.dimensions()];
        let mut tensors = self.space.to_tensors(PREFIX);
        tensors.push(tensor::f64s(POINTS, &self.points).shaped(&shape));
        tensors.extend(self.targets.to_tensors(TARGETS));
        tensors.extend(self.solutions.to_tensors(SOLUTIONS));
        tensors.extend(self.frequency.store().tensors);
        Stored {
            settings: serde_json::to_value(&kept).unwrap_or_default(),
            tensors,
        }
    }

    /// Restores the predictor from what [`store`](Predictor::store) returned.
    pub fn restore(settings: &serde_json::Value, tensors: &SafeTensors) -> Result<Self, String> {
        let kept = Kept::deserialize(settings).map_err(|e| format!("its settings: {e}"))?;
        let nearest = Nearest {
            settings: kept.settings,
            neighbours: kept.neighbours,
            space: ParameterSpace::from_tensors(PREFIX, tensors)?,
            points: tensor::take_f64s(tensors, POINTS)?,
            targets: SparseRows::from_tensors(TARGETS, tensors)?,
            solutions: SparseRows::from_tensors(SOLUTIONS, tensors)?,
            frequency: ZeroFrequency::restore(settings, tensors)?,
        };
        let count = nearest.targets.len();
        if nearest.neighbours == 0 {
            return Err("it asks no neighbours".into());
        }
        if nearest.solutions.len() != count {
            let solutions = nearest.solutions.len();
            return Err(format!("{solutions} solutions of {count} instances"));
        }
        if Some(nearest.points.len()) != count.checked_mul(nearest.space.dimensions()) {
            return Err(format!("the points are not those of {count} instances"));
        }
        let finite = nearest.points.iter().all(|v| v.is_finite());
        if !finite || !nearest.solutions.all(f64::is_finite) {
            return Err("a point or solution is not finite".into());
        }
        let target = |v: f64| v == ABSENT || (0.0..=1.0).contains(&v);
        if !nearest.targets.all(target) {
            return Err("a target is not between 0 and 1".into());
        }
        Ok(nearest)
    }
}

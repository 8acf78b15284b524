//! Means and scales of features, learned from the training set and applied to every graph.

use serde::{Deserialize, Serialize};

use crate::error::expect_length;
use crate::{EdgeFeature, FeatureSet, GraphError, RawGraph, RowFeature, Table, VariableFeature};

/// Standardised numbers are clamped to ±this, so that an outlier unlike anything in training cannot blow up a network.
pub const CLAMP: f32 = 20.0;

/// How a feature is standardised: (x − mean) / scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling<F> {
    /// Which feature.
    pub feature: F,
    /// What is subtracted.
    pub mean: f64,
    /// What is divided by; positive.
    pub scale: f64,
}

/// The scaling of every feature of a set, in the order of its tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Standardisation {
    pub(crate) set: FeatureSet,
    pub(crate) variables: Vec<Scaling<VariableFeature>>,
    pub(crate) rows: Vec<Scaling<RowFeature>>,
    pub(crate) edges: Vec<Scaling<EdgeFeature>>,
}

/// A standardisation as it is stored, before it is checked.
#[derive(Deserialize)]
struct Stored {
    set: FeatureSet,
    variables: Vec<Scaling<VariableFeature>>,
    rows: Vec<Scaling<RowFeature>>,
    edges: Vec<Scaling<EdgeFeature>>,
}

impl TryFrom<Stored> for Standardisation {
    type Error = GraphError;

    fn try_from(stored: Stored) -> Result<Self, GraphError> {
        let Stored {
            set,
            variables,
            rows,
            edges,
        } = stored;
        check(&variables, set.variable_features(), |f| f.as_str())?;
        check(&rows, set.row_features(), |f| f.as_str())?;
        check(&edges, set.edge_features(), |f| f.as_str())?;
        Ok(Standardisation {
            set,
            variables,
            rows,
            edges,
        })
    }
}

fn check<F: Copy + PartialEq>(
    scalings: &[Scaling<F>],
    features: &[F],
    name: impl Fn(F) -> &'static str,
) -> Result<(), GraphError> {
    expect_length("standardised features", scalings.len(), features.len())?;
    for (scaling, &feature) in scalings.iter().zip(features) {
        if scaling.feature != feature {
            return Err(GraphError::damaged(format!(
                "statistics of `{}` where those of `{}` should be",
                name(scaling.feature),
                name(feature)
            )));
        }
        let Scaling { mean, scale, .. } = *scaling;
        if !(mean.is_finite() && scale.is_finite() && scale > 0.0) {
            return Err(GraphError::damaged(format!(
                "`{}` has mean {mean} and scale {scale}",
                name(feature)
            )));
        }
    }
    Ok(())
}

impl Standardisation {
    /// The set of features that is standardised.
    pub fn set(&self) -> FeatureSet {
        self.set
    }

    /// The scalings of the features of variables.
    pub fn variables(&self) -> &[Scaling<VariableFeature>] {
        &self.variables
    }

    /// The scalings of the features of rows.
    pub fn rows(&self) -> &[Scaling<RowFeature>] {
        &self.rows
    }

    /// The scalings of the features of edges.
    pub fn edges(&self) -> &[Scaling<EdgeFeature>] {
        &self.edges
    }

    /// Standardises a raw graph in place.
    pub fn apply(&self, graph: &mut RawGraph) -> Result<(), GraphError> {
        if graph.set != self.set {
            return Err(GraphError::OtherSet {
                found: graph.set.as_str(),
                expected: self.set.as_str(),
            });
        }
        apply(&self.variables, &mut graph.variables);
        apply(&self.rows, &mut graph.rows);
        apply(&self.edges, &mut graph.edges);
        Ok(())
    }
}

fn apply<F>(scalings: &[Scaling<F>], table: &mut Table) {
    for row in table.data.chunks_exact_mut(scalings.len()) {
        for (x, scaling) in row.iter_mut().zip(scalings) {
            let z = (f64::from(*x) - scaling.mean) / scaling.scale;
            *x = (z as f32).clamp(-CLAMP, CLAMP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Standardiser;

    fn stored() -> Stored {
        let fresh = Standardiser::new(FeatureSet::Light).finish();
        Stored {
            set: fresh.set,
            variables: fresh.variables,
            rows: fresh.rows,
            edges: fresh.edges,
        }
    }

    #[test]
    fn damaged_statistics_are_refused() {
        assert!(Standardisation::try_from(stored()).is_ok());
        let damage: [fn(&mut Stored); 6] = [
            |s| s.set = FeatureSet::Full,
            |s| s.rows.truncate(3),
            |s| s.variables.swap(0, 1),
            |s| s.variables[3].mean = f64::NAN,
            |s| s.rows[0].scale = 0.0,
            |s| s.edges[0].scale = f64::INFINITY,
        ];
        for (k, damage) in damage.into_iter().enumerate() {
            let mut parts = stored();
            damage(&mut parts);
            assert!(Standardisation::try_from(parts).is_err(), "damage {k}");
        }
    }
}

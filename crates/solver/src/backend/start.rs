//! Starting from a solution: checks its values, and searches for those that are missing.

use idpas_mip::{INFINITE_BOUND, VarKind};

use super::Engine;
use super::loaded::{Loaded, within};
use super::run::{Limits, left, run_changed};
use super::watch::Watch;
use crate::{BoundChange, LoadedModel, Params, SolverError, Start};

/// Most nodes that are spent on completing a partial start, as in HiGHS itself.
const START_NODES: u64 = 500;
/// Most of the remaining time, as a share between 0 and 1, that completing a start may take.
const START_TIME_SHARE: f64 = 0.5;
/// Distance from an integer up to which a start's value counts as that integer.
const START_INTEGRALITY: f64 = 1e-5;

/// The integer values of a start, after they were checked.
pub(super) enum ResolvedStart {
    /// Columns to be fixed to these values while the others are searched, as (column, value).
    Fix(Vec<(usize, f64)>),
    /// The start has values that no solution can have.
    Impossible,
}

pub(super) fn resolve_start<E: Engine>(
    model: &Loaded<E>,
    start: &Start,
) -> Result<ResolvedStart, SolverError> {
    let n = model.num_columns();
    let wrong = |message: String| SolverError::Parameter {
        name: "start".into(),
        message,
    };
    let given: Vec<(usize, f64)> = match start {
        Start::Complete(values) if values.len() != n => {
            return Err(wrong(format!("{} values for {n} columns", values.len())));
        }
        Start::Complete(values) => values.iter().copied().enumerate().collect(),
        Start::Partial(some) => some.clone(),
    };
    let mut fixed = Vec::new();
    for &(j, value) in &given {
        within("column", j, n)?;
        if !value.is_finite() {
            return Err(wrong(format!("column number {j} has the value {value}")));
        }
        if model.kind[j] != VarKind::Integer {
            continue;
        }
        let rounded = value.round();
        // A value that is not an integer is searched, like one that is not given.
        if (value - rounded).abs() > START_INTEGRALITY {
            continue;
        }
        let is_infinite = rounded.abs() >= INFINITE_BOUND;
        if rounded < model.lower[j] || rounded > model.upper[j] || is_infinite {
            return Ok(ResolvedStart::Impossible);
        }
        fixed.push((j, rounded));
    }
    Ok(ResolvedStart::Fix(fixed))
}

/// Searches for a solution with these columns fixed. A solution found is feasible for the model; the bound does not
/// hold for it.
pub(super) fn complete<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    fixed: &[(usize, f64)],
    watch: &mut Watch<'_, '_>,
) -> Result<Option<Vec<f64>>, SolverError> {
    let restore: Vec<BoundChange> = fixed
        .iter()
        .map(|&(index, _)| BoundChange {
            index,
            lower: model.lower[index],
            upper: model.upper[index],
        })
        .collect();
    let fix: Vec<BoundChange> = fixed
        .iter()
        .map(|&(index, value)| BoundChange::fixed(index, value))
        .collect();
    model.set_column_bounds(&fix)?;
    // One solution is wanted.
    let params = &Params {
        pool: None,
        ..params.clone()
    };
    let nodes = params
        .node_limit
        .map_or(START_NODES, |limit| limit.min(START_NODES));
    // Leaves time for the search itself.
    let limits = Limits {
        time: left(params, watch).map(|left| left * START_TIME_SHARE),
        nodes: Some(nodes),
    };
    run_changed(model, params, limits, watch, |model| {
        model.set_column_bounds(&restore)
    })?;
    watch.nodes = 0;
    Ok(watch.pool.best().map(|best| best.values.clone()))
}

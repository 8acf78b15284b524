//! Starting from a solution: which of its values count, and finding the others.

use idpas_mip::VarKind;

use super::model::{HighsModel, within};
use super::run::{left, run_changed};
use super::watch::Watch;
use crate::{BoundChange, LoadedModel, Params, SolverError, Start};

/// Nodes spent on completing a partial start, as in HiGHS itself.
const START_NODES: u64 = 500;
/// Share of the remaining time that completing a start may take.
const START_TIME_SHARE: f64 = 0.5;
/// How far from an integer a start's value may be to count as one.
const START_INTEGRALITY: f64 = 1e-5;

/// A start, looked at.
pub(super) enum ResolvedStart {
    /// Integer columns to fix while the rest is searched.
    Fix(Vec<(usize, f64)>),
    /// Values that no solution can have.
    Impossible,
}

pub(super) fn resolve_start(
    model: &HighsModel,
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
        // What is not an integer is left to the search, like what is not given.
        if (value - rounded).abs() > START_INTEGRALITY {
            continue;
        }
        if rounded < model.lower[j] || rounded > model.upper[j] {
            return Ok(ResolvedStart::Impossible);
        }
        fixed.push((j, rounded));
    }
    Ok(ResolvedStart::Fix(fixed))
}

/// Searches for a solution with these columns fixed. What it finds is feasible for the model; its bound is not.
pub(super) fn complete(
    model: &mut HighsModel,
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
    let nodes = params
        .node_limit
        .map_or(START_NODES, |limit| limit.min(START_NODES));
    let mut more = vec![("mip_max_nodes", nodes.to_string())];
    // The search itself must have its share.
    let share = left(params, watch).map(|left| left * START_TIME_SHARE);
    if let Some(share) = share {
        more.push(("time_limit", share.to_string()));
    }
    run_changed(model, params, share, &more, watch, |model| {
        model.set_column_bounds(&restore)
    })?;
    watch.nodes = 0;
    Ok(watch.pool.best().map(|best| best.values.clone()))
}

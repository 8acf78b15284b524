//! The features of variables.

use idpas_mip::{BasisStatus, Model, Relaxation};

use crate::raw::{bound, direction, flag, is_finite, narrow};
use crate::{FeatureSet, Table, VariableFeature};

/// Distance up to which a relaxed value counts as being at a bound or an integer.
const TOLERANCE: f64 = 1e-6;

/// The features of all variables; zero rates are left at zero.
pub(crate) fn table(model: &Model, relaxed: Option<&Relaxation>, set: FeatureSet) -> Table {
    let features = set.variable_features();
    let mut table = Table::zeros(model.num_columns(), features.len());
    let turn = direction(model.sense);
    for (j, row) in table.data.chunks_exact_mut(features.len()).enumerate() {
        for (slot, &feature) in row.iter_mut().zip(features) {
            let value = match relaxed {
                _ if !feature.needs_relaxation() => given(model, turn, j, feature),
                Some(relaxed) => solved(model, relaxed, turn, j, feature),
                None => 0.0,
            };
            *slot = narrow(value);
        }
    }
    table
}

/// A feature that depends on the model alone.
fn given(model: &Model, turn: f64, j: usize, feature: VariableFeature) -> f64 {
    let columns = &model.columns;
    match feature {
        VariableFeature::IsContinuous => flag(!model.is_integer(j)),
        VariableFeature::IsBinary => flag(model.is_binary(j)),
        VariableFeature::IsInteger => flag(model.is_integer(j) && !model.is_binary(j)),
        VariableFeature::Objective => turn * columns.cost[j],
        VariableFeature::HasLower => flag(is_finite(columns.lower[j])),
        VariableFeature::HasUpper => flag(is_finite(columns.upper[j])),
        VariableFeature::Lower => bound(columns.lower[j]),
        VariableFeature::Upper => bound(columns.upper[j]),
        VariableFeature::Degree => {
            model.matrix.entries(j).filter(|&(_, a)| a != 0.0).count() as f64
        }
        _ => 0.0,
    }
}

/// A feature that depends on the linear relaxation.
fn solved(
    model: &Model,
    relaxed: &Relaxation,
    turn: f64,
    j: usize,
    feature: VariableFeature,
) -> f64 {
    let value = relaxed.values[j];
    let basis = relaxed.column_basis[j];
    match feature {
        VariableFeature::AtLower => flag(is_at(value, model.columns.lower[j])),
        VariableFeature::AtUpper => flag(is_at(value, model.columns.upper[j])),
        VariableFeature::Fractionality if model.is_integer(j) => fractionality(value),
        VariableFeature::BasisBasic => flag(basis == BasisStatus::Basic),
        VariableFeature::BasisLower => flag(basis == BasisStatus::Lower),
        VariableFeature::BasisUpper => flag(basis == BasisStatus::Upper),
        VariableFeature::BasisSuper => {
            flag(matches!(basis, BasisStatus::Zero | BasisStatus::Nonbasic))
        }
        VariableFeature::ReducedCost => turn * relaxed.reduced_costs[j],
        VariableFeature::Value => value,
        _ => 0.0,
    }
}

/// Whether a bound is finite and a value is at it.
fn is_at(value: f64, bound: f64) -> bool {
    is_finite(bound) && (value - bound).abs() <= TOLERANCE * bound.abs().max(1.0)
}

/// Distance from the nearest integer, 0 within the tolerance.
fn fractionality(value: f64) -> f64 {
    let distance = (value - value.round()).abs();
    if distance < TOLERANCE { 0.0 } else { distance }
}

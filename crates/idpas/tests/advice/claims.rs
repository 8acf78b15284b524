//! Whether what a search says of a model is true.
//!
//! A solution is compared with the model itself, in exact arithmetic, by the tolerance that the program promises: a row or bound
//! with side s may be off by 1e-6·max(1, |s|), and a discrete column by 1e-6. So a solution may legally be better than the
//! exact optimum, and a model without any exact solution may have one within tolerances. Nothing else is forgiven for that:
//!
//! - the bound must not be on the wrong side of the *exact* optimum, whatever tolerances would allow, nor beyond the
//!   solution it comes with, by more than 1e-6·max(1, |optimum|), which is what solvers in doubles promise;
//! - "optimal" needs a solution that is no worse than the exact optimum by more than the gap that was asked for;
//! - "infeasible" is wrong if there is an exact solution, or if one comes with it;
//! - "unbounded" is wrong unless the model is; for a model that is, every bound and every optimum is wrong.

use idpas::{Model, SearchOutcome, SearchStatus, Sense};

use super::models::Case;
use super::number::{Fraction, Number};
use super::truth::Truth;

/// Tolerance of rows, bounds and integrality.
const TOLERANCE: f64 = 1e-6;
/// What a bound may be wrong by, as a multiple of max(1, |optimum|).
const BOUND: f64 = 1e-6;
/// What an optimal solution may be worse by, as a multiple of max(1, |optimum|): the absolute gap of 1e-6, and as much as
/// bound and solution may each be off.
const OPTIMAL: f64 = 3e-6;

/// What a search says of a model.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    pub status: SearchStatus,
    /// Values by column, and their objective value.
    pub solution: Option<(&'a [f64], f64)>,
    pub bound: Option<f64>,
    /// Objective values over time, each with the bound of that time.
    pub trajectory: Vec<(f64, Option<f64>)>,
}

impl<'a> Claim<'a> {
    pub fn of(outcome: &'a SearchOutcome) -> Self {
        let points = outcome.trajectory.iter();
        Claim {
            status: outcome.status,
            solution: (outcome.solution.as_ref()).map(|s| (&s.values[..], s.objective)),
            bound: outcome.bound,
            trajectory: points.map(|p| (p.objective, p.bound)).collect(),
        }
    }
}

/// Everything that is not true.
pub fn faults(case: &Case, claim: &Claim<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some((values, objective)) = claim.solution {
        faults.extend(wrong_solution(&case.model, values, objective));
    }
    faults.extend(wrong_status(case, claim));
    let objective = claim.solution.map(|(_, objective)| objective);
    faults.extend(claim.bound.and_then(|b| wrong_bound(case, objective, b)));
    for &(objective, bound) in &claim.trajectory {
        faults.extend(bound.and_then(|b| wrong_bound(case, Some(objective), b)));
    }
    let last = claim.trajectory.last().map(|point| point.0);
    if last != objective {
        faults.push(format!("the trajectory ends with {last:?}"));
    }
    let gets_worse = |pair: &[(f64, _)]| !case.model.sense.is_better(pair[1].0, pair[0].0);
    if claim.trajectory.windows(2).any(gets_worse) {
        faults.push(format!("the trajectory gets worse: {:?}", claim.trajectory));
    }
    faults
}

/// What a solution violates, and whether its objective value is its own.
fn wrong_solution(model: &Model, values: &[f64], objective: f64) -> Vec<String> {
    let mut faults = Vec::new();
    if values.len() != model.num_columns() || values.iter().any(|x| !x.is_finite()) {
        return vec![format!("{values:?} is no vector of values")];
    }
    let exact: Vec<Number> = values.iter().map(|&x| Number::from(x)).collect();
    let mut activities = vec![Number::zero(); model.num_rows()];
    let mut cost = Number::from(model.objective_constant);
    for (j, x) in exact.iter().enumerate() {
        cost = cost.plus(&Number::from(model.columns.cost[j]).times(x));
        for (i, a) in model.matrix.entries(j) {
            activities[i] = activities[i].plus(&Number::from(a).times(x));
        }
    }
    let rows = activities
        .iter()
        .zip(&model.rows.lower)
        .zip(&model.rows.upper);
    for (i, ((activity, &lower), &upper)) in rows.enumerate() {
        if !within(activity, lower, upper) {
            faults.push(format!("row {i} is violated"));
        }
    }
    for (j, x) in exact.iter().enumerate() {
        if !within(x, model.columns.lower[j], model.columns.upper[j]) {
            faults.push(format!("column {j} is out of bounds: {}", values[j]));
        }
        let off = x.minus(&Number::from(values[j].round()));
        let is_far = |off: &Number| off.compare(&Number::from(TOLERANCE)).is_gt();
        if model.is_integer(j) && (is_far(&off) || is_far(&off.negated())) {
            faults.push(format!("column {j} is not an integer: {}", values[j]));
        }
    }
    let is_near = objective.is_finite()
        && Number::from(objective.next_down()).compare(&cost).is_le()
        && Number::from(objective.next_up()).compare(&cost).is_ge();
    if !is_near {
        let cost = Fraction::of(&cost).approximate();
        faults.push(format!("the objective is {cost}, not {objective}"));
    }
    faults
}

/// Whether a value is between two sides, within the tolerance.
fn within(value: &Number, lower: f64, upper: f64) -> bool {
    let allowed = |side: f64| Number::from(TOLERANCE).times(&Number::from(side.abs().max(1.0)));
    let above = !lower.is_finite() || {
        let least = Number::from(lower).minus(&allowed(lower));
        value.compare(&least).is_ge()
    };
    let below = !upper.is_finite() || {
        let most = Number::from(upper).plus(&allowed(upper));
        value.compare(&most).is_le()
    };
    above && below
}

fn wrong_status(case: &Case, claim: &Claim<'_>) -> Option<String> {
    let status = claim.status;
    let wrong = match (status, &case.truth, claim.solution) {
        (SearchStatus::Optimal, _, None) => "optimal without a solution".into(),
        (SearchStatus::Optimal, Truth::Unbounded, _) => "optimal, but it is unbounded".into(),
        (SearchStatus::Optimal, Truth::Optimal(best), Some((_, objective))) => {
            let behind = worse_by(case.model.sense, objective, &best.value);
            let value = best.value.approximate();
            if behind <= OPTIMAL * value.abs().max(1.0) {
                return None;
            }
            format!("optimal with {objective}, but the optimum is {value}")
        }
        (SearchStatus::Infeasible, _, Some(_)) => "infeasible with a solution".into(),
        (SearchStatus::Infeasible, Truth::Optimal(_) | Truth::Unbounded, _) => {
            "infeasible, but there is a solution".into()
        }
        (SearchStatus::Unbounded, Truth::Optimal(_), _) => "unbounded, but it is bounded".into(),
        (SearchStatus::Unbounded, Truth::Infeasible, None) => {
            "unbounded, but there is no solution".into()
        }
        (SearchStatus::InfeasibleOrUnbounded, Truth::Optimal(_), _) => {
            "infeasible or unbounded, but it is neither".into()
        }
        _ => return None,
    };
    Some(wrong)
}

/// What is wrong with a bound that was reported beside a solution of this objective value.
fn wrong_bound(case: &Case, objective: Option<f64>, bound: f64) -> Option<String> {
    if !bound.is_finite() {
        return Some(format!("the bound is {bound}"));
    }
    let sense = case.model.sense;
    let exact = Fraction::of(&Number::from(bound));
    match &case.truth {
        Truth::Unbounded => return Some(format!("the bound of an unbounded model is {bound}")),
        Truth::Optimal(best) => {
            let value = best.value.approximate();
            let beyond = worse(sense, &exact, &best.value);
            if beyond > BOUND * value.abs().max(1.0) {
                return Some(format!("the bound {bound} cuts off the optimum {value}"));
            }
        }
        Truth::Infeasible => {}
    }
    let objective = objective?;
    let beyond = worse_by(sense, bound, &Fraction::of(&Number::from(objective)));
    let is_beyond = beyond > BOUND * objective.abs().max(1.0);
    is_beyond.then(|| format!("the bound {bound} is beyond the solution's {objective}"))
}

fn worse_by(sense: Sense, value: f64, than: &Fraction) -> f64 {
    worse(sense, &Fraction::of(&Number::from(value)), than)
}

/// By how much a value is worse than another one; negative if it is better.
fn worse(sense: Sense, value: &Fraction, than: &Fraction) -> f64 {
    match sense {
        Sense::Minimize => value.minus(than).approximate(),
        Sense::Maximize => than.minus(value).approximate(),
    }
}

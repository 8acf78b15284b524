//! Runs HiGHS: sets options and starts, and interprets the result.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use idpas_mip::{BasisStatus, Relaxation, RowSides};

use super::failed;
use super::ffi::{Failed, Handle};
use super::model::HighsModel;
use super::start::{ResolvedStart, complete, resolve_start};
use super::thread::{self, RunEnd};
use super::watch::Watch;
use crate::{
    Control, DistinctSolutions, LoadedModel, LpResult, Params, SolveResult, SolverError, Start,
    StartOutcome, Termination,
};

/// HiGHS gets its own time limit this many seconds before a hard stop, so that it ends in an orderly way.
const ORDERLY_END: f64 = 0.02;
/// Upper limit of `ORDERLY_END`, as a share of the time left until the hard stop.
const ORDERLY_SHARE: f64 = 0.01;

pub(super) fn solve(
    model: &mut HighsModel,
    params: &Params,
    start: Option<&Start>,
    control: &mut Control<'_>,
) -> Result<SolveResult, SolverError> {
    params.validate()?;
    model.usable()?;
    let clock = Instant::now();
    let start = start.map(|start| resolve_start(model, start)).transpose()?;
    let pool = DistinctSolutions::new(model.objective.sense, &model.kind, params.keep_solutions);
    let mut watch = Watch::new(model.objective.clone(), clock, control, pool);
    let (termination, start) = if model.num_columns() == 0 {
        solve_without_columns(model, &mut watch)
    } else if model.has_empty_column() {
        let rejected = start.map(|_| StartOutcome::Rejected);
        (Termination::Infeasible, rejected)
    } else {
        solve_watched(model, params, start, &mut watch)?
    };
    Ok(finish(watch, termination, start, model.abandoned))
}

fn finish(
    watch: Watch<'_, '_>,
    termination: Termination,
    start: Option<StartOutcome>,
    abandoned: bool,
) -> SolveResult {
    let sense = watch.objective.sense;
    let time = watch.time();
    let best = watch.pool.best().cloned();
    let mut bound = match termination {
        Termination::Infeasible => sense.worst(),
        _ => watch.bound,
    };
    if let Some(best) = &best {
        // A bound that is worse than a known solution is a rounding error.
        if sense.is_better(best.objective, bound) {
            bound = best.objective;
        }
    }
    SolveResult {
        termination,
        best,
        bound,
        start,
        time,
        nodes: watch.nodes,
        lp_iterations: watch.lp_iterations,
        solutions: watch.pool.into_solutions(),
        abandoned,
    }
}

/// Solves a model without columns, which HiGHS calls empty without checking its rows.
fn solve_without_columns(
    model: &HighsModel,
    watch: &mut Watch<'_, '_>,
) -> (Termination, Option<StartOutcome>) {
    let feasible =
        model.row_lower.iter().all(|&l| l <= 0.0) && model.row_upper.iter().all(|&u| u >= 0.0);
    if !feasible {
        return (Termination::Infeasible, None);
    }
    watch.solution(Instant::now(), &[]);
    watch.improve_bound(model.objective.constant);
    (Termination::Optimal, None)
}

fn solve_watched(
    model: &mut HighsModel,
    params: &Params,
    start: Option<ResolvedStart>,
    watch: &mut Watch<'_, '_>,
) -> Result<(Termination, Option<StartOutcome>), SolverError> {
    let mut outcome = start.as_ref().map(|_| StartOutcome::Rejected);
    let mut values = None;
    if watch.control.stop.is_due() {
        return Ok((stopped(watch), outcome));
    }
    if let Some(ResolvedStart::Fix(fixed)) = start
        && model.is_discrete()
    {
        values = complete(model, params, &fixed, watch)?;
        if values.is_some() {
            outcome = Some(StartOutcome::Accepted);
        }
        if model.abandoned || watch.control.stop.is_due() {
            return Ok((stopped(watch), outcome));
        }
    }
    prepare(model, params, left(params, watch), &[])?;
    if let Some(values) = &values {
        // If HiGHS refuses the solution, the watch still has it.
        let _ = model.handle.set_solution(values);
    }
    let run = thread::run(model, left(params, watch), watch)?;
    let mut termination = conclude(model, run, watch)?;
    if termination == Termination::InfeasibleOrUnbounded {
        termination = tell_apart(model, params, watch)?;
    }
    Ok((termination, outcome))
}

/// Reads the result of a run from HiGHS, and why it stopped.
fn conclude(
    model: &HighsModel,
    run: RunEnd,
    watch: &mut Watch<'_, '_>,
) -> Result<Termination, SolverError> {
    let (at, run) = match run {
        RunEnd::Finished(at, run) => (at, run),
        RunEnd::Overdue => return Ok(stopped(watch)),
    };
    let handle = &model.handle;
    let termination = termination(handle.model_status());
    if handle.int_info(c"primal_solution_status") == Some(highs_sys::kHighsSolutionStatusFeasible) {
        let [values, ..] = handle.solution();
        watch.solution(at, &values);
    }
    if model.is_discrete() {
        if let Some(bound) = handle.double_info(c"mip_dual_bound") {
            watch.improve_bound(bound);
        }
        if let Some(nodes) = handle.int64_info(c"mip_node_count") {
            watch.nodes = watch.nodes.max(u64::try_from(nodes).unwrap_or(0));
        }
    } else if termination == Termination::Optimal
        && let Some(best) = watch.pool.best()
    {
        let objective = best.objective;
        watch.improve_bound(objective);
    }
    if let Some(iterations) = handle.int_info(c"simplex_iteration_count") {
        watch.lp_iterations = watch
            .lp_iterations
            .max(u64::try_from(iterations).unwrap_or(0));
    }
    match run {
        Ok(()) => Ok(termination),
        Err(Failed) if watch.pool.best().is_some() => Ok(Termination::Trouble(watch.last_words())),
        Err(Failed) => Err(failed("solve", watch.last_words())),
    }
}

/// Why a run that did not return in time had to stop.
fn stopped(watch: &Watch<'_, '_>) -> Termination {
    let control = &watch.control;
    if control.interrupt.is_raised() || control.stop.interrupt.is_raised() {
        Termination::Interrupted
    } else {
        Termination::TimeLimit
    }
}

/// Seconds left of the time limit, or until shortly before the hard stop if that is sooner; `None` if there is
/// neither. HiGHS can then end in an orderly way, and its last bound counts.
pub(super) fn left(params: &Params, watch: &Watch<'_, '_>) -> Option<f64> {
    let limit = params.time_limit.map(|limit| limit - watch.time());
    let stop = watch.control.stop.left();
    let stop = stop.map(|left| left - ORDERLY_END.min(ORDERLY_SHARE * left));
    let left = match (limit, stop) {
        (Some(limit), Some(stop)) => limit.min(stop),
        (limit, stop) => limit.or(stop)?,
    };
    Some(left.max(0.0))
}

fn termination(status: c_int) -> Termination {
    match status {
        highs_sys::kHighsModelStatusOptimal => Termination::Optimal,
        highs_sys::kHighsModelStatusInfeasible => Termination::Infeasible,
        highs_sys::kHighsModelStatusUnboundedOrInfeasible => Termination::InfeasibleOrUnbounded,
        highs_sys::kHighsModelStatusUnbounded => Termination::Unbounded,
        highs_sys::kHighsModelStatusTimeLimit => Termination::TimeLimit,
        highs_sys::kHighsModelStatusObjectiveBound
        | highs_sys::kHighsModelStatusObjectiveTarget
        | highs_sys::kHighsModelStatusIterationLimit
        | highs_sys::kHighsModelStatusSolutionLimit => Termination::Limit,
        // 19 is HiGHS's status for its own interrupt, which its C header does not name.
        highs_sys::kHighsModelStatusInterrupt | 19 => Termination::Interrupted,
        18 => Termination::Trouble("memory limit".into()),
        other => Termination::Trouble(format!("HiGHS model status {other}")),
    }
}

/// Finds out whether a model is infeasible or unbounded. Without an objective it cannot be unbounded, so feasibility
/// decides.
fn tell_apart(
    model: &mut HighsModel,
    params: &Params,
    watch: &mut Watch<'_, '_>,
) -> Result<Termination, SolverError> {
    let columns: Vec<c_int> = (0..model.kind.len() as c_int).collect();
    let change = |handle: &mut Handle, cost: &[f64]| {
        handle
            .change_costs(&columns, cost)
            .map_err(|Failed| failed("change the objective", "it refused the values"))
    };
    change(&mut model.handle, &vec![0.0; columns.len()])?;
    let cost = watch.objective.cost.clone();
    let limit = left(params, watch);
    let answer = run_changed(model, params, limit, &[], watch, |model| {
        change(&mut model.handle, &cost)
    })?;
    Ok(match answer {
        Termination::Optimal => Termination::Unbounded,
        Termination::Infeasible => Termination::Infeasible,
        _ if model.abandoned => answer,
        _ => Termination::InfeasibleOrUnbounded,
    })
}

/// Runs a model that was changed for this run only, and undoes the change whatever happens: neither an error nor a
/// panic of the observer may leave a restricted model behind. The bound of such a run does not hold for the model.
pub(super) fn run_changed(
    model: &mut HighsModel,
    params: &Params,
    limit: Option<f64>,
    more: &[(&str, String)],
    watch: &mut Watch<'_, '_>,
    change_back: impl FnOnce(&mut HighsModel) -> Result<(), SolverError>,
) -> Result<Termination, SolverError> {
    watch.bound_holds = false;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        prepare(model, params, left(params, watch), more)?;
        let run = thread::run(model, limit, watch)?;
        conclude(model, run, watch)
    }));
    watch.bound_holds = true;
    let changed_back = if model.abandoned {
        Ok(())
    } else {
        change_back(model)
    };
    let answer = ran.unwrap_or_else(|panic| resume_unwind(panic))?;
    changed_back?;
    Ok(answer)
}

/// Sets the options of a run and forgets earlier ones. `left` is the rest of the time limit, in seconds.
fn prepare(
    model: &mut HighsModel,
    params: &Params,
    left: Option<f64>,
    more: &[(&str, String)],
) -> Result<(), SolverError> {
    let handle = &mut model.handle;
    handle.reset_options();
    handle.clear_solver();
    let mut options = vec![
        ("mip_rel_gap", params.relative_gap.to_string()),
        ("mip_abs_gap", params.absolute_gap.to_string()),
        ("threads", params.threads.to_string()),
        ("random_seed", params.seed.to_string()),
    ];
    if let Some(left) = left.filter(|left| left.is_finite()) {
        options.push(("time_limit", left.to_string()));
    }
    if let Some(nodes) = params.node_limit {
        options.push(("mip_max_nodes", nodes.min(c_int::MAX as u64).to_string()));
    }
    options.extend(more.iter().cloned());
    let raw = params
        .raw
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    for (name, value) in options.into_iter().chain(raw) {
        handle
            .set_option(name, &value)
            .map_err(|Failed| SolverError::Parameter {
                name: name.to_owned(),
                message: format!("HiGHS has no such option, or not with the value `{value}`"),
            })?;
    }
    Ok(())
}

pub(super) fn solve_relaxation(
    model: &mut HighsModel,
    params: &Params,
    control: &mut Control<'_>,
) -> Result<LpResult, SolverError> {
    params.validate()?;
    model.usable()?;
    let clock = Instant::now();
    if model.has_empty_column() {
        return Ok(no_lp(Termination::Infeasible, clock));
    }
    let pool = DistinctSolutions::new(model.objective.sense, &[], 1);
    let mut watch = Watch::new(model.objective.clone(), clock, control, pool);
    if watch.control.stop.is_due() {
        return Ok(no_lp(stopped(&watch), clock));
    }
    let left = left(params, &watch);
    prepare(model, params, left, &[("solve_relaxation", "true".into())])?;
    match thread::run(model, left, &mut watch)? {
        RunEnd::Finished(_, Ok(())) => {}
        RunEnd::Finished(_, Err(Failed)) => {
            return Err(failed("solve the relaxation", watch.last_words()));
        }
        RunEnd::Overdue => return Ok(no_lp(stopped(&watch), clock)),
    }
    let handle = &model.handle;
    let termination = match handle.model_status() {
        highs_sys::kHighsModelStatusModelEmpty => Termination::Optimal,
        status => termination(status),
    };
    let solution = (termination == Termination::Optimal).then(|| read_lp(model));
    let iterations = handle.int_info(c"simplex_iteration_count").unwrap_or(0);
    Ok(LpResult {
        termination,
        solution,
        time: clock.elapsed().as_secs_f64(),
        iterations: u64::try_from(iterations).unwrap_or(0),
    })
}

/// The result of a relaxation without a solution that began at `clock`.
fn no_lp(termination: Termination, clock: Instant) -> LpResult {
    LpResult {
        termination,
        solution: None,
        time: clock.elapsed().as_secs_f64(),
        iterations: 0,
    }
}

fn read_lp(model: &HighsModel) -> Relaxation {
    let [values, reduced_costs, activities, duals] = model.handle.solution();
    let (columns, rows) = model.handle.basis();
    let status = |code: c_int| match code {
        highs_sys::kHighsBasisStatusLower => BasisStatus::Lower,
        highs_sys::kHighsBasisStatusBasic => BasisStatus::Basic,
        highs_sys::kHighsBasisStatusUpper => BasisStatus::Upper,
        highs_sys::kHighsBasisStatusZero => BasisStatus::Zero,
        _ => BasisStatus::Nonbasic,
    };
    let sides = activities
        .iter()
        .zip(&model.row_lower)
        .zip(&model.row_upper);
    Relaxation {
        objective: model.objective.of(&values),
        row_sides: sides
            .map(|((&activity, &lower), &upper)| RowSides::of(activity, lower, upper))
            .collect(),
        values,
        reduced_costs,
        activities,
        duals,
        column_basis: columns.into_iter().map(status).collect(),
        row_basis: rows.into_iter().map(status).collect(),
    }
}

//! Running HiGHS: options, starts, the run itself, and what it means.

use std::cell::Cell;
use std::ffi::c_int;
use std::time::Instant;

use idpas_mip::VarKind;

use super::failed;
use super::ffi::{Failed, Handle};
use super::model::HighsModel;
use super::watch::Watch;
use crate::{
    BasisStatus, BoundChange, Control, LoadedModel, LpResult, LpSolution, Params, Pool,
    SolveResult, SolverError, Start, StartOutcome, Termination,
};

/// Nodes spent on completing a partial start, as in HiGHS itself.
const START_NODES: u64 = 500;
/// How far from an integer a start's value may be to count as one.
const START_INTEGRALITY: f64 = 1e-5;

pub(super) fn solve(
    model: &mut HighsModel,
    params: &Params,
    start: Option<&Start>,
    control: &mut Control<'_>,
) -> Result<SolveResult, SolverError> {
    params.validate()?;
    let clock = Instant::now();
    let start = start.map(|start| resolve_start(model, start)).transpose()?;
    let pool = Pool::new(model.objective.sense, &model.kind, params.keep_solutions);
    let mut watch = Watch::new(model.objective.clone(), clock, control, pool);
    let (termination, start) = if model.num_columns() == 0 {
        solve_without_columns(model, &mut watch)
    } else {
        solve_watched(model, params, start, &mut watch)?
    };
    Ok(finish(watch, termination, start))
}

fn finish(
    watch: Watch<'_, '_>,
    termination: Termination,
    start: Option<StartOutcome>,
) -> SolveResult {
    let sense = watch.objective.sense;
    let time = watch.time();
    let best = watch.pool.best().cloned();
    let mut bound = match termination {
        Termination::Infeasible => sense.worst(),
        _ => watch.bound,
    };
    if let Some(best) = &best {
        // A bound beyond a known solution is rounding.
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
    }
}

/// HiGHS calls such a model empty and looks no further.
fn solve_without_columns(
    model: &HighsModel,
    watch: &mut Watch<'_, '_>,
) -> (Termination, Option<StartOutcome>) {
    let feasible =
        model.row_lower.iter().all(|&l| l <= 0.0) && model.row_upper.iter().all(|&u| u >= 0.0);
    if !feasible {
        return (Termination::Infeasible, None);
    }
    watch.solution(&[]);
    watch.improve_bound(model.objective.constant);
    (Termination::Optimal, None)
}

fn solve_watched(
    model: &mut HighsModel,
    params: &Params,
    start: Option<ResolvedStart>,
    watch: &mut Watch<'_, '_>,
) -> Result<(Termination, Option<StartOutcome>), SolverError> {
    let given = start.is_some();
    let values = match start {
        None => None,
        Some(_) if !model.is_discrete() => None,
        Some(ResolvedStart::Complete(values)) => Some(values),
        Some(ResolvedStart::Impossible) => None,
        Some(ResolvedStart::Fix(fixed)) => complete(model, params, &fixed, watch)?,
    };
    prepare(model, params, watch.time(), &[])?;
    if let Some(values) = &values {
        // A refusal shows in the log and leaves the start rejected.
        let _ = model.handle.set_solution(values);
    }
    let run = model.handle.run(&mut |message| watch.take(message));
    let mut termination = conclude(model, run, watch)?;
    if termination == Termination::InfeasibleOrUnbounded {
        termination = tell_apart(model, params, watch)?;
    }
    let outcome = given.then_some(if watch.start_feasible {
        StartOutcome::Accepted
    } else {
        StartOutcome::Rejected
    });
    Ok((termination, outcome))
}

/// Reads off what a run found, and why it stopped.
fn conclude(
    model: &HighsModel,
    run: Result<(), Failed>,
    watch: &mut Watch<'_, '_>,
) -> Result<Termination, SolverError> {
    let handle = &model.handle;
    let termination = termination(handle.model_status());
    if handle.int_info(c"primal_solution_status") == Some(highs_sys::kHighsSolutionStatusFeasible) {
        let [values, ..] = handle.solution();
        watch.solution(&values);
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
        // 19 is HiGHS's own interrupt, which its C header does not name.
        highs_sys::kHighsModelStatusInterrupt | 19 => Termination::Interrupted,
        18 => Termination::Trouble("memory limit".into()),
        other => Termination::Trouble(format!("HiGHS model status {other}")),
    }
}

/// Infeasible or unbounded? Without an objective the model cannot be unbounded, so feasibility decides.
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
    prepare(model, params, watch.time(), &[])?;
    watch.bound_holds = false;
    let run = model.handle.run(&mut |message| watch.take(message));
    let answer = conclude(model, run, watch);
    watch.bound_holds = true;
    change(&mut model.handle, &watch.objective.cost)?;
    Ok(match answer? {
        Termination::Optimal => Termination::Unbounded,
        Termination::Infeasible => Termination::Infeasible,
        _ => Termination::InfeasibleOrUnbounded,
    })
}

thread_local! {
    /// How many threads this thread's scheduler has; 0 before the first run.
    static SCHEDULER_THREADS: Cell<usize> = const { Cell::new(0) };
}

/// Sets options and forgets earlier runs. `used` seconds of the time limit are gone.
fn prepare(
    model: &mut HighsModel,
    params: &Params,
    used: f64,
    more: &[(&str, String)],
) -> Result<(), SolverError> {
    let previous = SCHEDULER_THREADS.replace(params.threads);
    if previous != 0 && previous != params.threads {
        Handle::reset_scheduler();
    }
    let handle = &mut model.handle;
    handle.reset_options();
    handle.clear_solver();
    let mut options = vec![
        ("mip_rel_gap", params.relative_gap.to_string()),
        ("mip_abs_gap", params.absolute_gap.to_string()),
        ("threads", params.threads.to_string()),
        ("random_seed", params.seed.to_string()),
    ];
    if let Some(limit) = params.time_limit.filter(|limit| limit.is_finite()) {
        options.push(("time_limit", (limit - used).max(0.0).to_string()));
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

/// A start, looked at.
enum ResolvedStart {
    /// A value for every column.
    Complete(Vec<f64>),
    /// Integer columns to fix while the rest is searched.
    Fix(Vec<(usize, f64)>),
    /// Values that no solution can have.
    Impossible,
}

fn resolve_start(model: &HighsModel, start: &Start) -> Result<ResolvedStart, SolverError> {
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
    let mut integral = true;
    for &(j, value) in &given {
        super::model::within("column", j, n)?;
        if !value.is_finite() {
            return Err(wrong(format!("column number {j} has the value {value}")));
        }
        if model.kind[j] != VarKind::Integer {
            continue;
        }
        let rounded = value.round();
        if (value - rounded).abs() > START_INTEGRALITY {
            integral = false;
        } else if rounded < model.lower[j] || rounded > model.upper[j] {
            return Ok(ResolvedStart::Impossible);
        } else {
            fixed.push((j, rounded));
        }
    }
    Ok(match start {
        Start::Complete(values) if integral => ResolvedStart::Complete(values.clone()),
        _ => ResolvedStart::Fix(fixed),
    })
}

/// Searches for a solution with these columns fixed. What it finds is feasible for the model; its bound is not.
fn complete(
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
        .map(|&(index, value)| BoundChange {
            index,
            lower: value,
            upper: value,
        })
        .collect();
    model.set_column_bounds(&fix)?;
    let nodes = params
        .node_limit
        .map_or(START_NODES, |limit| limit.min(START_NODES));
    prepare(
        model,
        params,
        watch.time(),
        &[("mip_max_nodes", nodes.to_string())],
    )?;
    watch.bound_holds = false;
    let run = model.handle.run(&mut |message| watch.take(message));
    let concluded = conclude(model, run, watch);
    watch.bound_holds = true;
    watch.nodes = 0;
    watch.start_feasible = false;
    model.set_column_bounds(&restore)?;
    concluded?;
    Ok(watch.pool.best().map(|best| best.values.clone()))
}

pub(super) fn solve_relaxation(
    model: &mut HighsModel,
    params: &Params,
    control: &mut Control<'_>,
) -> Result<LpResult, SolverError> {
    params.validate()?;
    let clock = Instant::now();
    prepare(model, params, 0.0, &[("solve_relaxation", "true".into())])?;
    let pool = Pool::new(model.objective.sense, &[], 1);
    let mut watch = Watch::new(model.objective.clone(), clock, control, pool);
    let run = model.handle.run(&mut |message| watch.take(message));
    if run.is_err() {
        return Err(failed("solve the relaxation", watch.last_words()));
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

fn read_lp(model: &HighsModel) -> LpSolution {
    let [values, reduced_costs, activities, duals] = model.handle.solution();
    let (columns, rows) = model.handle.basis();
    let status = |code: c_int| match code {
        highs_sys::kHighsBasisStatusLower => BasisStatus::Lower,
        highs_sys::kHighsBasisStatusBasic => BasisStatus::Basic,
        highs_sys::kHighsBasisStatusUpper => BasisStatus::Upper,
        highs_sys::kHighsBasisStatusZero => BasisStatus::Zero,
        _ => BasisStatus::Nonbasic,
    };
    LpSolution {
        objective: model.objective.of(&values),
        values,
        reduced_costs,
        activities,
        duals,
        column_basis: columns.into_iter().map(status).collect(),
        row_basis: rows.into_iter().map(status).collect(),
    }
}

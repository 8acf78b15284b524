//! A solve: limits and starts, one run or several, and what is known at the end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use idpas_mip::{BasisStatus, Relaxation, RowSides};

use super::loaded::Loaded;
use super::own_clock::{is_time_limit, within};
use super::start::{ResolvedStart, complete, resolve_start};
use super::thread::{self, RunEnd};
use super::watch::Watch;
use super::{Engine, Failed, LpSolution, RunOptions, failed};
use crate::{
    Control, DistinctSolutions, LoadedModel, LpResult, Params, SolveResult, SolverError, Start,
    StartOutcome, Termination,
};

/// A solver gets its own time limit this many seconds before a hard stop, so that it ends in an orderly way.
const ORDERLY_END: f64 = 0.02;
/// Upper limit of `ORDERLY_END`, as a share of the time left until the hard stop.
const ORDERLY_SHARE: f64 = 0.01;

/// The limits of one run.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// In seconds.
    pub(super) time: Option<f64>,
    pub(super) nodes: Option<u64>,
}

pub(super) fn solve<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    start: Option<&Start>,
    control: &mut Control<'_>,
) -> Result<SolveResult, SolverError> {
    params.validate()?;
    model.engine()?;
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
    Ok(finish(watch, termination, start, model.is_abandoned()))
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
fn solve_without_columns<E: Engine>(
    model: &Loaded<E>,
    watch: &mut Watch<'_, '_>,
) -> (Termination, Option<StartOutcome>) {
    if !model.admits_zero_rows() {
        return (Termination::Infeasible, None);
    }
    watch.solution(Instant::now(), &[]);
    watch.improve_bound(model.objective.constant);
    (Termination::Optimal, None)
}

fn solve_watched<E: Engine>(
    model: &mut Loaded<E>,
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
        if model.is_abandoned() || watch.control.stop.is_due() {
            return Ok((stopped(watch), outcome));
        }
    }
    let time = left(params, watch);
    let mut termination = within(time, params, is_time_limit, |time| {
        let nodes = params.node_limit;
        let engine = model.engine()?;
        engine.prepare(&options(params, Limits { time, nodes }))?;
        if let Some(values) = &values {
            engine.start_from(values);
        }
        let run = thread::run(model, time, watch)?;
        let termination = conclude(model, run, watch)?;
        // A run that has to be made again begins with what is known, unless equal inputs have to give equal results.
        if nodes.is_none()
            && let Some(best) = watch.pool.best()
        {
            values = Some(best.values.clone());
        }
        Ok(termination)
    })?;
    if termination == Termination::InfeasibleOrUnbounded {
        termination = tell_apart(model, params, watch)?;
    }
    Ok((termination, outcome))
}

/// The options of a run of the whole model.
fn options(params: &Params, limits: Limits) -> RunOptions<'_> {
    RunOptions {
        params,
        time_limit: limits.time.filter(|seconds| seconds.is_finite()),
        node_limit: limits.nodes,
        relaxation: false,
    }
}

/// Reads the result of a run, and why it stopped.
fn conclude<E: Engine>(
    model: &mut Loaded<E>,
    run: RunEnd,
    watch: &mut Watch<'_, '_>,
) -> Result<Termination, SolverError> {
    let (at, run) = match run {
        RunEnd::Finished(at, run) => (at, run),
        RunEnd::Overdue => return Ok(stopped(watch)),
    };
    let is_discrete = model.is_discrete();
    let found = model.engine()?.found();
    for values in &found.solutions {
        watch.solution(at, values);
    }
    if is_discrete {
        if let Some(bound) = found.bound {
            watch.improve_bound(bound);
        }
        watch.nodes = watch.nodes.max(found.nodes);
    } else if found.termination == Termination::Optimal
        && let Some(best) = watch.pool.best()
    {
        let objective = best.objective;
        watch.improve_bound(objective);
    }
    watch.lp_iterations = watch.lp_iterations.max(found.lp_iterations);
    match run {
        Ok(()) => Ok(found.termination),
        Err(Failed) if watch.pool.best().is_some() => Ok(Termination::Trouble(watch.last_words())),
        Err(Failed) => Err(failed::<E>("solve", watch.last_words())),
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
/// neither. The solver can then end in an orderly way, and its last bound counts.
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

/// Finds out whether a model is infeasible or unbounded. Without an objective it cannot be unbounded, so feasibility
/// decides.
fn tell_apart<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    watch: &mut Watch<'_, '_>,
) -> Result<Termination, SolverError> {
    let change = |model: &mut Loaded<E>, costs: &[(usize, f64)]| {
        model
            .engine()?
            .model()
            .change_costs(costs)
            .map_err(|Failed| failed::<E>("change the objective", "it refused the values"))
    };
    let costs: Vec<(usize, f64)> = watch.objective.cost.iter().copied().enumerate().collect();
    let none: Vec<(usize, f64)> = costs.iter().map(|&(column, _)| (column, 0.0)).collect();
    change(model, &none)?;
    let limits = Limits {
        time: left(params, watch),
        nodes: params.node_limit,
    };
    let answer = run_changed(model, params, limits, watch, |model| change(model, &costs))?;
    Ok(match answer {
        Termination::Optimal => Termination::Unbounded,
        Termination::Infeasible => Termination::Infeasible,
        _ if model.is_abandoned() => answer,
        _ => Termination::InfeasibleOrUnbounded,
    })
}

/// Runs a model that was changed for this run only, and undoes the change whatever happens: neither an error nor a
/// panic of the observer may leave a restricted model behind. The bound of such a run does not hold for the model.
pub(super) fn run_changed<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    limits: Limits,
    watch: &mut Watch<'_, '_>,
    change_back: impl FnOnce(&mut Loaded<E>) -> Result<(), SolverError>,
) -> Result<Termination, SolverError> {
    watch.bound_holds = false;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        within(limits.time, params, is_time_limit, |time| {
            let limits = Limits { time, ..limits };
            model.engine()?.prepare(&options(params, limits))?;
            let run = thread::run(model, time, watch)?;
            conclude(model, run, watch)
        })
    }));
    watch.bound_holds = true;
    let changed_back = if model.is_abandoned() {
        Ok(())
    } else {
        change_back(model)
    };
    let answer = ran.unwrap_or_else(|panic| resume_unwind(panic))?;
    changed_back?;
    Ok(answer)
}

pub(super) fn solve_relaxation<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    control: &mut Control<'_>,
) -> Result<LpResult, SolverError> {
    params.validate()?;
    model.engine()?;
    let clock = Instant::now();
    if model.has_empty_column() {
        return Ok(no_lp(Termination::Infeasible, clock));
    }
    let pool = DistinctSolutions::new(model.objective.sense, &[], 1);
    let mut watch = Watch::new(model.objective.clone(), clock, control, pool);
    if watch.control.stop.is_due() {
        return Ok(no_lp(stopped(&watch), clock));
    }
    if model.num_columns() == 0 {
        return Ok(lp_without_columns(model, clock));
    }
    let time = left(params, &watch);
    let is_over = |lp: &LpResult| is_time_limit(&lp.termination);
    within(time, params, is_over, |time| {
        run_relaxation(model, params, time, &mut watch, clock)
    })
}

/// Solves the relaxation within so many seconds; the solve began at `clock`.
fn run_relaxation<E: Engine>(
    model: &mut Loaded<E>,
    params: &Params,
    time: Option<f64>,
    watch: &mut Watch<'_, '_>,
    clock: Instant,
) -> Result<LpResult, SolverError> {
    model.engine()?.prepare(&RunOptions {
        relaxation: true,
        ..options(params, Limits { time, nodes: None })
    })?;
    match thread::run(model, time, watch)? {
        RunEnd::Finished(_, Ok(())) => {}
        RunEnd::Finished(_, Err(Failed)) => {
            return Err(failed::<E>("solve the relaxation", watch.last_words()));
        }
        RunEnd::Overdue => return Ok(no_lp(stopped(watch), clock)),
    }
    let found = model.engine()?.relaxation();
    Ok(LpResult {
        termination: found.termination,
        solution: found.solution.map(|solution| relaxation(model, solution)),
        time: clock.elapsed().as_secs_f64(),
        iterations: found.iterations,
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

/// The relaxation of a model without columns.
fn lp_without_columns<E: Engine>(model: &Loaded<E>, clock: Instant) -> LpResult {
    if !model.admits_zero_rows() {
        return no_lp(Termination::Infeasible, clock);
    }
    let rows = model.row_lower.len();
    let solution = LpSolution {
        values: Vec::new(),
        reduced_costs: Vec::new(),
        activities: vec![0.0; rows],
        duals: vec![0.0; rows],
        column_basis: Vec::new(),
        row_basis: vec![BasisStatus::Basic; rows],
    };
    LpResult {
        solution: Some(relaxation(model, solution)),
        ..no_lp(Termination::Optimal, clock)
    }
}

fn relaxation<E>(model: &Loaded<E>, solution: LpSolution) -> Relaxation {
    let sides = solution
        .activities
        .iter()
        .zip(&model.row_lower)
        .zip(&model.row_upper);
    Relaxation {
        objective: model.objective.of(&solution.values),
        row_sides: sides
            .map(|((&activity, &lower), &upper)| RowSides::of(activity, lower, upper))
            .collect(),
        values: solution.values,
        reduced_costs: solution.reduced_costs,
        activities: solution.activities,
        duals: solution.duals,
        column_basis: solution.column_basis,
        row_basis: solution.row_basis,
    }
}

//! `idpas solve`: the best solution in the time given, checked before it is written.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use idpas_mip::files::{Input, save_bytes};
use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_mip::{Model, WriteError};
use idpas_solver::checked::{CheckedResult, Point, solve_checked};
use idpas_solver::{Control, Event, Interrupt, Params, Solver, Start, StartOutcome, Termination};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::check::CheckJson;
use crate::args::{OutputFormat, SolutionStyle, SolveArgs, Verbosity};
use crate::failure::{Done, Failure, INTERNAL, INTERRUPTED, NOTHING};
use crate::output::{Lines, finite, json, percent, read_with_warnings, thousands, value};
use crate::progress::SolveDisplay;

/// Seconds between two writes of the incumbent while the solve goes on.
const SAVE_INTERVAL: f64 = 10.0;

pub(crate) fn run(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let solver = idpas_solver::by_name(&args.solver)?;
    for path in args.solution.iter().chain(&args.trajectory) {
        refuse_unwritable(path)?;
    }
    let model = read_with_warnings(&args.file, verbosity)?;
    let start = match &args.start {
        None => None,
        Some(path) => Some(Start::Partial(solution::read_partial(
            &Input::path(path),
            &model,
        )?)),
    };
    let offset = clock.elapsed().as_secs_f64();
    let params = Params {
        time_limit: args.time_limit.map(|limit| (limit - offset).max(0.0)),
        relative_gap: args.gap,
        threads: usize::from(args.threads),
        seed: args.seed,
        node_limit: args.nodes,
        raw: args.options.clone(),
        ..Params::default()
    };
    let checked = solve(
        args,
        verbosity,
        &model,
        &*solver,
        &params,
        start.as_ref(),
        offset,
    )?;
    if let (Some(path), Some(solution)) = (&args.solution, &checked.solution) {
        write_solution(
            args,
            &model,
            solution.values.clone(),
            status_words(&checked),
            path,
        )?;
    }
    if let Some(path) = &args.trajectory {
        save_bytes(path, trajectory_csv(&checked.trajectory, offset).as_bytes())?;
    }
    let total = clock.elapsed().as_secs_f64();
    report(args, &*solver, &checked, offset, total)
}

/// Better to hear of a missing folder now than after an hour.
fn refuse_unwritable(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::Usage(format!(
                "{}: there is no folder {}",
                path.display(),
                folder.display()
            )))
        }
        _ if path.is_dir() => Err(Failure::Usage(format!("{}: is a folder", path.display()))),
        _ => Ok(()),
    }
}

fn solve(
    args: &SolveArgs,
    verbosity: Verbosity,
    model: &Model,
    solver: &dyn Solver,
    params: &Params,
    start: Option<&Start>,
    offset: f64,
) -> Result<CheckedResult, Failure> {
    let interrupt = Interrupt::from_flag(stop_on_signals()?);
    let mut display = SolveDisplay::new(verbosity, args.time_limit, offset);
    display.line(&banner(args, model, solver));
    let mut last_save = 0.0;
    let mut observer = |event: Event<'_>| {
        display.show(&event);
        // If the machine goes down, the best solution so far should not go with it.
        if let (Event::Incumbent { time, values, .. }, Some(path)) = (&event, &args.solution) {
            if time - last_save >= SAVE_INTERVAL {
                last_save = *time;
                if let Err(error) = write_solution(args, model, values.to_vec(), "Incumbent", path)
                {
                    display.line(&format!("warning: {error}"));
                }
            }
        }
    };
    let mut control = Control {
        interrupt,
        observer: Some(&mut observer),
    };
    let checked = solve_checked(solver, model, params, start, &mut control);
    drop(control);
    display.finish();
    let checked = checked?;
    if checked.result.start == Some(StartOutcome::Rejected) {
        display
            .line("warning: the start is infeasible or could not be completed; solved without it");
    }
    if checked.rejected > 0 {
        let count = checked.rejected;
        display.line(&format!(
            "warning: {count} solutions of the solver failed the check and were left out"
        ));
    }
    Ok(checked)
}

fn banner(args: &SolveArgs, model: &Model, solver: &dyn Solver) -> String {
    let shape = model.shape();
    format!(
        "{}: {} rows, {} columns ({} binary, {} integer), {} nonzeros; {} {}, {} thread{}, seed {}",
        args.file.display(),
        thousands(shape.rows),
        thousands(shape.columns),
        thousands(shape.binaries),
        thousands(shape.integers),
        thousands(shape.nonzeros),
        solver.name(),
        solver.version(),
        args.threads,
        if args.threads == 1 { "" } else { "s" },
        args.seed
    )
}

/// The first Ctrl-C (or SIGTERM) asks the solve to stop and keep its best; the second ends the program.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = i32::from(INTERRUPTED);
        signal_hook::flag::register_conditional_shutdown(signal, code, flag.clone())
            .and_then(|_| signal_hook::flag::register(signal, flag.clone()))
            .map_err(|e| Failure::Internal(format!("cannot listen to signals: {e}")))?;
    }
    Ok(flag)
}

fn write_solution(
    args: &SolveArgs,
    model: &Model,
    values: Vec<f64>,
    status: &str,
    path: &Path,
) -> Result<(), WriteError> {
    let format = match args.solution_format {
        SolutionStyle::Highs => SolutionFormat::Highs,
        SolutionStyle::Scip => SolutionFormat::Scip,
        SolutionStyle::Miplib => SolutionFormat::Miplib,
        SolutionStyle::Gurobi => SolutionFormat::Gurobi,
    };
    let solution = Solution {
        values,
        objective: None,
        status: Some(status.to_owned()),
    };
    solution::write_file(model, &solution, format, path)
}

/// The words HiGHS uses in its solution files.
fn status_words(checked: &CheckedResult) -> &'static str {
    match checked.result.termination {
        Termination::Optimal => "Optimal",
        Termination::TimeLimit => "Time limit reached",
        Termination::Interrupted => "Interrupted by user",
        Termination::Limit => "Solution limit reached",
        _ => "Unknown",
    }
}

fn trajectory_csv(trajectory: &[Point], offset: f64) -> String {
    let mut text = String::from("time,objective,bound\n");
    for point in trajectory {
        let bound = finite(point.bound)
            .map(|b| b.to_string())
            .unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:.3},{},{bound}",
            point.time + offset,
            point.objective
        );
    }
    text
}

#[derive(Serialize)]
struct SolveJson<'a> {
    status: &'a str,
    objective: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    time: f64,
    trajectory: Vec<PointJson>,
    stages: Vec<StageJson<'a>>,
    solution: Option<String>,
    check: Option<CheckJson>,
    solver: String,
    threads: u16,
    seed: u32,
    start: Option<&'static str>,
}

#[derive(Serialize)]
struct PointJson {
    time: f64,
    objective: f64,
    bound: Option<f64>,
}

#[derive(Serialize)]
struct StageJson<'a> {
    name: &'a str,
    begin: f64,
    time: f64,
    status: &'a str,
    objective: Option<f64>,
    nodes: u64,
    lp_iterations: u64,
}

fn report(
    args: &SolveArgs,
    solver: &dyn Solver,
    checked: &CheckedResult,
    offset: f64,
    total: f64,
) -> Result<Done, Failure> {
    let result = &checked.result;
    let code = match (&result.termination, &checked.solution) {
        (Termination::Interrupted, _) => INTERRUPTED,
        (Termination::Trouble(_), None) => INTERNAL,
        (_, None) => NOTHING,
        _ => 0,
    };
    let status = result.termination.as_str();
    let objective = checked.solution.as_ref().map(|s| s.report.objective);
    let written = match (&args.solution, objective) {
        (Some(path), Some(_)) => Some(path.display().to_string()),
        _ => None,
    };
    if args.format == OutputFormat::Json {
        let point = |p: &Point| PointJson {
            time: p.time + offset,
            objective: p.objective,
            bound: finite(p.bound),
        };
        return Ok(json(&SolveJson {
            status,
            objective,
            bound: finite(result.bound),
            gap: checked.gap(),
            time: total,
            trajectory: checked.trajectory.iter().map(point).collect(),
            stages: vec![StageJson {
                name: solver.name(),
                begin: offset,
                time: result.time,
                status,
                objective,
                nodes: result.nodes,
                lp_iterations: result.lp_iterations,
            }],
            solution: written,
            check: checked.solution.as_ref().map(|s| CheckJson::new(&s.report)),
            solver: format!("{} {}", solver.name(), solver.version()),
            threads: args.threads,
            seed: args.seed,
            start: result.start.map(|start| match start {
                StartOutcome::Accepted => "accepted",
                StartOutcome::Rejected => "rejected",
            }),
        })?
        .with_code(code));
    }
    let mut lines = Lines::default();
    match &result.termination {
        Termination::Trouble(why) => lines.add("status", format!("{status}: {why}")),
        _ => lines.add("status", status),
    };
    lines
        .add(
            "objective",
            objective.map_or("no solution".into(), |o| o.to_string()),
        )
        .add("bound", value(result.bound))
        .add("gap", percent(checked.gap()))
        .add("time", format!("{total:.2}s"));
    if let Some(solution) = &checked.solution {
        let r = &solution.report;
        let (rows, bounds, integers) = (
            r.max_row_violation(),
            r.max_bound_violation(),
            r.max_integrality_violation(),
        );
        lines.add(
            "checked",
            format!("feasible (worst violation: rows {rows:.1e}, bounds {bounds:.1e}, integers {integers:.1e})"),
        );
    }
    if let Some(path) = written {
        lines.add("solution", path);
    }
    Ok(lines.done().with_code(code))
}

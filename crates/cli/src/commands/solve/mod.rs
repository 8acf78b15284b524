//! `idpas solve`: the best solution in the time given, checked before it is written.

mod explain;
mod keep;
mod options;
mod report;
mod sources;

use std::time::Instant;

use idpas::{Solve, SolveControl, SolveEvent, SolvePlan, Solved, solve_shared, until};
use idpas_base::words::{counted, thousands};
use idpas_mip::files::save_bytes;
use idpas_mip::{Model, Sense};
use idpas_search::{Method, StageKind, StageReport};
use idpas_solver::{HardStop, Interrupt, Solver, SolverError, StartOutcome};

use crate::args::{SolveArgs, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{one_line, percent};
use crate::progress::SolveDisplay;
use crate::signals::flag_on_signals;
use crate::target::refuse_unwritable;
use keep::Keeper;
use report::Ended;
use sources::{Input, Sources};

pub(crate) use explain::amounts;
pub(crate) use options::SearchArgs;

pub(crate) fn run(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    args.search.refuse_idle()?;
    let solver = idpas_solver::by_name(&args.solver)?;
    refuse_unwritable(args.solution.iter().chain(&args.trajectory), &args.file)?;
    let stop = HardStop {
        interrupt: Interrupt::from_flag(flag_on_signals()?),
        ..HardStop::after(clock, args.time_limit)
    };
    let sources = Sources::new(args, verbosity);
    let ended = |solved: &Solved, sense: Option<Sense>, written: bool| {
        Ended {
            args,
            solver: &*solver,
            solved,
            sense,
            total: clock.elapsed().as_secs_f64(),
            written,
        }
        .report()
    };
    let Some(input) = until(&stop, move || sources.read(clock))?.transpose()? else {
        let plan = args.search.plan_of_nothing();
        let total = clock.elapsed().as_secs_f64();
        let nothing = Solved::nothing(&plan, stop.interrupt.is_raised(), total);
        return ended(&nothing, None, false);
    };
    let mut keeper = Keeper::new(args, &input.model)?;
    let options = Solve {
        time_limit: limit(args, input.options.read.model_read, keeper.as_ref()),
        ..input.options.clone()
    };
    let mut display = SolveDisplay::new(
        verbosity,
        input.plan.is_plain.then(|| solver.name()),
        input.model.sense,
        args.time_limit,
        clock.elapsed().as_secs_f64(),
    );
    display.line(&size(args, &input.model));
    display.line(&how(args, &*solver, &input.plan));
    let solved = watched(&input, &options, clock, stop, &mut display, &mut keeper)
        .map_err(|failure| option_failure(args, failure))?;
    warn(&solved, &display);

    // Whatever cannot be written, the result is still reported.
    let solution = match (&keeper, &solved.outcome.solution) {
        (Some(keeper), Some(best)) => {
            keeper.write(best.values.clone(), report::status_words(&solved))
        }
        _ => Ok(()),
    };
    let is_written = solution.is_ok();
    let trajectory = match &args.trajectory {
        Some(path) => save_bytes(path, report::trajectory_csv(&solved.outcome).as_bytes()),
        None => Ok(()),
    };
    let failure = solution.and(trajectory).err().map(Failure::from);
    Ok(ended(&solved, Some(input.model.sense), is_written)?.with_failure(failure))
}

/// Solves, shows what happens, and keeps the solution file up to date.
fn watched(
    input: &Input,
    options: &Solve,
    clock: Instant,
    stop: HardStop,
    display: &mut SolveDisplay,
    keeper: &mut Option<Keeper<'_>>,
) -> Result<Solved, Failure> {
    display.start();
    let mut observer = |event: SolveEvent<'_>| {
        display.show(&event);
        let (now, better) = match event {
            SolveEvent::Incumbent { time, values, .. } => (time, Some(values)),
            SolveEvent::Progress { time, .. } => (time, None),
            _ => return,
        };
        if let Some(Err(error)) = keeper.as_mut().map(|keeper| keeper.see(now, better)) {
            display.line(&format!("warning: {error}"));
        }
    };
    let mut control = SolveControl {
        started: clock,
        interrupt: stop.interrupt,
        observer: Some(&mut observer),
        ..SolveControl::default()
    };
    let solved = solve_shared(&input.model, input.guide.as_ref(), options, &mut control);
    display.finish();
    Ok(solved?)
}

/// The reading time's share that the end of a solve takes: the result is put together, and memory is given back.
const END_SHARE: f64 = 0.05;
/// How many times the making of its text the writing of a solution takes, on a disk that is not busy.
const WRITING: f64 = 2.0;
/// The share of the time limit that is kept for the end at most.
const MOST_FOR_END: f64 = 0.01;

/// Seconds, from opening the file on, after which the solver is left, so that the program ends at its time limit. What
/// the end takes is estimated from what was measured: `read` seconds for reading the model, and the making of a solution's
/// text.
fn limit(args: &SolveArgs, read: f64, keeper: Option<&Keeper<'_>>) -> Option<f64> {
    let writing = keeper.map_or(0.0, |keeper| keeper.writing);
    let end = END_SHARE * read + WRITING * writing;
    args.time_limit
        .map(|limit| limit - end.min(MOST_FOR_END * limit))
}

/// Tells what became of solutions that did not pass.
fn warn(solved: &Solved, display: &SolveDisplay) {
    let by_solver = solved.is_plain || solved.settings.method == Method::WarmStart;
    if by_solver && solved.outcome.start == Some(StartOutcome::Rejected) {
        display
            .line("warning: the start is infeasible or could not be completed; solved without it");
    }
    let is_solve = |stage: &&StageReport| stage.kind != StageKind::Start;
    let stages = solved.outcome.stages.iter().filter(is_solve);
    let rejected: usize = stages.map(|stage| stage.rejected).sum();
    if rejected > 0 {
        let count = counted(rejected, "solution");
        display.line(&format!(
            "warning: {count} of the solver failed the check and were left out"
        ));
    }
}

/// An error in one of the solver's own options, as the command line knows it.
fn option_failure(args: &SolveArgs, failure: Failure) -> Failure {
    match failure {
        Failure::Solver(SolverError::Parameter { name, message })
            if args.options.iter().any(|(option, _)| *option == name) =>
        {
            Failure::Option {
                name,
                message,
                solver: args.solver.clone(),
            }
        }
        other => other,
    }
}

/// The model's size on one line.
fn size(args: &SolveArgs, model: &Model) -> String {
    let shape = model.shape();
    let file = args.file.file_name().unwrap_or(args.file.as_os_str());
    let kinds: Vec<String> = [
        (shape.binaries, "binary"),
        (shape.integers, "integer"),
        (shape.continuous, "continuous"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, kind)| format!("{} {kind}", thousands(count)))
    .collect();
    format!(
        "{}: {}, {} ({}), {}",
        file.display(),
        counted(shape.rows, "row"),
        counted(shape.columns, "column"),
        kinds.join(", "),
        counted(shape.nonzeros, "nonzero"),
    )
}

/// How it is solved, on one line.
fn how(args: &SolveArgs, solver: &dyn Solver, plan: &SolvePlan) -> String {
    let method = match plan.is_plain {
        true => String::new(),
        false => format!("{}, ", plan.settings.method),
    };
    let limit = args
        .time_limit
        .map(|limit| format!(", time limit {limit}s"));
    one_line(&format!(
        "{method}{} {}, {}, seed {}, gap {}{}",
        solver.name(),
        solver.version(),
        counted(usize::from(args.threads), "thread"),
        args.seed,
        percent(Some(args.gap)),
        limit.unwrap_or_default(),
    ))
}

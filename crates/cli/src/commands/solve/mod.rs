//! `idpas solve`: the best solution in the time given, checked before it is written.

mod decide;
mod explain;
mod guided;
mod history;
mod keep;
mod options;
mod outcome;
mod outcome_json;
mod report;
#[cfg(test)]
mod same_scores;
mod scores;
mod until;

use std::path::Path;
use std::time::Instant;

use idpas_base::words::{counted, thousands};
use idpas_mip::files::{Input, save_bytes};
use idpas_mip::{Model, solution};
use idpas_solver::checked::{CheckedResult, solve_checked};
use idpas_solver::{
    Control, Event, HardStop, Interrupt, Params, SolveResult, Solver, SolverError, Start,
    StartOutcome, Termination,
};
use keep::Keeper;
use report::Ended;
use until::until;

use crate::args::{SolveArgs, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{percent, read_with_warnings};
use crate::progress::SolveDisplay;
use crate::signals::flag_on_signals;
use crate::target::refuse_unwritable;

pub(crate) use explain::amounts;
pub(crate) use options::SearchArgs;

pub(crate) fn run(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    if args.search.is_plain()? {
        plain(args, verbosity)
    } else {
        guided::run(args, verbosity)
    }
}

/// The hard stop of a solve whose time counts from `clock`: its time limit, Ctrl-C and SIGTERM.
fn hard_stop(args: &SolveArgs, clock: Instant) -> Result<HardStop, Failure> {
    Ok(HardStop {
        interrupt: Interrupt::from_flag(flag_on_signals()?),
        ..HardStop::after(clock, args.time_limit)
    })
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

/// The solver alone.
fn plain(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let solver = idpas_solver::by_name(&args.solver)?;
    refuse_unwritable(args.solution.iter().chain(&args.trajectory), &args.file)?;
    let stop = hard_stop(args, clock)?;
    let (file, start) = (args.file.clone(), args.start.clone());
    let read = until(&stop, move || read(&file, start.as_deref(), verbosity))?.transpose()?;
    let offset = clock.elapsed().as_secs_f64();
    let Some((model, start)) = read else {
        let ended = Ended {
            args,
            solver: &*solver,
            checked: &nothing(&stop),
            offset,
            total: offset,
            written: false,
        };
        return ended.report();
    };
    let mut keeper = Keeper::new(args, &model)?;
    let limit = limit(args, offset, keeper.as_ref());
    let offset = clock.elapsed().as_secs_f64();
    let mut display = SolveDisplay::new(verbosity, solver.name(), args.time_limit, offset);
    for line in banner(args, &model, &*solver) {
        display.line(&line);
    }
    let solving = Solving {
        solver: &*solver,
        model: &model,
        params: &params(args, limit.map(|limit| (limit - offset).max(0.0))),
        start: start.as_ref(),
        offset,
        stop,
    };
    let checked = solving
        .run(&mut display, keeper.as_mut())
        .map_err(|error| option_failure(args, error))?;
    // Whatever cannot be written, the result is still reported.
    let solution = match (&keeper, &checked.solution) {
        (Some(keeper), Some(best)) => keeper.write(
            best.values.clone(),
            status_words(&checked.result.termination),
        ),
        _ => Ok(()),
    };
    let written = solution.is_ok();
    let trajectory = match &args.trajectory {
        Some(path) => {
            let table = report::trajectory_csv(&checked.trajectory, offset);
            save_bytes(path, table.as_bytes())
        }
        None => Ok(()),
    };
    let ended = Ended {
        args,
        solver: &*solver,
        checked: &checked,
        offset,
        total: clock.elapsed().as_secs_f64(),
        written,
    };
    let failure = solution.and(trajectory).err().map(Failure::from);
    Ok(ended.report()?.with_failure(failure))
}

/// Reads the model, and the start if there is one.
fn read(
    file: &Path,
    start: Option<&Path>,
    verbosity: Verbosity,
) -> Result<(Model, Option<Start>), Failure> {
    let model = read_with_warnings(file, verbosity)?;
    let start = match start {
        None => None,
        Some(path) => {
            let values = solution::read_partial(&Input::path(path), &model);
            Some(Start::Partial(values.map_err(Failure::Solution)?))
        }
    };
    Ok((model, start))
}

/// The result of a solve that ended before it began.
fn nothing(stop: &HardStop) -> CheckedResult {
    let termination = match stop.interrupt.is_raised() {
        true => Termination::Interrupted,
        false => Termination::TimeLimit,
    };
    CheckedResult {
        result: SolveResult {
            termination,
            best: None,
            bound: f64::NAN,
            solutions: Vec::new(),
            start: None,
            time: 0.0,
            nodes: 0,
            lp_iterations: 0,
            abandoned: false,
        },
        solution: None,
        trajectory: Vec::new(),
        rejected: 0,
    }
}

fn params(args: &SolveArgs, time_limit: Option<f64>) -> Params {
    Params {
        time_limit,
        relative_gap: args.gap,
        threads: usize::from(args.threads),
        seed: args.seed,
        node_limit: args.nodes,
        raw: args.options.clone(),
        ..Params::default()
    }
}

/// What is solved, and how.
struct Solving<'a> {
    solver: &'a dyn Solver,
    model: &'a Model,
    params: &'a Params,
    start: Option<&'a Start>,
    /// Seconds before the solver begins.
    offset: f64,
    stop: HardStop,
}

impl Solving<'_> {
    fn run(
        &self,
        display: &mut SolveDisplay,
        mut keeper: Option<&mut Keeper<'_>>,
    ) -> Result<CheckedResult, Failure> {
        display.start();
        let mut observer = |event: Event<'_>| {
            display.show(&event);
            let (now, better) = match event {
                Event::Incumbent { time, values, .. } => (time, Some(values)),
                Event::Progress { time, .. } => (time, None),
                _ => return,
            };
            let now = self.offset + now;
            if let Some(Err(error)) = keeper.as_mut().map(|keeper| keeper.see(now, better)) {
                display.line(&format!("warning: {error}"));
            }
        };
        let mut control = Control {
            stop: self.stop.clone(),
            ..Control::default()
        };
        control.observer = Some(&mut observer);
        let checked = solve_checked(
            self.solver,
            self.model,
            self.params,
            self.start,
            &mut control,
        );
        display.finish();
        let checked = checked?;
        if checked.result.start == Some(StartOutcome::Rejected) {
            display.line(
                "warning: the start is infeasible or could not be completed; solved without it",
            );
        }
        if checked.rejected > 0 {
            let count = counted(checked.rejected, "solution");
            display.line(&format!(
                "warning: {count} of the solver failed the check and were left out"
            ));
        }
        Ok(checked)
    }
}

/// An error in one of the solver's own options, as the command line knows it.
fn option_failure(args: &SolveArgs, failure: Failure) -> Failure {
    match failure {
        Failure::Solver(SolverError::Parameter { name, message })
            if args.options.iter().any(|(option, _)| *option == name) =>
        {
            Failure::Option { name, message }
        }
        other => other,
    }
}

/// The model's size, and how it is solved.
fn banner(args: &SolveArgs, model: &Model, solver: &dyn Solver) -> [String; 2] {
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
    let size = format!(
        "{}: {}, {} ({}), {}",
        file.display(),
        counted(shape.rows, "row"),
        counted(shape.columns, "column"),
        kinds.join(", "),
        counted(shape.nonzeros, "nonzero"),
    );
    let limit = args
        .time_limit
        .map(|limit| format!(", time limit {limit}s"));
    let how = format!(
        "{} {}, {}, seed {}, gap {}{}",
        solver.name(),
        solver.version(),
        counted(usize::from(args.threads), "thread"),
        args.seed,
        percent(Some(args.gap)),
        limit.unwrap_or_default(),
    );
    [size, how]
}

/// The words HiGHS uses in its solution files.
fn status_words(termination: &Termination) -> &'static str {
    match termination {
        Termination::Optimal => "Optimal",
        Termination::TimeLimit => "Time limit reached",
        Termination::Interrupted => "Interrupted by user",
        Termination::Limit => "Solution limit reached",
        _ => "Unknown",
    }
}

//! Solving with a method: scores first, then a search in stages.

use std::cell::OnceCell;
use std::time::Instant;

use idpas_mip::files::{Input, save_bytes};
use idpas_mip::{Model, Sense, solution};
use idpas_search::{Early, Outcome, Problem, SearchControl, SearchEvent, Status, search};
use idpas_solver::{Interrupt, Params};

use super::decide::search_failure;
use super::keep::Keeper;
use super::outcome::SearchEnded;
use super::outcome_json::Overhead;
use super::scores::{Asking, Guess};
use super::{banner, option_failure, params};
use crate::args::{SolveArgs, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{counted, one_line, read_with_warnings};
use crate::progress::SolveDisplay;
use crate::signals::flag_on_signals;
use crate::target::refuse_unwritable;

pub(super) fn run(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let now = || clock.elapsed().as_secs_f64();
    let solver = idpas_solver::by_name(&args.solver)?;
    refuse_unwritable(args.solution.iter().chain(&args.trajectory), &args.file)?;
    let interrupt = Interrupt::from_flag(flag_on_signals()?);
    let decided = args.search.decide()?;
    let predictor_read = now();
    let model = read_with_warnings(&args.file, verbosity)?;
    let model_read = now();
    let start = given_start(args, &model)?;
    let mut keeper = Keeper::new(args, &model)?;
    let method = decided.settings.method;
    let asking = Asking {
        trained: decided.trained.as_ref(),
        oracle: args.search.oracle.as_deref(),
        method,
        solver: &args.solver,
        threads: usize::from(args.threads),
        clock,
        limit: args.time_limit,
        interrupt: interrupt.clone(),
    };
    // What needs a relaxation and a network is asked for when past zeros have given a first solution.
    let early = asking.early(&model);
    let mut guess = match early {
        Some(_) => Guess::default(),
        None => asking.ask(&model)?,
    };
    guess.warnings.splice(0..0, decided.warnings);
    if let Some(folder) = &args.search.history {
        guess.look_back(folder, &model, early.is_some())?;
    }
    guess.starts.splice(0..0, start);
    let guessed = now();

    let mut display = SolveDisplay::new(verbosity, solver.name(), args.time_limit, guessed);
    let [size, how] = banner(args, &model, &*solver);
    display.line(&size);
    display.line(&format!("{method}, {how}"));
    for warning in &guess.warnings {
        display.line(&one_line(&format!("warning: {warning}")));
    }
    let later = OnceCell::new();
    let ask = || {
        let (advice, told) = asking.advise(&model);
        // It is asked once.
        let _ = later.set(told);
        advice
    };
    let early = early.as_deref();
    let problem = Problem {
        early: early.map(|scores| Early { scores, ask: &ask }),
        scores: guess.scores.as_deref(),
        starts: &guess.starts,
        bound: guess.bound,
        relaxation: guess.relaxation.as_ref(),
        ..Problem::new(&*solver, &model)
    };
    // The search counts from the same clock as the limit.
    let params = params(args, 0.0);
    let searching = Searching {
        clock,
        interrupt,
        problem: &problem,
        settings: &decided.settings,
        params: &params,
    };
    let outcome = searching
        .run(&mut display, keeper.as_mut())
        .map_err(|failure| option_failure(args, failure))?;
    let overhead = Overhead::new(&guess, &outcome, predictor_read, model_read, guessed);
    if let Some(told) = later.into_inner() {
        for warning in &told.warnings {
            display.line(&one_line(&format!("warning: {warning}")));
        }
        guess.warnings.extend(told.warnings);
        guess.told = told.told;
    }
    warn_of_rejected(&outcome, &display);

    // Whatever cannot be written, the result is still reported.
    let written = match (&keeper, &outcome.solution) {
        (Some(keeper), Some(best)) => {
            keeper.write(best.values.clone(), status_words(outcome.status))
        }
        _ => Ok(()),
    };
    let is_written = written.is_ok();
    let trajectory = match &args.trajectory {
        Some(path) => save_bytes(path, super::outcome::trajectory_csv(&outcome).as_bytes()),
        None => Ok(()),
    };
    let ended = SearchEnded {
        args,
        solver: &*solver,
        model: &model,
        settings: &decided.settings,
        from: decided.from,
        guess: &guess,
        outcome: &outcome,
        overhead,
        total: now(),
        written: is_written,
    };
    let failure = written.and(trajectory).err().map(Failure::from);
    Ok(ended.report()?.with_failure(failure))
}

/// The start that was asked for; columns that its file does not list are not known.
fn given_start(args: &SolveArgs, model: &Model) -> Result<Option<Vec<f64>>, Failure> {
    let Some(path) = &args.start else {
        return Ok(None);
    };
    let listed = solution::read_partial(&Input::path(path), model).map_err(Failure::Solution)?;
    let mut values = vec![f64::NAN; model.num_columns()];
    for (j, value) in listed {
        values[j] = value;
    }
    Ok(Some(values))
}

/// A search that is set up.
struct Searching<'a> {
    clock: Instant,
    interrupt: Interrupt,
    problem: &'a Problem<'a>,
    settings: &'a idpas_search::Settings,
    params: &'a Params,
}

impl Searching<'_> {
    fn run(
        self,
        display: &mut SolveDisplay,
        mut keeper: Option<&mut Keeper<'_>>,
    ) -> Result<Outcome, Failure> {
        let unknown = match self.problem.model.sense {
            Sense::Minimize => f64::NEG_INFINITY,
            Sense::Maximize => f64::INFINITY,
        };
        display.start();
        let mut observer = |event: SearchEvent<'_>| {
            display.show_search(&event, unknown);
            let (now, better) = match event {
                SearchEvent::Incumbent { time, values, .. } => (time, Some(values)),
                SearchEvent::Progress { time, .. } => (time, None),
                _ => return,
            };
            if let Some(Err(error)) = keeper.as_mut().map(|keeper| keeper.see(now, better)) {
                display.line(&format!("warning: {error}"));
            }
        };
        let mut control = SearchControl {
            started: self.clock,
            interrupt: self.interrupt,
            observer: Some(&mut observer),
        };
        let outcome = search(self.problem, self.settings, self.params, &mut control);
        display.finish();
        outcome.map_err(search_failure)
    }
}

fn warn_of_rejected(outcome: &Outcome, display: &SolveDisplay) {
    let solved = |stage: &&idpas_search::StageReport| stage.name != "start";
    let rejected: usize = (outcome.stages.iter().filter(solved))
        .map(|stage| stage.rejected)
        .sum();
    if rejected > 0 {
        let count = counted(rejected, "solution");
        display.line(&format!(
            "warning: {count} of the solver failed the check and were left out"
        ));
    }
}

/// The words HiGHS uses in its solution files.
fn status_words(status: Status) -> &'static str {
    match status {
        Status::Optimal => "Optimal",
        Status::TimeLimit => "Time limit reached",
        Status::Interrupted => "Interrupted by user",
        Status::Limit => "Solution limit reached",
        _ => "Unknown",
    }
}

//! Solving with a method: scores first, then a search in stages.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use idpas_base::words::counted;
use idpas_mip::files::{self, save_bytes};
use idpas_mip::{Model, Sense, solution};
use idpas_search::{
    EarlyScores, Method, SearchControl, SearchEvent, SearchOutcome, SearchProblem, SearchSettings,
    SearchStatus, StageKind, StageReport, search,
};
use idpas_solver::{HardStop, Interrupt, Params, Solver};

use super::decide::{Decided, Origin, search_failure};
use super::keep::Keeper;
use super::outcome::SearchEnded;
use super::outcome_json::Overhead;
use super::scores::{Asking, Guess};
use super::until::until;
use super::{SearchArgs, banner, hard_stop, limit, option_failure, params};
use crate::args::{SolveArgs, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{one_line, read_with_warnings};
use crate::progress::SolveDisplay;
use crate::target::refuse_unwritable;

pub(super) fn run(args: &SolveArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let now = || clock.elapsed().as_secs_f64();
    let solver = idpas_solver::by_name(&args.solver)?;
    refuse_unwritable(args.solution.iter().chain(&args.trajectory), &args.file)?;
    let stop = hard_stop(args, clock)?;
    let sources = Sources {
        search: args.search.clone(),
        file: args.file.clone(),
        start: args.start.clone(),
    };
    let Some(input) = until(&stop, move || sources.read(clock, verbosity))?.transpose()? else {
        return report_nothing(args, &*solver, &stop, now());
    };
    let Input {
        decided,
        predictor_read,
        model,
        start,
        model_read,
    } = input;
    let mut keeper = Keeper::new(args, &model)?;
    let limit = limit(args, model_read, keeper.as_ref());
    let stop = stop.or_at(HardStop::after(clock, limit).at);
    let method = decided.settings.method;
    let asking = Asking {
        trained: decided.trained.map(Arc::new),
        oracle: args.search.oracle.clone(),
        method,
        solver: args.solver.clone(),
        threads: usize::from(args.threads),
        stop: stop.clone(),
    };
    let first = FirstGuess {
        asking: asking.clone(),
        model: model.clone(),
        history: args.search.history.clone(),
    };
    // Where the time is over before anything is known, the search has nothing to do but to say so.
    let guessed = until(&stop, move || first.make())?.transpose()?;
    let (mut guess, early) = guessed.unwrap_or_default();
    guess.warnings.splice(0..0, decided.warnings);
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
        let (asked, of) = (asking.clone(), model.clone());
        // Without an answer the time is over.
        let answer = until(&stop, move || asked.advise(&of));
        let (advice, told) = answer.ok().flatten().unwrap_or_default();
        // It is asked once.
        let _ = later.set(told);
        advice
    };
    let early = early.as_deref();
    let problem = SearchProblem {
        early: early.map(|scores| EarlyScores { scores, ask: &ask }),
        scores: guess.scores.as_deref(),
        starts: &guess.starts,
        bound: guess.bound,
        relaxation: guess.relaxation.as_ref(),
        ..SearchProblem::new(&*solver, &model)
    };
    // The search counts from the same clock as the limit.
    let params = params(args, limit);
    let searching = Searching {
        clock,
        interrupt: stop.interrupt.clone(),
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

/// What is to be read before anything is predicted.
struct Sources {
    search: SearchArgs,
    file: PathBuf,
    start: Option<PathBuf>,
}

/// What was read, and when.
struct Input {
    decided: Decided,
    predictor_read: f64,
    model: Arc<Model>,
    /// The start that was asked for.
    start: Option<Vec<f64>>,
    model_read: f64,
}

impl Sources {
    fn read(&self, clock: Instant, verbosity: Verbosity) -> Result<Input, Failure> {
        let decided = self.search.decide()?;
        let predictor_read = clock.elapsed().as_secs_f64();
        let model = Arc::new(read_with_warnings(&self.file, verbosity)?);
        let start = self.start.as_deref();
        Ok(Input {
            decided,
            predictor_read,
            start: start.map(|path| given_start(path, &model)).transpose()?,
            model,
            model_read: clock.elapsed().as_secs_f64(),
        })
    }
}

/// What the first guess is made of. It owns its parts, so that it can be left behind when the time is over.
struct FirstGuess {
    asking: Asking,
    model: Arc<Model>,
    history: Option<PathBuf>,
}

impl FirstGuess {
    /// What is known before the search, and scores for its beginning where better ones take a while.
    fn make(self) -> Result<(Guess, Option<Vec<f32>>), Failure> {
        // What needs a relaxation and a network is asked for when past zeros have given a first solution.
        let early = self.asking.early(&self.model);
        let mut guess = match early {
            Some(_) => Guess::default(),
            None => self.asking.ask(&self.model)?,
        };
        if let Some(folder) = &self.history {
            guess.look_back(folder, &self.model, early.is_some())?;
        }
        Ok((guess, early))
    }
}

/// Reports a search that ended before there was anything to search.
fn report_nothing(
    args: &SolveArgs,
    solver: &dyn Solver,
    stop: &HardStop,
    total: f64,
) -> Result<Done, Failure> {
    let (guess, outcome) = (
        Guess::default(),
        SearchOutcome::nothing(stop.interrupt.is_raised(), total),
    );
    let ended = SearchEnded {
        args,
        solver,
        settings: &SearchSettings::of(args.search.method.unwrap_or(Method::Idpas)),
        from: Origin::Defaults,
        guess: &guess,
        overhead: Overhead::new(&guess, &outcome, total, total, total),
        outcome: &outcome,
        total,
        written: false,
    };
    ended.report()
}

/// The start in this file; columns that it does not list are not known.
fn given_start(path: &Path, model: &Model) -> Result<Vec<f64>, Failure> {
    let listed =
        solution::read_partial(&files::Input::path(path), model).map_err(Failure::Solution)?;
    let mut values = vec![f64::NAN; model.num_columns()];
    for (j, value) in listed {
        values[j] = value;
    }
    Ok(values)
}

/// A search that is set up.
struct Searching<'a> {
    clock: Instant,
    interrupt: Interrupt,
    problem: &'a SearchProblem<'a>,
    settings: &'a SearchSettings,
    params: &'a Params,
}

impl Searching<'_> {
    fn run(
        self,
        display: &mut SolveDisplay,
        mut keeper: Option<&mut Keeper<'_>>,
    ) -> Result<SearchOutcome, Failure> {
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

fn warn_of_rejected(outcome: &SearchOutcome, display: &SolveDisplay) {
    let solved = |stage: &&StageReport| stage.kind != StageKind::Start;
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
fn status_words(status: SearchStatus) -> &'static str {
    match status {
        SearchStatus::Optimal => "Optimal",
        SearchStatus::TimeLimit => "Time limit reached",
        SearchStatus::Interrupted => "Interrupted by user",
        SearchStatus::Limit => "Solution limit reached",
        _ => "Unknown",
    }
}

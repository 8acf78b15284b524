//! A solve whose every answer was checked in the original model.
//!
//! Solvers work with tolerances, after transformations, in floating point. Here each incumbent is evaluated exactly
//! in the model as it was read; one that fails is not passed on. Discrete columns are rounded first where that stays
//! feasible, so that what comes out has true integers. Should no incumbent pass, the best one's continuous columns are
//! solved for again with its integers fixed, in what is left of the time limit.

use std::time::{Duration, Instant};

use idpas_mip::Model;
use idpas_mip::check::{Checker, Report, Tolerances, round_discrete};

use crate::{
    BoundChange, Control, Event, HardStop, Interrupt, Params, SolveResult, Solver, SolverError,
    Start, Termination, relative_gap,
};

/// Longest time, in seconds, for finding the continuous columns of a solution again.
const POLISH_LIMIT: f64 = 60.0;
/// How many incumbents that failed the check are mended so during the solve, as long as none has passed.
const POLISH_TRIES: usize = 3;

/// A step of the search's best objective over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Seconds since the solve began.
    pub time: f64,
    /// Objective of the incumbent, exact.
    pub objective: f64,
    /// The bound known then.
    pub bound: f64,
}

/// A solution that passed the check.
#[derive(Clone, Debug)]
pub struct CheckedSolution {
    /// Values by column, discrete ones rounded where that is feasible.
    pub values: Vec<f64>,
    /// What the check found.
    pub report: Report,
}

/// A solve's result with its checked solution.
#[derive(Clone, Debug)]
pub struct CheckedResult {
    /// What the solver said; its own solutions are inside, unchecked.
    pub result: SolveResult,
    /// The best solution that passed.
    pub solution: Option<CheckedSolution>,
    /// The checked incumbents over time.
    pub trajectory: Vec<Point>,
    /// How many of the solver's incumbents failed the check.
    pub rejected: usize,
}

impl CheckedResult {
    /// The relative gap between the checked solution and the bound.
    pub fn gap(&self) -> Option<f64> {
        let solution = self.solution.as_ref()?;
        relative_gap(solution.report.objective, self.result.bound)
    }
}

/// What ends a checked solve.
struct Ends {
    interrupt: Interrupt,
    stop: HardStop,
}

impl Ends {
    fn is_due(&self) -> bool {
        self.interrupt.is_raised() || self.stop.is_due()
    }

    /// A control that nobody watches.
    fn control<'a>(&self) -> Control<'a> {
        Control {
            interrupt: self.interrupt.clone(),
            stop: self.stop.clone(),
            observer: None,
        }
    }
}

/// Evaluates candidate solutions of one model, and keeps the best.
struct Judge<'a> {
    solver: &'a dyn Solver,
    model: &'a Model,
    checker: Checker<'a>,
    tolerances: Tolerances,
    ends: Ends,
    clock: Instant,
    best: Option<CheckedSolution>,
    trajectory: Vec<Point>,
    rejected: usize,
    polished: usize,
}

impl Judge<'_> {
    /// Whether something found at `time` is too late to count.
    fn is_late(&self, time: f64) -> bool {
        let at = self.clock + Duration::from_secs_f64(time);
        self.ends.stop.is_before(at)
    }

    /// Takes a candidate that was found at `time`; says whether it passes.
    fn offer(&mut self, values: &[f64], time: f64, bound: f64) -> bool {
        let Some((values, report)) = self.checker.passing(values, &self.tolerances) else {
            return false;
        };
        let (sense, objective) = (self.model.sense, report.objective);
        let better = |best: &CheckedSolution| sense.is_better(objective, best.report.objective);
        if self.best.as_ref().is_none_or(better) {
            self.best = Some(CheckedSolution { values, report });
            self.trajectory.push(Point {
                time,
                objective,
                bound,
            });
        }
        true
    }

    /// Takes a candidate that failed, with its continuous columns found again, as long as nothing has passed.
    fn polish(&mut self, values: &[f64], bound: f64) -> Result<(), SolverError> {
        if self.best.is_some() || self.ends.is_due() {
            return Ok(());
        }
        let rounded = round_discrete(self.model, values);
        let fix = BoundChange::fixed_discrete(self.model, &rounded);
        if fix.len() == rounded.len() {
            return Ok(());
        }
        self.polished += 1;
        let mut loaded = self.solver.load(self.model)?;
        loaded.set_column_bounds(&fix)?;
        let left = self.ends.stop.left().unwrap_or(POLISH_LIMIT);
        let params = Params::with_time_limit(left.min(POLISH_LIMIT));
        let lp = loaded.solve_relaxation(&params, &mut self.ends.control())?;
        if let Some(lp) = lp.solution {
            let time = self.clock.elapsed().as_secs_f64();
            if !self.is_late(time) {
                self.offer(&lp.values, time, bound);
            }
        }
        Ok(())
    }

    /// When every incumbent failed: the other solutions, and then the best one with its continuous columns solved
    /// again. `began` is when the solve itself began.
    fn rescue(&mut self, result: &SolveResult, began: f64) -> Result<(), SolverError> {
        for found in &result.solutions {
            if self.ends.is_due() {
                return Ok(());
            }
            let time = began + found.time;
            if !self.is_late(time) && self.offer(&found.values, time, result.bound) {
                return Ok(());
            }
        }
        match &result.best {
            Some(best) => self.polish(&best.values, result.bound),
            None => Ok(()),
        }
    }
}

/// Solves `model` and checks every incumbent in it. Events of incumbents that fail are not passed on.
///
/// The time limit of `params` is a hard one, and counts from the call: when it is over, the call returns with what was
/// found until then.
pub fn solve_checked(
    solver: &dyn Solver,
    model: &Model,
    params: &Params,
    start: Option<&Start>,
    control: &mut Control<'_>,
) -> Result<CheckedResult, SolverError> {
    let clock = Instant::now();
    let limit = HardStop::after(clock, params.time_limit).at;
    let mut judge = Judge {
        solver,
        model,
        checker: Checker::new(model),
        tolerances: Tolerances::default(),
        ends: Ends {
            interrupt: control.interrupt.clone(),
            stop: control.stop.clone().or_at(limit),
        },
        clock,
        best: None,
        trajectory: Vec::new(),
        rejected: 0,
        polished: 0,
    };
    let mut loaded = solver.load(model)?;
    let began = clock.elapsed().as_secs_f64();
    let unwatched = judge.ends.control();
    let mut observer = |event: Event<'_>| {
        let Event::Incumbent {
            time,
            bound,
            values,
            ..
        } = event
        else {
            control.tell(event);
            return;
        };
        if judge.is_late(began + time) {
            return;
        }
        let before = judge.trajectory.len();
        if !judge.offer(values, began + time, bound) {
            judge.rejected += 1;
            // At the end of the solve there may be no time left for it. That it fails says nothing of the solve.
            if judge.polished < POLISH_TRIES {
                let _ = judge.polish(values, bound);
            }
        }
        if let (Some(point), Some(best)) = (judge.trajectory.get(before), &judge.best) {
            control.tell(Event::Incumbent {
                time: point.time,
                objective: point.objective,
                bound,
                values: &best.values,
            });
        }
    };
    let mut watched = Control {
        observer: Some(&mut observer),
        ..unwatched
    };
    let mut result = loaded.solve(params, start, &mut watched)?;
    if judge.best.is_none() {
        judge.rescue(&result, began)?;
    }
    if judge.best.is_none() && result.termination == Termination::Optimal {
        result.termination =
            Termination::Trouble("no solution of the solver passed the check".into());
    }
    Ok(CheckedResult {
        result,
        solution: judge.best,
        trajectory: judge.trajectory,
        rejected: judge.rejected,
    })
}

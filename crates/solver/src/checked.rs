//! A solve whose every answer was checked in the original model.
//!
//! Each incumbent goes to the [`Judge`]; one that fails is not passed on. Should no incumbent pass, the best one's
//! continuous columns are solved for again with its integers fixed, in what is left of the time limit.

use std::time::Instant;

use idpas_mip::Model;

use crate::judge::{CheckedSolution, Judge, JudgeOptions, Verdict};
use crate::{
    Control, Event, HardStop, Interrupt, Params, SolveResult, Solver, SolverError, Start,
    Termination, relative_gap,
};

/// A step of the search's best objective over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckedPoint {
    /// Seconds since the solve began.
    pub time: f64,
    /// Objective of the incumbent, exact.
    pub objective: f64,
    /// The bound known then.
    pub bound: f64,
}

/// A solve's result with its checked solution.
#[derive(Clone, Debug)]
pub struct CheckedResult {
    /// What the solver said; its own solutions are inside, unchecked.
    pub result: SolveResult,
    /// The best solution that passed.
    pub solution: Option<CheckedSolution>,
    /// The checked incumbents over time.
    pub trajectory: Vec<CheckedPoint>,
    /// How many of the solver's incumbents failed the check.
    pub rejected: usize,
}

impl CheckedResult {
    /// The relative gap between the checked solution and the bound.
    pub fn gap(&self) -> Option<f64> {
        let solution = self.solution.as_ref()?;
        relative_gap(solution.objective, self.result.bound)
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

/// A checked solve under way.
struct Solve<'a> {
    solver: &'a dyn Solver,
    judge: Judge<'a>,
    ends: Ends,
    clock: Instant,
    trajectory: Vec<CheckedPoint>,
    rejected: usize,
}

impl<'a> Solve<'a> {
    /// Begins the clock of a solve of at most `limit` seconds.
    fn new(
        solver: &'a dyn Solver,
        model: &'a Model,
        limit: Option<f64>,
        control: &Control<'_>,
    ) -> Self {
        let clock = Instant::now();
        let limit = HardStop::after(clock, limit).at;
        let ends = Ends {
            interrupt: control.interrupt.clone(),
            stop: control.stop.clone().or_at(limit),
        };
        // Negative if the stop was due before the call.
        let latest = |at: Instant| match at.checked_duration_since(clock) {
            Some(left) => left.as_secs_f64(),
            None => -1.0,
        };
        let options = JudgeOptions {
            latest: ends.stop.at.map(latest),
            ..JudgeOptions::default()
        };
        Solve {
            solver,
            judge: Judge::new(model, options),
            ends,
            clock,
            trajectory: Vec::new(),
            rejected: 0,
        }
    }

    /// Takes a candidate that was found at `time`.
    fn offer(&mut self, values: &[f64], time: f64, bound: f64) -> Verdict {
        let verdict = self.judge.offer(values, time);
        if let (Verdict::Better, Some(best)) = (verdict, self.judge.best()) {
            self.trajectory.push(CheckedPoint {
                time,
                objective: best.objective,
                bound,
            });
        }
        verdict
    }

    /// Takes a candidate that was made now, if there is one.
    fn offer_polished(&mut self, values: Option<Vec<f64>>, bound: f64) {
        if let Some(values) = values {
            let time = self.clock.elapsed().as_secs_f64();
            self.offer(&values, time, bound);
        }
    }

    /// Takes an incumbent that the solver reports.
    fn incumbent(&mut self, values: &[f64], time: f64, bound: f64) {
        if self.offer(values, time, bound) == Verdict::Rejected {
            self.rejected += 1;
            let (left, mut control) = (self.ends.stop.left(), self.ends.control());
            let polished = self
                .judge
                .polish_first(self.solver, values, left, &mut control);
            self.offer_polished(polished, bound);
        }
    }

    /// When every incumbent failed: the other solutions, and then the best one with its continuous columns solved
    /// again. `began` is when the solve itself began.
    fn rescue(&mut self, result: &SolveResult, began: f64) -> Result<(), SolverError> {
        for found in &result.solutions {
            if self.ends.is_due() {
                return Ok(());
            }
            if self.offer(&found.values, began + found.time, result.bound) == Verdict::Better {
                return Ok(());
            }
        }
        if let Some(best) = &result.best {
            let (left, mut control) = (self.ends.stop.left(), self.ends.control());
            let polished = self
                .judge
                .polish(self.solver, &best.values, left, &mut control)?;
            self.offer_polished(polished, result.bound);
        }
        Ok(())
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
    let mut solve = Solve::new(solver, model, params.time_limit, control);
    let clock = solve.clock;
    let mut loaded = solver.load(model)?;
    let began = clock.elapsed().as_secs_f64();
    let unwatched = solve.ends.control();
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
        let before = solve.trajectory.len();
        solve.incumbent(values, began + time, bound);
        if let (Some(point), Some(best)) = (solve.trajectory.get(before), solve.judge.best()) {
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
    if solve.judge.best().is_none() {
        solve.rescue(&result, began)?;
    }
    let Solve {
        judge,
        trajectory,
        rejected,
        ..
    } = solve;
    let solution = judge.into_best();
    if solution.is_none() && result.termination == Termination::Optimal {
        result.termination =
            Termination::Trouble("no solution of the solver passed the check".into());
    }
    Ok(CheckedResult {
        result,
        solution,
        trajectory,
        rejected,
    })
}

//! A solve whose every answer was checked in the original model.
//!
//! Solvers work with tolerances, after transformations, in floating point. Here each incumbent is evaluated exactly
//! in the model as it was read; one that fails is not passed on. Discrete columns are rounded first where that stays
//! feasible, so that what comes out has true integers. Should no incumbent pass, the best one's continuous columns are
//! solved for again with its integers fixed.

use idpas_mip::Model;
use idpas_mip::check::{Checker, Report, Tolerances, round_discrete};

use crate::{
    BoundChange, Control, Event, Params, SolveResult, Solver, SolverError, Start, Termination,
    relative_gap,
};

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

/// Evaluates candidate solutions of one model.
struct Judge<'a> {
    model: &'a Model,
    checker: Checker<'a>,
    tolerances: Tolerances,
}

impl Judge<'_> {
    /// The values that pass: rounded if possible, else as they are.
    fn judge(&self, values: &[f64]) -> Option<CheckedSolution> {
        let (values, report) = self.checker.passing(values, &self.tolerances)?;
        Some(CheckedSolution { values, report })
    }

    /// Fixes the rounded discrete columns and lets the solver find the continuous ones again.
    fn polish(
        &self,
        solver: &dyn Solver,
        values: &[f64],
    ) -> Result<Option<CheckedSolution>, SolverError> {
        let rounded = round_discrete(self.model, values);
        let fix = BoundChange::fixed_discrete(self.model, &rounded);
        if fix.len() == rounded.len() {
            return Ok(None);
        }
        let mut loaded = solver.load(self.model)?;
        loaded.set_column_bounds(&fix)?;
        let lp =
            loaded.solve_relaxation(&Params::with_time_limit(60.0), &mut Control::default())?;
        Ok(lp.solution.and_then(|lp| self.judge(&lp.values)))
    }
}

/// Solves `model` and checks every incumbent in it. Events of incumbents that fail are not passed on.
pub fn solve_checked(
    solver: &dyn Solver,
    model: &Model,
    params: &Params,
    start: Option<&Start>,
    control: &mut Control<'_>,
) -> Result<CheckedResult, SolverError> {
    let judge = Judge {
        model,
        checker: Checker::new(model),
        tolerances: Tolerances::default(),
    };
    let mut best: Option<CheckedSolution> = None;
    let mut trajectory = Vec::new();
    let mut rejected = 0;
    let interrupt = control.interrupt.clone();
    let result = {
        let mut observer = |event: Event<'_>| match event {
            Event::Incumbent {
                time,
                bound,
                values,
                ..
            } => {
                let Some(passed) = judge.judge(values) else {
                    rejected += 1;
                    return;
                };
                let objective = passed.report.objective;
                let better =
                    |b: &CheckedSolution| model.sense.is_better(objective, b.report.objective);
                if best.as_ref().is_none_or(better) {
                    trajectory.push(Point {
                        time,
                        objective,
                        bound,
                    });
                    control.tell(Event::Incumbent {
                        time,
                        objective,
                        bound,
                        values: &passed.values,
                    });
                    best = Some(passed);
                }
            }
            other => control.tell(other),
        };
        let mut watched = Control {
            interrupt,
            observer: Some(&mut observer),
        };
        solver.load(model)?.solve(params, start, &mut watched)?
    };
    if best.is_none() {
        best = rescue(&judge, solver, &result)?;
        trajectory.extend(best.iter().map(|solution| Point {
            time: result.time,
            objective: solution.report.objective,
            bound: result.bound,
        }));
    }
    let mut result = result;
    if best.is_none() && result.termination == Termination::Optimal {
        result.termination =
            Termination::Trouble("no solution of the solver passed the check".into());
    }
    Ok(CheckedResult {
        result,
        solution: best,
        trajectory,
        rejected,
    })
}

/// When every incumbent failed: the other solutions, and then the best one with its continuous columns solved again.
fn rescue(
    judge: &Judge<'_>,
    solver: &dyn Solver,
    result: &SolveResult,
) -> Result<Option<CheckedSolution>, SolverError> {
    if let Some(passed) = result.solutions.iter().find_map(|s| judge.judge(&s.values)) {
        return Ok(Some(passed));
    }
    match &result.best {
        Some(best) => judge.polish(solver, &best.values),
        None => Ok(None),
    }
}

//! A backend whose faults stay with it.
//!
//! Backends call code of others, and callers may bring one of their own. What such a backend gives back is put into the form
//! that everybody relies on: a panic is an error, vectors that are no solutions of the model (another length, values that are
//! not finite) are left out, and a relaxation is whole or absent. Whether a solution is feasible is asked by the
//! [judge](crate::judge). A call that never returns is beyond this: limits hold by [`backend`](crate::backend), which runs each
//! [`Engine`](crate::backend::Engine) on a thread of its own.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Instant;

use idpas_mip::{Model, Relaxation, Sense};

use crate::{
    Abilities, BoundChange, Control, Event, FoundSolution, Gate, Indicator, LoadedModel, LpResult,
    NewColumn, NewRow, Offers, Params, SolveResult, Solver, SolverError, Start, Termination,
};

/// A backend whose faults stay with it.
pub enum Guarded<'a> {
    /// One that somebody else has.
    Borrowed(&'a dyn Solver),
    /// One that nobody else has.
    Owned(Box<dyn Solver>),
}

impl Guarded<'_> {
    fn solver(&self) -> &dyn Solver {
        match self {
            Guarded::Borrowed(solver) => *solver,
            Guarded::Owned(solver) => solver.as_ref(),
        }
    }
}

impl Solver for Guarded<'_> {
    fn name(&self) -> &'static str {
        self.solver().name()
    }

    fn version(&self) -> String {
        self.solver().version()
    }

    fn library(&self) -> Option<&Path> {
        self.solver().library()
    }

    fn abilities(&self) -> Abilities {
        self.solver().abilities()
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let solver = self.name();
        let load = || self.solver().load(model);
        let loaded = caught(load).unwrap_or_else(|panic| Err(panicked(solver, "load", &*panic)))?;
        Ok(Box::new(GuardedModel {
            solver,
            loaded,
            sense: model.sense,
            is_broken: false,
        }))
    }
}

/// A model that a [`Guarded`] backend holds.
struct GuardedModel {
    solver: &'static str,
    loaded: Box<dyn LoadedModel>,
    sense: Sense,
    /// After a panic nothing is known of the model.
    is_broken: bool,
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(work))
}

/// The error that a panic of a backend is.
fn panicked(solver: &'static str, action: &'static str, panic: &(dyn Any + Send)) -> SolverError {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    SolverError::Backend {
        solver,
        action,
        message: format!("it panicked: {}", words.unwrap_or("without a word")),
    }
}

impl GuardedModel {
    /// Refuses to call a backend that has panicked.
    fn refuse_broken(&self, action: &'static str) -> Result<(), SolverError> {
        match self.is_broken {
            false => Ok(()),
            true => Err(SolverError::Backend {
                solver: self.solver,
                action,
                message: "it panicked in an earlier call; load the model again".into(),
            }),
        }
    }

    /// The error that a panic of the backend is; it is not called again.
    fn broken(&mut self, action: &'static str, panic: &(dyn Any + Send)) -> SolverError {
        self.is_broken = true;
        panicked(self.solver, action, panic)
    }

    fn call<T>(
        &mut self,
        action: &'static str,
        work: impl FnOnce(&mut dyn LoadedModel) -> Result<T, SolverError>,
    ) -> Result<T, SolverError> {
        self.refuse_broken(action)?;
        let done = caught(|| work(self.loaded.as_mut()));
        done.unwrap_or_else(|panic| Err(self.broken(action, &*panic)))
    }

    /// Calls the backend with events that hold what their types promise. A panic of the observer is the caller's, and goes on
    /// to him.
    fn call_watched<T>(
        &mut self,
        action: &'static str,
        control: &mut Control<'_>,
        work: impl FnOnce(&mut dyn LoadedModel, &mut Control<'_>) -> Result<T, SolverError>,
    ) -> Result<T, SolverError> {
        self.refuse_broken(action)?;
        let (columns, clock) = (self.loaded.num_columns(), Instant::now());
        let (interrupt, stop) = (control.interrupt.clone(), control.stop.clone());
        let mut is_callers = false;
        let mut observer = |event: Event<'_>| {
            let Some(event) = sound_event(event, columns, clock) else {
                return;
            };
            if let Err(panic) = caught(|| control.tell(event)) {
                is_callers = true;
                resume_unwind(panic);
            }
        };
        let mut guarded = Control {
            interrupt,
            stop,
            observer: Some(&mut observer),
        };
        match caught(|| work(self.loaded.as_mut(), &mut guarded)) {
            Ok(result) => result,
            Err(panic) if is_callers => resume_unwind(panic),
            Err(panic) => Err(self.broken(action, &*panic)),
        }
    }
}

/// Whether these can be values of a model with so many columns.
fn are_sound(values: &[f64], columns: usize) -> bool {
    values.len() == columns && values.iter().all(|value| value.is_finite())
}

/// An event with values that can be those of the model and a time that is one; `None` if the values cannot.
fn sound_event(mut event: Event<'_>, columns: usize, clock: Instant) -> Option<Event<'_>> {
    match &mut event {
        Event::Incumbent { time, values, .. } | Event::Solution { time, values, .. } => {
            if !are_sound(values, columns) {
                return None;
            }
            *time = sound_time(*time, clock);
        }
        Event::Progress { time, .. } => *time = sound_time(*time, clock),
        Event::Log(_) => {}
    }
    Some(event)
}

fn sound_time(time: f64, clock: Instant) -> f64 {
    match time.is_finite() {
        true => time,
        false => clock.elapsed().as_secs_f64(),
    }
}

/// Whether all parts of a relaxation's solution fit a model of this size.
fn is_sound(lp: &Relaxation, columns: usize, rows: usize) -> bool {
    // Some callers need no basis, and some backends have none.
    let fits = |length: usize, expected: usize| length == expected || length == 0;
    lp.objective.is_finite()
        && are_sound(&lp.values, columns)
        && are_sound(&lp.reduced_costs, columns)
        && are_sound(&lp.activities, rows)
        && are_sound(&lp.duals, rows)
        && fits(lp.column_basis.len(), columns)
        && fits(lp.row_basis.len(), rows)
        && fits(lp.row_sides.len(), rows)
}

impl LoadedModel for GuardedModel {
    fn num_columns(&self) -> usize {
        self.loaded.num_columns()
    }

    fn num_rows(&self) -> usize {
        self.loaded.num_rows()
    }

    fn set_column_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        self.call("change bounds", |loaded| loaded.set_column_bounds(changes))
    }

    fn set_row_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        self.call("change rows", |loaded| loaded.set_row_bounds(changes))
    }

    fn set_costs(&mut self, changes: &[(usize, f64)]) -> Result<(), SolverError> {
        self.call("change costs", |loaded| loaded.set_costs(changes))
    }

    fn set_objective(&mut self, sense: Sense, constant: f64) -> Result<(), SolverError> {
        self.call("change the objective", |loaded| {
            loaded.set_objective(sense, constant)
        })?;
        self.sense = sense;
        Ok(())
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        self.call("add columns", |loaded| loaded.add_columns(columns))
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        self.call("add rows", |loaded| loaded.add_rows(rows))
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Result<(), SolverError> {
        self.call("delete rows", |loaded| loaded.delete_rows(rows))
    }

    fn add_indicators(&mut self, indicators: &[Indicator]) -> Result<bool, SolverError> {
        self.call("add indicators", |loaded| loaded.add_indicators(indicators))
    }

    fn accept(&mut self, offers: &Offers) -> bool {
        let accept = |loaded: &mut dyn LoadedModel| Ok(loaded.accept(offers));
        self.call("take offers", accept).unwrap_or(false)
    }

    fn pause_at(&mut self, gate: &Gate) -> bool {
        let pause_at = |loaded: &mut dyn LoadedModel| Ok(loaded.pause_at(gate));
        self.call("pause", pause_at).unwrap_or(false)
    }

    fn solve(
        &mut self,
        params: &Params,
        start: Option<&Start>,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        let clock = Instant::now();
        let mut result = self.call_watched("solve", control, |loaded, control| {
            loaded.solve(params, start, control)
        })?;
        let columns = self.loaded.num_columns();
        let is_sound = |found: &FoundSolution| are_sound(&found.values, columns);
        result.best = result.best.filter(is_sound);
        result.solutions.retain(is_sound);
        for found in result.best.iter_mut().chain(&mut result.solutions) {
            found.time = sound_time(found.time, clock);
        }
        if result.bound.is_nan() {
            result.bound = -self.sense.worst();
        }
        Ok(result)
    }

    fn solve_relaxation(
        &mut self,
        params: &Params,
        control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        let mut result =
            self.call_watched("solve the relaxation", control, |loaded, control| {
                loaded.solve_relaxation(params, control)
            })?;
        let (columns, rows) = (self.loaded.num_columns(), self.loaded.num_rows());
        let is_unsound = |lp: &Relaxation| !is_sound(lp, columns, rows);
        if result.solution.as_ref().is_some_and(is_unsound) {
            let words = "its relaxation has other numbers of values than the model, or values that are not finite";
            result.termination = Termination::Trouble(words.into());
            result.solution = None;
        }
        Ok(result)
    }
}

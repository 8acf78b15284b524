//! The events of a running search, and how it is stopped.

use std::time::Instant;

use idpas_solver::Interrupt;

use crate::{StageKind, StageReport};

/// Something that happened during a search. Times are seconds since the search's clock started.
#[derive(Debug)]
#[non_exhaustive]
pub enum SearchEvent<'a> {
    /// A stage begins.
    StageStarted {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// What it will do; what it finds is not known yet.
        stage: &'a StageReport,
    },
    /// A solution better than all before, checked in the original model.
    Incumbent {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// Its objective value, exact.
        objective: f64,
        /// The bound of the original model, if one is known.
        bound: Option<f64>,
        /// The stage that found it.
        stage: StageKind,
        /// Its values, by column of the original model.
        values: &'a [f64],
    },
    /// A solution of a sub-model that is no better than the best, as the solver gave it: nobody has checked it. Told only if
    /// [wanted](SearchControl::wants_candidates).
    Candidate {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// Its objective value by the solver.
        objective: f64,
        /// Its values, by column of the original model.
        values: &'a [f64],
    },
    /// A better bound of the original model.
    Bound {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// The bound.
        bound: f64,
    },
    /// A sign of life between other events.
    Progress {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// The best objective value, if there is a solution.
        objective: Option<f64>,
        /// The bound of the original model, if one is known.
        bound: Option<f64>,
        /// The stage.
        stage: StageKind,
        /// Nodes of the stage's search tree so far.
        nodes: u64,
    },
    /// Something the user should know, such as a prediction that could not be made.
    Warning(&'a str),
    /// A line of the solver's log.
    Log(&'a str),
    /// A stage is over.
    StageEnded {
        /// When it happened, in seconds since the search's clock started.
        time: f64,
        /// What it did and found.
        stage: &'a StageReport,
    },
}

/// Receives events.
pub type SearchObserver<'a> = dyn FnMut(SearchEvent<'_>) + Send + 'a;

/// The clock of a search, who watches it and who may stop it.
pub struct SearchControl<'a> {
    /// When the clock started: the time limit and all times count from here, so that reading and predicting count.
    pub started: Instant,
    /// Raised, from any thread, to stop early and keep the best solution.
    pub interrupt: Interrupt,
    /// Receives every event.
    pub observer: Option<&'a mut SearchObserver<'a>>,
    /// Whether to tell of solutions that are not better than the best, too, for those who collect many.
    pub wants_candidates: bool,
}

impl Default for SearchControl<'_> {
    /// A clock that starts now, unwatched.
    fn default() -> Self {
        SearchControl {
            started: Instant::now(),
            interrupt: Interrupt::new(),
            observer: None,
            wants_candidates: false,
        }
    }
}

impl SearchControl<'_> {
    /// Seconds since the clock started.
    pub fn time(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Passes an event on, if anyone watches.
    pub fn tell(&mut self, event: SearchEvent<'_>) {
        if let Some(observer) = &mut self.observer {
            observer(event);
        }
    }
}

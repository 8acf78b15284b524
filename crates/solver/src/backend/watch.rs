//! Follows a run: collects solutions, passes events on, and obeys the interrupt.

use std::sync::Arc;
use std::time::Instant;

use idpas_mip::Sense;

use super::Status;
use super::thread::News;
use crate::{Control, DistinctSolutions, Event, FoundSolution};

/// Least number of seconds between two progress events.
const PROGRESS_INTERVAL: f64 = 0.2;

/// The objective function, by which solutions are evaluated without asking the solver.
#[derive(Clone)]
pub(super) struct Objective {
    pub(super) sense: Sense,
    pub(super) constant: f64,
    /// Objective coefficients, shared so that a running solve can hold them beside the model.
    pub(super) cost: Arc<Vec<f64>>,
}

impl Objective {
    pub(super) fn of(&self, values: &[f64]) -> f64 {
        self.constant
            + self
                .cost
                .iter()
                .zip(values)
                .map(|(c, x)| c * x)
                .sum::<f64>()
    }
}

/// Collects the events of a solve, which may have several runs.
pub(super) struct Watch<'w, 'c> {
    pub(super) objective: Objective,
    pub(super) clock: Instant,
    pub(super) control: &'w mut Control<'c>,
    pub(super) pool: DistinctSolutions,
    /// Whether the run's bound holds for the model. It does not while columns are fixed for a start.
    pub(super) bound_holds: bool,
    pub(super) bound: f64,
    pub(super) nodes: u64,
    pub(super) lp_iterations: u64,
    /// The last lines of the log, for error messages.
    pub(super) last_words: Vec<String>,
    last_progress: f64,
}

impl<'w, 'c> Watch<'w, 'c> {
    pub(super) fn new(
        objective: Objective,
        clock: Instant,
        control: &'w mut Control<'c>,
        pool: DistinctSolutions,
    ) -> Self {
        Watch {
            bound: best_possible(objective.sense),
            objective,
            clock,
            control,
            pool,
            bound_holds: true,
            nodes: 0,
            lp_iterations: 0,
            last_words: Vec::new(),
            last_progress: 0.0,
        }
    }

    pub(super) fn time(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    fn time_of(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.clock).as_secs_f64()
    }

    /// Takes a message of the solving thread and the time at which it happened.
    pub(super) fn take(&mut self, at: Instant, news: News) {
        match news {
            News::Log(text) => self.log(&text),
            News::Solution { values, bound } => {
                self.improve_bound(bound);
                self.solution(at, &values);
            }
            News::Status(status) => self.progress(at, status),
        }
    }

    /// Whether the first solution is better than the second.
    pub(super) fn is_better(&self, values: &[f64], than: &[f64]) -> bool {
        let (objective, other) = (self.objective.of(values), self.objective.of(than));
        self.objective.sense.is_better(objective, other)
    }

    fn log(&mut self, text: &str) {
        for line in text.split('\n') {
            if line.starts_with("ERROR") || line.starts_with("WARNING") {
                self.last_words.push(line.to_owned());
            }
        }
        self.control.tell(Event::Log(text.trim_end_matches('\n')));
    }

    /// Takes a feasible solution, from a callback or the end of a run, and the time at which it was found.
    pub(super) fn solution(&mut self, at: Instant, values: &[f64]) {
        // A vector of another length is not a solution of this model. One with a value that is not finite is none either,
        // and nothing found later would count as better than its objective.
        if values.len() != self.objective.cost.len() || !values.iter().all(|x| x.is_finite()) {
            return;
        }
        let (time, objective) = (self.time_of(at), self.objective.of(values));
        let better = match self.pool.best() {
            None => true,
            Some(best) => self.objective.sense.is_better(objective, best.objective),
        };
        let new = self.pool.add(FoundSolution {
            values: values.to_vec(),
            objective,
            time,
        });
        if better {
            let bound = self.bound;
            self.control.tell(Event::Incumbent {
                time,
                objective,
                bound,
                values,
            });
        } else if new {
            self.control.tell(Event::Solution {
                time,
                objective,
                values,
            });
        }
    }

    pub(super) fn improve_bound(&mut self, bound: f64) {
        // A bound is better if it is nearer to the worst objective value.
        if self.bound_holds
            && bound.is_finite()
            && self.objective.sense.is_better(self.bound, bound)
        {
            self.bound = bound;
        }
    }

    fn progress(&mut self, at: Instant, status: Status) {
        self.improve_bound(status.bound);
        self.nodes = self.nodes.max(status.nodes);
        self.lp_iterations = self.lp_iterations.max(status.lp_iterations);
        let time = self.time_of(at);
        if time - self.last_progress < PROGRESS_INTERVAL {
            return;
        }
        self.last_progress = time;
        self.control.tell(Event::Progress {
            time,
            objective: self.pool.best().map(|best| best.objective),
            bound: self.bound,
            nodes: self.nodes,
            lp_iterations: self.lp_iterations,
        });
    }

    pub(super) fn last_words(&self) -> String {
        match self.last_words.as_slice() {
            [] => "it gave no reason".to_owned(),
            words => words.join("; "),
        }
    }
}

/// The bound that excludes nothing: −∞ when minimising, +∞ when maximising.
pub(super) fn best_possible(sense: Sense) -> f64 {
    -sense.worst()
}

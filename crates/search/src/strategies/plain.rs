//! The plain solver: the whole model in one stage, from the user's start.
//!
//! The start is handed to the solver, which completes or rejects it by its own means. Status and bound are the
//! solver's, since nothing else was done that could prove anything, unless a solution that passed the check contradicts them.

use idpas_solver::{Start, StartOutcome, Termination, relative_gap};

use crate::driver::Search;
use crate::driver::finish::{REFUTED, UNBOUNDED};
use crate::driver::run::run;
use crate::driver::stage::Stage;
use crate::{SearchError, SearchOutcome, SearchStatus, Selection, StageEnd};

impl Search<'_, '_> {
    /// Solves the whole model once.
    pub(crate) fn plain(mut self) -> Result<SearchOutcome, SearchError> {
        let model = self.problem.model;
        let (start, refused) = match self.problem.starts.first() {
            Some(values) if values.len() == model.num_columns() => (Some(given(values)), None),
            Some(_) => (None, Some(StartOutcome::Rejected)),
            None => (None, None),
        };
        let stage = Stage::plain(self.clock.left(), start);
        let mut report = stage.report(model, self.control.time());
        let result = match run(&mut self, &stage, &mut report) {
            Ok(result) => result,
            // What it found before is still a solution.
            Err(SearchError::Solver(error)) if self.board.best().is_some() => {
                report.outcome = StageEnd::Trouble;
                report.trouble = Some(error.to_string());
                self.end(report);
                self.start = refused;
                let scores = self.problem.scores;
                return Ok(self.finish(&Selection::default(), 0, scores));
            }
            Err(error) => return Err(error),
        };
        self.end(report);
        self.start = result.start.or(refused);
        // How close is close enough is the solver's to say, since options of its own may have told it.
        let own = result.best.as_ref();
        let is_reached = own.is_none_or(|own| self.board.reaches(own.objective, self.params));
        let found = match self.board.best() {
            None => Found::Nothing,
            Some(_) if self.board.is_refuted() => Found::Refutation,
            Some(_) if is_reached => Found::Optimum,
            Some(_) => Found::Solution,
        };
        let scores = self.problem.scores;
        let proved = Some(result.bound).filter(|bound| bound.is_finite());
        let known = self.problem.bound.filter(|bound| bound.is_finite());
        let bound = model.sense.tighter(known, proved);
        let bound = bound.filter(|_| found != Found::Refutation);
        let mut outcome = self.finish(&Selection::default(), 0, scores);
        let is_bounded = result.termination != Termination::Unbounded;
        (outcome.status, outcome.trouble) = status(result.termination, found, bound.is_some());
        // Which of a bound and "unbounded" is right is not known, so neither is passed on.
        let bound = bound.filter(|_| is_bounded);
        outcome.bound = bound;
        outcome.gap = match (&outcome.solution, bound) {
            (Some(solution), Some(bound)) => relative_gap(solution.objective, bound),
            _ => None,
        };
        Ok(outcome)
    }
}

/// The user's values as a start; those that are not finite are not known.
fn given(values: &[f64]) -> Start {
    if values.iter().all(|value| value.is_finite()) {
        return Start::Complete(values.to_vec());
    }
    let known = |(j, &value): (usize, &f64)| value.is_finite().then_some((j, value));
    Start::Partial(values.iter().enumerate().filter_map(known).collect())
}

/// What passed the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// A solution that is worse than what the solver found.
    Solution,
    /// The solver's best solution, or a better one.
    Optimum,
    /// A solution that proves the solver's bound to be wrong.
    Refutation,
}

/// What the solver's reason to stop says of the model, and what is wrong if it cannot be believed or gave up.
fn status(
    termination: Termination,
    found: Found,
    has_bound: bool,
) -> (SearchStatus, Option<String>) {
    let trouble = |words: &str| (SearchStatus::Trouble, Some(words.to_owned()));
    let status = match termination {
        Termination::Optimal if found == Found::Nothing => {
            return trouble("no solution of the solver passed the check");
        }
        Termination::Optimal if found == Found::Solution => {
            return trouble("no solution of the solver that closes the gap passed the check");
        }
        Termination::Optimal if found == Found::Refutation => return trouble(REFUTED),
        Termination::Optimal if !has_bound => {
            return trouble("the solver calls its solution optimal without a bound");
        }
        Termination::Unbounded if has_bound => return trouble(UNBOUNDED),
        Termination::Infeasible if found != Found::Nothing => {
            return trouble("the solver finds no solution, though one passed the check");
        }
        Termination::Optimal => SearchStatus::Optimal,
        Termination::Infeasible => SearchStatus::Infeasible,
        Termination::Unbounded => SearchStatus::Unbounded,
        Termination::InfeasibleOrUnbounded => SearchStatus::InfeasibleOrUnbounded,
        Termination::TimeLimit => SearchStatus::TimeLimit,
        Termination::Limit => SearchStatus::Limit,
        Termination::Interrupted => SearchStatus::Interrupted,
        Termination::Trouble(words) => return (SearchStatus::Trouble, Some(words)),
        other => return (SearchStatus::Trouble, Some(other.as_str().to_owned())),
    };
    (status, None)
}

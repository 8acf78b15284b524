//! What a search has proved when it ends.

use idpas_solver::{StartOutcome, relative_gap};

use super::Search;
use crate::{
    Explain, Method, SearchOutcome, SearchStatus, Selection, StageEnd, StageKind, StageReport,
};

/// What is said where a solution proves that the solver is wrong.
pub(crate) const REFUTED: &str =
    "the solver's bound is wrong: a solution that violates nothing is better";

/// What is said where the solver contradicts a bound that it, or the caller, has given.
pub(crate) const UNBOUNDED: &str = "the solver calls the model unbounded, though there is a bound";

impl Search<'_, '_> {
    pub(crate) fn finish(
        self,
        selection: &Selection,
        released: usize,
        scores: Option<&[f32]>,
    ) -> SearchOutcome {
        let (status, trouble) = self.status();
        let start = self.start_outcome();
        // Which of a bound and "unbounded" is right is not known, so neither is passed on.
        let is_bounded = trouble.as_deref() != Some(UNBOUNDED);
        let bound = self.board.final_bound().filter(|_| is_bounded);
        let (solution, trajectory) = self.board.into_found();
        let gap = match (&solution, bound) {
            (Some(solution), Some(bound)) => relative_gap(solution.objective, bound),
            _ => None,
        };
        let explain = match scores {
            Some(scores) => {
                let values = solution.as_ref().map(|solution| &solution.values[..]);
                Explain::new(self.problem.model, scores, selection, released, values)
            }
            None => Explain::default(),
        };
        SearchOutcome {
            status,
            trouble,
            solution,
            bound,
            gap,
            time: self.control.time(),
            trajectory,
            stages: self.stages,
            neighbourhoods: self.tried,
            sources: self.sources,
            explain,
            start,
        }
    }

    /// What became of the start solutions: the plain solver says, other strategies look at them in a stage of their own.
    fn start_outcome(&self) -> Option<StartOutcome> {
        if matches!(self.settings.method, Method::Solver | Method::WarmStart) {
            return self.start;
        }
        let mut stages = self.stages.iter();
        let start = stages.find(|stage| stage.kind == StageKind::Start);
        let outcome = match start.is_some_and(|stage| stage.incumbents > 0) {
            true => StartOutcome::Accepted,
            false => StartOutcome::Rejected,
        };
        (!self.problem.starts.is_empty()).then_some(outcome)
    }

    /// Why the search ended, and what the solver said if it gave up.
    fn status(&self) -> (SearchStatus, Option<String>) {
        if self.board.is_closed(self.params) {
            return (SearchStatus::Optimal, None);
        }
        if self.control.interrupt.is_raised() {
            return (SearchStatus::Interrupted, None);
        }
        let is_solve = |stage: &&StageReport| stage.kind != StageKind::Start;
        let Some(last) = self.stages.last().filter(is_solve) else {
            return (SearchStatus::TimeLimit, None);
        };
        let full = last.kind.is_whole_model();
        let found = self.board.best().is_some();
        match last.outcome {
            StageEnd::Exhausted if full && self.board.is_refuted() => {
                (SearchStatus::Trouble, Some(REFUTED.into()))
            }
            StageEnd::Exhausted if full => {
                let words = "no solution of the solver that closes the gap passed the check";
                (SearchStatus::Trouble, Some(words.into()))
            }
            StageEnd::Infeasible if full && found => {
                let words = "the solver finds no solution, though one passed the check";
                (SearchStatus::Trouble, Some(words.into()))
            }
            StageEnd::Infeasible if full => (SearchStatus::Infeasible, None),
            StageEnd::Unbounded if self.board.final_bound().is_some() => {
                (SearchStatus::Trouble, Some(UNBOUNDED.into()))
            }
            // A ray of a region is one of the model.
            StageEnd::Unbounded => (SearchStatus::Unbounded, None),
            StageEnd::InfeasibleOrUnbounded if full => (SearchStatus::InfeasibleOrUnbounded, None),
            StageEnd::Limit => (SearchStatus::Limit, None),
            StageEnd::Trouble => (SearchStatus::Trouble, last.trouble.clone()),
            StageEnd::Interrupted => (SearchStatus::Interrupted, None),
            // With completion, another stage would have followed had there been time.
            _ if self.settings.completion => (SearchStatus::TimeLimit, None),
            StageEnd::Exhausted => (SearchStatus::RegionExhausted, None),
            StageEnd::Infeasible => (SearchStatus::RegionInfeasible, None),
            StageEnd::InfeasibleOrUnbounded => {
                let words = "the region is infeasible or unbounded";
                (SearchStatus::Trouble, Some(words.into()))
            }
            _ => (SearchStatus::TimeLimit, None),
        }
    }
}

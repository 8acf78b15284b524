//! The best solution and bound of a search, over all its stages.

use idpas_mip::Model;
use idpas_mip::check::{Checker, Tolerances, round_discrete};
use idpas_solver::{BoundChange, Control, HardStop, Offers, Params, Solver, SolverError};

use crate::{SearchControl, SearchEvent, Solution, StageKind, TrajectoryPoint};

/// Objectives nearer than this, relatively, are the same within the tolerances of solutions.
const SAME: f64 = 1e-6;
/// Longest time, in seconds, for finding the continuous columns of a solution again.
const POLISH_LIMIT: f64 = 60.0;
/// Nodes for the discrete columns of a solution that are not known.
const POLISH_NODES: u64 = 500;

/// Keeps the best checked solution, the trajectory, and the bound of the original model. What was found after the time
/// limit is not taken.
pub(crate) struct Board<'a> {
    model: &'a Model,
    checker: Checker<'a>,
    /// Seconds of the search's clock.
    limit: Option<f64>,
    pub(crate) best: Option<Solution>,
    pub(crate) bound: Option<f64>,
    pub(crate) trajectory: Vec<TrajectoryPoint>,
    /// Where better solutions are put for a solve that runs beside.
    pub(crate) offers: Option<Offers>,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the best now.
    Better,
    /// It was not taken: it is no better than the best, or too late.
    NoBetter,
    /// It failed the check.
    Rejected,
}

impl<'a> Board<'a> {
    pub(crate) fn new(model: &'a Model, bound: Option<f64>, limit: Option<f64>) -> Self {
        Board {
            model,
            checker: Checker::new(model),
            limit,
            best: None,
            bound: bound.filter(|bound| bound.is_finite()),
            trajectory: Vec::new(),
            offers: None,
        }
    }

    /// Whether this objective is better than the best.
    pub(crate) fn is_improvement(&self, objective: f64) -> bool {
        let sense = self.model.sense;
        self.best
            .as_ref()
            .is_none_or(|best| sense.is_better(objective, best.objective))
    }

    /// The values that pass the check in the original model: rounded if possible, else as they are.
    pub(crate) fn check(&self, values: &[f64]) -> Option<Solution> {
        let (values, report) = self.checker.passing(values, &Tolerances::default())?;
        Some(Solution {
            objective: report.objective,
            values,
            check: report,
        })
    }

    /// Whether something found at this time, in seconds of the search's clock, is too late to count.
    fn is_late(&self, found: f64) -> bool {
        self.limit.is_some_and(|limit| found > limit)
    }

    /// Checks a candidate, values by column of the original model, and keeps it if it is the best. `found` is when it was
    /// found, in seconds of the search's clock.
    pub(crate) fn offer(
        &mut self,
        values: &[f64],
        found: f64,
        stage: StageKind,
        control: &mut SearchControl<'_>,
    ) -> Verdict {
        if self.is_late(found) {
            return Verdict::NoBetter;
        }
        let Some(solution) = self.check(values) else {
            return Verdict::Rejected;
        };
        if !self.is_improvement(solution.objective) {
            return Verdict::NoBetter;
        }
        // Another thread's solution can be heard of later than a younger one of this thread.
        let last = self.trajectory.last().map_or(0.0, |last| last.time);
        let (time, objective) = (found.max(last), solution.objective);
        self.trajectory.push(TrajectoryPoint {
            time,
            objective,
            bound: self.bound,
            stage,
        });
        control.tell(SearchEvent::Incumbent {
            time,
            objective,
            bound: self.bound,
            stage,
            values: &solution.values,
        });
        if let Some(offers) = &self.offers {
            offers.put(solution.values.clone());
        }
        self.best = Some(solution);
        Verdict::Better
    }

    /// Fixes the rounded discrete columns of a candidate that failed, and finds the others again, before `stop` is due and
    /// in at most `limit` seconds. Values that are not finite are not known; with unknown discrete ones among them it takes
    /// a search, which must be a short one.
    pub(crate) fn polish(
        &self,
        solver: &dyn Solver,
        values: &[f64],
        limit: Option<f64>,
        stop: &HardStop,
    ) -> Result<Option<Vec<f64>>, SolverError> {
        let rounded = round_discrete(self.model, values);
        let fix = BoundChange::fixed_discrete(self.model, &rounded);
        // Nothing to find, or nothing known.
        if fix.len() == rounded.len() || fix.is_empty() || stop.is_due() {
            return Ok(None);
        }
        let mut loaded = solver.load(self.model)?;
        loaded.set_column_bounds(&fix)?;
        let limit = limit.map_or(POLISH_LIMIT, |limit| limit.min(POLISH_LIMIT));
        let mut watch = Control {
            stop: stop.clone(),
            ..Control::default()
        };
        let params = Params {
            node_limit: Some(POLISH_NODES),
            ..Params::with_time_limit(limit)
        };
        let unknown = |j: usize| self.model.is_integer(j) && !rounded[j].is_finite();
        if (0..rounded.len()).any(unknown) {
            let mip = loaded.solve(&params, None, &mut watch)?;
            return Ok(mip.best.map(|best| best.values));
        }
        let lp = loaded.solve_relaxation(&params, &mut watch)?;
        Ok(lp.solution.map(|lp| lp.values))
    }

    /// Takes a bound of the original model if it is better than the one known. `found` is when it was found, in seconds of
    /// the search's clock.
    pub(crate) fn improve_bound(
        &mut self,
        bound: f64,
        found: f64,
        control: &mut SearchControl<'_>,
    ) {
        let sense = self.model.sense;
        // A bound is better when it is nearer to the worst value.
        let is_better = self.bound.is_none_or(|old| sense.is_better(old, bound));
        if bound.is_finite() && is_better && !self.is_late(found) {
            self.bound = Some(bound);
            let time = found;
            control.tell(SearchEvent::Bound { time, bound });
        }
    }

    /// The bound, never beyond the best solution: there it is rounding.
    pub(crate) fn final_bound(&self) -> Option<f64> {
        let sense = self.model.sense;
        let bound = self.bound?;
        Some(match &self.best {
            Some(best) if sense.is_better(best.objective, bound) => best.objective,
            _ => bound,
        })
    }

    /// Whether best solution and bound are within the gaps.
    pub(crate) fn is_closed(&self, params: &Params) -> bool {
        let (Some(best), Some(bound)) = (&self.best, self.final_bound()) else {
            return false;
        };
        let size = best.objective.abs();
        let gap = (best.objective - bound).abs();
        let allowed = params.absolute_gap.max(params.relative_gap * size);
        gap <= allowed + SAME * size.max(1.0)
    }
}

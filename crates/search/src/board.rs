//! The best solution and bound of a search, over all its stages.

use idpas_mip::Model;
use idpas_solver::judge::{CheckedSolution, Judge, JudgeOptions, Verdict};
use idpas_solver::{Control, HardStop, Offers, Params, Solver, SolverError, relative_gap};

use crate::{SearchControl, SearchEvent, StageKind, TrajectoryPoint};

/// Objectives nearer than this, relatively, are the same within the tolerances of solutions.
const SAME: f64 = 1e-6;

/// A bound further beyond a solution than this, relatively, is no rounding.
const REFUTED: f64 = 1e-4;

/// What a search knows: the judge with the best solution, the trajectory with its stages, and the bound of the original
/// model. What was found after the time limit is not taken.
pub(crate) struct Board<'a> {
    model: &'a Model,
    judge: Judge<'a>,
    pub(crate) bound: Option<f64>,
    pub(crate) trajectory: Vec<TrajectoryPoint>,
    /// Where better solutions are put for a solve that runs beside.
    pub(crate) offers: Option<Offers>,
}

impl<'a> Board<'a> {
    pub(crate) fn new(model: &'a Model, bound: Option<f64>, limit: Option<f64>) -> Self {
        let options = JudgeOptions {
            latest: limit,
            ..JudgeOptions::default()
        };
        Board {
            model,
            judge: Judge::new(model, options),
            bound: bound.filter(|bound| bound.is_finite()),
            trajectory: Vec::new(),
            offers: None,
        }
    }

    /// The best solution.
    pub(crate) fn best(&self) -> Option<&CheckedSolution> {
        self.judge.best()
    }

    /// The best solution and the trajectory, when the search is over.
    pub(crate) fn into_found(self) -> (Option<CheckedSolution>, Vec<TrajectoryPoint>) {
        (self.judge.into_best(), self.trajectory)
    }

    /// Whether this objective is better than the best.
    pub(crate) fn is_improvement(&self, objective: f64) -> bool {
        self.judge.is_improvement(objective)
    }

    /// The values as a solution, if they pass the check in the original model.
    pub(crate) fn check(&self, values: &[f64]) -> Option<CheckedSolution> {
        self.judge.check(values).ok()
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
        let verdict = self.judge.offer(values, found);
        let (Verdict::Better, Some(best)) = (verdict, self.judge.best()) else {
            return verdict;
        };
        // Another thread's solution can be heard of later than a younger one of this thread.
        let last = self.trajectory.last().map_or(0.0, |last| last.time);
        let (time, objective) = (found.max(last), best.objective);
        let bound = self.final_bound();
        self.trajectory.push(TrajectoryPoint {
            time,
            objective,
            bound,
            stage,
        });
        control.tell(SearchEvent::Incumbent {
            time,
            objective,
            bound,
            stage,
            values: &best.values,
        });
        if let Some(offers) = &self.offers {
            offers.put(best.values.clone());
        }
        verdict
    }

    /// Says that a stage begins, whose rejected incumbents may be polished.
    pub(crate) fn begin_stage(&mut self) {
        self.judge.begin_solve();
    }

    /// Finds the continuous columns of a candidate again, and unknown discrete ones, before `stop` is due and in at most
    /// `limit` seconds; see [`Judge::polish`].
    pub(crate) fn polish(
        &mut self,
        solver: &dyn Solver,
        values: &[f64],
        limit: Option<f64>,
        stop: &HardStop,
    ) -> Result<Option<Vec<f64>>, SolverError> {
        self.judge.polish(solver, values, limit, &mut until(stop))
    }

    /// Polishes an incumbent of a stage that failed the check, as long as the search has no solution; see
    /// [`Judge::polish_first`].
    pub(crate) fn polish_first(
        &mut self,
        solver: &dyn Solver,
        values: &[f64],
        limit: Option<f64>,
        stop: &HardStop,
    ) -> Option<Vec<f64>> {
        self.judge
            .polish_first(solver, values, limit, &mut until(stop))
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
        if bound.is_finite() && is_better && !self.judge.is_late(found) {
            self.bound = Some(bound);
            let time = found;
            control.tell(SearchEvent::Bound { time, bound });
        }
    }

    /// The relative gap between the best solution and the bound, as far as both are known.
    pub(crate) fn gap(&self) -> Option<f64> {
        relative_gap(self.best()?.objective, self.final_bound()?)
    }

    /// The bound, never beyond the best solution: there it is rounding. A bound that is refuted is none.
    pub(crate) fn final_bound(&self) -> Option<f64> {
        let sense = self.model.sense;
        let bound = self.bound.filter(|_| !self.is_refuted())?;
        Some(match self.best() {
            Some(best) if sense.is_better(best.objective, bound) => best.objective,
            _ => bound,
        })
    }

    /// Whether the best solution proves that the bound is wrong: it violates nothing at all, not even within tolerances, and is
    /// better. What uses its tolerances may be better than any exact solution, which says nothing of the bound.
    pub(crate) fn is_refuted(&self) -> bool {
        let (Some(best), Some(bound)) = (self.best(), self.bound) else {
            return false;
        };
        let check = &best.check;
        let is_exact = check.worst_row.is_none()
            && check.worst_bound.is_none()
            && check.worst_integrality.is_none();
        let by = (best.objective - bound).abs();
        is_exact
            && self.model.sense.is_better(best.objective, bound)
            && by > REFUTED * best.objective.abs().max(1.0)
    }

    /// Whether the best solution is as good as this objective value, within the gaps.
    pub(crate) fn reaches(&self, objective: f64, params: &Params) -> bool {
        let is_near = |best: &CheckedSolution| within_gaps(best.objective, objective, params);
        let sense = self.model.sense;
        self.best()
            .is_some_and(|best| !sense.is_better(objective, best.objective) || is_near(best))
    }

    /// Whether best solution and bound are within the gaps.
    pub(crate) fn is_closed(&self, params: &Params) -> bool {
        let (Some(best), Some(bound)) = (self.best(), self.final_bound()) else {
            return false;
        };
        within_gaps(best.objective, bound, params)
    }
}

/// Whether an objective value is within the gaps of another one.
fn within_gaps(objective: f64, of: f64, params: &Params) -> bool {
    let size = objective.abs();
    let allowed = params.absolute_gap.max(params.relative_gap * size);
    (objective - of).abs() <= allowed + SAME * size.max(1.0)
}

/// Nobody watches, and only this stops it.
fn until(stop: &HardStop) -> Control<'static> {
    Control {
        stop: stop.clone(),
        ..Control::default()
    }
}

//! Sub-models: the model with narrower bounds, solved for a moment.

use idpas_mip::propagate::Bounds;
use idpas_solver::{BoundChange, LoadedModel, Params, SolveResult, Start};

use super::super::Search;
use super::super::stage::{Stage, rescue, solve};
use crate::{SearchError, Solution, StageEnd, StageReport};

/// Solutions kept of a sub-model, in case its best ones fail the check.
const KEPT: usize = 4;

/// The model in the solver, with the bounds it has there at the moment: a sub-model is not loaded anew, since most of
/// its bounds are those of the last one.
#[derive(Default)]
pub(super) struct Sub {
    loaded: Option<(Box<dyn LoadedModel>, Bounds)>,
}

/// What became of a sub-model.
pub(super) struct SubEnd {
    pub(super) outcome: StageEnd,
    pub(super) seconds: f64,
    /// The best solution in it, if it is better than the one it began with.
    pub(super) found: Option<Solution>,
}

impl Search<'_, '_> {
    /// The best solution of a sub-model that passes the check and is better than another. It need not be the best of
    /// all, which the board keeps.
    fn better(&self, result: &SolveResult, than: Option<&Solution>) -> Option<Solution> {
        let sense = self.problem.model.sense;
        let is_better =
            |objective: f64| than.is_none_or(|than| sense.is_better(objective, than.objective));
        let found = result
            .best
            .as_ref()
            .filter(|best| is_better(best.objective))?;
        let checked = self.board.check(&found.values);
        // Where the solver's own best fails, the board may have what was made of it.
        let best = || self.board.best.clone();
        checked
            .or_else(best)
            .filter(|found| is_better(found.objective))
    }
}

impl Sub {
    /// Solves a sub-model, from a solution that lies within the bounds, if there is one.
    pub(super) fn solve(
        &mut self,
        search: &mut Search<'_, '_>,
        report: &mut StageReport,
        name: &str,
        bounds: &Bounds,
        from: Option<&Solution>,
        limit: f64,
    ) -> Result<SubEnd, SearchError> {
        let began = search.control.time();
        let mut loaded = self.lay(search, bounds)?;
        let start = from.map(|from| Start::Complete(from.values.clone()));
        let params = Params {
            time_limit: Some(limit),
            threads: search.sub_threads(),
            keep_solutions: search.params.keep_solutions.min(KEPT),
            ..search.params.clone()
        };
        let stage = Stage::part(name, limit);
        let mut own = stage.report(search.problem.model, began);
        let result = solve(search, &stage, &mut own, loaded.0.as_mut(), &params, start)?;
        if own.incumbents == 0 {
            rescue(search, &mut own, &result)?;
        }
        let found = search.better(&result, from);
        report.incumbents += own.incumbents;
        report.rejected += own.rejected;
        report.nodes += result.nodes;
        if !result.abandoned {
            self.loaded = Some(loaded);
        }
        let (outcome, trouble) = search.stage_end(&stage, result.termination, false);
        report.trouble = trouble.or(report.trouble.take());
        Ok(SubEnd {
            outcome,
            seconds: search.control.time() - began,
            found,
        })
    }

    /// The loaded model with these bounds.
    fn lay(
        &mut self,
        search: &Search<'_, '_>,
        bounds: &Bounds,
    ) -> Result<(Box<dyn LoadedModel>, Bounds), SearchError> {
        let (mut loaded, mut laid) = match self.loaded.take() {
            Some(loaded) => loaded,
            None => {
                let model = search.problem.model;
                (search.problem.solver.load(model)?, Bounds::of(model))
            }
        };
        let differs =
            |&j: &usize| laid.lower[j] != bounds.lower[j] || laid.upper[j] != bounds.upper[j];
        let changes: Vec<BoundChange> = (0..bounds.lower.len())
            .filter(differs)
            .map(|index| BoundChange {
                index,
                lower: bounds.lower[index],
                upper: bounds.upper[index],
            })
            .collect();
        loaded.set_column_bounds(&changes)?;
        laid.clone_from(bounds);
        Ok((loaded, laid))
    }
}

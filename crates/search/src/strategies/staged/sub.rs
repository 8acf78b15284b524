//! Sub-models: what is left of the model within narrower bounds, solved for a moment.

use idpas_mip::propagate::Bounds;
use idpas_mip::reduce::Reduced;
use idpas_solver::judge::CheckedSolution;
use idpas_solver::{Params, SolveResult, Start};

use crate::driver::Search;
use crate::driver::run::{View, rescue, solve};
use crate::driver::stage::Stage;
use crate::{SearchError, StageEnd, StageKind, StageReport};

/// Solutions kept of a sub-model, in case its best ones fail the check.
const KEPT: usize = 4;

/// What became of a sub-model.
pub(super) struct SubEnd {
    pub(super) outcome: StageEnd,
    pub(super) seconds: f64,
    /// The best solution in it, if it is better than the one it began with.
    pub(super) found: Option<CheckedSolution>,
}

impl Search<'_, '_> {
    /// Solves a sub-model, from a solution that lies within the bounds, if there is one.
    pub(super) fn solve_sub(
        &mut self,
        report: &mut StageReport,
        kind: StageKind,
        bounds: &Bounds,
        from: Option<&CheckedSolution>,
        limit: f64,
    ) -> Result<SubEnd, SearchError> {
        let began = self.control.time();
        let Ok(reduced) = Reduced::new(self.problem.model, bounds) else {
            return Ok(SubEnd {
                outcome: StageEnd::Infeasible,
                seconds: self.control.time() - began,
                found: None,
            });
        };
        report.rows = reduced.model().num_rows();
        report.columns = reduced.model().num_columns();
        let mut loaded = self.problem.solver.load(reduced.model())?;
        let start = from.map(|from| Start::Complete(reduced.project(&from.values)));
        let params = Params {
            time_limit: Some(limit),
            threads: self.sub_threads(),
            keep_solutions: self.params.keep_solutions.min(KEPT),
            ..self.params.clone()
        };
        report.handed = report.handed.max(self.control.time());
        let stage = Stage::part(kind, limit);
        let mut own = stage.report(self.problem.model, began);
        let view = |values: &[f64]| reduced.expand(values);
        let handed = self.control.time();
        let result = solve(
            self,
            &stage,
            &mut own,
            loaded.as_mut(),
            &params,
            start,
            &view,
        )?;
        if own.incumbents == 0 {
            rescue(self, &mut own, &result, handed, &view)?;
        }
        let found = self.better(&result, from, &view);
        report.incumbents += own.incumbents;
        report.rejected += own.rejected;
        report.nodes += result.nodes;
        let (outcome, trouble) = self.stage_end(&stage, result.termination, false);
        report.trouble = trouble.or(report.trouble.take());
        Ok(SubEnd {
            outcome,
            seconds: self.control.time() - began,
            found,
        })
    }

    /// The best solution of a sub-model that passes the check and is better than another. It need not be the best of
    /// all, which the board keeps.
    fn better(
        &self,
        result: &SolveResult,
        than: Option<&CheckedSolution>,
        view: &View<'_>,
    ) -> Option<CheckedSolution> {
        let sense = self.problem.model.sense;
        let is_better =
            |objective: f64| than.is_none_or(|than| sense.is_better(objective, than.objective));
        // There is nothing left to begin with it.
        if self.stop.is_due() {
            return None;
        }
        let best = result.best.as_ref();
        let found = best.filter(|best| is_better(best.objective))?;
        let checked = self.board.check(&view(&found.values));
        // Where the solver's own best fails, the board may have what was made of it.
        let best = || self.board.best().cloned();
        let found = checked.or_else(best);
        found.filter(|found| is_better(found.objective))
    }
}

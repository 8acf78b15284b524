//! Past solutions, made to fit.

use idpas_mip::check::round_discrete;
use idpas_solver::judge::Verdict;

use super::Known;
use super::plan::{Piece, Plan};
use crate::driver::Search;
use crate::neighbourhood::ranked::is_quantity;
use crate::{SearchError, StageKind};

impl Search<'_, '_> {
    /// Takes the start solutions that are feasible as they are.
    pub(super) fn take_starts(&mut self, plan: &mut Plan) {
        for start in self.problem.starts {
            if self.is_over() {
                break;
            }
            let fits = start.len() == self.problem.model.num_columns();
            if !fits {
                plan.past.rejected += 1;
            }
            if fits
                && start.iter().all(|value| value.is_finite())
                && self.offer_now(start, StageKind::Start) == Verdict::Better
            {
                plan.past.incumbents += 1;
            }
        }
    }

    /// Makes the next start fit that is not feasible as it is: as much of it is held as contradicts no row, and the rest is
    /// found again. Binaries and zeros are held, other integers may move within the window, and quantities anywhere.
    pub(super) fn fit_next(
        &mut self,
        known: &mut Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        let starts = self.problem.starts;
        let Some(start) = starts.get(plan.next_start) else {
            return Ok(Piece::Last);
        };
        plan.next_start += 1;
        let fits = start.len() == self.problem.model.num_columns();
        let is_solution =
            || start.iter().all(|x| x.is_finite()) && self.board.check(start).is_some();
        if fits && !is_solution() {
            let before = plan.past.incumbents;
            match self.fit(known, start, plan) {
                // A start that the solver cannot digest is one that does not help.
                Ok(()) | Err(SearchError::Solver(_)) => {}
                Err(error) => return Err(error),
            }
            plan.past.rejected += usize::from(plan.past.incumbents == before);
        }
        Ok(match plan.next_start < starts.len() {
            true => Piece::More,
            false => Piece::Last,
        })
    }

    fn fit(
        &mut self,
        known: &mut Known<'_>,
        start: &[f64],
        plan: &mut Plan,
    ) -> Result<(), SearchError> {
        let model = self.problem.model;
        let values = round_discrete(model, start);
        let known_decision =
            |j: &usize| model.is_integer(*j) && values[*j].is_finite() && !is_quantity(model, *j);
        let holds = |j: &usize| model.is_binary(*j) || values[*j] == 0.0;
        let (held, moving): (Vec<usize>, Vec<usize>) =
            (0..values.len()).filter(known_decision).partition(holds);
        if held.is_empty() && moving.is_empty() {
            return Ok(());
        }
        let targets = held.into_iter().map(|j| (j, values[j])).collect();
        let mut bounds = known.holding(model, targets);
        let window = f64::from(self.settings.staged.window);
        for j in moving {
            let (lower, upper) = (
                bounds.lower[j].max(values[j] - window),
                bounds.upper[j].min(values[j] + window),
            );
            if lower <= upper {
                (bounds.lower[j], bounds.upper[j]) = (lower, upper);
            }
        }
        let limit = self.clock.sub(&self.settings.staged);
        self.solve_sub(&mut plan.past, StageKind::Start, &bounds, None, limit)
            .map(drop)
    }
}

//! Past solutions, made to fit.

use idpas_mip::Model;
use idpas_mip::check::round_discrete;
use idpas_solver::judge::Verdict;

use super::Known;
use super::plan::{Piece, Plan};
use crate::driver::Search;
use crate::neighbourhood::ranked::is_quantity;
use crate::{SearchError, StageKind};

/// The shares of columns that are free when starts are gone through again, one time after the other.
const LOOSENED: [f64; 4] = [0.1, 0.2, 0.4, 0.7];
/// A row is violated beyond this, relatively.
const ROW_SLACK: f64 = 1e-6;

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
    /// found again. Binaries and zeros are held, other integers may move within the window, and quantities anywhere. As long
    /// as that gives no solution at all, the starts are gone through again with more and more of their columns free.
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
        let is_through = plan.next_start == starts.len();
        if is_through && self.board.best().is_none() && plan.loosened < LOOSENED.len() {
            plan.loosened += 1;
            plan.next_start = 0;
        }
        Ok(match self.has_past(plan) {
            true => Piece::More,
            false => Piece::Last,
        })
    }

    /// Whether there is a past solution left to be made to fit.
    pub(super) fn has_past(&self, plan: &Plan) -> bool {
        plan.next_start < self.problem.starts.len()
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
        let mut decisions: Vec<usize> = (0..values.len()).filter(known_decision).collect();
        if let Some(level) = plan.loosened.checked_sub(1) {
            let free = (LOOSENED[level] * decisions.len() as f64) as usize;
            known.loosen(model, &values, &mut decisions, free);
        }
        let holds = |j: &usize| model.is_binary(*j) || values[*j] == 0.0;
        let (held, moving): (Vec<usize>, Vec<usize>) = decisions.into_iter().partition(holds);
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

impl Known<'_> {
    /// Takes so many of the columns away that are in most of the rows which the values violate; among equals, chance decides.
    fn loosen(&mut self, model: &Model, values: &[f64], columns: &mut Vec<usize>, count: usize) {
        let mut guilt = vec![0.0f32; values.len()];
        let by_row = self.propagator.by_row();
        for i in 0..model.num_rows() {
            let activity: f64 = by_row.entries(i).map(|(j, a)| a * values[j]).sum();
            let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
            let slack = ROW_SLACK * activity.abs().max(1.0);
            // What is not known is as guilty as what is wrong.
            if activity.is_nan() || activity < lower - slack || activity > upper + slack {
                for (j, _) in by_row.entries(i) {
                    guilt[j] += 1.0;
                }
            }
        }
        for &j in &*columns {
            guilt[j] += self.random.f32();
        }
        columns.sort_by(|a, b| guilt[*a].total_cmp(&guilt[*b]));
        columns.truncate(columns.len().saturating_sub(count));
    }
}

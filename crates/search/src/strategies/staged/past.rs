//! Past solutions, made to fit.

use idpas_mip::check::round_discrete;
use idpas_solver::judge::Verdict;

use super::Known;
use crate::driver::Search;
use crate::driver::stage::Stage;
use crate::neighbourhood::ranked::is_quantity;
use crate::repair::hold;
use crate::{SearchError, StageEnd, StageKind};

impl Search<'_, '_> {
    /// Takes the start solutions that are feasible. Of one that is not, as much is held as contradicts no row, and the
    /// rest is found again: binaries and zeros are held, other integers may move within the window, and
    /// quantities anywhere.
    pub(super) fn past(&mut self, known: &mut Known<'_>) -> Result<(), SearchError> {
        if self.problem.starts.is_empty() {
            return Ok(());
        }
        let model = self.problem.model;
        let mut report = Stage::start().report(model, self.control.time());
        for start in self.problem.starts {
            if self.is_over() || self.beside_ended() {
                break;
            }
            if start.len() != model.num_columns() {
                report.rejected += 1;
                continue;
            }
            let verdict = match start.iter().all(|value| value.is_finite()) {
                true => self.offer_now(start, report.kind),
                false => Verdict::Rejected,
            };
            if verdict == Verdict::Better {
                report.incumbents += 1;
            }
            // Only as long as there is no solution: neighbourhoods are better at improving one.
            if verdict == Verdict::Rejected && self.board.best().is_none() {
                self.fit(known, start, &mut report)?;
            }
            if verdict == Verdict::Rejected && self.board.best().is_none() {
                report.rejected += 1;
            }
        }
        report.outcome = StageEnd::Exhausted;
        self.end(report);
        Ok(())
    }

    fn fit(
        &mut self,
        known: &mut Known<'_>,
        start: &[f64],
        report: &mut crate::StageReport,
    ) -> Result<(), SearchError> {
        let model = self.problem.model;
        let values = round_discrete(model, start);
        let known_decision =
            |j: &usize| model.is_integer(*j) && values[*j].is_finite() && !is_quantity(model, *j);
        let holds = |j: &usize| model.is_binary(*j) || values[*j] == 0.0;
        let (mut held, moving): (Vec<usize>, Vec<usize>) =
            (0..values.len()).filter(known_decision).partition(holds);
        if held.is_empty() && moving.is_empty() {
            return Ok(());
        }
        // What is not zero first: it is fewer, and what the solution is about.
        held.sort_by_key(|&j| values[j] == 0.0);
        let targets: Vec<(usize, f64)> = held.into_iter().map(|j| (j, values[j])).collect();
        let kept = hold(model, known.propagator, &known.bounds, &targets);
        let mut bounds = known.bounds.clone();
        for &(j, value) in targets.iter().filter(|(j, _)| kept[*j]) {
            (bounds.lower[j], bounds.upper[j]) = (value, value);
        }
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
        match self.solve_sub(report, StageKind::Start, &bounds, None, limit) {
            // A start that the solver cannot digest is one that does not help.
            Ok(_) | Err(SearchError::Solver(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

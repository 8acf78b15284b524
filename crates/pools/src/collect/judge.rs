//! Nothing enters a pool unchecked.

use idpas_mip::Model;
use idpas_mip::check::{Checker, Tolerances, round_discrete};
use idpas_solver::{BoundChange, Control, Interrupt, LoadedModel, Params, Solver, SolverError};

/// Longest time, in seconds, to solve again for the continuous columns of one solution.
const POLISH_SECONDS: f64 = 10.0;

/// Rounds candidate solutions and evaluates them exactly in the model as it was read.
pub(crate) struct Judge<'a> {
    model: &'a Model,
    solver: Option<&'a dyn Solver>,
    checker: Checker<'a>,
    tolerances: Tolerances,
    /// The model whose discrete columns get fixed, once one is needed.
    polisher: Option<Box<dyn LoadedModel>>,
}

impl<'a> Judge<'a> {
    /// A solver, if there is one, finds the continuous columns again where rounding broke a row.
    pub(crate) fn new(model: &'a Model, solver: Option<&'a dyn Solver>) -> Self {
        Judge {
            model,
            solver,
            checker: Checker::new(model),
            tolerances: Tolerances::default(),
            polisher: None,
        }
    }

    /// The values with true integers and their exact objective, or why they are no solution. Continuous columns are found
    /// again in at most `seconds`, and not after `interrupt` was raised.
    pub(crate) fn judge(
        &mut self,
        values: &[f64],
        seconds: f64,
        interrupt: &Interrupt,
    ) -> Result<(Vec<f64>, f64), String> {
        let rounded = self.rounded(values);
        let report = self
            .checker
            .check(&rounded, &self.tolerances)
            .map_err(|e| e.to_string())?;
        if report.feasible {
            return Ok((rounded, report.objective));
        }
        let polished = self.polish(&rounded, seconds, interrupt);
        if polished.is_err() {
            // Loaded anew next time: a solve that did not stop in time keeps its model.
            self.polisher = None;
        }
        if let Ok(Some(polished)) = polished {
            let polished = self.rounded(&polished);
            if let Ok(report) = self.checker.check(&polished, &self.tolerances)
                && report.feasible
            {
                return Ok((polished, report.objective));
            }
        }
        let worst = report
            .worst_row
            .or(report.worst_bound)
            .or(report.worst_integrality);
        Err(worst.map_or("it is infeasible".into(), |worst| worst.to_string()))
    }

    fn rounded(&self, values: &[f64]) -> Vec<f64> {
        let mut rounded = round_discrete(self.model, values);
        for value in &mut rounded {
            *value += 0.0; // −0 becomes 0
        }
        rounded
    }

    /// Fixes the discrete columns and solves for the others.
    fn polish(
        &mut self,
        rounded: &[f64],
        seconds: f64,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<f64>>, SolverError> {
        if seconds <= 0.0 || interrupt.is_raised() {
            return Ok(None);
        }
        let fix = BoundChange::fixed_discrete(self.model, rounded);
        let (Some(solver), true) = (self.solver, fix.len() < rounded.len()) else {
            return Ok(None);
        };
        let loaded = match &mut self.polisher {
            Some(loaded) => loaded,
            none => none.insert(solver.load(self.model)?),
        };
        loaded.set_column_bounds(&fix)?;
        let params = Params::with_time_limit(seconds.min(POLISH_SECONDS));
        let mut control = Control {
            interrupt: interrupt.clone(),
            ..Control::default()
        };
        let lp = loaded.solve_relaxation(&params, &mut control)?;
        Ok(lp.solution.map(|lp| lp.values))
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError, Sense, VarKind};
    use idpas_solver::highs::Highs;

    use super::*;

    #[test]
    fn a_candidate_is_mended_while_there_is_time() -> Result<(), ModelError> {
        let mut b = ModelBuilder::new("mend", Sense::Minimize);
        b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        let y = b.column("y", VarKind::Continuous, 0.0, 1.0, 1.0)?;
        b.row("half", 0.5, f64::INFINITY, [(y, 1.0)])?;
        let model = b.build()?;
        let interrupt = Interrupt::new();
        let mut judge = Judge::new(&model, Some(&Highs));
        // Too little of y, which only the solver can mend.
        let candidate = [1.0, 0.4];
        assert!(judge.judge(&candidate, 0.0, &interrupt).is_err());
        let mended = judge.judge(&candidate, 10.0, &interrupt);
        assert_eq!(mended, Ok((vec![1.0, 0.5], 1.5)));
        interrupt.raise();
        assert!(judge.judge(&candidate, 10.0, &interrupt).is_err());
        Ok(())
    }
}

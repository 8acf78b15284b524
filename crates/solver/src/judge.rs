//! The judge of candidate solutions.
//!
//! Solvers work with tolerances, after transformations, in floating point. The judge takes what they found, rounds the
//! discrete columns, and evaluates the result exactly in the model as it was read. A candidate that fails can be
//! polished: its discrete columns are fixed and the others are found again by the solver. Whoever asks says how long
//! that may take, and until when; events, pools and trajectories are not the judge's concern.

use idpas_mip::check::{CheckError, Checker, Report, Tolerances, Violation, round_discrete};
use idpas_mip::{INFINITE_BOUND, Model};
use serde::{Deserialize, Serialize};

use crate::{BoundChange, Control, LoadedModel, Params, Solver, SolverError};

/// A solution that passed the exact check in the original model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedSolution {
    /// Objective value, exact and correctly rounded.
    pub objective: f64,
    /// Values by column, discrete ones rounded where that is feasible.
    pub values: Vec<f64>,
    /// What the check found. It is not written to JSON.
    #[serde(skip)]
    pub check: Report,
}

/// Why a candidate did not pass.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Rejection {
    /// It cannot be evaluated: it has another number of values than the model has columns, or one that is not finite.
    #[error(transparent)]
    Unreadable(#[from] CheckError),
    /// It violates the model; the worst violation.
    #[error("{}", .0.as_ref().map_or("it is infeasible".to_owned(), Violation::to_string))]
    Infeasible(Option<Violation>),
}

/// What became of a candidate that was [offered](Judge::offer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passed, and is the best now.
    Better,
    /// It was not taken: it is no better than the best, or was found too late.
    NoBetter,
    /// It failed the check.
    Rejected,
}

/// How strict a [`Judge`] is, and how much work it may put into candidates that fail.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeOptions {
    /// Only vectors with true integers pass, and negative zeros become zeros. Without, a candidate that fails rounded
    /// may pass as it is, within tolerances.
    pub true_integers: bool,
    /// Longest time of one polish, in seconds.
    pub polish_seconds: f64,
    /// How many candidates are polished [while a solve runs](Judge::polish_first).
    pub polish_tries: usize,
    /// Nodes of the search tree for discrete columns whose values are not known.
    pub polish_nodes: u64,
    /// Keep the model loaded from one polish to the next. For candidates without unknown discrete columns only.
    pub keep_loaded: bool,
    /// The latest time at which a candidate may have been found, in seconds of the caller's clock.
    pub latest: Option<f64>,
}

impl Default for JudgeOptions {
    /// What a solve or a search needs: tolerant, three tries of at most a minute each.
    fn default() -> Self {
        JudgeOptions {
            true_integers: false,
            polish_seconds: 60.0,
            polish_tries: 3,
            polish_nodes: 500,
            keep_loaded: false,
            latest: None,
        }
    }
}

/// Evaluates candidate solutions of one model, and keeps the best of those that were offered.
pub struct Judge<'a> {
    model: &'a Model,
    checker: Checker<'a>,
    tolerances: Tolerances,
    options: JudgeOptions,
    /// The model whose discrete columns get fixed, if it is kept.
    loaded: Option<Box<dyn LoadedModel>>,
    /// Candidates polished in the present solve.
    tries: usize,
    best: Option<CheckedSolution>,
}

impl<'a> Judge<'a> {
    /// A judge of this model's solutions.
    pub fn new(model: &'a Model, options: JudgeOptions) -> Self {
        Judge {
            model,
            checker: Checker::new(model),
            tolerances: Tolerances::default(),
            options,
            loaded: None,
            tries: 0,
            best: None,
        }
    }

    /// The best solution that was offered.
    pub fn best(&self) -> Option<&CheckedSolution> {
        self.best.as_ref()
    }

    /// The best solution that was offered, for keeps.
    pub fn into_best(self) -> Option<CheckedSolution> {
        self.best
    }

    /// Whether this objective value is better than the best one.
    pub fn is_improvement(&self, objective: f64) -> bool {
        let sense = self.model.sense;
        self.best
            .as_ref()
            .is_none_or(|best| sense.is_better(objective, best.objective))
    }

    /// Whether something found at this time, in seconds of the caller's clock, is too late to count.
    pub fn is_late(&self, found: f64) -> bool {
        self.options.latest.is_some_and(|latest| found > latest)
    }

    /// The candidate with its discrete columns rounded, if that is a solution; or why it is none.
    pub fn check(&self, values: &[f64]) -> Result<CheckedSolution, Rejection> {
        let mut rounded = round_discrete(self.model, values);
        if self.options.true_integers {
            for value in &mut rounded {
                *value += 0.0; // −0 becomes 0
            }
        }
        let mut found = self.evaluate(rounded);
        if found.is_err() && !self.options.true_integers {
            found = self.evaluate(values.to_vec());
        }
        found
    }

    fn evaluate(&self, values: Vec<f64>) -> Result<CheckedSolution, Rejection> {
        let check = self.checker.check(&values, &self.tolerances)?;
        if !check.feasible {
            let worst = check.worst_row.or(check.worst_bound);
            return Err(Rejection::Infeasible(worst.or(check.worst_integrality)));
        }
        Ok(CheckedSolution {
            objective: check.objective,
            values,
            check,
        })
    }

    /// Checks a candidate that was found at `found`, in seconds of the caller's clock, and keeps it if it is the best.
    pub fn offer(&mut self, values: &[f64], found: f64) -> Verdict {
        if self.is_late(found) {
            return Verdict::NoBetter;
        }
        match self.check(values) {
            Err(_) => Verdict::Rejected,
            Ok(solution) if !self.is_improvement(solution.objective) => Verdict::NoBetter,
            Ok(solution) => {
                self.best = Some(solution);
                Verdict::Better
            }
        }
    }

    /// Fixes the rounded discrete columns of a candidate and finds the others again, in at most `seconds` and at most
    /// [`polish_seconds`](JudgeOptions::polish_seconds). Values that are not finite are not known; with unknown discrete
    /// ones among them it takes a search, which must be a short one. Nothing is done where there is nothing to find or
    /// nothing to hold, where a value is what solvers take for infinite, or where `control` says to stop. The result is not checked yet.
    pub fn polish(
        &mut self,
        solver: &dyn Solver,
        values: &[f64],
        seconds: Option<f64>,
        control: &mut Control<'_>,
    ) -> Result<Option<Vec<f64>>, SolverError> {
        let rounded = round_discrete(self.model, values);
        let fix = BoundChange::fixed_discrete(self.model, &rounded);
        let nothing_known = fix.is_empty() && self.model.has_integers();
        let is_infinite = |change: &BoundChange| change.lower.abs() >= INFINITE_BOUND;
        if fix.len() == rounded.len() || nothing_known || fix.iter().any(is_infinite) {
            return Ok(None);
        }
        if control.interrupt.is_raised() || control.stop.is_due() {
            return Ok(None);
        }
        let mut loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => solver.load(self.model)?,
        };
        loaded.set_column_bounds(&fix)?;
        let longest = self.options.polish_seconds;
        let mut params = Params::with_time_limit(seconds.map_or(longest, |s| s.min(longest)));
        let unknown = |j: usize| self.model.is_integer(j) && !rounded[j].is_finite();
        if (0..rounded.len()).any(unknown) {
            params.node_limit = Some(self.options.polish_nodes);
            let mip = loaded.solve(&params, None, control)?;
            return Ok(mip.best.map(|best| best.values));
        }
        let lp = loaded.solve_relaxation(&params, control)?;
        // After an error it is loaded anew: a solve that did not stop in time keeps its model.
        if self.options.keep_loaded {
            self.loaded = Some(loaded);
        }
        Ok(lp.solution.map(|lp| lp.values))
    }

    /// The candidate as a solution, polished if it fails; or why it is none. See [`check`](Self::check) and
    /// [`polish`](Self::polish).
    pub fn check_or_polish(
        &mut self,
        solver: &dyn Solver,
        values: &[f64],
        seconds: Option<f64>,
        control: &mut Control<'_>,
    ) -> Result<CheckedSolution, Rejection> {
        let rejection = match self.check(values) {
            Ok(solution) => return Ok(solution),
            Err(rejection) => rejection,
        };
        if matches!(rejection, Rejection::Infeasible(_))
            && let Ok(Some(polished)) = self.polish(solver, values, seconds, control)
            && let Ok(solution) = self.check(&polished)
        {
            return Ok(solution);
        }
        Err(rejection)
    }

    /// Says that a solve begins, whose rejected incumbents may be polished.
    pub fn begin_solve(&mut self) {
        self.tries = 0;
    }

    /// Polishes a rejected incumbent while the solve goes on, as long as there is no solution at all and there are
    /// [tries](JudgeOptions::polish_tries) left. At the end of the solve there may be no time left for it. That it fails
    /// says nothing of the solve.
    pub fn polish_first(
        &mut self,
        solver: &dyn Solver,
        values: &[f64],
        seconds: Option<f64>,
        control: &mut Control<'_>,
    ) -> Option<Vec<f64>> {
        if self.best.is_some() || self.tries >= self.options.polish_tries {
            return None;
        }
        self.tries += 1;
        self.polish(solver, values, seconds, control).ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, ModelError, Sense, VarKind};

    use super::*;
    use crate::Interrupt;
    use crate::highs::Highs;

    /// min x + y, y ≥ 0.5, with x binary and y continuous.
    fn model() -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("mend", Sense::Minimize);
        b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        let y = b.column("y", VarKind::Continuous, 0.0, 1.0, 1.0)?;
        b.row("half", 0.5, f64::INFINITY, [(y, 1.0)])?;
        b.build()
    }

    fn strict() -> JudgeOptions {
        JudgeOptions {
            true_integers: true,
            keep_loaded: true,
            ..JudgeOptions::default()
        }
    }

    #[test]
    fn a_candidate_is_mended_unless_interrupted() -> Result<(), ModelError> {
        let model = model()?;
        let mut judge = Judge::new(&model, strict());
        let interrupt = Interrupt::new();
        let control = || Control {
            interrupt: interrupt.clone(),
            ..Control::default()
        };
        // Too little of y, which only the solver can mend.
        let candidate = [1.0, 0.25];
        let rejection = judge.check(&candidate).expect_err("y is too small");
        assert_eq!(
            rejection.to_string(),
            "the activity of row `half` is 0.25, must be at least 0.5, is off by 0.25"
        );
        let mended = judge.check_or_polish(&Highs, &candidate, Some(10.0), &mut control());
        assert_eq!(mended.expect("mended").values, [1.0, 0.5]);
        interrupt.raise();
        let mended = judge.check_or_polish(&Highs, &candidate, Some(10.0), &mut control());
        assert_eq!(mended, Err(rejection));
        Ok(())
    }

    #[test]
    fn the_best_in_time_is_kept() -> Result<(), ModelError> {
        let model = model()?;
        let mut judge = Judge::new(
            &model,
            JudgeOptions {
                latest: Some(2.0),
                ..JudgeOptions::default()
            },
        );
        assert_eq!(judge.offer(&[1.0, 0.4], 0.5), Verdict::Rejected);
        assert_eq!(judge.offer(&[1.0, 0.6], 1.0), Verdict::Better);
        assert_eq!(judge.offer(&[1.0, 0.7], 1.5), Verdict::NoBetter);
        assert_eq!(judge.offer(&[0.0, 0.5], 2.5), Verdict::NoBetter);
        assert_eq!(judge.offer(&[0.0, 0.5], 2.0), Verdict::Better);
        assert_eq!(judge.into_best().map(|best| best.objective), Some(0.5));
        Ok(())
    }

    #[test]
    fn unknown_values_are_found_and_nothing_known_is_nothing() -> Result<(), ModelError> {
        let model = model()?;
        let mut judge = Judge::new(&model, JudgeOptions::default());
        let mut polish = |values: &[f64]| {
            let polished = judge.polish(&Highs, values, None, &mut Control::default());
            polished.expect("HiGHS solves it")
        };
        assert_eq!(polish(&[1.0, f64::NAN]), Some(vec![1.0, 0.5]));
        assert_eq!(polish(&[f64::NAN, 0.5]), None);
        Ok(())
    }

    #[test]
    fn only_a_tolerant_judge_takes_what_rounding_breaks() -> Result<(), ModelError> {
        let mut b = ModelBuilder::new("near", Sense::Minimize);
        let x = b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        b.row("r", 3.0, f64::INFINITY, [(x, 1e7)])?;
        let model = b.build()?;
        let candidate = [4e-7];
        assert!(
            Judge::new(&model, JudgeOptions::default())
                .check(&candidate)
                .is_ok()
        );
        assert!(Judge::new(&model, strict()).check(&candidate).is_err());
        Ok(())
    }
}

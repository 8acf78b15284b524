//! What `idpas solve` says at the end of a search.

use std::fmt::Write;

use idpas_mip::check::Report;
use idpas_search::{SearchOutcome, SearchSettings, SearchStatus, StageKind};
use idpas_solver::Solver;

use super::decide::Origin;
use super::outcome_json::{Overhead, SearchJson, StageJson};
use super::report::worst;
use super::scores::Guess;
use crate::args::{OutputFormat, SolveArgs};
use crate::commands::check::CheckJson;
use crate::failure::{Done, Failure, INTERNAL, INTERRUPTED, NOTHING};
use crate::output::{Lines, json, percent, value};

pub(super) fn trajectory_csv(outcome: &SearchOutcome) -> String {
    let mut text = String::from("time,objective,bound\n");
    for point in &outcome.trajectory {
        let bound = point.bound.map(|b| b.to_string()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:.3},{},{bound}", point.time, point.objective);
    }
    text
}

/// A search that ended.
pub(super) struct SearchEnded<'a> {
    pub(super) args: &'a SolveArgs,
    pub(super) solver: &'a dyn Solver,
    pub(super) settings: &'a SearchSettings,
    pub(super) from: Origin,
    pub(super) guess: &'a Guess,
    pub(super) outcome: &'a SearchOutcome,
    pub(super) overhead: Overhead,
    /// Seconds in all.
    pub(super) total: f64,
    /// Whether the solution, if there is one, is where it was asked for.
    pub(super) written: bool,
}

impl SearchEnded<'_> {
    pub(super) fn report(&self) -> Result<Done, Failure> {
        let checked = self.outcome.solution.as_ref().map(|found| &found.check);
        let done = match self.args.format {
            OutputFormat::Json => json(&self.json(checked))?,
            OutputFormat::Text => self.text(checked),
        };
        Ok(done.with_code(self.code()))
    }

    fn code(&self) -> u8 {
        match (self.outcome.status, &self.outcome.solution) {
            (SearchStatus::Interrupted, _) => INTERRUPTED,
            // A point of an unbounded model is no answer to the question.
            (SearchStatus::Unbounded | SearchStatus::InfeasibleOrUnbounded, _) => NOTHING,
            (SearchStatus::Trouble, None) => INTERNAL,
            (_, None) => NOTHING,
            _ => 0,
        }
    }

    /// The solution file, if it was written.
    fn file(&self) -> Option<String> {
        let path = self.args.solution.as_ref()?;
        (self.written && self.outcome.solution.is_some()).then(|| path.display().to_string())
    }

    fn objective(&self) -> Option<f64> {
        self.outcome.solution.as_ref().map(|s| s.objective)
    }

    fn json(&self, checked: Option<&Report>) -> SearchJson<'_> {
        let (args, outcome) = (self.args, self.outcome);
        let accepted = || {
            let mut stages = outcome.stages.iter();
            let start = stages.find(|stage| stage.kind == StageKind::Start);
            match start.is_some_and(|stage| stage.incumbents > 0) {
                true => "accepted",
                false => "rejected",
            }
        };
        SearchJson {
            status: outcome.status.as_str(),
            objective: self.objective(),
            bound: outcome.bound,
            gap: outcome.gap,
            time: self.total,
            trajectory: &outcome.trajectory,
            stages: outcome.stages.iter().map(StageJson::new).collect(),
            neighbourhoods: &outcome.neighbourhoods,
            solution: self.file(),
            check: checked.map(CheckJson::new),
            solver: format!("{} {}", self.solver.name(), self.solver.version()),
            threads: args.threads,
            seed: args.seed,
            start: args.start.as_ref().map(|_| accepted()),
            method: self.settings.method.as_str(),
            model: (args.search.model.as_ref()).map(|path| path.display().to_string()),
            settings: self.settings,
            settings_from: self.from,
            prediction: self.guess.told.as_ref(),
            overhead: self.overhead,
            explain: &outcome.explain,
            warnings: &self.guess.warnings,
        }
    }

    fn text(&self, checked: Option<&Report>) -> Done {
        let outcome = self.outcome;
        let mut lines = Lines::default();
        let status = outcome.status.as_str().replace('_', " ");
        match &outcome.trouble {
            Some(why) => lines.add("status", format!("{status}: {why}")),
            None => lines.add("status", status),
        };
        let objective = self.objective();
        lines
            .add(
                "objective",
                objective.map_or("no solution".into(), |o| o.to_string()),
            )
            .add("bound", outcome.bound.map_or("-".into(), value))
            .add("gap", percent(outcome.gap))
            .add("time", format!("{:.2}s", self.total))
            .add("method", self.settings.method);
        if let Some(report) = checked {
            lines.add("checked", format!("feasible, {}", worst(report)));
        }
        if let Some(path) = self.file() {
            lines.add("solution", path);
        }
        if self.args.search.explain {
            super::explain::explain(&mut lines, self.settings, self.guess, outcome);
        }
        lines.done()
    }
}

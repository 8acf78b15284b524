//! What `idpas solve` says at its end, and the table of its incumbents.

use std::fmt::Write;

use idpas::{ReportDetails, SearchOutcome, SearchStatus, Solved};
use idpas_mip::Sense;
use idpas_mip::check::Report;
use idpas_solver::Solver;

use crate::args::{OutputFormat, SolveArgs};
use crate::failure::{Done, Failure, INTERNAL, INTERRUPTED, NOTHING};
use crate::output::{Lines, json, percent, value};

/// The best objective over time as a table.
pub(super) fn trajectory_csv(outcome: &SearchOutcome) -> String {
    let mut text = String::from("time,objective,bound\n");
    for point in &outcome.trajectory {
        let bound = point.bound.map(|b| b.to_string()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:.3},{},{bound}", point.time, point.objective);
    }
    text
}

/// The words HiGHS uses in its solution files.
pub(super) fn status_words(solved: &Solved) -> &'static str {
    match solved.outcome.status {
        SearchStatus::Optimal => "Optimal",
        SearchStatus::TimeLimit => "Time limit reached",
        SearchStatus::Interrupted => "Interrupted by user",
        SearchStatus::Limit => "Solution limit reached",
        _ => "Unknown",
    }
}

/// A solve that ended, and how the command was called.
pub(super) struct Ended<'a> {
    pub(super) args: &'a SolveArgs,
    pub(super) solver: &'a dyn Solver,
    pub(super) solved: &'a Solved,
    /// Whether the model is minimised or maximised; unknown if there was no time to read it.
    pub(super) sense: Option<Sense>,
    /// Seconds in all.
    pub(super) total: f64,
    /// Whether the solution, if there is one, is where it was asked for.
    pub(super) written: bool,
}

impl Ended<'_> {
    pub(super) fn report(&self) -> Result<Done, Failure> {
        let done = match self.args.format {
            OutputFormat::Json => self.json()?,
            OutputFormat::Text => self.text(),
        };
        Ok(done.with_code(self.code()))
    }

    fn code(&self) -> u8 {
        let outcome = &self.solved.outcome;
        match (outcome.status, &outcome.solution) {
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
        let is_there = self.written && self.solved.outcome.solution.is_some();
        is_there.then(|| path.display().to_string())
    }

    /// The bound; of a plain solve also one that is infinite, as solvers print it.
    fn bound(&self) -> String {
        let outcome = &self.solved.outcome;
        let worst = match self.sense.filter(|_| self.solved.is_plain) {
            Some(Sense::Minimize) => f64::INFINITY,
            Some(Sense::Maximize) => f64::NEG_INFINITY,
            None => f64::NAN,
        };
        value(outcome.bound.unwrap_or(match outcome.status {
            // No objective value is reached, however bad.
            SearchStatus::Infeasible => worst,
            _ => -worst,
        }))
    }

    fn json(&self) -> Result<Done, Failure> {
        let model = self.args.search.model.as_ref();
        let model = model.map(|path| path.display().to_string());
        let solution = self.file();
        json(&self.solved.report(&ReportDetails {
            solver: self.solver,
            time: self.total,
            solution: solution.as_deref(),
            model: model.as_deref(),
            threads: self.args.threads,
            seed: self.args.seed,
            has_start: self.args.start.is_some(),
        }))
    }

    fn text(&self) -> Done {
        let outcome = &self.solved.outcome;
        let mut lines = Lines::default();
        let status = outcome.status.as_str().replace('_', " ");
        match &outcome.trouble {
            Some(why) => lines.add("status", format!("{status}: {why}")),
            None => lines.add("status", status),
        };
        let objective = outcome.solution.as_ref().map(|best| best.objective);
        lines
            .add(
                "objective",
                objective.map_or("no solution".into(), |o| o.to_string()),
            )
            .add("bound", self.bound())
            .add("gap", percent(outcome.gap))
            .add("time", format!("{:.2}s", self.total));
        if !self.solved.is_plain {
            lines.add("method", self.solved.settings.method);
        }
        if let Some(best) = &outcome.solution {
            lines.add("checked", format!("feasible, {}", worst(&best.check)));
        }
        if let Some(path) = self.file() {
            lines.add("solution", path);
        }
        if self.args.search.explain {
            super::explain::explain(&mut lines, self.solved);
        }
        lines.done()
    }
}

/// The largest violations that the tolerances allowed.
fn worst(report: &Report) -> String {
    let parts: Vec<String> = [
        ("rows", report.max_row_violation()),
        ("bounds", report.max_bound_violation()),
        ("integers", report.max_integrality_violation()),
    ]
    .into_iter()
    .filter(|(_, violation)| *violation > 0.0)
    .map(|(what, violation)| format!("{what} {violation:.1e}"))
    .collect();
    if parts.is_empty() {
        "no violation".into()
    } else {
        format!("within tolerance (worst violation: {})", parts.join(", "))
    }
}

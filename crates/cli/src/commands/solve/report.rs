//! What `idpas solve` says at its end, and the table of its incumbents.

use std::fmt::Write;

use idpas_mip::check::Report;
use idpas_solver::checked::{CheckedPoint, CheckedResult};
use idpas_solver::{Solver, StartOutcome, Termination};
use serde::Serialize;

use crate::args::{OutputFormat, SolveArgs};
use crate::commands::check::CheckJson;
use crate::failure::{Done, Failure, INTERNAL, INTERRUPTED, NOTHING};
use crate::output::{Lines, finite, json, percent, value};

pub(super) fn trajectory_csv(trajectory: &[CheckedPoint], offset: f64) -> String {
    let mut text = String::from("time,objective,bound\n");
    for point in trajectory {
        let bound = finite(point.bound)
            .map(|b| b.to_string())
            .unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:.3},{},{bound}",
            point.time + offset,
            point.objective
        );
    }
    text
}

#[derive(Serialize)]
struct SolveJson<'a> {
    status: &'a str,
    objective: Option<f64>,
    bound: Option<f64>,
    gap: Option<f64>,
    time: f64,
    trajectory: Vec<PointJson>,
    stages: Vec<StageJson<'a>>,
    solution: Option<String>,
    check: Option<CheckJson>,
    solver: String,
    threads: u16,
    seed: u32,
    start: Option<&'static str>,
}

#[derive(Serialize)]
struct PointJson {
    time: f64,
    objective: f64,
    bound: Option<f64>,
}

#[derive(Serialize)]
struct StageJson<'a> {
    name: &'a str,
    begin: f64,
    time: f64,
    status: &'a str,
    objective: Option<f64>,
    nodes: u64,
    lp_iterations: u64,
}

/// A solve that ended.
pub(super) struct Ended<'a> {
    pub(super) args: &'a SolveArgs,
    pub(super) solver: &'a dyn Solver,
    pub(super) checked: &'a CheckedResult,
    /// Seconds before the solver began.
    pub(super) offset: f64,
    /// Seconds in all.
    pub(super) total: f64,
    /// Whether the solution, if there is one, is where it was asked for.
    pub(super) written: bool,
}

impl Ended<'_> {
    pub(super) fn report(&self) -> Result<Done, Failure> {
        let done = match self.args.format {
            OutputFormat::Json => json(&self.json())?,
            OutputFormat::Text => self.text(),
        };
        Ok(done.with_code(self.code()))
    }

    fn code(&self) -> u8 {
        match (&self.checked.result.termination, &self.checked.solution) {
            (Termination::Interrupted, _) => INTERRUPTED,
            // A point of an unbounded model is no answer to the question.
            (Termination::Unbounded | Termination::InfeasibleOrUnbounded, _) => NOTHING,
            (Termination::Trouble(_), None) => INTERNAL,
            (_, None) => NOTHING,
            _ => 0,
        }
    }

    fn objective(&self) -> Option<f64> {
        self.checked.solution.as_ref().map(|s| s.objective)
    }

    /// The solution file, if it was written.
    fn file(&self) -> Option<String> {
        let path = self.args.solution.as_ref()?;
        (self.written && self.checked.solution.is_some()).then(|| path.display().to_string())
    }

    fn json(&self) -> SolveJson<'_> {
        let Ended {
            args,
            solver,
            checked,
            offset,
            ..
        } = *self;
        let result = &checked.result;
        let status = result.termination.as_str();
        let point = |p: &CheckedPoint| PointJson {
            time: p.time + offset,
            objective: p.objective,
            bound: finite(p.bound),
        };
        SolveJson {
            status,
            objective: self.objective(),
            bound: finite(result.bound),
            gap: checked.gap(),
            time: self.total,
            trajectory: checked.trajectory.iter().map(point).collect(),
            stages: vec![StageJson {
                name: solver.name(),
                begin: offset,
                time: result.time,
                status,
                objective: self.objective(),
                nodes: result.nodes,
                lp_iterations: result.lp_iterations,
            }],
            solution: self.file(),
            check: checked.solution.as_ref().map(|s| CheckJson::new(&s.check)),
            solver: format!("{} {}", solver.name(), solver.version()),
            threads: args.threads,
            seed: args.seed,
            start: result.start.map(|start| match start {
                StartOutcome::Accepted => "accepted",
                StartOutcome::Rejected => "rejected",
            }),
        }
    }

    fn text(&self) -> Done {
        let result = &self.checked.result;
        let status = result.termination.as_str().replace('_', " ");
        let mut lines = Lines::default();
        match &result.termination {
            Termination::Trouble(why) => lines.add("status", format!("{status}: {why}")),
            _ => lines.add("status", status),
        };
        let objective = self.objective();
        lines
            .add(
                "objective",
                objective.map_or("no solution".into(), |o| o.to_string()),
            )
            .add("bound", value(result.bound))
            .add("gap", percent(self.checked.gap()))
            .add("time", format!("{:.2}s", self.total));
        if let Some(solution) = &self.checked.solution {
            lines.add("checked", format!("feasible, {}", worst(&solution.check)));
        }
        if let Some(path) = self.file() {
            lines.add("solution", path);
        }
        lines.done()
    }
}

pub(super) fn worst(report: &Report) -> String {
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

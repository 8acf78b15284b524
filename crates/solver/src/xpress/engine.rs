//! Xpress as an engine: builds a problem for each run, sets its controls, and reads what it found.

use std::ffi::c_int;
use std::time::Instant;

use idpas_mip::{BasisStatus, VarKind};

use super::arrays::Arrays;
use super::ffi::{self, Api, Lp, Problem, Ran};
use crate::backend::{
    Engine, Failed, Found, Handler, LpFound, LpSolution, Message, ModelChanges, Outcome, Receiver,
    Recorded, RunOptions, failed, not_run,
};
use crate::{SolverError, Termination};

/// How much better than the last solution the next one must be for Xpress to look for it, by its own defaults: in percent of
/// the objective value, and as such.
const RELATIVE_CUTOFF: f64 = 1e-4;
const ABSOLUTE_CUTOFF: f64 = 1e-5;
/// Distance from an integer up to which a value counts as that integer. Xpress's default of 5e-6 is more than our own check
/// of solutions allows.
const INTEGRALITY: f64 = 1e-6;

pub(super) struct XpressEngine {
    api: &'static Api,
    model: Recorded,
    /// A problem with the controls of the next run.
    prepared: Option<Problem>,
    relaxation: bool,
    start: Option<Vec<f64>>,
    found: Found,
    lp: LpFound,
}

impl XpressEngine {
    pub(super) fn new(api: &'static Api, model: Recorded) -> Self {
        XpressEngine {
            api,
            model,
            prepared: None,
            relaxation: false,
            start: None,
            found: Found::nothing(not_run()),
            lp: LpFound::nothing(not_run()),
        }
    }

    fn run_received(&mut self, receiver: &mut Receiver<'_, '_>) -> Outcome {
        let began = Instant::now();
        let mut problem = self.prepared.take().ok_or(Failed)?;
        let start = self.start.take();
        self.found = Found::nothing(Termination::Interrupted);
        self.lp = LpFound::nothing(Termination::Interrupted);
        if receiver.tell(Message::Check { mip: None }) {
            return Ok(());
        }
        let arrays = Arrays::of(&self.model, self.relaxation);
        if let Err(Failed) = problem.load(&arrays) {
            let why = format!("ERROR: {}", problem.last_error());
            receiver.tell(Message::Log(&why));
            return Err(Failed);
        }
        if let Some(start) = start {
            // The caller has the solution, whatever Xpress says to it.
            let _ = problem.add_start(&start);
        }
        // Building is a part of the time.
        problem.spend(began.elapsed())?;
        let ran = problem.run(receiver);
        let outcome = ran.outcome;
        self.keep(ran, &arrays.rhs);
        outcome
    }

    /// Keeps what a run found; `rhs` are the right-hand sides of its rows.
    fn keep(&mut self, ran: Ran, rhs: &[f64]) {
        if self.relaxation {
            let termination = termination(&ran, false);
            let solution = match (&termination, ran.values, ran.lp) {
                (Termination::Optimal, Some(values), Some(lp)) => {
                    Some(lp_solution(&self.model, values, lp, rhs))
                }
                _ => None,
            };
            self.lp = LpFound {
                termination,
                solution,
                iterations: ran.iterations,
            };
            return;
        }
        let is_discrete = self.model.kind.contains(&VarKind::Integer);
        self.found = Found {
            termination: termination(&ran, is_discrete),
            solutions: ran.values.into_iter().collect(),
            bound: is_discrete.then_some(ran.bound),
            nodes: ran.nodes,
            lp_iterations: ran.iterations,
        };
    }
}

fn termination(ran: &Ran, is_discrete: bool) -> Termination {
    match (ran.solve_status, ran.solution_status) {
        (ffi::COMPLETED, ffi::OPTIMAL) => Termination::Optimal,
        (ffi::COMPLETED, ffi::INFEASIBLE) => Termination::Infeasible,
        // It is the relaxation that is unbounded; there may be no integers in it.
        (ffi::COMPLETED, ffi::UNBOUNDED) if is_discrete && ran.values.is_none() => {
            Termination::InfeasibleOrUnbounded
        }
        (ffi::COMPLETED, ffi::UNBOUNDED) => Termination::Unbounded,
        (ffi::STOPPED, _) => stopped(ran.stop_status, ran.is_asked),
        (solve, solution) => Termination::Trouble(format!(
            "Xpress's solve status {solve}, solution status {solution}"
        )),
    }
}

/// Why a run stopped before its end.
fn stopped(status: c_int, is_asked: bool) -> Termination {
    let trouble = |what: &str| Termination::Trouble(what.to_owned());
    match status {
        ffi::STOP_TIME_LIMIT => Termination::TimeLimit,
        ffi::STOP_CONTROL_C => Termination::Interrupted,
        ffi::STOP_USER if is_asked => Termination::Interrupted,
        ffi::STOP_USER => trouble("a call failed while it ran"),
        ffi::STOP_GAP => Termination::Optimal,
        ffi::STOP_NODE_LIMIT
        | ffi::STOP_ITERATION_LIMIT
        | ffi::STOP_SOLUTION_LIMIT
        | ffi::STOP_WORK_LIMIT
        | ffi::STOP_STAGE => Termination::Limit,
        ffi::STOP_MEMORY => trouble("memory limit"),
        ffi::STOP_LICENCE_LOST => trouble("the licence was lost"),
        ffi::STOP_NUMERICAL_ERROR => trouble("numerical trouble"),
        other => Termination::Trouble(format!("Xpress's stop status {other}")),
    }
}

/// The solution of a relaxation. Behind the rows of the model there may be one that stands for something else.
fn lp_solution(model: &Recorded, values: Vec<f64>, lp: Lp, rhs: &[f64]) -> LpSolution {
    let rows = model.rows.len();
    let mut duals = lp.duals;
    duals.truncate(rows);
    let columns = lp.column_basis.iter().enumerate();
    LpSolution {
        values,
        reduced_costs: lp.reduced_costs,
        activities: (0..rows).map(|i| rhs[i] - lp.slacks[i]).collect(),
        duals,
        column_basis: columns
            .map(|(j, &code)| column_status(code, model.lower[j], model.upper[j]))
            .collect(),
        row_basis: lp.row_basis[..rows]
            .iter()
            .copied()
            .map(row_status)
            .collect(),
    }
}

fn column_status(code: c_int, lower: f64, upper: f64) -> BasisStatus {
    match code {
        ffi::AT_LOWER => BasisStatus::Lower,
        ffi::BASIC => BasisStatus::Basic,
        ffi::AT_UPPER => BasisStatus::Upper,
        _ if lower <= -ffi::INFINITY && upper >= ffi::INFINITY => BasisStatus::Zero,
        _ => BasisStatus::Nonbasic,
    }
}

/// Xpress tells where the slack of a row stands, which is smallest where the row is largest.
fn row_status(code: c_int) -> BasisStatus {
    match code {
        ffi::AT_LOWER => BasisStatus::Upper,
        ffi::BASIC => BasisStatus::Basic,
        ffi::AT_UPPER => BasisStatus::Lower,
        _ => BasisStatus::Nonbasic,
    }
}

impl Engine for XpressEngine {
    const NAME: &'static str = super::NAME;
    const TAKES_OFFERS: bool = true;
    const PAUSES: bool = true;
    const INDICATORS: bool = true;

    fn model(&mut self) -> &mut dyn ModelChanges {
        &mut self.model
    }

    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError> {
        let mut problem = Problem::new(self.api)
            .map_err(|Failed| failed::<Self>("start", "it gave no reason"))?;
        for (name, value) in named_controls(options) {
            problem
                .set(&name, &value)
                .map_err(|message| SolverError::Parameter { name, message })?;
        }
        self.prepared = Some(problem);
        self.relaxation = options.relaxation;
        self.start = None;
        Ok(())
    }

    fn start_from(&mut self, values: &[f64]) {
        self.start = Some(values.to_vec());
    }

    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        let mut receiver = Receiver::new(handler);
        let outcome = self.run_received(&mut receiver);
        receiver.finish();
        outcome
    }

    fn found(&self) -> Found {
        self.found.clone()
    }

    fn relaxation(&self) -> LpFound {
        self.lp.clone()
    }
}

/// The controls of a run by Xpress's names, in the order in which they are set: those of the user come last.
fn named_controls(options: &RunOptions<'_>) -> Vec<(String, String)> {
    let params = options.params;
    // With a gap of zero, Xpress by itself still leaves out what is better by less than its cutoffs, and then calls optimal
    // what is not.
    let (relative, absolute) = (
        (100.0 * params.relative_gap).min(RELATIVE_CUTOFF),
        params.absolute_gap.min(ABSOLUTE_CUTOFF),
    );
    let mut named = vec![
        ("THREADS", params.threads.to_string()),
        ("RANDOMSEED", params.seed.to_string()),
        ("MIPRELSTOP", params.relative_gap.to_string()),
        ("MIPABSSTOP", params.absolute_gap.to_string()),
        ("MIPRELCUTOFF", relative.to_string()),
        ("MIPADDCUTOFF", (-absolute).to_string()),
        ("MIPTOL", INTEGRALITY.to_string()),
    ];
    if let Some(seconds) = options.time_limit {
        named.push(("TIMELIMIT", seconds.to_string()));
    }
    if let Some(nodes) = options.node_limit {
        named.push(("MAXNODE", nodes.min(c_int::MAX as u64).to_string()));
    }
    let named = named.into_iter().map(|(name, value)| (name.into(), value));
    named.chain(params.raw.iter().cloned()).collect()
}

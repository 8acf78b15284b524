//! SCIP as an engine: builds a SCIP for each run, sets its parameters, and reads what it found.

use std::time::Instant;

use idpas_mip::{BasisStatus, Sense, VarKind};

use super::ffi::{Api, Column, Instance, Lp, LpArrays, LpEnd, last_errors};
use crate::backend::{
    Engine, Failed, Found, Handler, LpFound, LpSolution, Message, ModelChanges, Outcome, Receiver,
    Recorded, RunOptions, failed, in_order, not_run,
};
use crate::{Indicator, SolverError, Termination};

pub(super) struct ScipEngine {
    api: &'static Api,
    model: Recorded,
    /// A SCIP with the parameters of the next run.
    prepared: Option<Instance>,
    time_limit: Option<f64>,
    relaxation: bool,
    start: Option<Vec<f64>>,
    found: Found,
    lp: LpFound,
}

impl ScipEngine {
    pub(super) fn new(api: &'static Api, model: Recorded) -> Self {
        ScipEngine {
            api,
            model,
            prepared: None,
            time_limit: None,
            relaxation: false,
            start: None,
            found: Found::nothing(not_run()),
            lp: LpFound::nothing(not_run()),
        }
    }

    /// Builds the model in a SCIP. Says `false` if it is infeasible by a bound or side alone, which SCIP would refuse.
    fn build(&self, scip: &mut Instance) -> Result<bool, Failed> {
        let model = &self.model;
        scip.begin(model.sense == Sense::Maximize, model.constant)?;
        for j in 0..model.num_columns() {
            let Some((lower, upper)) = in_order(model.lower[j], model.upper[j]) else {
                return Ok(false);
            };
            scip.add_column(&Column {
                lower,
                upper,
                cost: model.cost[j],
                is_integer: model.kind[j] == VarKind::Integer,
            })?;
        }
        for i in 0..model.rows.len() {
            let Some((lower, upper)) = in_order(model.rows.lower[i], model.rows.upper[i]) else {
                return Ok(false);
            };
            let (columns, values) = model.rows.entries(i);
            scip.add_row(lower, upper, columns, values)?;
        }
        for indicator in &model.indicators {
            add_indicator(scip, indicator)?;
        }
        Ok(true)
    }

    fn run_model(&mut self, handler: &mut Handler<'_>) -> Outcome {
        let began = Instant::now();
        let mut receiver = Receiver::new(handler);
        let ran = self.run_received(began, &mut receiver);
        if let Err(Failed) = ran {
            receiver.tell(Message::Log(&format!("ERROR: {}", last_errors().trim())));
        }
        receiver.finish();
        ran
    }

    fn run_received(&mut self, began: Instant, receiver: &mut Receiver<'_, '_>) -> Outcome {
        self.found = Found::nothing(not_run());
        let mut scip = self.prepared.take().ok_or(Failed)?;
        // SCIP's first own question can be a while away.
        if receiver.tell(Message::Check { mip: None }) {
            self.found.termination = Termination::Interrupted;
            return Ok(());
        }
        if !self.build(&mut scip)? {
            self.found.termination = Termination::Infeasible;
            return Ok(());
        }
        if let Some(start) = self.start.take() {
            // The caller has the solution, whatever SCIP says to it.
            let _ = scip.add_start(&start);
        }
        if let Some(limit) = self.time_limit {
            // Building is a part of the time.
            let left = (limit - began.elapsed().as_secs_f64()).max(0.0);
            scip.set("limits/time", &left.to_string())?;
        }
        let solved = scip.solve(receiver);
        let (status, bound, nodes, lp_iterations) = scip.result();
        self.found = Found {
            termination: termination(status),
            solutions: scip.solutions(),
            bound: Some(bound),
            nodes,
            lp_iterations,
        };
        solved
    }

    fn run_relaxation(&mut self, handler: &mut Handler<'_>) -> Outcome {
        let began = Instant::now();
        self.prepared = None;
        self.lp = LpFound::nothing(Termination::TimeLimit);
        if handler(Message::Check { mip: None }) {
            self.lp.termination = Termination::Interrupted;
            return Ok(());
        }
        let ran = self.solve_lp(began);
        if let Err(Failed) = ran {
            handler(Message::Log(&format!("ERROR: {}", last_errors().trim())));
        }
        ran
    }

    fn solve_lp(&mut self, began: Instant) -> Outcome {
        let model = &self.model;
        // Always minimised, so that signs of duals do not depend on what the LP solver makes of a sense.
        let sign = match model.sense {
            Sense::Minimize => 1.0,
            Sense::Maximize => -1.0,
        };
        let cost: Vec<f64> = model.cost.iter().map(|c| sign * c).collect();
        let mut crossed = false;
        let mut ordered = |lower: &[f64], upper: &[f64]| -> (Vec<f64>, Vec<f64>) {
            let pairs = lower.iter().zip(upper);
            pairs
                .map(|(&lower, &upper)| {
                    let ordered = in_order(lower, upper);
                    crossed |= ordered.is_none();
                    ordered.unwrap_or((lower, lower))
                })
                .unzip()
        };
        let (lower, upper) = ordered(&model.lower, &model.upper);
        let (row_lower, row_upper) = ordered(&model.rows.lower, &model.rows.upper);
        if crossed {
            self.lp.termination = Termination::Infeasible;
            return Ok(());
        }
        let matrix = model.by_columns();
        let starts: Vec<i32> = matrix.starts().iter().map(|&s| s as i32).collect();
        let rows: Vec<i32> = matrix.indices().iter().map(|&i| i as i32).collect();
        let mut lp = Lp::new(
            self.api,
            &LpArrays {
                cost: &cost,
                lower: &lower,
                upper: &upper,
                row_lower: &row_lower,
                row_upper: &row_upper,
                starts: &starts,
                rows: &rows,
                values: matrix.values(),
            },
        )?;
        let left = |limit: f64| limit - began.elapsed().as_secs_f64();
        let seconds = self.time_limit.map(left);
        if seconds.is_some_and(|seconds| seconds <= 0.0) {
            return Ok(());
        }
        let end = lp.solve(seconds)?;
        self.lp = LpFound {
            iterations: lp.iterations(),
            solution: match end {
                LpEnd::Optimal => Some(read(&lp, sign)?),
                _ => None,
            },
            termination: match end {
                LpEnd::Optimal => Termination::Optimal,
                LpEnd::Infeasible => Termination::Infeasible,
                LpEnd::Unbounded => Termination::Unbounded,
                LpEnd::TimeLimit => Termination::TimeLimit,
                LpEnd::Trouble => Termination::Trouble("the LP solver gave up".into()),
            },
        };
        Ok(())
    }
}

/// SCIP's indicators have upper sides only.
fn add_indicator(scip: &mut Instance, indicator: &Indicator) -> Outcome {
    let row = &indicator.row;
    let columns: Vec<i32> = row.entries.iter().map(|entry| entry.0 as i32).collect();
    for (sign, side) in [(1.0, row.upper), (-1.0, -row.lower)] {
        if side == f64::INFINITY {
            continue;
        }
        let values: Vec<f64> = row.entries.iter().map(|entry| sign * entry.1).collect();
        scip.add_indicator(indicator.column, indicator.at_one, side, &columns, &values)?;
    }
    Ok(())
}

fn read(lp: &Lp, sign: f64) -> Result<LpSolution, Failed> {
    let [values, reduced_costs, activities, duals] = lp.solution()?;
    let (columns, rows) = lp.basis()?;
    let status = |code: i32| match code {
        0 => BasisStatus::Lower,
        1 => BasisStatus::Basic,
        2 => BasisStatus::Upper,
        _ => BasisStatus::Zero,
    };
    let signed = |values: Vec<f64>| values.into_iter().map(|v| sign * v).collect();
    Ok(LpSolution {
        values,
        reduced_costs: signed(reduced_costs),
        activities,
        duals: signed(duals),
        column_basis: columns.into_iter().map(status).collect(),
        row_basis: rows.into_iter().map(status).collect(),
    })
}

/// SCIP's statuses, by their numbers since version 10.
fn termination(status: i32) -> Termination {
    match status {
        // 25 is its word for a gap that was asked for and reached.
        1 | 25 => Termination::Optimal,
        2 => Termination::Infeasible,
        3 => Termination::Unbounded,
        4 => Termination::InfeasibleOrUnbounded,
        10 | 11 => Termination::Interrupted,
        23 => Termination::TimeLimit,
        24 => Termination::Trouble("memory limit".into()),
        20..=30 => Termination::Limit,
        other => Termination::Trouble(format!("SCIP status {other}")),
    }
}

impl Engine for ScipEngine {
    const NAME: &'static str = super::NAME;
    const TAKES_OFFERS: bool = true;
    const PAUSES: bool = true;
    const INDICATORS: bool = true;

    fn model(&mut self) -> &mut dyn ModelChanges {
        &mut self.model
    }

    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError> {
        let broken = |Failed| failed::<Self>("start", last_errors().trim());
        let mut scip = Instance::new(self.api).map_err(broken)?;
        for (name, value) in named_parameters(options) {
            scip.set(&name, &value)
                .map_err(|Failed| SolverError::Parameter {
                    message: format!("SCIP has no such parameter, or not with the value `{value}`"),
                    name,
                })?;
        }
        self.prepared = Some(scip);
        self.time_limit = options.time_limit;
        self.relaxation = options.relaxation;
        self.start = None;
        Ok(())
    }

    fn start_from(&mut self, values: &[f64]) {
        self.start = Some(values.to_vec());
    }

    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        match self.relaxation {
            true => self.run_relaxation(handler),
            false => self.run_model(handler),
        }
    }

    fn found(&self) -> Found {
        self.found.clone()
    }

    fn relaxation(&self) -> LpFound {
        self.lp.clone()
    }
}

/// The parameters of a run by SCIP's names, in the order in which they are set: those of the user come last. SCIP's search
/// has one thread.
fn named_parameters(options: &RunOptions<'_>) -> Vec<(String, String)> {
    let params = options.params;
    let mut named = vec![
        // Signals belong to the program.
        ("misc/catchctrlc", "false".to_owned()),
        // Seconds are those of the wall, not of the processor.
        ("timing/clocktype", "2".into()),
        ("limits/gap", params.relative_gap.to_string()),
        ("limits/absgap", params.absolute_gap.to_string()),
        ("randomization/randomseedshift", params.seed.to_string()),
    ];
    if let Some(nodes) = options.node_limit {
        // Without the root nothing at all would be done.
        named.push(("limits/nodes", nodes.clamp(1, i64::MAX as u64).to_string()));
    }
    let named = named.into_iter().map(|(name, value)| (name.into(), value));
    named.chain(params.raw.iter().cloned()).collect()
}

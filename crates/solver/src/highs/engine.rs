//! HiGHS as an engine: changes, options, and what a run found.

use std::ffi::c_int;
use std::ops::Range;

use idpas_mip::{BasisStatus, Model, Sense, VarKind};

use super::failed;
use super::ffi::{Arrays, Handle, RowArrays};
use super::rows::RowFactors;
use crate::backend::{
    Engine, Failed, Found, Handler, LpFound, LpSolution, ModelChanges, Outcome, RunOptions,
};
use crate::{BoundChange, NewColumn, NewRow, Params, SolverError, Termination};

pub(super) struct HighsEngine {
    handle: Handle,
    is_discrete: bool,
    /// HiGHS's rows are the model's, multiplied by these.
    factors: RowFactors,
    /// Whether HiGHS would take a cost for zero that is not.
    has_faint_costs: bool,
}

fn sense_code(sense: Sense) -> c_int {
    match sense {
        Sense::Minimize => highs_sys::kHighsObjSenseMinimize,
        Sense::Maximize => highs_sys::kHighsObjSenseMaximize,
    }
}

fn kind_code(kind: VarKind) -> c_int {
    match kind {
        VarKind::Continuous => highs_sys::kHighsVarTypeContinuous,
        VarKind::Integer => highs_sys::kHighsVarTypeInteger,
    }
}

/// Indices, lower and upper bounds as arrays for HiGHS.
fn bound_arrays(changes: &[BoundChange]) -> (Vec<c_int>, Vec<f64>, Vec<f64>) {
    (
        changes.iter().map(|c| c.index as c_int).collect(),
        changes.iter().map(|c| c.lower).collect(),
        changes.iter().map(|c| c.upper).collect(),
    )
}

/// Whether a cost, divided by the column's greatest coefficient, is within HiGHS's usual tolerance of duals, though the column
/// is so wide that it matters. Duals of rows are such quotients.
fn is_faint(cost: f64, greatest: f64, lower: f64, upper: f64) -> bool {
    let size = cost.abs();
    size > 0.0 && size <= 2e-7 * greatest.max(1.0) && size * (upper - lower) > 1e-6
}

/// Whether a model has a cost that HiGHS would take for zero, with its rows as HiGHS has them.
fn has_faint_costs(model: &Model, factors: &RowFactors) -> bool {
    let columns = &model.columns;
    (0..model.num_columns()).any(|j| {
        let sizes = model
            .matrix
            .entries(j)
            .map(|(i, a)| a.abs() * factors.of(i));
        let greatest = sizes.fold(0.0, f64::max);
        is_faint(
            columns.cost[j],
            greatest,
            columns.lower[j],
            columns.upper[j],
        )
    })
}

impl HighsEngine {
    pub(super) fn new(model: &Model) -> Result<Self, SolverError> {
        let starts: Vec<c_int> = model.matrix.starts().iter().map(|&s| s as c_int).collect();
        let indices: Vec<c_int> = model.matrix.indices().iter().map(|&i| i as c_int).collect();
        let integrality: Vec<c_int> = model.columns.kind.iter().map(|&k| kind_code(k)).collect();
        let factors = RowFactors::new(model);
        let scaled = factors.scaled(model);
        let (values, row_lower, row_upper) = match &scaled {
            Some([values, lower, upper]) => (&values[..], &lower[..], &upper[..]),
            None => (
                model.matrix.values(),
                &model.rows.lower[..],
                &model.rows.upper[..],
            ),
        };
        let mut handle = Handle::new();
        handle
            .pass_model(&Arrays {
                sense: sense_code(model.sense),
                constant: model.objective_constant,
                cost: &model.columns.cost,
                lower: &model.columns.lower,
                upper: &model.columns.upper,
                row_lower,
                row_upper,
                starts: &starts,
                indices: &indices,
                values,
                integrality: &integrality,
            })
            .map_err(|Failed| {
                failed(
                    "load the model",
                    "it refused the arrays (a coefficient of 1e15 or more?)",
                )
            })?;
        Ok(HighsEngine {
            handle,
            is_discrete: model.has_integers(),
            has_faint_costs: has_faint_costs(model, &factors),
            factors,
        })
    }
}

impl ModelChanges for HighsEngine {
    fn change_column_bounds(&mut self, changes: &[BoundChange]) -> Outcome {
        let (set, lower, upper) = bound_arrays(changes);
        self.handle.change_column_bounds(&set, &lower, &upper)
    }

    fn change_row_bounds(&mut self, changes: &[BoundChange]) -> Outcome {
        let scaled = |change: &BoundChange| self.factors.sides(change).ok_or(Failed);
        let scaled: Vec<BoundChange> = changes.iter().map(scaled).collect::<Result<_, _>>()?;
        let (set, lower, upper) = bound_arrays(&scaled);
        self.handle.change_row_bounds(&set, &lower, &upper)
    }

    fn change_costs(&mut self, changes: &[(usize, f64)]) -> Outcome {
        let set: Vec<c_int> = changes.iter().map(|c| c.0 as c_int).collect();
        let cost: Vec<f64> = changes.iter().map(|c| c.1).collect();
        // Entries and bounds of the columns by now are not looked up.
        let is_faint = |cost: &f64| is_faint(*cost, 0.0, 0.0, f64::INFINITY);
        self.has_faint_costs |= cost.iter().any(is_faint);
        self.handle.change_costs(&set, &cost)
    }

    fn change_objective(&mut self, sense: Sense, constant: f64) -> Outcome {
        self.handle.change_objective(sense_code(sense), constant)
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Outcome {
        let cost: Vec<f64> = columns.iter().map(|c| c.cost).collect();
        let lower: Vec<f64> = columns.iter().map(|c| c.lower).collect();
        let upper: Vec<f64> = columns.iter().map(|c| c.upper).collect();
        let integrality: Vec<c_int> = columns.iter().map(|c| kind_code(c.kind)).collect();
        self.handle
            .add_columns(&cost, &lower, &upper, &integrality)?;
        self.is_discrete |= columns.iter().any(|c| c.kind == VarKind::Integer);
        self.has_faint_costs |= columns
            .iter()
            .any(|c| is_faint(c.cost, 0.0, c.lower, c.upper));
        Ok(())
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Outcome {
        let mut arrays = RowArrays::default();
        for row in rows {
            let factor = self.factors.add(row);
            arrays.lower.push(row.lower * factor);
            arrays.upper.push(row.upper * factor);
            arrays.starts.push(arrays.indices.len() as c_int);
            for &(column, value) in &row.entries {
                arrays.indices.push(column as c_int);
                arrays.values.push(value * factor);
            }
        }
        self.handle.add_rows(&arrays)
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Outcome {
        self.handle.delete_rows(rows.start, rows.end - 1)?;
        self.factors.remove(rows);
        Ok(())
    }

    fn nonzeros(&self) -> usize {
        self.handle.num_nonzeros()
    }
}

impl Engine for HighsEngine {
    const NAME: &'static str = super::NAME;
    const TAKES_OFFERS: bool = true;
    const PAUSES: bool = true;
    const INDICATORS: bool = false;

    fn model(&mut self) -> &mut dyn ModelChanges {
        self
    }

    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError> {
        let handle = &mut self.handle;
        handle.reset_options();
        handle.clear_solver();
        for (name, value) in named_options(options, self.has_faint_costs) {
            handle
                .set_option(&name, &value)
                .map_err(|Failed| SolverError::Parameter {
                    message: format!("HiGHS has no such option, or not with the value `{value}`"),
                    name,
                })?;
        }
        Ok(())
    }

    fn start_from(&mut self, values: &[f64]) {
        let _ = self.handle.set_solution(values);
    }

    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        self.handle.run(handler)
    }

    fn found(&self) -> Found {
        let handle = &self.handle;
        let status = handle.int_info(c"primal_solution_status");
        let mut solutions = Vec::new();
        if status == Some(highs_sys::kHighsSolutionStatusFeasible) {
            let [values, ..] = handle.solution();
            solutions.push(values);
        }
        let count = |value: Option<i64>| value.and_then(|v| u64::try_from(v).ok()).unwrap_or(0);
        let (bound, nodes) = match self.is_discrete {
            true => (
                handle.double_info(c"mip_dual_bound"),
                count(handle.int64_info(c"mip_node_count")),
            ),
            false => (None, 0),
        };
        let iterations = handle.int_info(c"simplex_iteration_count");
        Found {
            termination: termination(handle.model_status()),
            solutions,
            bound,
            nodes,
            lp_iterations: count(iterations.map(i64::from)),
        }
    }

    fn relaxation(&self) -> LpFound {
        let handle = &self.handle;
        let termination = match handle.model_status() {
            highs_sys::kHighsModelStatusModelEmpty => Termination::Optimal,
            status => termination(status),
        };
        let iterations = handle.int_info(c"simplex_iteration_count").unwrap_or(0);
        LpFound {
            solution: (termination == Termination::Optimal).then(|| read_lp(handle, &self.factors)),
            termination,
            iterations: u64::try_from(iterations).unwrap_or(0),
        }
    }
}

/// The options of a run by HiGHS's names, in the order in which they are set: those of the user come last.
fn named_options(options: &RunOptions<'_>, fine_duals: bool) -> Vec<(String, String)> {
    let params: &Params = options.params;
    let mut named = vec![
        ("mip_rel_gap", params.relative_gap.to_string()),
        ("mip_abs_gap", params.absolute_gap.to_string()),
        ("threads", params.threads.to_string()),
        ("random_seed", params.seed.to_string()),
    ];
    if let Some(seconds) = options.time_limit {
        named.push(("time_limit", seconds.to_string()));
    }
    if let Some(nodes) = options.node_limit {
        named.push(("mip_max_nodes", nodes.min(c_int::MAX as u64).to_string()));
    }
    if options.relaxation {
        named.push(("solve_relaxation", "true".into()));
    }
    if fine_duals {
        // The finest that HiGHS has. With the usual one, it takes some costs and duals for zero that are not.
        named.push(("dual_feasibility_tolerance", "1e-10".into()));
    }
    let named = named.into_iter().map(|(name, value)| (name.into(), value));
    named.chain(params.raw.iter().cloned()).collect()
}

fn termination(status: c_int) -> Termination {
    match status {
        highs_sys::kHighsModelStatusOptimal => Termination::Optimal,
        highs_sys::kHighsModelStatusInfeasible => Termination::Infeasible,
        highs_sys::kHighsModelStatusUnboundedOrInfeasible => Termination::InfeasibleOrUnbounded,
        highs_sys::kHighsModelStatusUnbounded => Termination::Unbounded,
        highs_sys::kHighsModelStatusTimeLimit => Termination::TimeLimit,
        highs_sys::kHighsModelStatusObjectiveBound
        | highs_sys::kHighsModelStatusObjectiveTarget
        | highs_sys::kHighsModelStatusIterationLimit
        | highs_sys::kHighsModelStatusSolutionLimit => Termination::Limit,
        // 19 is HiGHS's status for its own interrupt, which its C header does not name.
        highs_sys::kHighsModelStatusInterrupt | 19 => Termination::Interrupted,
        18 => Termination::Trouble("memory limit".into()),
        other => Termination::Trouble(format!("HiGHS model status {other}")),
    }
}

fn read_lp(handle: &Handle, factors: &RowFactors) -> LpSolution {
    let [values, reduced_costs, activities, duals] = handle.solution();
    let (columns, rows) = handle.basis();
    let status = |code: c_int| match code {
        highs_sys::kHighsBasisStatusLower => BasisStatus::Lower,
        highs_sys::kHighsBasisStatusBasic => BasisStatus::Basic,
        highs_sys::kHighsBasisStatusUpper => BasisStatus::Upper,
        highs_sys::kHighsBasisStatusZero => BasisStatus::Zero,
        _ => BasisStatus::Nonbasic,
    };
    LpSolution {
        values,
        reduced_costs,
        activities: factors.activities(activities),
        duals: factors.duals(duals),
        column_basis: columns.into_iter().map(status).collect(),
        row_basis: rows.into_iter().map(status).collect(),
    }
}

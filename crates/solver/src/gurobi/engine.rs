//! Gurobi as an engine: builds a model of Gurobi's for each run, sets its parameters, and reads what it found.
//!
//! How Gurobi is called, it does not know: a [`GurobiModel`] does. One calls the C library, another one, in the Python package,
//! calls gurobipy.

use super::callback::bound;
use super::form::{GurobiForm, LpAttributes};
use crate::backend::{
    Engine, Failed, Found, Handler, LpFound, LpSolution, Message, ModelChanges, Outcome, Recorded,
    RunOptions, not_run,
};
use crate::{SolverError, Termination};

/// Most solutions that Gurobi keeps in a pool.
const MOST_POOLED: usize = 2_000_000_000;
/// Largest seed that Gurobi takes.
const LARGEST_SEED: u32 = 2_000_000_000;
/// The error of a model that is too large for a licence.
const SIZE_LIMITED: i32 = 10010;
/// Statuses after a run.
const OPTIMAL: i32 = 2;
const INFEASIBLE: i32 = 3;
const INFEASIBLE_OR_UNBOUNDED: i32 = 4;
const UNBOUNDED: i32 = 5;

/// What Gurobi says when it cannot do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (error {code})")]
pub struct GurobiError {
    /// Its number for the error.
    pub code: i32,
    /// Its words for it.
    pub message: String,
}

/// The kind of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Whole numbers; also for what is on or off.
    Integer,
    /// Numbers.
    Real,
    /// Any text.
    Text,
}

/// A value for a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterValue<'a> {
    /// For [`ParameterKind::Integer`].
    Integer(i32),
    /// For [`ParameterKind::Real`].
    Real(f64),
    /// For [`ParameterKind::Text`].
    Text(&'a str),
}

impl<'a> ParameterValue<'a> {
    /// Reads a value from text; the error says what was expected.
    fn parse(kind: ParameterKind, text: &'a str) -> Result<Self, String> {
        let wrong = |expected: &str| format!("`{text}`; expected {expected}");
        match kind {
            ParameterKind::Integer => match text {
                "true" => Ok(ParameterValue::Integer(1)),
                "false" => Ok(ParameterValue::Integer(0)),
                _ => text
                    .parse()
                    .map(ParameterValue::Integer)
                    .map_err(|_| wrong("a whole number")),
            },
            // Gurobi would take what is not a number, too.
            ParameterKind::Real => match text.parse::<f64>() {
                Ok(value) if !value.is_nan() => Ok(ParameterValue::Real(value)),
                _ => Err(wrong("a number")),
            },
            ParameterKind::Text => Ok(ParameterValue::Text(text)),
        }
    }
}

/// A model of Gurobi's. Names of attributes and parameters are Gurobi's own.
pub trait GurobiModel: Send + Sized + 'static {
    /// What models are made in. It holds the licence and must not be used by two threads at a time.
    type Environment: Send + 'static;

    /// Makes a model.
    fn build(environment: &Self::Environment, form: &GurobiForm) -> Result<Self, GurobiError>;

    /// The kind of a parameter; `None` if there is none of this name.
    fn parameter_kind(&self, name: &str) -> Option<ParameterKind>;

    /// Sets a parameter to a value of its kind.
    fn set_parameter(&mut self, name: &str, value: ParameterValue<'_>) -> Result<(), GurobiError>;

    /// Hands over a solution to start from: a value for each column of the model, none for those that were added for rows
    /// with two sides.
    fn set_start(&mut self, values: &[f64]) -> Result<(), GurobiError>;

    /// Makes the objective zero.
    fn clear_objective(&mut self) -> Result<(), GurobiError>;

    /// Runs, passing on what happens. A panic of the handler is raised again after Gurobi has stopped.
    fn optimize(&mut self, handler: &mut Handler<'_>) -> Result<(), GurobiError>;

    /// A whole number; `None` if it is not known.
    fn integer(&self, attribute: &str) -> Option<i32>;

    /// A number; `None` if it is not known.
    fn real(&self, attribute: &str) -> Option<f64>;

    /// Whole numbers of all columns or rows, of which there are `count`; `None` if they are not known.
    fn integers(&self, attribute: &str, count: usize) -> Option<Vec<i32>>;

    /// Numbers of all columns or rows, of which there are `count`; `None` if they are not known.
    fn reals(&self, attribute: &str, count: usize) -> Option<Vec<f64>>;
}

/// Gurobi with a model, called through `M`.
pub struct GurobiEngine<M: GurobiModel> {
    model: Recorded,
    prepared: Option<Prepared<M>>,
    found: Found,
    lp: LpFound,
    environment: M::Environment,
}

/// A model of Gurobi's with the parameters of the next run.
struct Prepared<M> {
    model: M,
    form: GurobiForm,
    relaxation: bool,
}

impl<M: GurobiModel> GurobiEngine<M> {
    /// A copy of a model, to be solved in this environment.
    pub fn new(environment: M::Environment, model: Recorded) -> Self {
        GurobiEngine {
            model,
            prepared: None,
            found: Found::nothing(not_run()),
            lp: LpFound::nothing(not_run()),
            environment,
        }
    }

    fn run_model(
        &mut self,
        prepared: &mut Prepared<M>,
        handler: &mut Handler<'_>,
    ) -> Result<(), GurobiError> {
        let Prepared { model, form, .. } = prepared;
        model.optimize(handler)?;
        let status = model.integer("Status").unwrap_or(0);
        self.found = Found {
            termination: termination(status),
            solutions: match form.is_discrete() {
                true => solutions(model, form),
                false => one_solution(model, form, status),
            },
            bound: bound(model.real("ObjBound")),
            nodes: count(model.real("NodeCount")),
            lp_iterations: count(model.real("IterCount")),
        };
        Ok(())
    }

    fn run_relaxation(
        &mut self,
        prepared: &mut Prepared<M>,
        handler: &mut Handler<'_>,
    ) -> Result<(), GurobiError> {
        let Prepared { model, form, .. } = prepared;
        model.optimize(handler)?;
        let status = model.integer("Status").unwrap_or(0);
        let iterations = count(model.real("IterCount"));
        let solution = (status == OPTIMAL).then(|| self.read(model, form));
        self.lp = LpFound {
            termination: match status {
                INFEASIBLE_OR_UNBOUNDED | UNBOUNDED => tell_apart(model, handler)?,
                status => termination(status),
            },
            solution: solution.flatten(),
            iterations,
        };
        Ok(())
    }

    /// The optimal solution of the relaxation.
    fn read(&self, model: &M, form: &GurobiForm) -> Option<LpSolution> {
        let (columns, rows) = (form.all_columns(), form.num_rows());
        let lp = LpAttributes {
            values: model.reals("X", columns)?,
            reduced_costs: model.reals("RC", columns),
            duals: model.reals("Pi", rows),
            column_basis: model.integers("VBasis", columns),
            row_basis: model.integers("CBasis", rows),
        };
        Some(form.solution(&self.model, lp))
    }
}

fn count(value: Option<f64>) -> u64 {
    value.map_or(0, |value| value as u64)
}

/// Finds out whether a relaxation is infeasible or unbounded. Gurobi calls it unbounded when it has found a ray, whether there
/// is a solution or not; without an objective there are no rays.
fn tell_apart<M: GurobiModel>(
    model: &mut M,
    handler: &mut Handler<'_>,
) -> Result<Termination, GurobiError> {
    model.clear_objective()?;
    model.optimize(handler)?;
    Ok(match model.integer("Status").unwrap_or(0) {
        OPTIMAL => Termination::Unbounded,
        INFEASIBLE => Termination::Infeasible,
        INFEASIBLE_OR_UNBOUNDED | UNBOUNDED => Termination::InfeasibleOrUnbounded,
        status => termination(status),
    })
}

/// All solutions that Gurobi has kept, best first: as many as `PoolSolutions` says, those that it came across, or with
/// `PoolSearchMode` 2 the best that there are.
fn solutions<M: GurobiModel>(model: &mut M, form: &GurobiForm) -> Vec<Vec<f64>> {
    let kept = model.integer("SolCount").unwrap_or(0);
    let mut solutions = Vec::new();
    for number in 0..kept {
        let chosen = model.set_parameter("SolutionNumber", ParameterValue::Integer(number));
        let Some(mut values) = chosen
            .ok()
            .and_then(|()| model.reals("Xn", form.all_columns()))
        else {
            break;
        };
        values.truncate(form.columns);
        solutions.push(values);
    }
    solutions
}

/// The solution of a model without integers: where it is not optimal, it need not be feasible.
fn one_solution<M: GurobiModel>(model: &M, form: &GurobiForm, status: i32) -> Vec<Vec<f64>> {
    let values = model.reals("X", form.all_columns());
    let mut solutions: Vec<Vec<f64>> = values.filter(|_| status == OPTIMAL).into_iter().collect();
    for values in &mut solutions {
        values.truncate(form.columns);
    }
    solutions
}

/// Gurobi's statuses by their numbers.
fn termination(status: i32) -> Termination {
    match status {
        OPTIMAL => Termination::Optimal,
        INFEASIBLE => Termination::Infeasible,
        // It has found a ray; whether there is a solution, it does not say.
        INFEASIBLE_OR_UNBOUNDED | UNBOUNDED => Termination::InfeasibleOrUnbounded,
        9 => Termination::TimeLimit,
        // Cutoff, iterations, nodes, solutions, objective, work.
        6 | 7 | 8 | 10 | 15 | 16 => Termination::Limit,
        11 => Termination::Interrupted,
        12 => Termination::Trouble("numerical trouble".into()),
        13 => Termination::Trouble("its tolerances could not be satisfied".into()),
        17 => Termination::Trouble("memory limit".into()),
        other => Termination::Trouble(format!("Gurobi status {other}")),
    }
}

impl<M: GurobiModel> Engine for GurobiEngine<M> {
    const NAME: &'static str = super::NAME;
    const TAKES_OFFERS: bool = true;
    const PAUSES: bool = true;
    const INDICATORS: bool = true;
    const POOLS: bool = true;

    fn model(&mut self) -> &mut dyn ModelChanges {
        &mut self.model
    }

    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError> {
        self.prepared = None;
        let form = GurobiForm::of(&self.model, options.relaxation);
        let mut model = M::build(&self.environment, &form)
            .map_err(|error| super::failed("load the model", error.to_string()))?;
        // Gurobi takes Ctrl-C for itself while it runs, and of two runs at a time the last leaves its handler behind. This
        // parameter is not in its manual, so a version without it must do.
        let _ = set(&mut model, "GURO_PAR_NOSIGNALS", "1");
        for (name, value) in named_parameters(options, form.is_discrete()) {
            set(&mut model, &name, &value)
                .map_err(|message| SolverError::Parameter { name, message })?;
        }
        self.prepared = Some(Prepared {
            model,
            form,
            relaxation: options.relaxation,
        });
        Ok(())
    }

    fn start_from(&mut self, values: &[f64]) {
        if let Some(prepared) = &mut self.prepared {
            // The caller has the solution, whatever Gurobi says to it.
            let _ = prepared.model.set_start(values);
        }
    }

    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        self.found = Found::nothing(not_run());
        self.lp = LpFound::nothing(not_run());
        let mut prepared = self.prepared.take().ok_or(Failed)?;
        // Gurobi's first own question can be a while away.
        if handler(Message::Check { mip: None }) {
            self.found.termination = Termination::Interrupted;
            self.lp.termination = Termination::Interrupted;
            return Ok(());
        }
        let ran = match prepared.relaxation {
            true => self.run_relaxation(&mut prepared, handler),
            false => self.run_model(&mut prepared, handler),
        };
        ran.map_err(|error| {
            let why = explained(&error, &prepared.form);
            handler(Message::Log(&format!("ERROR: {why}")));
            Failed
        })
    }

    fn found(&self) -> Found {
        self.found.clone()
    }

    fn relaxation(&self) -> LpFound {
        self.lp.clone()
    }
}

/// An error in words, with what to do about it where that is known.
fn explained(error: &GurobiError, form: &GurobiForm) -> String {
    if error.code != SIZE_LIMITED {
        return error.to_string();
    }
    let (rows, columns, added) = (form.num_rows(), form.all_columns(), form.ranges.len());
    let added = match added {
        0 => String::new(),
        _ => format!(", {added} of them for rows with two sides"),
    };
    format!(
        "{error}. The licence that comes with gurobipy is for at most 2,000 rows and 2,000 columns; this model has {rows} rows and \
         {columns} columns{added}. With a licence of your own any size is solved, and the solver `highs` needs none"
    )
}

/// Sets a parameter from text.
fn set<M: GurobiModel>(model: &mut M, name: &str, value: &str) -> Result<(), String> {
    let kind = model
        .parameter_kind(name)
        .ok_or("Gurobi has no such parameter")?;
    let value = ParameterValue::parse(kind, value)?;
    model
        .set_parameter(name, value)
        .map_err(|error| error.to_string())
}

/// The parameters of a run by Gurobi's names, in the order in which they are set: those of the user come last.
fn named_parameters(options: &RunOptions<'_>, is_discrete: bool) -> Vec<(String, String)> {
    let params = options.params;
    let mut named = vec![
        // Nothing may reach the terminal except through us. The log is for the callback.
        ("LogToConsole", "0".to_owned()),
        ("OutputFlag", "1".into()),
        ("MIPGap", params.relative_gap.to_string()),
        ("MIPGapAbs", params.absolute_gap.to_string()),
        // As HiGHS has it, and as solutions are checked; Gurobi's own is ten times that.
        ("IntFeasTol", "1e-6".into()),
        ("Threads", params.threads.to_string()),
        ("Seed", (params.seed % (LARGEST_SEED + 1)).to_string()),
    ];
    if !is_discrete && params.threads > 1 {
        // Without integers Gurobi takes the algorithm that is first, which need not be the same one the next time.
        named.push(("Method", "4".into()));
    }
    if let Some(seconds) = options.time_limit {
        named.push(("TimeLimit", seconds.to_string()));
    }
    if let Some(nodes) = options.node_limit {
        named.push(("NodeLimit", nodes.to_string()));
    }
    if let Some(pool) = params.pool.filter(|_| is_discrete) {
        // Not what it comes across, but the best that there are.
        named.push(("PoolSearchMode", "2".into()));
        named.push((
            "PoolSolutions",
            pool.solutions.clamp(1, MOST_POOLED).to_string(),
        ));
        named.push(("PoolGap", pool.gap.to_string()));
    }
    let named = named.into_iter().map(|(name, value)| (name.into(), value));
    named.chain(params.raw.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    #[test]
    fn values_are_read_by_their_kind() {
        use ParameterKind::{Integer, Real, Text};
        let parse = ParameterValue::parse;
        assert_eq!(parse(Integer, "2"), Ok(ParameterValue::Integer(2)));
        assert_eq!(parse(Integer, "true"), Ok(ParameterValue::Integer(1)));
        assert_eq!(parse(Real, "1e-3"), Ok(ParameterValue::Real(0.001)));
        assert_eq!(parse(Text, "x y"), Ok(ParameterValue::Text("x y")));
        for (kind, text) in [(Integer, "1.5"), (Integer, ""), (Real, "NaN"), (Real, "x")] {
            let message = parse(kind, text).expect_err("refused");
            assert!(
                message.contains(&format!("`{text}`; expected")),
                "{message}"
            );
        }
    }

    #[test]
    fn options_of_the_user_come_last() {
        let params = Params {
            threads: 2,
            seed: i32::MAX as u32,
            raw: vec![("MIPGap".into(), "0.5".into())],
            ..Params::default()
        };
        let options = RunOptions {
            params: &params,
            time_limit: Some(1.5),
            node_limit: Some(3),
            relaxation: false,
        };
        let named = named_parameters(&options, true);
        let value = |name: &str| {
            let found = named.iter().rev().find(|named| named.0 == name);
            found.map(|named| named.1.as_str())
        };
        assert_eq!(value("MIPGap"), Some("0.5"));
        assert_eq!(value("TimeLimit"), Some("1.5"));
        assert_eq!(value("NodeLimit"), Some("3"));
        assert_eq!(value("Method"), None);
        assert_eq!(value("Seed"), Some("147483646"));
        assert_eq!(named_parameters(&options, false)[7].0, "Method");
    }
}

//! A made-up solver that does as its script says.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use idpas_mip::{Model, Relaxation, Sense};
use idpas_solver::{
    BoundChange, Control, Event, FoundSolution, Interrupt, LoadedModel, LpResult, NewColumn,
    NewRow, Params, SolveResult, Solver, SolverError, Start, Termination,
};

/// A solver that obeys no limit. Each solve reports one incumbent and ends with it; each relaxation has a solution.
#[derive(Clone)]
pub struct ScriptedSolver {
    /// Values of the incumbent, by column; `None` for 1 in every column of the loaded model.
    pub incumbent: Option<Vec<f64>>,
    /// Values of a relaxation's solution, by column; `None` for 1 in every column of the loaded model.
    pub relaxed: Option<Vec<f64>>,
    /// The objective value that it claims, of the incumbent and of a relaxation.
    pub objective: f64,
    /// The bound that it reports with the incumbent.
    pub incumbent_bound: f64,
    /// The bound of the solve's result.
    pub final_bound: f64,
    /// Why the solve ends.
    pub termination: Termination,
    /// Seconds from the beginning of a solve to the report of the incumbent.
    pub before: f64,
    /// Seconds from the report of the incumbent to the end of the solve.
    pub after: f64,
    /// Neither a solve nor a relaxation reports anything before this moment.
    pub silent_until: Option<Instant>,
    /// When it claims to have found the incumbent, in seconds since the solve began; `None` for the time of its report.
    pub found: Option<f64>,
    /// Raised just before the incumbent is reported.
    pub raise: Option<Interrupt>,
    /// The time limits of all relaxations that it was asked for, in seconds. Clones share the list.
    pub relaxations: Arc<Mutex<Vec<Option<f64>>>>,
}

impl Default for ScriptedSolver {
    /// Reports at once what it finds, proves nothing and ends as if its time were over.
    fn default() -> Self {
        ScriptedSolver {
            incumbent: None,
            relaxed: None,
            objective: 0.0,
            incumbent_bound: f64::NEG_INFINITY,
            final_bound: f64::NEG_INFINITY,
            termination: Termination::TimeLimit,
            before: 0.0,
            after: 0.0,
            silent_until: None,
            found: None,
            raise: None,
            relaxations: Arc::default(),
        }
    }
}

impl ScriptedSolver {
    /// Nodes of the search tree that each solve claims.
    pub const NODES: u64 = 3;
    /// Simplex iterations that each solve claims.
    pub const LP_ITERATIONS: u64 = 7;

    /// The time limits of all relaxations that it was asked for so far, in seconds.
    pub fn relaxation_limits(&self) -> Vec<Option<f64>> {
        self.relaxations.lock().unwrap().clone()
    }

    fn stay_silent(&self) {
        if let Some(until) = self.silent_until {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    }
}

impl Solver for ScriptedSolver {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn version(&self) -> String {
        "0".into()
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        Ok(Box::new(ScriptedModel {
            script: self.clone(),
            columns: model.num_columns(),
            rows: model.num_rows(),
        }))
    }
}

/// A model that a [`ScriptedSolver`] has loaded. Only its size is known.
struct ScriptedModel {
    script: ScriptedSolver,
    columns: usize,
    rows: usize,
}

impl ScriptedModel {
    /// The values that the script gives, or 1 in every column.
    fn values(&self, given: &Option<Vec<f64>>) -> Vec<f64> {
        given.clone().unwrap_or_else(|| vec![1.0; self.columns])
    }
}

impl LoadedModel for ScriptedModel {
    fn num_columns(&self) -> usize {
        self.columns
    }

    fn num_rows(&self) -> usize {
        self.rows
    }

    fn set_column_bounds(&mut self, _changes: &[BoundChange]) -> Result<(), SolverError> {
        Ok(())
    }

    fn set_row_bounds(&mut self, _changes: &[BoundChange]) -> Result<(), SolverError> {
        Ok(())
    }

    fn set_costs(&mut self, _changes: &[(usize, f64)]) -> Result<(), SolverError> {
        Ok(())
    }

    fn set_objective(&mut self, _sense: Sense, _constant: f64) -> Result<(), SolverError> {
        Ok(())
    }

    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        let first = self.columns;
        self.columns += columns.len();
        Ok(first..self.columns)
    }

    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        let first = self.rows;
        self.rows += rows.len();
        Ok(first..self.rows)
    }

    fn delete_rows(&mut self, rows: Range<usize>) -> Result<(), SolverError> {
        self.rows -= rows.len();
        Ok(())
    }

    fn solve(
        &mut self,
        _params: &Params,
        _start: Option<&Start>,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        let (began, script) = (Instant::now(), &self.script);
        std::thread::sleep(Duration::from_secs_f64(script.before));
        script.stay_silent();
        if let Some(interrupt) = &script.raise {
            interrupt.raise();
        }
        let found = FoundSolution {
            values: self.values(&script.incumbent),
            objective: script.objective,
            time: script.found.unwrap_or(began.elapsed().as_secs_f64()),
        };
        control.tell(Event::Incumbent {
            time: found.time,
            objective: found.objective,
            bound: script.incumbent_bound,
            values: &found.values,
        });
        std::thread::sleep(Duration::from_secs_f64(script.after));
        Ok(SolveResult {
            termination: script.termination.clone(),
            best: Some(found.clone()),
            bound: script.final_bound,
            solutions: vec![found],
            start: None,
            time: began.elapsed().as_secs_f64(),
            nodes: ScriptedSolver::NODES,
            lp_iterations: ScriptedSolver::LP_ITERATIONS,
            abandoned: false,
        })
    }

    fn solve_relaxation(
        &mut self,
        params: &Params,
        _control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        let (began, script) = (Instant::now(), &self.script);
        script.relaxations.lock().unwrap().push(params.time_limit);
        script.stay_silent();
        Ok(LpResult {
            termination: Termination::Optimal,
            solution: Some(Relaxation {
                objective: script.objective,
                values: self.values(&script.relaxed),
                reduced_costs: vec![0.0; self.columns],
                activities: vec![0.0; self.rows],
                duals: vec![0.0; self.rows],
                ..Relaxation::default()
            }),
            time: began.elapsed().as_secs_f64(),
            iterations: 1,
        })
    }
}

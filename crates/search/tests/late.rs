//! What a solver finds after the time limit does not count, whatever the method.
#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::time::{Duration, Instant};

use idpas_mip::{Model, ModelBuilder, Relaxation, Sense, VarKind};
use idpas_search::{
    Amount, Method, SearchControl, SearchProblem, SearchSettings, SearchStatus, search,
};
use idpas_solver::{
    BoundChange, Control, Event, FoundSolution, LoadedModel, LpResult, NewColumn, NewRow, Params,
    SolveResult, Solver, SolverError, Start, Termination,
};

/// A solver that obeys nothing: it finds the best solution, with a proof, a moment after the time is over.
#[derive(Clone)]
struct Late {
    over: Instant,
    columns: usize,
    rows: usize,
}

impl Late {
    /// Waits until it is too late; gives the seconds that took.
    fn wait(&self) -> f64 {
        let began = Instant::now();
        let until = self.over + Duration::from_millis(50);
        std::thread::sleep(until.saturating_duration_since(began));
        began.elapsed().as_secs_f64()
    }

    fn values(&self) -> Vec<f64> {
        vec![1.0; self.columns]
    }
}

impl Solver for Late {
    fn name(&self) -> &'static str {
        "late"
    }

    fn version(&self) -> String {
        "0".into()
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        Ok(Box::new(Late {
            over: self.over,
            columns: model.num_columns(),
            rows: model.num_rows(),
        }))
    }
}

impl LoadedModel for Late {
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
        let (time, values) = (self.wait(), self.values());
        let objective = values.len() as f64;
        control.tell(Event::Incumbent {
            time,
            objective,
            bound: objective,
            values: &values,
        });
        let found = FoundSolution {
            values,
            objective,
            time,
        };
        Ok(SolveResult {
            termination: Termination::TimeLimit,
            best: Some(found.clone()),
            // A backend's result holds no bound from after its stop; the conformance suite says so.
            bound: f64::NEG_INFINITY,
            solutions: vec![found],
            start: None,
            time,
            nodes: 1,
            lp_iterations: 0,
            abandoned: false,
        })
    }

    fn solve_relaxation(
        &mut self,
        _params: &Params,
        _control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        let (time, values) = (self.wait(), self.values());
        Ok(LpResult {
            termination: Termination::Optimal,
            solution: Some(Relaxation {
                objective: values.len() as f64,
                reduced_costs: vec![0.0; self.columns],
                activities: vec![0.0; self.rows],
                duals: vec![0.0; self.rows],
                values,
                ..Relaxation::default()
            }),
            time,
            iterations: 1,
        })
    }
}

/// min Σ x, Σ x ≥ 1 over six binaries and an integer.
fn model() -> Model {
    let mut b = ModelBuilder::new("small", Sense::Minimize);
    let mut entries = Vec::new();
    for j in 0..6 {
        let column = b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0);
        entries.push((column.unwrap(), 1.0));
    }
    let y = b.column("y", VarKind::Integer, 0.0, 9.0, 1.0);
    entries.push((y.unwrap(), 1.0));
    b.row("some", 1.0, f64::INFINITY, entries).unwrap();
    b.build().unwrap()
}

#[test]
fn what_is_found_after_the_limit_does_not_count() {
    const LIMIT: f64 = 0.2;
    let model = model();
    let scores = vec![0.05; model.num_columns()];
    let mut faithful = SearchSettings::of(Method::PasPlus);
    faithful.completion = false;
    faithful.selection.k0_binaries = Amount::Percent(50.0);
    let all = [
        (SearchSettings::of(Method::Solver), false, 1),
        (SearchSettings::of(Method::PasPlus), true, 1),
        (faithful, true, 1),
        (SearchSettings::of(Method::Idpas), false, 1),
        (SearchSettings::of(Method::Idpas), true, 1),
        (SearchSettings::of(Method::Idpas), true, 2),
    ];
    for (settings, scored, threads) in all {
        let mut control = SearchControl::default();
        let solver = Late {
            over: control.started + Duration::from_secs_f64(LIMIT),
            columns: 0,
            rows: 0,
        };
        let problem = SearchProblem {
            scores: scored.then_some(&scores),
            ..SearchProblem::new(&solver, &model)
        };
        let params = Params {
            threads,
            ..Params::with_time_limit(LIMIT)
        };
        let outcome = search(&problem, &settings, &params, &mut control).unwrap();
        let context = format!("{}, {threads} threads: {outcome:#?}", settings.method);
        assert_eq!(outcome.status, SearchStatus::TimeLimit, "{context}");
        assert!(outcome.solution.is_none(), "{context}");
        assert!(outcome.trajectory.is_empty(), "{context}");
        assert_eq!(outcome.bound, None, "{context}");
        let improved = outcome.stages.iter().any(|stage| stage.incumbents > 0);
        assert!(!improved, "{context}");
    }
}

//! What is left of the time limit, and the interrupt, hold for everything that a checked solve does.

#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use idpas_mip::{Model, ModelBuilder, Relaxation, Sense, VarKind};
use idpas_solver::checked::solve_checked;
use idpas_solver::{
    BoundChange, Control, Event, FoundSolution, Interrupt, LoadedModel, LpResult, NewColumn,
    NewRow, Params, SolveResult, Solver, SolverError, Start, Termination,
};

/// What a solve of the made-up solver does.
#[derive(Clone, Copy)]
struct Script {
    /// Seconds it takes.
    solve: f64,
    /// When, by its own clock, it says to have found its solution.
    found: f64,
    /// The value of the continuous column: 0.5 is feasible, 0.4 is not.
    y: f64,
}

/// A solver that does as it is told and writes down what it is asked for.
#[derive(Clone)]
struct Scripted {
    script: Script,
    /// The time limits of relaxations.
    relaxations: Arc<Mutex<Vec<Option<f64>>>>,
    /// Raised in the middle of a solve.
    raise: Option<Interrupt>,
}

impl Scripted {
    fn new(script: Script) -> Self {
        Scripted {
            script,
            relaxations: Arc::default(),
            raise: None,
        }
    }
}

impl Solver for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn version(&self) -> String {
        "0".into()
    }

    fn load(&self, _model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        Ok(Box::new(self.clone()))
    }
}

impl LoadedModel for Scripted {
    fn num_columns(&self) -> usize {
        2
    }

    fn num_rows(&self) -> usize {
        1
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

    fn add_columns(&mut self, _columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        Ok(0..0)
    }

    fn add_rows(&mut self, _rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        Ok(0..0)
    }

    fn delete_rows(&mut self, _rows: Range<usize>) -> Result<(), SolverError> {
        Ok(())
    }

    fn solve(
        &mut self,
        _params: &Params,
        _start: Option<&Start>,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        std::thread::sleep(Duration::from_secs_f64(self.script.solve));
        if let Some(interrupt) = &self.raise {
            interrupt.raise();
        }
        let (values, time) = (vec![1.0, self.script.y], self.script.found);
        control.tell(Event::Incumbent {
            time,
            objective: 1.0,
            bound: 0.0,
            values: &values,
        });
        let found = FoundSolution {
            values,
            objective: 1.0,
            time,
        };
        Ok(SolveResult {
            termination: Termination::TimeLimit,
            best: Some(found.clone()),
            bound: 0.0,
            solutions: vec![found],
            start: None,
            time: self.script.solve,
            nodes: 1,
            lp_iterations: 0,
            abandoned: false,
        })
    }

    fn solve_relaxation(
        &mut self,
        params: &Params,
        _control: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        self.relaxations.lock().unwrap().push(params.time_limit);
        Ok(LpResult {
            termination: Termination::Optimal,
            solution: Some(Relaxation {
                objective: 1.0,
                values: vec![1.0, 0.5],
                reduced_costs: vec![0.0; 2],
                activities: vec![0.5],
                duals: vec![0.0],
                ..Relaxation::default()
            }),
            time: 0.0,
            iterations: 1,
        })
    }
}

/// min x, 0.5 ≤ x·0 + y, with x binary and y continuous.
fn model() -> Model {
    let mut b = ModelBuilder::new("small", Sense::Minimize);
    b.column("x", VarKind::Integer, 0.0, 1.0, 1.0).unwrap();
    let y = b.column("y", VarKind::Continuous, 0.0, 1.0, 0.0).unwrap();
    b.row("r", 0.5, f64::INFINITY, [(y, 1.0)]).unwrap();
    b.build().unwrap()
}

const FAILS: Script = Script {
    solve: 0.2,
    found: 0.1,
    y: 0.4,
};

#[test]
fn a_solution_is_mended_in_what_is_left_of_the_time() {
    let solver = Scripted::new(FAILS);
    let params = Params::with_time_limit(5.0);
    let checked = solve_checked(&solver, &model(), &params, None, &mut Control::default()).unwrap();
    assert_eq!(checked.solution.unwrap().values, [1.0, 0.5]);
    assert_eq!((checked.rejected, checked.trajectory.len()), (1, 1));
    let limits = solver.relaxations.lock().unwrap().clone();
    assert_eq!(limits.len(), 1);
    let limit = limits[0].unwrap();
    assert!(limit > 0.0 && limit <= 4.8, "{limit} s of 4.8 s");
}

#[test]
fn without_a_time_limit_it_is_a_minute_at_most() {
    let solver = Scripted::new(FAILS);
    let params = Params::default();
    let checked = solve_checked(&solver, &model(), &params, None, &mut Control::default()).unwrap();
    assert!(checked.solution.is_some());
    assert_eq!(*solver.relaxations.lock().unwrap(), [Some(60.0)]);
}

#[test]
fn after_an_interrupt_nothing_is_mended() {
    for hard in [false, true] {
        let mut control = Control::default();
        let interrupt = match hard {
            true => control.stop.interrupt.clone(),
            false => control.interrupt.clone(),
        };
        let solver = Scripted {
            raise: Some(interrupt),
            ..Scripted::new(FAILS)
        };
        let began = Instant::now();
        let checked =
            solve_checked(&solver, &model(), &Params::default(), None, &mut control).unwrap();
        assert!(checked.solution.is_none());
        assert_eq!(*solver.relaxations.lock().unwrap(), [], "hard: {hard}");
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn after_the_time_limit_nothing_is_mended() {
    let solver = Scripted::new(FAILS);
    let params = Params::with_time_limit(0.1);
    let checked = solve_checked(&solver, &model(), &params, None, &mut Control::default()).unwrap();
    assert!(checked.solution.is_none() && checked.trajectory.is_empty());
    assert_eq!(*solver.relaxations.lock().unwrap(), []);
}

#[test]
fn what_is_found_after_the_time_limit_does_not_count() {
    let late = Script {
        solve: 0.3,
        found: 0.25,
        y: 0.5,
    };
    let in_time = Script {
        found: 0.05,
        ..late
    };
    for (script, counts) in [(late, false), (in_time, true)] {
        let solver = Scripted::new(script);
        let params = Params::with_time_limit(0.2);
        let mut seen = 0;
        let mut observer = |event: Event<'_>| {
            seen += usize::from(matches!(event, Event::Incumbent { .. }));
        };
        let mut control = Control {
            observer: Some(&mut observer),
            ..Control::default()
        };
        let checked = solve_checked(&solver, &model(), &params, None, &mut control).unwrap();
        assert_eq!(checked.solution.is_some(), counts);
        assert_eq!(checked.trajectory.len(), usize::from(counts));
        assert!(checked.trajectory.iter().all(|point| point.time <= 0.2));
        assert_eq!(seen, usize::from(counts));
    }
}

//! A first solution as a library call: searched, completed and checked.

use std::time::Instant;

use idpas_mip::Model;
use idpas_mip::propagate::{Bounds, Propagator};
use idpas_solver::judge::{CheckedSolution, Judge, JudgeOptions};
use idpas_solver::{Control, HardStop, Params, Solver};

use super::{FirstSearch, Order};

/// Sweeps over the rows before anything is fixed.
const SWEEPS: usize = 5;
/// Tries that are completed by the solver before the relaxation is asked for advice.
const BLIND_TRIES: usize = 3;
/// Share of the time that is left which the relaxation may take.
const RELAXATION: f64 = 0.5;

/// What a first solution is searched with.
#[derive(Clone, Debug)]
pub struct FirstSolutionRequest<'a> {
    /// How likely each column is not zero, by column; NaN where unknown.
    pub scores: Option<&'a [f32]>,
    /// Values that columns should have, by column; NaN where unknown. Those that contradict others are left out.
    pub start: Option<&'a [f64]>,
    /// Longest time in seconds.
    pub limit: f64,
    /// Seed of what is drawn by lot.
    pub seed: u64,
    /// When the answer is wanted, whatever the limit says.
    pub stop: HardStop,
}

impl Default for FirstSolutionRequest<'_> {
    /// Nothing known, ten seconds.
    fn default() -> Self {
        FirstSolutionRequest {
            scores: None,
            start: None,
            limit: 10.0,
            seed: 0,
            stop: HardStop::default(),
        }
    }
}

/// A first solution, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstSolution {
    /// The solution, which passed the exact check.
    pub solution: CheckedSolution,
    /// Seconds it took.
    pub seconds: f64,
    /// Attempts that were made until then.
    pub attempts: usize,
}

/// Looks for a feasible solution by fix and propagate with repair. The solver completes continuous columns only, and
/// solves the relaxation if nothing else helps. `None` where none was found, which proves nothing.
///
/// ```
/// use idpas_mip::{ModelBuilder, Sense, VarKind};
/// use idpas_search::{FirstSolutionRequest, first_solution};
///
/// let mut b = ModelBuilder::new("choice", Sense::Minimize);
/// let x = b.column("x", VarKind::Integer, 0.0, 1.0, 3.0)?;
/// let y = b.column("y", VarKind::Integer, 0.0, 1.0, 4.0)?;
/// b.row("one", 1.0, 1.0, [(x, 1.0), (y, 1.0)])?;
/// let model = b.build()?;
///
/// let solver = idpas_solver::by_name("highs")?;
/// let request = FirstSolutionRequest { start: Some(&[f64::NAN, 1.0]), ..Default::default() };
/// let first = first_solution(&model, solver.as_ref(), &request).expect("a solution");
/// assert_eq!(first.solution.values, [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If scores or start have another length than the model has columns.
pub fn first_solution(
    model: &Model,
    solver: &dyn Solver,
    request: &FirstSolutionRequest<'_>,
) -> Option<FirstSolution> {
    let n = model.num_columns();
    assert!(request.scores.is_none_or(|scores| scores.len() == n));
    assert!(request.start.is_none_or(|start| start.len() == n));
    let started = Instant::now();
    let stop = request
        .stop
        .clone()
        .or_at(HardStop::after(started, Some(request.limit)).at);
    let propagator = Propagator::new(model);
    let mut bounds = Bounds::of(model);
    // A conflict proves that there is no solution.
    propagator.tighten(&mut bounds, SWEEPS).ok()?;
    let mut random = fastrand::Rng::with_seed(request.seed);
    let mut search = FirstSearch::new(&propagator, &bounds);
    let mut judge = Judge::new(model, JudgeOptions::default());
    let mut advice = Advice::Scores(request.scores);
    for attempts in 1.. {
        let left = stop.left().unwrap_or(request.limit);
        if stop.is_due() {
            return None;
        }
        let order = advice.order();
        let attempt = search.find(&order, request.start, left, &stop, &mut random);
        let control = || Control {
            stop: stop.clone(),
            ..Control::default()
        };
        if attempt.complete {
            let left = stop.left();
            let values = &attempt.values;
            if let Ok(solution) = judge.check_or_polish(solver, values, left, &mut control()) {
                return Some(FirstSolution {
                    solution,
                    seconds: started.elapsed().as_secs_f64(),
                    attempts,
                });
            }
        }
        if attempts == BLIND_TRIES {
            let seconds = RELAXATION * stop.left().unwrap_or(request.limit);
            let params = Params::with_time_limit(seconds);
            let solved = solver
                .load(model)
                .and_then(|mut loaded| loaded.solve_relaxation(&params, &mut control()));
            if let Some(relaxation) = solved.ok().and_then(|lp| lp.solution) {
                advice = Advice::Relaxation(relaxation.values);
            }
        }
    }
    None
}

/// Where the order of the present attempt comes from.
enum Advice<'a> {
    Scores(Option<&'a [f32]>),
    Relaxation(Vec<f64>),
}

impl Advice<'_> {
    fn order(&self) -> Order<'_> {
        match self {
            Advice::Scores(Some(scores)) => Order::Scores(scores),
            Advice::Scores(None) => Order::Plain,
            Advice::Relaxation(values) => Order::Relaxation(values),
        }
    }
}

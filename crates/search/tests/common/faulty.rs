//! HiGHS behind a backend that breaks down: it panics, fails, hangs, is deaf, or gives back nonsense, by a seed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use idpas_mip::{Model, ModelBuilder};
use idpas_solver::backend::{
    Engine, Failed, Found, Handler, Loaded, LpFound, LpSolution, Message, ModelChanges, Outcome,
    Recorded, RunOptions, Status,
};
use idpas_solver::highs::Highs;
use idpas_solver::{
    Abilities, Control, Event, Interrupt, LoadedModel, Params, Solver, SolverError, Termination,
};

use super::Random;

/// Where and how a backend breaks down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Panics when it gets a model.
    PanicAtLoad,
    /// Refuses a model.
    FailAtLoad,
    /// Panics when the options of a run are set.
    PanicAtPrepare,
    /// Refuses the options of a run.
    FailAtPrepare,
    /// Panics before it finds anything.
    PanicAtOnce,
    /// Panics after it has told its solutions.
    PanicAtEnd,
    /// Panics when it is asked for its result.
    PanicInResult,
    /// Fails before it finds anything.
    FailAtOnce,
    /// Fails after it has told its solutions.
    FailAtEnd,
    /// Never returns and looks at nothing.
    Hang,
    /// Finds its solutions and never returns.
    HangAtEnd,
    /// Works on for a second after the end, and tells what it finds then.
    Deaf,
    /// Solutions have too few values.
    TooShort,
    /// Solutions have too many values.
    TooLong,
    /// Solutions have no values.
    Empty,
    /// A value of each solution is not a number.
    NotANumber,
    /// A value of each solution is infinite.
    Infinite,
    /// Other solutions, which satisfy no row, are told before the right ones.
    Nonsense,
    /// Bounds are not numbers, or infinite on the wrong side.
    NoBound,
    /// Gives up in words.
    Trouble,
    /// The bound is beyond the optimum.
    WrongBound,
    /// Says that there is no solution.
    FalseInfeasible,
    /// Says that the objective is unbounded.
    FalseUnbounded,
    /// Says that its first solution, which is nonsense, is optimal.
    FalseOptimal,
    /// Duals, reduced costs and values of relaxations are drawn at random, of integer columns as of others.
    FalseRelaxation,
}

impl Fault {
    /// Faults after which what is proved is still proved.
    pub const BREAKDOWNS: [Fault; 20] = [
        Fault::PanicAtLoad,
        Fault::FailAtLoad,
        Fault::PanicAtPrepare,
        Fault::FailAtPrepare,
        Fault::PanicAtOnce,
        Fault::PanicAtEnd,
        Fault::PanicInResult,
        Fault::FailAtOnce,
        Fault::FailAtEnd,
        Fault::Hang,
        Fault::HangAtEnd,
        Fault::Deaf,
        Fault::TooShort,
        Fault::TooLong,
        Fault::Empty,
        Fault::NotANumber,
        Fault::Infinite,
        Fault::Nonsense,
        Fault::NoBound,
        Fault::Trouble,
    ];

    /// Faults of a solver that claims what is not true.
    pub const LIES: [Fault; 5] = [
        Fault::WrongBound,
        Fault::FalseInfeasible,
        Fault::FalseUnbounded,
        Fault::FalseOptimal,
        Fault::FalseRelaxation,
    ];

    /// Whether a run with this fault lasts until somebody ends the wait.
    pub fn is_slow(self) -> bool {
        matches!(self, Fault::Hang | Fault::HangAtEnd | Fault::Deaf)
    }
}

/// Which calls break down. All models of a solver share it.
#[derive(Debug)]
pub struct FaultPlan {
    /// The faults to draw from.
    faults: Vec<Fault>,
    /// The only run, counted from 0 over all models, that has one; `None` if each draws whether it has.
    only: Option<usize>,
    random: Mutex<Random>,
    runs: AtomicUsize,
    struck: AtomicUsize,
    /// Raised to let those go that hang.
    over: AtomicBool,
}

impl FaultPlan {
    /// Half of all runs have a fault.
    pub fn often(faults: &[Fault], seed: u64) -> Arc<Self> {
        Self::new(faults, None, seed)
    }

    /// One run has a fault.
    pub fn once(fault: Fault, run: usize) -> Arc<Self> {
        Self::new(&[fault], Some(run), 0)
    }

    fn new(faults: &[Fault], only: Option<usize>, seed: u64) -> Arc<Self> {
        Arc::new(FaultPlan {
            faults: faults.to_vec(),
            only,
            random: Mutex::new(Random(seed)),
            runs: AtomicUsize::new(0),
            struck: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        })
    }

    /// The fault of the next model and its runs, if it has one.
    fn draw(&self) -> Option<Fault> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let mut random = self.random.lock().unwrap();
        let strikes = match self.only {
            Some(only) => number == only,
            None => random.between(0, 1) == 0,
        };
        let fault = random.one_of(&self.faults);
        self.struck
            .fetch_add(usize::from(strikes), Ordering::Relaxed);
        strikes.then_some(fault)
    }

    /// How many models had a fault.
    pub fn struck(&self) -> usize {
        self.struck.load(Ordering::Relaxed)
    }

    /// Lets those go that hang.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Does not return before the end of the test.
    fn hang(&self) {
        let begin = Instant::now();
        while !self.over.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_secs(100) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The backend. With `PAUSES` it stops at a gate before it begins.
#[derive(Clone, Debug)]
pub struct FaultySolver<const PAUSES: bool>(pub Arc<FaultPlan>);

impl<const PAUSES: bool> Solver for FaultySolver<PAUSES> {
    fn name(&self) -> &'static str {
        FaultyEngine::<PAUSES>::NAME
    }

    fn version(&self) -> String {
        "0".into()
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<FaultyEngine<PAUSES>>(true)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let (fault, seed) = (self.0.draw(), self.0.runs.load(Ordering::Relaxed) as u64);
        match fault {
            Some(Fault::PanicAtLoad) => panic!("injected: at load"),
            Some(Fault::FailAtLoad) => return Err(refused("load the model")),
            _ => {}
        }
        let build = |model: &Model| {
            Ok(FaultyEngine::<PAUSES> {
                model: Recorded::of(model),
                plan: self.0.clone(),
                fault,
                random: Random(seed),
                params: Params::default(),
                relaxation: false,
                found: Found::nothing(Termination::Trouble("it did not run".into())),
                lp: LpFound::nothing(Termination::Trouble("it did not run".into())),
            })
        };
        Ok(Box::new(Loaded::new(model, build)?))
    }
}

fn refused(action: &'static str) -> SolverError {
    SolverError::Backend {
        solver: "faulty",
        action,
        message: "injected".into(),
    }
}

struct FaultyEngine<const PAUSES: bool> {
    model: Recorded,
    plan: Arc<FaultPlan>,
    /// Which fault its runs have.
    fault: Option<Fault>,
    random: Random,
    params: Params,
    relaxation: bool,
    found: Found,
    lp: LpFound,
}

impl<const PAUSES: bool> FaultyEngine<PAUSES> {
    /// The model that HiGHS gets.
    fn built(&self) -> Result<Model, Failed> {
        let model = &self.model;
        let mut b = ModelBuilder::new("faulty", model.sense);
        b.objective("obj", model.constant);
        for j in 0..model.num_columns() {
            let (lower, upper) = (model.lower[j], model.upper[j]);
            b.column(&format!("x{j}"), model.kind[j], lower, upper, model.cost[j])
                .map_err(|_| Failed)?;
        }
        for i in 0..model.rows.len() {
            let (columns, values) = model.rows.entries(i);
            let entries = columns
                .iter()
                .map(|&j| j as usize)
                .zip(values.iter().copied());
            let (lower, upper) = (model.rows.lower[i], model.rows.upper[i]);
            b.row(&format!("r{i}"), lower, upper, entries)
                .map_err(|_| Failed)?;
        }
        b.build().map_err(|_| Failed)
    }

    /// Values as the fault makes them.
    fn spoil(&mut self, mut values: Vec<f64>) -> Vec<f64> {
        let Some(fault) = self.fault else {
            return values;
        };
        let place = self.random.between(0, values.len().max(1) as i64 - 1) as usize;
        match fault {
            Fault::TooShort => values.truncate(place),
            Fault::TooLong => values.push(0.0),
            Fault::Empty => values.clear(),
            Fault::NotANumber => values[place] = f64::NAN,
            Fault::Infinite => values[place] = f64::NEG_INFINITY,
            _ => {}
        }
        values
    }

    /// A bound as the fault makes it.
    fn spoiled_bound(&mut self, bound: f64) -> f64 {
        match self.fault {
            Some(Fault::NoBound) => {
                self.random
                    .one_of(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
            }
            // The worse side, where the objective values of solutions are.
            Some(Fault::WrongBound) => bound + self.model.sense.worst().signum() * 1000.0,
            _ => bound,
        }
    }

    /// Values between bounds that no row was asked about.
    fn nonsense(&mut self) -> Vec<f64> {
        let random = &mut self.random;
        let bounds = self.model.lower.iter().zip(&self.model.upper);
        bounds
            .map(|(&lower, &upper)| {
                let value = random.between(-3, 9) as f64;
                value.max(lower).min(upper)
            })
            .collect()
    }

    fn tell_solution(&mut self, values: Vec<f64>, bound: f64, handler: &mut Handler<'_>) {
        let (values, bound) = (self.spoil(values), self.spoiled_bound(bound));
        let values = &values[..];
        handler(Message::Solution { values, bound });
    }

    fn run_model(&mut self, model: &Model, handler: &mut Handler<'_>) -> Outcome {
        let mut told: Vec<(Vec<f64>, f64)> = Vec::new();
        let interrupt = Interrupt::new();
        let mut observer = |event: Event<'_>| {
            if let Event::Incumbent { values, bound, .. } = event {
                told.push((values.to_vec(), bound));
            }
        };
        let mut control = Control {
            interrupt,
            observer: Some(&mut observer),
            ..Control::default()
        };
        let mut loaded = Highs.load(model).map_err(|_| Failed)?;
        let params = self.params.clone();
        let result = loaded.solve(&params, None, &mut control);
        let result = result.map_err(|_| Failed)?;
        drop(loaded);
        for (values, bound) in told {
            self.tell_solution(values, bound, handler);
        }
        self.found = Found {
            termination: result.termination,
            bound: Some(self.spoiled_bound(result.bound)),
            solutions: result.best.map(|best| best.values).into_iter().collect(),
            nodes: result.nodes,
            lp_iterations: result.lp_iterations,
        };
        let solutions = std::mem::take(&mut self.found.solutions);
        self.found.solutions = solutions.into_iter().map(|x| self.spoil(x)).collect();
        Ok(())
    }

    fn run_relaxation(&mut self, model: &Model) -> Outcome {
        let mut loaded = Highs.load(model).map_err(|_| Failed)?;
        let result = loaded.solve_relaxation(&self.params, &mut Control::default());
        let result = result.map_err(|_| Failed)?;
        self.lp = LpFound {
            termination: result.termination,
            iterations: result.iterations,
            solution: result.solution.map(|lp| LpSolution {
                values: self.spoil(lp.values),
                reduced_costs: self.spoil(lp.reduced_costs),
                activities: lp.activities,
                duals: lp.duals,
                column_basis: lp.column_basis,
                row_basis: lp.row_basis,
            }),
        };
        if let (Some(Fault::FalseRelaxation), Some(lp)) = (self.fault, &mut self.lp.solution) {
            let random = &mut self.random;
            for numbers in [&mut lp.values, &mut lp.reduced_costs, &mut lp.duals] {
                numbers.fill_with(|| random.between(-50, 50) as f64 / 4.0);
            }
        }
        Ok(())
    }

    /// What the fault makes of the end of a run.
    fn end(&mut self, handler: &mut Handler<'_>) -> Outcome {
        match self.fault {
            Some(Fault::PanicAtEnd) => panic!("injected: at the end of a run"),
            Some(Fault::FailAtEnd) => return Err(Failed),
            Some(Fault::HangAtEnd) => self.plan.hang(),
            Some(Fault::Deaf) => {
                std::thread::sleep(Duration::from_secs(1));
                for values in self.found.solutions.clone() {
                    let bound = self.found.bound.unwrap_or(0.0);
                    handler(Message::Solution {
                        values: &values,
                        bound,
                    });
                }
            }
            Some(Fault::Trouble) => {
                self.found.termination = Termination::Trouble("injected".into());
                self.lp = LpFound::nothing(Termination::Trouble("injected".into()));
            }
            Some(Fault::FalseInfeasible) => {
                self.found = Found::nothing(Termination::Infeasible);
                self.lp = LpFound::nothing(Termination::Infeasible);
            }
            Some(Fault::FalseUnbounded) => {
                self.found = Found::nothing(Termination::Unbounded);
                self.lp = LpFound::nothing(Termination::Unbounded);
            }
            Some(Fault::FalseOptimal) => {
                self.found.termination = Termination::Optimal;
                self.found.solutions = vec![self.nonsense()];
            }
            _ => {}
        }
        Ok(())
    }
}

impl<const PAUSES: bool> Engine for FaultyEngine<PAUSES> {
    const NAME: &'static str = "faulty";
    const TAKES_OFFERS: bool = false;
    const PAUSES: bool = PAUSES;
    const INDICATORS: bool = false;

    fn model(&mut self) -> &mut dyn ModelChanges {
        &mut self.model
    }

    fn prepare(&mut self, options: &RunOptions<'_>) -> Result<(), SolverError> {
        match self.fault {
            Some(Fault::PanicAtPrepare) => panic!("injected: at the options"),
            Some(Fault::FailAtPrepare) => return Err(refused("set the options")),
            _ => {}
        }
        self.relaxation = options.relaxation;
        self.params = Params {
            time_limit: options.time_limit,
            node_limit: options.node_limit,
            ..options.params.clone()
        };
        Ok(())
    }

    fn start_from(&mut self, _values: &[f64]) {}

    fn run(&mut self, handler: &mut Handler<'_>) -> Outcome {
        match self.fault {
            Some(Fault::PanicAtOnce) => panic!("injected: at the beginning of a run"),
            Some(Fault::FailAtOnce) => return Err(Failed),
            Some(Fault::Hang) => self.plan.hang(),
            Some(Fault::Nonsense | Fault::FalseOptimal) => {
                for _ in 0..3 {
                    let values = self.nonsense();
                    let bound = -self.model.sense.worst();
                    self.tell_solution(values, bound, handler);
                }
            }
            _ => {}
        }
        let mip = Some(Status {
            bound: self.spoiled_bound(-self.model.sense.worst()),
            nodes: 0,
            lp_iterations: 0,
        });
        if handler(Message::Check { mip }) {
            self.found = Found::nothing(Termination::Interrupted);
            return Ok(());
        }
        let model = self.built()?;
        match self.relaxation {
            true => self.run_relaxation(&model)?,
            false => self.run_model(&model, handler)?,
        }
        self.end(handler)
    }

    fn found(&self) -> Found {
        if self.fault == Some(Fault::PanicInResult) {
            panic!("injected: in the result");
        }
        self.found.clone()
    }

    fn relaxation(&self) -> LpFound {
        if self.fault == Some(Fault::PanicInResult) {
            panic!("injected: in the result of a relaxation");
        }
        self.lp.clone()
    }
}

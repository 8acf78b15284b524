//! Filling the pool of one instance.
//!
//! 1. The linear relaxation is solved and kept.
//! 2. The first solve takes its share of the time; every feasible solution it reports is a candidate.
//! 3. Re-solves around the solutions known fill the rest of the time: see [`neighbourhood`](idpas_search::neighbourhood).
//!
//! Candidates are rounded and checked exactly before they count.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use idpas_mip::{Model, Relaxation};
use idpas_solver::judge::{Judge, JudgeOptions};
use idpas_solver::{
    Control, Event, Interrupt, LpResult, Params, SolveResult, Solver, Start, Termination,
};

use super::CollectSettings;
use super::rounds::Rounds;
use crate::pool::{
    InstanceInfo, LpInfo, Pool, PoolInfo, PoolSelection, PoolSolution, SolverInfo, Source,
};
use crate::{NoPool, PoolError};

/// How often the clock is looked at during the first solve.
const TICK: Duration = Duration::from_millis(20);
/// Longest time, in seconds, to solve again for the continuous columns of one solution.
const POLISH_SECONDS: f64 = 10.0;
/// Seconds to mend a candidate that failed the check, whatever is left of the time, as long as the pool is empty.
const FIRST_POLISH: f64 = 1.0;

/// How solutions are judged before they enter a pool.
pub(super) fn judge_options() -> JudgeOptions {
    JudgeOptions {
        true_integers: true,
        polish_seconds: POLISH_SECONDS,
        keep_loaded: true,
        ..JudgeOptions::default()
    }
}

impl InstanceInfo {
    /// What a pool says of its instance; `sha256` is the file's [`instance_hash`](crate::instance_hash).
    pub fn new(name: impl Into<String>, sha256: impl Into<String>, model: &Model) -> Self {
        InstanceInfo {
            name: name.into(),
            sha256: sha256.into(),
            columns_sha256: crate::hash::of_names(&model.columns.names),
            rows: model.num_rows(),
            columns: model.num_columns(),
        }
    }
}

/// Makes the pool of one instance, in this process. `known` are solutions to start from, imported ones as a rule.
pub fn fill_pool(
    model: &Model,
    instance: InstanceInfo,
    known: Vec<PoolSolution>,
    settings: &CollectSettings,
    solver: &dyn Solver,
    interrupt: &Interrupt,
) -> Result<Pool, PoolError> {
    settings.validate()?;
    let mut filling = Filling::new(model, settings, solver, interrupt);
    for solution in known {
        filling.offer(&solution.values, solution.time, solution.source);
    }
    // Each solve loads the model anew: one that does not stop in time keeps what it was given.
    let params = filling.params(settings.time_limit);
    let lp = solver
        .load(model)?
        .solve_relaxation(&params, &mut filling.control())?;
    let first = filling.first_solve(solver)?;
    if interrupt.is_raised() {
        return Err(PoolError::NoPool(NoPool::Interrupted));
    }
    if filling.selection.best().is_none() {
        return Err(PoolError::NoPool(match first.termination {
            Termination::Infeasible => NoPool::Infeasible,
            Termination::Unbounded | Termination::InfeasibleOrUnbounded => NoPool::Unbounded,
            _ => NoPool::NothingFound,
        }));
    }
    let (lp_info, relaxation) = keep_relaxation(lp);
    let rounds = if model.has_integers() {
        let values = relaxation.as_ref().map(|lp| lp.values.as_slice());
        Rounds::new(&instance.name, model, values, settings).run(solver, &mut filling)?
    } else {
        0
    };
    if interrupt.is_raised() {
        return Err(PoolError::NoPool(NoPool::Interrupted));
    }
    let bound = tightest(model, first.bound, lp_info.objective);
    let status = match &first.termination {
        Termination::Interrupted => Termination::TimeLimit.as_str(),
        other => other.as_str(),
    };
    Ok(Pool {
        info: PoolInfo {
            instance,
            sense: model.sense.as_str().into(),
            bound,
            status: status.into(),
            solver: SolverInfo {
                name: solver.name().into(),
                version: solver.version(),
            },
            settings: Some(settings.clone()),
            settings_sha256: Some(settings.hash()),
            lp: Some(lp_info),
            seconds: filling.seconds(),
            rounds,
            rejected: filling.rejected,
            program: idpas_base::PROGRAM.into(),
        },
        solutions: filling.selection.into_solutions(),
        relaxation,
    })
}

fn keep_relaxation(lp: LpResult) -> (LpInfo, Option<Relaxation>) {
    let info = LpInfo {
        status: lp.termination.as_str().into(),
        objective: lp.solution.as_ref().map(|lp| lp.objective),
        seconds: lp.time,
    };
    let relaxation = lp.solution.map(Relaxation::to_single);
    (info, relaxation)
}

/// The better of the solve's bound and the relaxation's.
fn tightest(model: &Model, bound: f64, relaxation: Option<f64>) -> Option<f64> {
    let bound = Some(bound).filter(|bound| bound.is_finite());
    match (bound, relaxation) {
        // The one that promises less.
        (Some(a), Some(b)) => Some(if model.sense.is_better(a, b) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Raises a flag at the end of a scope, even if that end is a panic.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The candidates of one instance, and the clock.
pub(super) struct Filling<'a> {
    model: &'a Model,
    settings: &'a CollectSettings,
    interrupt: &'a Interrupt,
    solver: &'a dyn Solver,
    judge: Judge<'a>,
    clock: Instant,
    pub(super) selection: PoolSelection,
    rejected: usize,
}

impl<'a> Filling<'a> {
    fn new(
        model: &'a Model,
        settings: &'a CollectSettings,
        solver: &'a dyn Solver,
        interrupt: &'a Interrupt,
    ) -> Self {
        let kinds = &model.columns.kind;
        Filling {
            model,
            settings,
            interrupt,
            solver,
            judge: Judge::new(model, judge_options()),
            clock: Instant::now(),
            selection: PoolSelection::new(model.sense, kinds, settings.pool, settings.keep_gap),
            rejected: 0,
        }
    }

    /// Seconds since the work began.
    pub(super) fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    /// Seconds left.
    pub(super) fn left(&self) -> f64 {
        self.settings.time_limit - self.seconds()
    }

    pub(super) fn interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Parameters of a solve of at most `seconds`.
    pub(super) fn params(&self, seconds: f64) -> Params {
        Params {
            time_limit: Some(seconds.min(self.left()).max(0.0)),
            threads: self.settings.threads,
            node_limit: self.settings.nodes,
            // Half a gigabyte for the largest models; the best ones are kept.
            keep_solutions: 2 * self.settings.pool,
            ..Params::default()
        }
    }

    pub(super) fn control(&self) -> Control<'static> {
        Control {
            interrupt: self.interrupt.clone(),
            ..Control::default()
        }
    }

    /// Checks a candidate and keeps it if it is good enough; says whether that changed the pool.
    fn offer(&mut self, values: &[f64], time: Option<f64>, source: Source) -> bool {
        // The exact check costs more than this guess, which leaves room for rounding.
        let objective = self.model.objective(values);
        let slack = 1e-6 * objective.abs().max(1.0);
        if !self.selection.admits(objective - slack) && !self.selection.admits(objective + slack) {
            return false;
        }
        let seconds = match self.selection.best() {
            Some(_) => self.left(),
            // A first solution is worth a moment more.
            None => self.left().max(FIRST_POLISH),
        };
        let judged = match seconds > 0.0 {
            true => {
                let (seconds, mut control) = (Some(seconds), self.control());
                self.judge
                    .check_or_polish(self.solver, values, seconds, &mut control)
            }
            false => self.judge.check(values),
        };
        match judged {
            Ok(solution) => self.selection.add(PoolSolution {
                values: solution.values,
                objective: solution.objective,
                time,
                source,
            }),
            Err(_) => {
                self.rejected += 1;
                false
            }
        }
    }

    /// Offers all solutions of a solve that began at `offset`; says how many changed the pool.
    pub(super) fn offer_all(&mut self, result: &SolveResult, offset: f64, source: Source) -> usize {
        let mut changed = 0;
        for found in result.solutions.iter().chain(&result.best) {
            let time = Some(offset + found.time);
            changed += usize::from(self.offer(&found.values, time, source));
        }
        changed
    }

    /// Solves the whole instance for its share of the time, longer if that brings no solution.
    fn first_solve(&mut self, solver: &dyn Solver) -> Result<SolveResult, PoolError> {
        let mut loaded = solver.load(self.model)?;
        let offset = self.seconds();
        let share = self.settings.first_share * self.settings.time_limit - offset;
        let params = Params {
            seed: (self.settings.seed % (1 << 31)) as u32,
            ..self.params(self.settings.time_limit)
        };
        let start = self
            .selection
            .best()
            .map(|best| Start::Complete(best.values.clone()));
        let found = AtomicBool::new(start.is_some());
        let ended = AtomicBool::new(false);
        let stop = Interrupt::new();
        let (user, raise) = (self.interrupt.clone(), stop.clone());
        let clock = Instant::now();
        let result = std::thread::scope(|scope| {
            // Events may stay away for long, as in the first relaxation of a large model; a clock does not.
            let ended = &ended;
            let found = &found;
            scope.spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    let over = clock.elapsed().as_secs_f64() >= share;
                    if user.is_raised() || over && found.load(Ordering::Relaxed) {
                        raise.raise();
                    }
                    std::thread::sleep(TICK);
                }
            });
            let mut observer = |event: Event<'_>| {
                if matches!(event, Event::Incumbent { .. } | Event::Solution { .. }) {
                    found.store(true, Ordering::Relaxed);
                }
            };
            let mut control = Control {
                interrupt: stop,
                observer: Some(&mut observer),
                ..Control::default()
            };
            let _guard = RaiseOnDrop(ended);
            loaded.solve(&params, start.as_ref(), &mut control)
        })?;
        self.offer_all(&result, offset, Source::Solve);
        Ok(result)
    }
}

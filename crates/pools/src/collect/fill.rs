//! The candidates for a pool. They are rounded and checked exactly before they count.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use idpas_mip::Model;
use idpas_solver::judge::{CheckedSolution, Judge, JudgeOptions};
use idpas_solver::{Control, Event, Interrupt, Params, PoolSearch, SolveResult, Solver, Start};

use super::CollectSettings;
use crate::PoolError;
use crate::pool::{InstanceInfo, PoolSelection, PoolSolution, Source};

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

/// Raises a flag at the end of a scope, even if that end is a panic.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The candidates of one instance, and the clock of a turn.
pub(super) struct Filling<'a> {
    model: &'a Model,
    settings: &'a CollectSettings,
    interrupt: &'a Interrupt,
    solver: &'a dyn Solver,
    judge: Judge<'a>,
    clock: Instant,
    /// Seconds that the turn has.
    limit: f64,
    /// Seconds of earlier turns.
    before: f64,
    pub(super) selection: PoolSelection,
    pub(super) rejected: usize,
}

impl<'a> Filling<'a> {
    /// Nothing yet, and a clock that starts now.
    pub(super) fn new(
        model: &'a Model,
        settings: &'a CollectSettings,
        solver: &'a dyn Solver,
        interrupt: &'a Interrupt,
        limit: f64,
        before: f64,
    ) -> Self {
        let kinds = &model.columns.kind;
        Filling {
            model,
            settings,
            interrupt,
            solver,
            judge: Judge::new(model, judge_options()),
            clock: Instant::now(),
            limit,
            before,
            selection: PoolSelection::new(model.sense, kinds, settings.pool, settings.keep_gap),
            rejected: 0,
        }
    }

    /// Seconds since the turn began.
    pub(super) fn seconds(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    /// Seconds left of the turn.
    pub(super) fn left(&self) -> f64 {
        self.limit - self.seconds()
    }

    /// Seconds that the turn has.
    pub(super) fn limit(&self) -> f64 {
        self.limit
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

    /// Checks a candidate, which was found at `time` of this turn, and keeps it if it is good enough; says whether that
    /// changed the pool.
    pub(super) fn offer(&mut self, values: &[f64], time: Option<f64>, source: Source) -> bool {
        if !self.is_wanted(values) {
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
        self.keep(judged.ok(), time, source)
    }

    /// Keeps a candidate that passed the check if it is good enough; says whether that changed the pool.
    fn keep(&mut self, judged: Option<CheckedSolution>, time: Option<f64>, source: Source) -> bool {
        let Some(solution) = judged else {
            self.rejected += 1;
            return false;
        };
        self.selection.add(PoolSolution {
            values: solution.values,
            objective: solution.objective,
            time: time.map(|time| self.before + time),
            source,
        })
    }

    /// Whether a candidate may be good enough: the exact check costs more than this guess, which leaves room for rounding.
    fn is_wanted(&self, values: &[f64]) -> bool {
        let objective = self.model.objective(values);
        let slack = 1e-6 * objective.abs().max(1.0);
        self.selection.admits(objective - slack) || self.selection.admits(objective + slack)
    }

    /// Checks a solution that a search has come across, and keeps it if it is good enough; one that fails the check is not
    /// worth mending.
    pub(super) fn offer_found(&mut self, values: &[f64], time: Option<f64>) {
        if self.is_wanted(values) {
            let judged = self.judge.check(values).ok();
            self.keep(judged, time, Source::Neighbourhood);
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

    /// Solves the whole instance from the best solution for at most `seconds`, by a solver that fills a pool in one solve. Says
    /// how many solutions changed the pool.
    pub(super) fn solve_pool(&mut self, seconds: f64) -> Result<usize, PoolError> {
        let mut loaded = self.solver.load(self.model)?;
        let offset = self.seconds();
        let params = Params {
            pool: Some(PoolSearch {
                solutions: self.settings.pool,
                gap: self.settings.keep_gap,
            }),
            ..self.params(seconds)
        };
        let best = self.selection.best();
        let start = best.map(|best| Start::Complete(best.values.clone()));
        let result = loaded.solve(&params, start.as_ref(), &mut self.control())?;
        Ok(self.offer_all(&result, offset, Source::Solve))
    }

    /// Solves the whole instance from `start` for `share` seconds, and as long as the turn lasts if that brings no
    /// solution.
    pub(super) fn solve_alone(
        &mut self,
        share: f64,
        start: Option<&[f64]>,
        seed: u32,
    ) -> Result<SolveResult, PoolError> {
        // Each solve loads the model anew: one that does not stop in time keeps what it was given.
        let mut loaded = self.solver.load(self.model)?;
        let offset = self.seconds();
        let params = Params {
            seed,
            ..self.params(self.limit)
        };
        let start = start.map(|values| Start::Complete(values.to_vec()));
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

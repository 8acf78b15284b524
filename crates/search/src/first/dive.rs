//! Fix and propagate: columns are fixed one after the other, each with all that follows from it.
//!
//! A value that leads to a conflict is excluded, which is propagated as well. Where that is a conflict too, an earlier
//! decision was wrong: the latest ones are taken back, more of them each time, and the column in question is decided
//! first. After some of that the conflict is accepted: the row is left to the repair.

use std::ops::ControlFlow;

use idpas_mip::Model;
use idpas_mip::incremental::Incremental;
use idpas_mip::propagate::{Bounds, Conflict, Propagator};

use super::Clock;
use super::order::{Order, Plan, Step, Taste};

/// How often decisions are taken back before conflicts are accepted.
const BACKTRACKS: u32 = 60;
/// Entries that one propagation may look at, for each entry of the model and in any case.
const WORK_PER_ENTRY: u64 = 4;
const LEAST_WORK: u64 = 1_000_000;
/// Values of a general integer that are tried before it is decided otherwise.
const VALUES: usize = 4;
/// Steps between two looks at the clock.
const PATIENCE: usize = 64;

/// What one dive needs to know.
pub(super) struct Dive<'a> {
    pub(super) model: &'a Model,
    pub(super) propagator: &'a Propagator<'a>,
    pub(super) plan: &'a Plan,
    pub(super) order: Order<'a>,
    pub(super) start: Option<&'a [f64]>,
    pub(super) taste: Taste,
    pub(super) clock: &'a Clock<'a>,
}

/// Where a dive ended.
pub(super) struct Dived {
    pub(super) bounds: Bounds,
    /// Whether every discrete column is fixed and no row is known to be violated.
    pub(super) complete: bool,
}

/// A decision that can be taken back.
struct Decision {
    mark: usize,
    step: usize,
}

struct State<'a> {
    bounds: Incremental<'a>,
    decisions: Vec<Decision>,
    most: u64,
    backtracks: u32,
    broken: bool,
    /// Columns to be decided before the next step.
    urgent: Option<usize>,
}

/// A column that can have none of its values, and the row that says so.
struct Stuck {
    column: usize,
    conflict: Conflict,
}

impl Dive<'_> {
    pub(super) fn run(&self, root: &Bounds, steps: &[Step], random: &mut fastrand::Rng) -> Dived {
        let entries = self.model.matrix.nonzeros() as u64;
        let mut state = State {
            bounds: Incremental::new(self.propagator, root.clone()),
            decisions: Vec::new(),
            most: LEAST_WORK.max(WORK_PER_ENTRY * entries),
            backtracks: 0,
            broken: false,
            urgent: None,
        };
        let (mut at, mut looks) = (0, 0usize);
        while at < steps.len() {
            looks += 1;
            if looks.is_multiple_of(PATIENCE) && self.clock.is_over() {
                break;
            }
            let urgent = state.urgent.take().map(|j| Step::Column(j as u32));
            let step = urgent.unwrap_or(steps[at]);
            match self.decide(&mut state, step, at, random) {
                Ok(()) if urgent.is_some() => {}
                Ok(()) => at += 1,
                Err(stuck) => match state.take_back() {
                    Some(step) => {
                        at = step;
                        state.urgent = Some(stuck.column);
                    }
                    None => self.accept(&mut state, &stuck, random),
                },
            }
        }
        let fixed = |j: usize| !self.model.is_integer(j) || state.bounds.is_fixed(j);
        let complete = !state.broken && (0..self.model.num_columns()).all(fixed);
        Dived {
            bounds: state.bounds.into_bounds(),
            complete,
        }
    }

    fn decide(
        &self,
        state: &mut State<'_>,
        step: Step,
        at: usize,
        random: &mut fastrand::Rng,
    ) -> Result<(), Stuck> {
        match step {
            Step::Given(j) => {
                let j = j as usize;
                let value = self.start.map_or(f64::NAN, |start| start[j]).round();
                let (lower, upper) = state.range(j);
                // One that contradicts what was fixed before is decided later, like those that are not given.
                if lower < upper && (lower..=upper).contains(&value) {
                    state.try_value(j, value, at).ok();
                }
                Ok(())
            }
            Step::Row(i) => {
                while let Some(j) = self.best_of(state, i as usize) {
                    if self.assign(state, j, 1.0, at)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Step::Column(j) => {
                let j = j as usize;
                for tried in 0.. {
                    let (lower, upper) = state.range(j);
                    if lower >= upper {
                        break;
                    }
                    let value = match tried {
                        0..VALUES => self.wanted(j, (lower, upper), random),
                        // In a wide range the values beside each other fail for the same reason.
                        _ if lower.is_finite() && upper.is_finite() => {
                            lower + ((upper - lower) * random.f64()).round()
                        }
                        _ if lower.is_finite() => lower,
                        _ if upper.is_finite() => upper,
                        _ => self.wanted(j, (lower, upper), random),
                    };
                    if self.assign(state, j, value, at)?.is_break() || tried > 4 * VALUES {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    fn wanted(&self, j: usize, (lower, upper): (f64, f64), random: &mut fastrand::Rng) -> f64 {
        let advice = (&self.order, self.start);
        self.plan
            .wanted(self.model, (j, lower, upper), advice, self.taste, random)
    }

    /// The column of a row that should be one, if none is yet.
    fn best_of(&self, state: &State<'_>, i: usize) -> Option<usize> {
        let mut best: Option<(f64, f64, usize)> = None;
        for (j, _) in self.propagator.by_row().entries(i) {
            let (lower, upper) = state.range(j);
            if lower > 0.0 {
                return None;
            }
            if upper < 1.0 {
                continue;
            }
            let given = self.start.is_some_and(|start| start[j] == 1.0);
            let advice = match self.order {
                _ if given => 2.0,
                Order::Scores(scores) => f64::from(scores[j]),
                Order::Relaxation(values) => values[j],
                Order::Plain => 0.0,
            };
            let advice = if advice.is_nan() { 0.0 } else { advice };
            let cost = self.plan.cost[j] * self.clock.noise(j);
            let better = best.is_none_or(|(a, c, _)| advice > a || (advice == a && cost < c));
            if better {
                best = Some((advice, cost, j));
            }
        }
        best.map(|(_, _, j)| j)
    }

    /// Fixes a column, or excludes the value. Breaks if it could be fixed.
    fn assign(
        &self,
        state: &mut State<'_>,
        j: usize,
        value: f64,
        at: usize,
    ) -> Result<ControlFlow<()>, Stuck> {
        let Err(conflict) = state.try_value(j, value, at) else {
            return Ok(ControlFlow::Break(()));
        };
        let (lower, upper) = state.range(j);
        let without = if value <= lower {
            (lower + 1.0, upper)
        } else if value >= upper {
            (lower, upper - 1.0)
        } else if upper.is_finite() && upper - value < value - lower {
            (value + 1.0, upper)
        } else {
            // A value in the middle is not excluded: what is nearer to a finite bound is given up.
            (lower, value - 1.0)
        };
        let mark = state.bounds.mark();
        let stuck = Stuck {
            column: j,
            conflict,
        };
        if without.0 > without.1 {
            return Err(stuck);
        }
        state.bounds.set(j, without.0, without.1);
        if state.propagate().is_err() {
            state.bounds.undo(mark);
            return Err(stuck);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Fixes a column although rows cannot hold any more, and leaves these rows alone from now on.
    fn accept(&self, state: &mut State<'_>, stuck: &Stuck, random: &mut fastrand::Rng) {
        state.broken = true;
        state.bounds.ignore(stuck.conflict.row);
        let j = stuck.column;
        let value = self.wanted(j, state.range(j), random);
        state.bounds.set(j, value, value);
        while let Err(conflict) = state.propagate() {
            state.bounds.ignore(conflict.row);
        }
    }
}

impl State<'_> {
    fn range(&self, j: usize) -> (f64, f64) {
        let bounds = self.bounds.bounds();
        (bounds.lower[j], bounds.upper[j])
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        self.bounds.propagate(self.most)
    }

    /// Fixes a column with all that follows, or changes nothing.
    fn try_value(&mut self, j: usize, value: f64, step: usize) -> Result<(), Conflict> {
        let mark = self.bounds.mark();
        self.bounds.set(j, value, value);
        match self.propagate() {
            Ok(()) => {
                self.decisions.push(Decision { mark, step });
                Ok(())
            }
            Err(conflict) => {
                self.bounds.undo(mark);
                Err(conflict)
            }
        }
    }

    /// Takes back the latest decisions, if that has not been done too often, and says at which step to go on.
    fn take_back(&mut self) -> Option<usize> {
        if self.backtracks >= BACKTRACKS || self.decisions.is_empty() {
            return None;
        }
        self.backtracks += 1;
        let depth = 1usize << (self.backtracks / 4).min(20);
        let level = self.decisions.len().saturating_sub(depth);
        let step = self.decisions[level].step;
        self.bounds.undo(self.decisions[level].mark);
        self.decisions.truncate(level);
        Some(step)
    }
}

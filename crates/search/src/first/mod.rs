//! First solutions without a solver: fix and propagate, then repair.
//!
//! A [dive](dive) fixes the discrete columns one after the other, each with all that follows. What it could not make
//! hold is repaired by [chains](chain) and [jumps](jump). Tries differ in the values that columns get first and in the
//! order; the first one takes the cheapest values. All is done on the model as it is, in memory that grows with its
//! entries, so that it works where a relaxation takes too long. Nothing is proved here.

mod chain;
mod dive;
mod jump;
mod order;
mod point;
mod solution;

use std::time::{Duration, Instant};

use idpas_mip::Model;
use idpas_mip::propagate::{Bounds, Propagator};
use idpas_solver::HardStop;

use chain::Chains;
use dive::Dive;
pub(crate) use order::Order;
use order::{Plan, Taste};
use point::Point;
pub use solution::{FirstSolution, FirstSolutionRequest, first_solution};

/// How often chains and jumps take turns in one repair. Chains disturb little and jumps much, so that there are few
/// jumps at first, for each violated row and in any case, and more in each round.
const ROUNDS: u32 = 5;
const JUMPS_PER_ROW: u64 = 4;
const LEAST_JUMPS: u64 = 200;
const MORE_JUMPS: u64 = 6;

/// Looks for values of the discrete columns that contradict no row.
pub(crate) struct FirstSearch<'a> {
    model: &'a Model,
    propagator: &'a Propagator<'a>,
    /// Those of discrete columns are integers.
    bounds: Bounds,
    plan: Plan,
    tries: usize,
}

/// What a search ended with.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// Discrete columns are fixed, all of them if the attempt is complete; continuous ones have the bounds that follow.
    pub(crate) bounds: Bounds,
    /// A value of every column within its bounds. If `complete`, the discrete ones contradict no row; continuous ones
    /// may have to be found anew.
    pub(crate) values: Vec<f64>,
    /// Whether no row is known to be violated.
    pub(crate) complete: bool,
    /// Rows that the values violate.
    pub(crate) violated: usize,
}

impl<'a> FirstSearch<'a> {
    /// `bounds` are the model's, or tighter ones that follow from its rows.
    pub(crate) fn new(propagator: &'a Propagator<'a>, bounds: &Bounds) -> Self {
        let model = propagator.model();
        let mut bounds = bounds.clone();
        for j in (0..model.num_columns()).filter(|&j| model.is_integer(j)) {
            bounds.lower[j] = bounds.lower[j].ceil();
            bounds.upper[j] = bounds.upper[j].floor();
        }
        FirstSearch {
            model,
            propagator,
            plan: Plan::new(propagator, &bounds),
            bounds,
            tries: 0,
        }
    }

    /// Tries until one is complete, for at most `limit` seconds; the next call goes on with other tries. Of those that
    /// are not complete, the one that violates the fewest rows is returned.
    ///
    /// `start` has values that columns should have, NaN where none is known. Those that contradict others are left out,
    /// and every other pair of tries goes without.
    pub(crate) fn find(
        &mut self,
        order: &Order<'_>,
        start: Option<&[f64]>,
        limit: f64,
        stop: &HardStop,
        random: &mut fastrand::Rng,
    ) -> Attempt {
        let end = Instant::now() + Duration::from_secs_f64(limit.clamp(0.0, 1e9));
        let mut best: Option<Attempt> = None;
        loop {
            let clock = Clock {
                end,
                stop,
                seed: if self.tries == 0 { 0 } else { random.u64(1..) },
            };
            // A start that cannot be completed must not be in the way for ever.
            let start = start.filter(|_| self.tries % 4 < 2);
            let attempt = self.once(order, start, &clock, random);
            self.tries += 1;
            let over = attempt.complete || clock.is_over();
            best = match best {
                Some(best) if best.violated <= attempt.violated && !attempt.complete => Some(best),
                _ => Some(attempt),
            };
            if let (true, Some(best)) = (over, best.as_ref()) {
                return best.clone();
            }
        }
    }

    fn once(
        &self,
        order: &Order<'_>,
        start: Option<&[f64]>,
        clock: &Clock<'_>,
        random: &mut fastrand::Rng,
    ) -> Attempt {
        // In a network, what is fixed first decides where conflicts arise, far away and late; chains mend them from the
        // cheapest point on.
        if self.plan.is_network && self.tries.is_multiple_of(2) {
            let values = self.cheapest(order, start);
            return self.repair(values, clock, random);
        }
        let taste = match self.tries {
            0 => Taste::Cheap,
            1 => Taste::Loose,
            n if n % 3 == 2 => Taste::Mixed,
            n if n % 3 == 0 => Taste::Cheap,
            _ => Taste::Loose,
        };
        // The first tries of each taste keep the model's order, which often follows its structure.
        let shuffle = (self.tries >= 2).then_some(&mut *random);
        let steps = self
            .plan
            .steps(self.model, &self.bounds, order, start, shuffle);
        let dive = Dive {
            model: self.model,
            propagator: self.propagator,
            plan: &self.plan,
            order: *order,
            start,
            taste,
            clock,
        };
        let dived = dive.run(&self.bounds, &steps, random);
        let values = self.values_in(&dived.bounds);
        if dived.complete {
            return Attempt {
                values,
                bounds: dived.bounds,
                complete: true,
                violated: 0,
            };
        }
        self.repair(values, clock, random)
    }

    fn repair(&self, values: Vec<f64>, clock: &Clock<'_>, random: &mut fastrand::Rng) -> Attempt {
        let mut point = Point::new(self.propagator, &self.bounds, values);
        let cost = &self.plan.cost;
        let mut chains = None;
        for round in 0..ROUNDS {
            if point
                .violated
                .iter()
                .any(|&i| point.is_equality(i as usize))
            {
                chains
                    .get_or_insert_with(|| Chains::new(&point, cost))
                    .mend(&mut point, cost, clock);
            }
            let few = LEAST_JUMPS + JUMPS_PER_ROW * point.violated.len() as u64;
            let jumps = few * MORE_JUMPS.pow(round);
            jump::jump(&mut point, cost, jumps, clock, random);
            point.sum_up();
            if point.violated.is_empty() || clock.is_over() {
                break;
            }
        }
        let mut bounds = self.bounds.clone();
        for j in (0..point.values.len()).filter(|&j| self.model.is_integer(j)) {
            (bounds.lower[j], bounds.upper[j]) = (point.values[j], point.values[j]);
        }
        Attempt {
            bounds,
            complete: point.violated.is_empty(),
            violated: point.violated.len(),
            values: point.values,
        }
    }

    /// The values that start and relaxation give, and the cheapest ones otherwise.
    fn cheapest(&self, order: &Order<'_>, start: Option<&[f64]>) -> Vec<f64> {
        let mut values = self.values_in(&self.bounds);
        let given = match order {
            Order::Relaxation(values) => start.or(Some(values)),
            _ => start,
        };
        for (j, &wanted) in given.into_iter().flatten().enumerate() {
            let (lower, upper) = (self.bounds.lower[j], self.bounds.upper[j]);
            if wanted.is_finite() && lower <= upper {
                values[j] = match self.model.is_integer(j) {
                    true => wanted.round().clamp(lower, upper),
                    false => wanted.clamp(lower, upper),
                };
            }
        }
        values
    }

    /// Values within bounds: of discrete columns that are not fixed and of continuous ones, the cheapest that is finite.
    fn values_in(&self, bounds: &Bounds) -> Vec<f64> {
        let value = |j: usize| {
            let (lower, upper) = (bounds.lower[j], bounds.upper[j]);
            let side = match self.plan.cost[j] {
                c if c > 0.0 => lower,
                c if c < 0.0 => upper,
                _ => 0.0,
            };
            let side = if side.is_finite() { side } else { 0.0 };
            let value = side.max(lower).min(upper);
            match self.model.is_integer(j) {
                true => value.round(),
                false => value,
            }
        };
        (0..self.model.num_columns()).map(value).collect()
    }
}

/// When a try ends, and by how much it sees costs other than they are.
struct Clock<'a> {
    end: Instant,
    stop: &'a HardStop,
    /// Zero for costs as they are.
    seed: u64,
}

impl Clock<'_> {
    fn is_over(&self) -> bool {
        self.end <= Instant::now() || self.stop.is_due()
    }

    /// A factor around one for the cost of column `j`, which is the same throughout a try.
    fn noise(&self, j: usize) -> f64 {
        if self.seed == 0 {
            return 1.0;
        }
        let mut z = self
            .seed
            .wrapping_add((j as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^= z >> 27;
        0.75 + 0.5 * (z >> 11) as f64 / (1u64 << 53) as f64
    }
}

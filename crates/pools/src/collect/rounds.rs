//! The re-solves that fill a pool.
//!
//! Each takes a solution of the pool, fixes most of its discrete columns, and asks for another solution: a
//! distance row excludes the one it came from, a cut-off row what would not be kept. Most of them also disturb
//! the costs, so that the search ends elsewhere; the others look for a better best. How much is free adapts:
//! more where nothing else exists, less where the time does not suffice.

use idpas_base::random::Random;
use idpas_mip::{Model, Sense};
use idpas_search::neighbourhood::{Change, ChangedModel, FreeColumns, RowChooser, RowRule, hold};
use idpas_solver::{NewRow, Params, Solver, Termination};

use super::CollectSettings;
use super::fill::Filling;
use crate::PoolError;
use crate::pool::Source;

/// The share of discrete columns that is free at first, and its limits.
const SHARE: (f64, f64, f64) = (0.01, 0.2, 0.9);
/// A re-solve gets this share of the turn's time.
const TIME_SHARE: f64 = 0.05;
/// Seconds a re-solve gets at least.
const LEAST_SECONDS: f64 = 0.2;
/// Good enough for a re-solve.
const GAP: f64 = 1e-3;
/// Costs are multiplied by up to one plus or minus this.
const NOISE: f64 = 0.3;
/// A solver that fails this often is not asked again.
const MOST_FAILURES: usize = 3;

pub(super) struct Rounds<'a> {
    model: &'a Model,
    relaxation: Option<&'a [f64]>,
    settings: &'a CollectSettings,
    chooser: RowChooser<'a>,
    random: Random,
    share: f64,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(
        name: &str,
        model: &'a Model,
        relaxation: Option<&'a [f64]>,
        settings: &'a CollectSettings,
        turn: usize,
    ) -> Self {
        Rounds {
            model,
            relaxation,
            settings,
            chooser: RowChooser::new(model),
            random: Random::new(settings.seed, &format!("pool {name}"), turn as u64),
            share: SHARE.1,
        }
    }

    /// Re-solves until time, rounds or patience is out, and says how many there were.
    pub(super) fn run(
        mut self,
        solver: &dyn Solver,
        filling: &mut Filling<'_>,
    ) -> Result<usize, PoolError> {
        let most = self.settings.rounds.unwrap_or(usize::MAX);
        let mut changed = ChangedModel::new(solver, self.model);
        let (mut round, mut fruitless, mut failures) = (0, 0, 0);
        while round < most
            && fruitless < self.settings.patience
            && failures < MOST_FAILURES
            && filling.left() > 0.0
            && !filling.interrupted()
        {
            changed.load()?;
            let change = self.plan(round, filling);
            round += 1;
            let offset = filling.seconds();
            let seconds = (TIME_SHARE * filling.limit()).max(LEAST_SECONDS);
            let params = Params {
                seed: self.random.below(1 << 31) as u32,
                relative_gap: GAP,
                ..filling.params(seconds)
            };
            // What is in the pool is not lost because one re-solve failed.
            let Ok(result) = changed.solve(&change, None, &params, &mut filling.control()) else {
                failures += 1;
                continue;
            };
            let changed = filling.offer_all(&result, offset, Source::Neighbourhood);
            fruitless = if changed > 0 { 0 } else { fruitless + 1 };
            self.adapt(changed, &result.termination);
        }
        Ok(round)
    }

    fn adapt(&mut self, changed: usize, termination: &Termination) {
        let (least, _, most) = SHARE;
        self.share *= match (changed, termination) {
            (0, Termination::TimeLimit | Termination::Limit) => 0.7,
            (0, _) => 1.2,
            (_, Termination::TimeLimit | Termination::Limit) => 0.9,
            _ => 1.0,
        };
        self.share = self.share.clamp(least, most);
    }

    fn plan(&mut self, round: usize, filling: &Filling<'_>) -> Change {
        let solutions = filling.selection.solutions();
        let random = &mut self.random;
        let rule = RowRule::ALL[round % RowRule::ALL.len()];
        let at = match random.below(3) {
            0 => 0,
            _ => random.below(solutions.len()),
        };
        let base = &solutions[at].values;
        let other = match rule {
            RowRule::Crossover => Some(solutions[random.below(solutions.len())].values.as_slice()),
            RowRule::Relaxation => self.relaxation,
            _ => None,
        };
        let apart = |other: &[f64]| {
            let differs =
                |&j: &usize| self.model.is_integer(j) && (base[j] - other[j]).abs() > 1e-6;
            (0..base.len()).filter(differs).collect()
        };
        let apart = other.map(apart).unwrap_or_default();
        let free = self.chooser.choose(rule, self.share, apart, random);
        // Every third re-solve looks for better, the others for different; once the pool is full, every second.
        let turns = if filling.selection.is_full() { 2 } else { 3 };
        let disturbed = !round.is_multiple_of(turns);
        let mut rows = Vec::new();
        rows.extend(distance(self.model, base, &free, 1 + random.below(4)));
        let mut costs = Vec::new();
        if disturbed {
            rows.extend(cut_off(self.model, filling));
            for j in free.sorted() {
                let factor = random.uniform(1.0 - NOISE, 1.0 + NOISE);
                costs.push((j, self.model.columns.cost[j] * factor));
            }
        }
        Change {
            bounds: hold(self.model, base, |j| free.contains(j)),
            rows,
            costs,
        }
    }
}

/// A row that demands `distance` steps away from `base`, counted in free columns that are at a bound there.
fn distance(model: &Model, base: &[f64], free: &FreeColumns, distance: usize) -> Option<NewRow> {
    let columns = &model.columns;
    let mut entries = Vec::new();
    let mut lower = distance as f64;
    let movable = |j: &usize| columns.lower[*j] < columns.upper[*j];
    for j in free.sorted().filter(movable) {
        if base[j] == columns.lower[j] {
            entries.push((j, 1.0));
            lower += base[j];
        } else if base[j] == columns.upper[j] {
            entries.push((j, -1.0));
            lower -= base[j];
        }
    }
    (entries.len() >= distance).then_some(NewRow {
        lower,
        upper: f64::INFINITY,
        entries,
    })
}

/// A row that excludes objectives the pool would not keep.
fn cut_off(model: &Model, filling: &Filling<'_>) -> Option<NewRow> {
    let selection = &filling.selection;
    let limit = selection.limit()? - model.objective_constant;
    let costs = model.columns.cost.iter().copied().enumerate();
    let entries: Vec<(usize, f64)> = costs.filter(|(_, cost)| *cost != 0.0).collect();
    let (lower, upper) = match model.sense {
        Sense::Minimize => (f64::NEG_INFINITY, limit),
        Sense::Maximize => (limit, f64::INFINITY),
    };
    (!entries.is_empty()).then_some(NewRow {
        lower,
        upper,
        entries,
    })
}

//! Crossing solutions: what two of them agree on is held, and the rest is searched.
//!
//! One of the two is the best solution, which begins the search of the sub-model; the other is a past solution or the linear
//! relaxation. While there is no solution, past ones are crossed with each other.

use idpas_mip::propagate::Bounds;

use super::adaptive::growth;
use super::plan::{Piece, Plan};
use super::{Known, is_decided};
use crate::driver::Search;
use crate::neighbourhood::ranked::is_quantity;
use crate::{SearchError, StageEnd, StageKind};

/// Columns of a crossing at first: so many at least, or one in this many.
const FIRST: usize = 200;
const FIRST_SHARE: usize = 20;
/// Values further apart than this differ.
const APART: f64 = 0.1;

/// What crossings remember of each other.
#[derive(Default)]
pub(super) struct Crossings {
    /// The other solution of the next crossing, by number: the relaxation, then the past solutions.
    next: usize,
    /// The next two past solutions to be crossed with each other, by number.
    pair: usize,
    /// How many columns may be free.
    size: Option<f64>,
    /// Crossings in a row that left nothing to search.
    idle: usize,
}

impl Search<'_, '_> {
    /// Crosses the best solution with the next other one.
    pub(super) fn cross(
        &mut self,
        known: &mut Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        let model = self.problem.model;
        let Some(best) = self.board.best().cloned() else {
            return self.cross_past(known, plan);
        };
        let relaxation = known.relaxation.as_deref().map(|lp| &lp.values[..]);
        let fits = |start: &&Vec<f64>| start.len() == model.num_columns();
        let past = self.problem.starts.iter().filter(fits);
        let others: Vec<&[f64]> = relaxation
            .into_iter()
            .chain(past.map(|start| &start[..]))
            .collect();
        if others.is_empty() {
            return Ok(Piece::Last);
        }
        let other = others[plan.crossings.next % others.len()];
        plan.crossings.next += 1;
        let is_apart = |j: usize| {
            let apart = (best.values[j] - other[j]).abs();
            model.is_integer(j) && !is_quantity(model, j) && apart.is_finite() && apart > APART
        };
        let mut apart: Vec<usize> = (0..model.num_columns()).filter(|&j| is_apart(j)).collect();
        let first = FIRST.max(model.num_columns() / FIRST_SHARE) as f64;
        let size = plan.crossings.size.unwrap_or(first);
        // Of very different solutions, a part that can be searched in its time.
        if apart.len() as f64 > size {
            known.random.shuffle(&mut apart);
            apart.truncate(size as usize);
        }
        let within = match self.settings.staged.reduced_costs {
            true => known.narrowed(model, Some(&best)),
            false => known.bounds.clone(),
        };
        let bounds = between(self, &within, &best.values, other, &apart);
        if apart.is_empty() || known.proven.covers(&bounds) {
            plan.crossings.idle += 1;
            return Ok(match plan.crossings.idle >= others.len() {
                true => Piece::Waits,
                false => Piece::More,
            });
        }
        plan.crossings.idle = 0;
        let limit = self.clock.sub(&self.settings.staged);
        let kind = StageKind::Crossing;
        let end = self.solve_sub(&mut plan.crossed, kind, &bounds, Some(&best), limit)?;
        let is_exhausted = end.outcome == StageEnd::Exhausted;
        let factor = growth(is_exhausted, end.seconds / limit);
        if !is_exhausted || apart.len() as f64 >= size {
            plan.crossings.size = Some((size * factor).max(1.0));
        }
        if is_exhausted {
            known.proven.add(bounds);
        }
        // An unbounded crossing is one of an unbounded model; the whole model's solve is to say so.
        Ok(match is_decided(end.outcome) && !is_exhausted {
            true => Piece::Last,
            false => Piece::More,
        })
    }
}

impl Search<'_, '_> {
    /// Crosses the next two past solutions: as much of what they agree on is held as contradicts no row.
    fn cross_past(&mut self, known: &mut Known<'_>, plan: &mut Plan) -> Result<Piece, SearchError> {
        let model = self.problem.model;
        let fits = |start: &&Vec<f64>| start.len() == model.num_columns();
        let past: Vec<&Vec<f64>> = self.problem.starts.iter().filter(fits).collect();
        let Some((a, b)) = pair(past.len(), plan.crossings.pair) else {
            return Ok(Piece::Waits);
        };
        plan.crossings.pair += 1;
        let agreed = |j: usize| {
            let (a, b) = (past[a][j].round(), past[b][j].round());
            let holds = model.is_integer(j) && !is_quantity(model, j) && a == b;
            holds.then_some((j, a))
        };
        let targets = (0..model.num_columns()).filter_map(agreed).collect();
        let bounds = known.holding(model, targets);
        let limit = self.clock.sub(&self.settings.staged);
        let kind = StageKind::Crossing;
        self.solve_sub(&mut plan.crossed, kind, &bounds, None, limit)?;
        Ok(Piece::More)
    }
}

/// The pair with this number among so many: (0, 1), (0, 2), (1, 2), (0, 3) and so on.
fn pair(count: usize, number: usize) -> Option<(usize, usize)> {
    let mut pairs = (1..count).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.nth(number)
}

/// The bounds with all decisions held as in `best` but for those of `apart`, which may take any value up to the other
/// solution's.
fn between(
    search: &Search<'_, '_>,
    within: &Bounds,
    best: &[f64],
    other: &[f64],
    apart: &[usize],
) -> Bounds {
    let model = search.problem.model;
    let mut bounds = within.clone();
    for j in (0..best.len()).filter(|&j| model.is_integer(j)) {
        let value = best[j].round();
        (bounds.lower[j], bounds.upper[j]) = match is_quantity(model, j) {
            true => (bounds.lower[j].min(value), bounds.upper[j].max(value)),
            false => (value, value),
        };
    }
    for &j in apart {
        let value = best[j].round();
        let (low, high) = (value.min(other[j].floor()), value.max(other[j].ceil()));
        bounds.lower[j] = low.max(within.lower[j]).min(value);
        bounds.upper[j] = high.min(within.upper[j]).max(value);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_turn() {
        let all: Vec<_> = (0..7).map_while(|number| pair(4, number)).collect();
        assert_eq!(all, [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        assert_eq!(pair(1, 0), None);
        assert_eq!(pair(0, 0), None);
    }
}

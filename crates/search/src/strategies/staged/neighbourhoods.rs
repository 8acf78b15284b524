//! Neighbourhoods of the best solution, one after the other.
//!
//! Three choices make a neighbourhood: the ranking by which its columns are chosen, the set of scores that is believed, if
//! any, and how far it is believed. Each of them is the likelier for having helped lately.

use std::collections::BTreeMap;

use idpas_mip::Model;
use idpas_mip::propagate::Bounds;
use idpas_solver::judge::CheckedSolution;

use super::adaptive::{Choice, Sizes};
use super::plan::{Piece, Plan, gain};
use super::sub::SubEnd;
use super::{Known, is_decided};
use crate::driver::Search;
use crate::neighbourhood::hold;
use crate::neighbourhood::ranked::{View, is_quantity};
use crate::{
    NeighbourhoodReport, Ranking, ScoreOrigin, SearchError, StageEnd, StageKind, StagedSettings,
};

/// Columns of the first neighbourhoods: so many at least, or one in this many.
const FIRST: usize = 100;
const FIRST_SHARE: usize = 50;
/// A scope in which draws find nothing new to search, so often in a row, is spent until the best solution changes.
const SPENT: usize = 8;
/// How a window opens in which nothing is left to find.
const OPEN: f64 = 4.0;
/// How much an improvement leaves of the marks of earlier ones.
const FADE: f32 = 0.8;
/// Limits up to which a set of scores is believed, as factors of that of its last sub-model.
const BELIEF: [f32; 2] = [1.0, 0.2];

/// A set of scores and how far it is believed; or nothing is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scope {
    believed: Option<(ScoreOrigin, f32)>,
    /// The number of its size: one for each factor, and one for none.
    size: usize,
}

/// What neighbourhoods remember of each other.
pub(super) struct Neighbourhoods {
    rankings: Vec<Ranking>,
    which: Choice,
    scopes: Vec<Scope>,
    scope: Choice,
    sizes: Sizes,
    recent: Vec<f32>,
    /// How far general integers may move, and how far the window may open.
    window: f64,
    widest: f64,
    tried: BTreeMap<&'static str, NeighbourhoodReport>,
    /// Mean seconds of a try, by which the reward of one is measured.
    pace: f64,
    /// For each scope, how many draws in a row found nothing new to search around the solution of this objective value.
    stale: Vec<usize>,
    of: Option<f64>,
}

impl Search<'_, '_> {
    /// Searches one neighbourhood of the best solution.
    pub(super) fn neighbourhood(
        &mut self,
        known: &mut Known<'_>,
        plan: &mut Plan,
    ) -> Result<Piece, SearchError> {
        let Some(best) = self.board.best().cloned() else {
            return Ok(Piece::Waits);
        };
        let run = &mut plan.neighbourhoods;
        run.learn_of(known, self.settings.staged.guided);
        if run.of.replace(best.objective) != Some(best.objective) {
            run.stale.fill(0);
        }
        if run.stale.iter().all(|&stale| stale >= SPENT) {
            return Ok(Piece::Waits);
        }
        let settings = &self.settings.staged;
        let Some(drawn) = run.draw(self.problem.model, settings, known, &best) else {
            return Ok(Piece::Last);
        };
        if settings.remember && known.proven.covers(&drawn.bounds) {
            run.sizes.learn(drawn.size, true, 0.0, drawn.eligible);
            run.stale[drawn.at] += 1;
            return Ok(match drawn.everything {
                true => Piece::Waits,
                false => Piece::More,
            });
        }
        run.stale[drawn.at] = 0;
        let usual = self.clock.sub(settings);
        let kind = StageKind::Neighbourhood(drawn.ranking);
        let end = self.solve_sub(&mut plan.around, kind, &drawn.bounds, Some(&best), usual)?;
        let run = &mut plan.neighbourhoods;
        run.learn(&drawn, &best, &end, usual);
        let exhausted = end.outcome == StageEnd::Exhausted;
        let nothing = drawn.everything && exhausted && end.found.is_none();
        let is_last = nothing && !run.open();
        if exhausted {
            known.proven.add(drawn.bounds);
        }
        // An unbounded neighbourhood is one of an unbounded model; the whole model's solve is to say so.
        Ok(if is_decided(end.outcome) && !exhausted {
            Piece::Last
        } else if is_last {
            Piece::Waits
        } else {
            Piece::More
        })
    }
}

impl Neighbourhoods {
    pub(super) fn new(model: &Model, settings: &StagedSettings) -> Self {
        let columns = model.num_columns();
        let first = FIRST.max(columns / FIRST_SHARE);
        let mut rankings = settings.neighbourhoods.clone();
        rankings.dedup();
        let nothing = Scope {
            believed: None,
            size: BELIEF.len(),
        };
        Neighbourhoods {
            which: Choice::new(rankings.len(), settings.adaptive),
            sizes: Sizes::new(first, (BELIEF.len() + 1) * rankings.len()),
            rankings,
            scopes: vec![nothing],
            scope: Choice::new(1, settings.adaptive),
            recent: vec![0.0; columns],
            window: f64::from(settings.window),
            widest: widest(model),
            tried: BTreeMap::new(),
            pace: 0.0,
            stale: vec![0],
            of: None,
        }
    }

    pub(super) fn into_reports(self) -> Vec<NeighbourhoodReport> {
        self.tried.into_values().collect()
    }

    /// Adds the sets of scores that have come since the last time.
    fn learn_of(&mut self, known: &Known<'_>, guided: bool) {
        if !guided {
            return;
        }
        for set in known.sets.iter() {
            let is_new = !self.scopes.iter().any(|scope| {
                let of = scope.believed.map(|(origin, _)| origin);
                of == Some(set.origin)
            });
            if is_new {
                for (size, factor) in BELIEF.into_iter().enumerate() {
                    let believed = Some((set.origin, factor));
                    self.scopes.push(Scope { believed, size });
                    self.scope.add(set.weight);
                    self.stale.push(0);
                }
            }
        }
    }

    /// Lets integers move further when there is nothing better within the window. Says whether that is possible.
    fn open(&mut self) -> bool {
        let more = self.window > 0.0 && self.window < self.widest;
        if more {
            self.window *= OPEN;
        }
        more
    }

    /// Draws a neighbourhood of the best solution; none if no ranking has anything to go by.
    fn draw(
        &self,
        model: &Model,
        settings: &StagedSettings,
        known: &mut Known<'_>,
        best: &CheckedSolution,
    ) -> Option<Drawn> {
        let within = match settings.reduced_costs {
            true => known.narrowed(model, Some(best)),
            false => known.bounds.clone(),
        };
        let is_open = |at: usize| self.stale[at] < SPENT;
        let at = self.scope.draw(&mut known.random, is_open)?;
        let scope = self.scopes[at];
        let set = scope
            .believed
            .and_then(|(origin, factor)| Some((known.sets.get(origin)?, factor)));
        let has_scores = set.is_some();
        let has_relaxation = known.relaxation.is_some();
        let has = |which: usize| match self.rankings[which] {
            Ranking::Unsure | Ranking::Disagreement => has_scores,
            Ranking::Relaxation => has_relaxation,
            _ => true,
        };
        let which = self.which.draw(&mut known.random, has)?;
        let view = View {
            current: &best.values,
            bounds: &within,
            scores: set.map(|(set, _)| &set.scores[..]),
            relaxation: known.relaxation.as_deref(),
            recent: &self.recent,
            sure: set.map_or(0.0, |(set, factor)| set.sure * factor),
        };
        let eligible = known.links.eligible(&view);
        let size = which * (BELIEF.len() + 1) + scope.size;
        let target = self.sizes.columns(size).min(eligible);
        let ranking = self.rankings[which];
        let random = &mut known.random;
        let free = match ranking {
            Ranking::Implied => known.links.implied(known.propagator, target, &view, random),
            _ => known.links.choose(ranking, target, &view, random),
        };
        let columns = free.columns();
        Some(Drawn {
            ranking,
            which,
            at,
            size,
            everything: columns.len() >= eligible && view.sure == 0.0,
            eligible,
            bounds: around(model, &within, &best.values, columns, self.window),
        })
    }

    /// Takes account of how a try went.
    fn learn(&mut self, drawn: &Drawn, before: &CheckedSolution, end: &SubEnd, usual: f64) {
        let exhausted = end.outcome == StageEnd::Exhausted;
        let share = end.seconds / usual;
        self.sizes
            .learn(drawn.size, exhausted, share, drawn.eligible);
        self.pace = match self.pace {
            0.0 => end.seconds,
            pace => 0.9 * pace + 0.1 * end.seconds,
        };
        let after = end.found.as_ref();
        let after = after.filter(|after| gain(Some(before.objective), Some(after.objective)) > 0.0);
        let reward = match after {
            Some(_) => (self.pace / end.seconds.max(1e-3)).clamp(0.5, 2.0),
            None => 0.0,
        };
        self.which.learn(drawn.which, reward);
        self.scope.learn(drawn.at, reward);
        let name = drawn.ranking.as_str();
        let tried = self.tried.entry(name).or_default();
        tried.name = name.to_owned();
        tried.tries += 1;
        tried.seconds += end.seconds;
        tried.exhausted += usize::from(exhausted);
        tried.columns = self.sizes.columns(drawn.size);
        if let Some(after) = after {
            tried.improved += 1;
            tried.gain += (after.objective - before.objective).abs();
            let values = before.values.iter().zip(&after.values);
            for (mark, (old, new)) in self.recent.iter_mut().zip(values) {
                *mark = if old == new { *mark * FADE } else { 1.0 };
            }
        }
    }
}

/// The widest domain of a general integer that windows are for.
fn widest(model: &Model) -> f64 {
    (0..model.num_columns())
        .filter(|&j| model.is_integer(j) && !is_quantity(model, j))
        .map(|j| model.columns.upper[j] - model.columns.lower[j])
        .fold(0.0, f64::max)
}

/// A neighbourhood that was drawn.
struct Drawn {
    ranking: Ranking,
    /// The ranking and the scope, by number.
    which: usize,
    at: usize,
    /// The number of its size.
    size: usize,
    /// How many columns there were to choose from.
    eligible: usize,
    /// All of them were chosen, and the scores held none back.
    everything: bool,
    bounds: Bounds,
}

/// The bounds with all discrete columns held where they are but the chosen ones and quantities; of the chosen ones,
/// general integers are free within a window.
fn around(
    model: &Model,
    bounds: &Bounds,
    current: &[f64],
    columns: &[usize],
    window: f64,
) -> Bounds {
    let mut around = bounds.clone();
    for held in hold(model, current, |j| is_quantity(model, j)) {
        (around.lower[held.index], around.upper[held.index]) = (held.lower, held.upper);
    }
    // The current solution stays inside, whatever tolerances did to the bounds.
    for j in (0..current.len()).filter(|&j| is_quantity(model, j)) {
        let value = current[j].round();
        (around.lower[j], around.upper[j]) =
            (around.lower[j].min(value), around.upper[j].max(value));
    }
    for &j in columns {
        let value = current[j].round();
        let (lower, upper) = (bounds.lower[j], bounds.upper[j]);
        let (near, far) = match model.is_binary(j) {
            true => (lower, upper),
            false => (lower.max(value - window), upper.min(value + window)),
        };
        (around.lower[j], around.upper[j]) = (near.min(value), far.max(value));
    }
    around
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind};

    use super::*;

    #[test]
    fn what_is_chosen_is_free_and_quantities_always_are() -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("around", Sense::Minimize);
        b.column("held", VarKind::Integer, 0.0, 1.0, 1.0)?;
        b.column("chosen", VarKind::Integer, 0.0, 1.0, 1.0)?;
        b.column("near", VarKind::Integer, 0.0, 9.0, 1.0)?;
        b.column("minutes", VarKind::Integer, 0.0, 90_000.0, 1.0)?;
        b.column("flow", VarKind::Continuous, 0.0, 5.0, 1.0)?;
        let model = b.build()?;
        let current = [1.0, 0.0, 5.0, 700.0, 2.5];
        let bounds = around(&model, &Bounds::of(&model), &current, &[1, 2], 2.0);
        assert_eq!(bounds.lower, [1.0, 0.0, 3.0, 0.0, 0.0]);
        assert_eq!(bounds.upper, [1.0, 1.0, 7.0, 90_000.0, 5.0]);
        Ok(())
    }
}

//! One neighbourhood after the other.

use std::collections::BTreeMap;

use idpas_mip::Model;
use idpas_mip::propagate::Bounds;
use idpas_solver::judge::CheckedSolution;

use super::adaptive::{Choice, Sizes};
use super::sub::SubEnd;
use super::{Known, is_decided};
use crate::driver::Search;
use crate::driver::stage::Stage;
use crate::neighbourhood::hold;
use crate::neighbourhood::ranked::{View, is_quantity};
use crate::{
    NeighbourhoodReport, Ranking, SearchError, StageEnd, StageKind, StageReport, StagedSettings,
};

/// Columns of the first neighbourhoods: so many at least, or one in this many.
const FIRST: usize = 100;
const FIRST_SHARE: usize = 50;
/// A try that finds nothing new to search is repeated with others, so often.
const STALE: usize = 200;
/// Tries without improvement after which a solution that is not the best is given up.
const PATIENCE: usize = 20;
/// Neighbourhoods have not stalled before so many could have taken all of their time.
const FAIR: f64 = 4.0;
/// How a window opens in which nothing is left to find.
const OPEN: f64 = 4.0;
/// How much an improvement leaves of the marks of earlier ones.
const FADE: f32 = 0.8;
/// Tighter and tighter limits up to which the scores are believed, as factors of that of the last sub-model; the last
/// believes nothing.
const SCOPES: [f32; 3] = [1.0, 0.2, 0.0];

impl Search<'_, '_> {
    /// Improves the current solution until the time for it is over, or nothing is left to search.
    pub(super) fn neighbourhoods(&mut self, known: &mut Known<'_>) -> Result<(), SearchError> {
        let settings = &self.settings.staged;
        let until = match self.beside {
            Some(_) => self.clock.until(1.0),
            None => self.clock.until(1.0 - settings.proof_share),
        };
        let rankings = usable(&settings.neighbourhoods, known);
        if known.current.is_none() {
            known.current = self.board.best().cloned();
        }
        if rankings.is_empty() || known.current.is_none() {
            return Ok(());
        }
        let mut run = Run::new(self, known, &rankings);
        let time = self.control.time();
        let mut report =
            Stage::part(StageKind::Neighbourhoods, 0.0).report(self.problem.model, time);
        self.control.tell(crate::SearchEvent::StageStarted {
            time,
            stage: &report,
        });
        report.outcome = StageEnd::TimeLimit;
        let stall = match self.beside {
            Some(_) => f64::INFINITY,
            None => {
                let share = self.clock.until(settings.stall_share) - self.clock.until(0.0);
                share.max(FAIR * self.clock.sub(settings))
            }
        };
        let mut improved = time;
        while self.control.time() < until && !self.is_over() && !self.beside_ended() {
            if run.idle == 0 {
                improved = self.control.time();
            }
            if self.control.time() - improved > stall {
                report.outcome = StageEnd::Stalled;
                break;
            }
            let left = until - self.control.time();
            match run.step(self, known, &rankings, left, &mut report) {
                Ok(true) => {}
                Ok(false) => {
                    report.outcome = StageEnd::Exhausted;
                    break;
                }
                Err(SearchError::Solver(error)) => {
                    report.trouble = Some(error.to_string());
                    report.outcome = StageEnd::Trouble;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if self.control.interrupt.is_raised() {
            report.outcome = StageEnd::Interrupted;
        }
        self.tried = run.tried.into_values().collect();
        self.end(report);
        Ok(())
    }
}

/// The rankings that have something to go by.
fn usable(all: &[Ranking], known: &Known<'_>) -> Vec<Ranking> {
    let can = |ranking: &Ranking| match ranking {
        Ranking::Unsure | Ranking::Disagreement => known.scores.is_some(),
        Ranking::Relaxation => known.relaxation.is_some(),
        _ => true,
    };
    let mut usable: Vec<Ranking> = all.iter().copied().filter(can).collect();
    usable.dedup();
    usable
}

/// What neighbourhoods remember of each other.
struct Run {
    which: Choice,
    scope: Choice,
    scopes: Vec<f32>,
    sizes: Vec<Sizes>,
    recent: Vec<f32>,
    /// How far general integers may move, and how far the window may open.
    window: f64,
    widest: f64,
    tried: BTreeMap<&'static str, NeighbourhoodReport>,
    /// Mean seconds of a try, by which the reward of one is measured.
    pace: f64,
    stale: usize,
    /// Tries since the current solution was improved.
    idle: usize,
}

impl Run {
    fn new(search: &Search<'_, '_>, known: &Known<'_>, rankings: &[Ranking]) -> Self {
        let settings = &search.settings.staged;
        let scopes = match settings.guided && known.scores.is_some() && known.sure > 0.0 {
            true => SCOPES.map(|factor| factor * known.sure).to_vec(),
            false => vec![0.0],
        };
        let columns = search.problem.model.num_columns();
        let first = FIRST.max(columns / FIRST_SHARE);
        Run {
            which: Choice::new(rankings.len(), settings.adaptive),
            scope: Choice::new(scopes.len(), settings.adaptive),
            sizes: vec![Sizes::new(first, scopes.len()); rankings.len()],
            scopes,
            recent: vec![0.0; columns],
            window: f64::from(settings.window),
            widest: widest(search.problem.model),
            tried: BTreeMap::new(),
            pace: 0.0,
            stale: 0,
            idle: 0,
        }
    }

    /// Turns to the best solution when the current one, of another kind, does not get there.
    fn turn(&mut self, search: &Search<'_, '_>, known: &mut Known<'_>) {
        let (Some(best), Some(current)) = (search.board.best(), &known.current) else {
            return;
        };
        let sense = search.problem.model.sense;
        if self.idle >= PATIENCE && sense.is_better(best.objective, current.objective) {
            known.current = Some(best.clone());
            self.idle = 0;
        }
    }

    /// Tries one neighbourhood. Says whether there is any point in another.
    fn step(
        &mut self,
        search: &mut Search<'_, '_>,
        known: &mut Known<'_>,
        rankings: &[Ranking],
        left: f64,
        report: &mut StageReport,
    ) -> Result<bool, SearchError> {
        self.turn(search, known);
        let Some(current) = known.current.clone() else {
            return Ok(false);
        };
        let settings = &search.settings.staged;
        let drawn = self.draw(search.problem.model, settings, known, rankings, &current);
        if settings.remember && known.proven.covers(&drawn.bounds) {
            self.sizes[drawn.which].learn(drawn.scope, true, 0.0, drawn.eligible);
            self.stale += 1;
            return Ok(self.stale < STALE && !drawn.everything);
        }
        self.stale = 0;
        let usual = search.clock.sub(settings);
        let limit = usual.min(left).max(0.01);
        let ranking = rankings[drawn.which];
        let kind = StageKind::Neighbourhood(ranking);
        let end = search.solve_sub(report, kind, &drawn.bounds, Some(&current), limit)?;
        self.learn(&drawn, ranking.as_str(), &current, &end, usual);
        let exhausted = end.outcome == StageEnd::Exhausted;
        let nothing = drawn.everything && exhausted && end.found.is_none();
        let last = nothing && !self.open();
        // An unbounded neighbourhood is one of an unbounded model; the whole model's solve is to say so.
        let unbounded = is_decided(end.outcome) && !exhausted;
        if exhausted {
            known.proven.add(drawn.bounds);
        }
        known.current = end.found.or(Some(current));
        Ok(!unbounded && !last)
    }

    /// Lets integers move further when there is nothing better within the window. Says whether that is possible.
    fn open(&mut self) -> bool {
        let more = self.window > 0.0 && self.window < self.widest;
        if more {
            self.window *= OPEN;
        }
        more
    }

    /// Draws a neighbourhood of the current solution.
    fn draw(
        &self,
        model: &Model,
        settings: &StagedSettings,
        known: &mut Known<'_>,
        rankings: &[Ranking],
        current: &CheckedSolution,
    ) -> Drawn {
        let within = match settings.reduced_costs {
            true => known.narrowed(model),
            false => known.bounds.clone(),
        };
        let which = self.which.draw(&mut known.random);
        let scope = self.scope.draw(&mut known.random);
        let view = View {
            current: &current.values,
            bounds: &within,
            scores: known.scores.as_deref(),
            relaxation: known.relaxation.as_deref(),
            recent: &self.recent,
            sure: self.scopes[scope],
        };
        let eligible = known.links.eligible(&view);
        let target = self.sizes[which].columns(scope).min(eligible);
        let random = &mut known.random;
        let free = known.links.choose(rankings[which], target, &view, random);
        let columns = free.columns();
        Drawn {
            which,
            scope,
            everything: columns.len() >= eligible && self.scopes[scope] == 0.0,
            eligible,
            bounds: around(model, &within, &current.values, columns, self.window),
        }
    }

    /// Takes account of how a try went.
    fn learn(
        &mut self,
        drawn: &Drawn,
        name: &'static str,
        before: &CheckedSolution,
        end: &SubEnd,
        usual: f64,
    ) {
        let exhausted = end.outcome == StageEnd::Exhausted;
        let sizes = &mut self.sizes[drawn.which];
        let share = end.seconds / usual;
        sizes.learn(drawn.scope, exhausted, share, drawn.eligible);
        self.pace = match self.pace {
            0.0 => end.seconds,
            pace => 0.9 * pace + 0.1 * end.seconds,
        };
        let reward = match end.found {
            Some(_) => (self.pace / end.seconds.max(1e-3)).clamp(0.5, 2.0),
            None => 0.0,
        };
        self.which.learn(drawn.which, reward);
        self.scope.learn(drawn.scope, reward);
        let tried = self.tried.entry(name).or_default();
        tried.name = name.to_owned();
        tried.tries += 1;
        tried.seconds += end.seconds;
        tried.exhausted += usize::from(exhausted);
        tried.columns = sizes.columns(drawn.scope);
        self.idle += 1;
        if let Some(after) = &end.found {
            self.idle = 0;
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
    /// The ranking and the scope, by number.
    which: usize,
    scope: usize,
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

//! Sub-models in which columns with low scores are held at zero.
//!
//! Each set of scores has a ladder of bands. The first holds everything that the set calls rather zero than not, which
//! leaves a sub-model so small that a solution takes a moment; every next one holds less: down to given scores, and from
//! there on always twice as many columns are free. The ladder ends with the first sub-model that cannot be searched to its end. That one is tried again with twice the time, and again as long as this
//! brings better solutions; from there on neighbourhoods do better.

use idpas_mip::Model;
use idpas_mip::propagate::Bounds;
use idpas_solver::judge::CheckedSolution;

use super::blame::blamed;
use super::plan::{Piece, gain};
use super::sets::Set;
use super::{Known, is_decided};
use crate::driver::Search;
use crate::{
    Amount, ScoreOrigin, SearchError, Selection, SelectionSettings, StageEnd, StageKind,
    StageReport, repair,
};

/// How often a sub-model without a solution is opened where it is to blame before the next one has its turn.
const RELEASES: usize = 3;
/// Of the longest time of a sub-model, the share of a band once there is a solution: other sets and neighbourhoods wait.
const BRIEF: f64 = 0.5;
/// Bands that leave at most so many times the columns free are alike.
const ALIKE: f64 = 1.15;
/// The share of its time that a band has that is solved as its set says, once there is a solution: it is easy, or of no use.
const TIGHT: f64 = 0.2;
/// The share of all time that one try of a band gets at most.
const LONGEST: f64 = 0.2;

impl Search<'_, '_> {
    /// Solves the next band of a set of scores; of bands that are alike the tightest and the loosest, one after the other.
    pub(super) fn next_band(
        &mut self,
        known: &mut Known<'_>,
        origin: ScoreOrigin,
    ) -> Result<Piece, SearchError> {
        let piece = self.one_band(known, origin)?;
        let has_looser = |set: &mut Set<'_>| set.loosest.is_some();
        match known.sets.get_mut(origin).is_some_and(has_looser) && !self.is_over() {
            true => self.one_band(known, origin),
            false => Ok(piece),
        }
    }

    fn one_band(
        &mut self,
        known: &mut Known<'_>,
        origin: ScoreOrigin,
    ) -> Result<Piece, SearchError> {
        let mut bands = self.settings.staged.bands.clone();
        bands.sort_by(|a, b| b.total_cmp(a));
        let has_best = self.guided_best().is_some();
        let Some(set) = known.sets.get_mut(origin) else {
            return Ok(Piece::Last);
        };
        let scores = set.scores.clone();
        let is_first = set.band.is_none();
        let longer = set.longer.take();
        let model = self.problem.model;
        let next = match longer {
            Some(_) => set.same_band(model),
            None => set.climb(model, &bands, has_best),
        };
        let Some((most, mut selection)) = next else {
            return Ok(Piece::Last);
        };
        // What a poor solution uses would make it far larger, so the first band is as the set says.
        let is_pure = (is_first || set.loosest.is_some()) && has_best;
        set.sure = most;
        let kind = StageKind::Band { origin, most };
        let began = self.control.time();
        let before = self.board.best().map(|best| best.objective);
        let usual = self.clock.sub(&self.settings.staged);
        let limit = match (longer, has_best) {
            (Some(longer), _) => longer,
            (None, true) => BRIEF * usual,
            (None, false) => usual,
        };
        let limit = if is_pure { TIGHT * limit } else { limit };
        let end = self.band(known, &scores, kind, &mut selection, limit, is_pure)?;
        let seconds = self.control.time() - began;
        let after = self.board.best().map(|best| best.objective);
        known.selection = selection;
        known.sets.lead(origin);
        let has_solution = self.guided_best().is_some();
        let is_hard = match end {
            StageEnd::Exhausted | StageEnd::Infeasible => false,
            // So is the model, which only a solve of the whole of it may say.
            end if is_decided(end) => true,
            // The next one may be easier, for all that is known.
            _ => has_solution && !is_pure,
        };
        // It was on the way to something better, or nobody knows yet.
        let is_worth_more = longer.is_none() || gain(before, after) > 0.0;
        let twice = 2.0 * limit;
        if let Some(set) = known.sets.get_mut(origin) {
            set.is_climbed |= is_hard;
            set.seconds = Some(seconds);
            if is_hard
                && end == StageEnd::TimeLimit
                && is_worth_more
                && twice <= self.clock.share(LONGEST)
            {
                set.is_climbed = false;
                set.longer = Some(twice);
            }
        }
        Ok(Piece::More)
    }

    /// Solves one band, opened where it has no solution; if it is pure, as its set says, whatever the best solution uses.
    fn band(
        &mut self,
        known: &mut Known<'_>,
        scores: &[f32],
        kind: StageKind,
        selection: &mut Selection,
        limit: f64,
        is_pure: bool,
    ) -> Result<StageEnd, SearchError> {
        let model = self.problem.model;
        let releases = if is_pure { 0 } else { RELEASES };
        let mut end = StageEnd::Infeasible;
        for round in 0..=releases {
            if self.is_over() || self.whole_is_decided() {
                break;
            }
            let from = self.guided_best().filter(|_| !is_pure);
            let bounds = self.band_bounds(known, scores, selection, from.as_ref());
            end = self.band_within(kind, selection, &bounds, from.as_ref(), limit)?;
            if end == StageEnd::Exhausted {
                known.proven.add(bounds);
            }
            if end != StageEnd::Infeasible || round == releases {
                break;
            }
            let guilty = blamed(self, &known.bounds, scores, selection, limit).unwrap_or_default();
            if guilty.is_empty() {
                break;
            }
            known.released += guilty.len();
            let mut is_guilty = vec![false; model.num_columns()];
            for j in guilty {
                is_guilty[j] = true;
            }
            selection.retain(|j| !is_guilty[j]);
        }
        Ok(end)
    }

    /// Solves the sub-model of a band, from a solution that is in it.
    fn band_within(
        &mut self,
        kind: StageKind,
        selection: &Selection,
        bounds: &Bounds,
        from: Option<&CheckedSolution>,
        limit: f64,
    ) -> Result<StageEnd, SearchError> {
        let time = self.control.time();
        let mut report = StageReport {
            fixed_binaries: selection.zero_binaries.len(),
            fixed_integers: selection.zero_integers.len(),
            ..StageReport::new(kind, self.problem.model, time)
        };
        let stage = &report;
        self.control
            .tell(crate::SearchEvent::StageStarted { time, stage });
        let end = match self.solve_sub(&mut report, kind, bounds, from, limit) {
            Ok(end) => end.outcome,
            // The next one, or another source, may fare better.
            Err(SearchError::Solver(error)) => {
                report.trouble = Some(error.to_string());
                StageEnd::Trouble
            }
            Err(error) => return Err(error),
        };
        report.outcome = end;
        self.end(report);
        Ok(end)
    }

    /// The best solution, unless it is one that only satisfies the rows: what that uses is no reason to use it.
    fn guided_best(&self) -> Option<CheckedSolution> {
        let last = self.board.trajectory.last()?;
        let is_any = last.stage == StageKind::First;
        self.board.best().filter(|_| !is_any).cloned()
    }

    /// The bounds of a band: the selection at zero, but for what the best solution has or, without one, for what contradicts
    /// the rows.
    fn band_bounds(
        &self,
        known: &mut Known<'_>,
        scores: &[f32],
        selection: &mut Selection,
        best: Option<&CheckedSolution>,
    ) -> Bounds {
        let model = self.problem.model;
        match best {
            // The solution it begins with is to be in the sub-model.
            Some(best) => selection.retain(|j| best.values[j].round() == 0.0),
            None => {
                let (propagator, bounds) = (known.propagator, &known.bounds);
                known.released += repair(model, propagator, bounds, scores, selection);
            }
        }
        match self.settings.staged.reduced_costs {
            true => held(&known.narrowed(model, best), selection),
            false => held(&known.bounds, selection),
        }
    }
}

impl Set<'_> {
    /// The last band that was tried: the score up to which columns are held, and these.
    fn same_band(&self, model: &Model) -> Option<(f32, Selection)> {
        let band = self.band?;
        Some((band, Selection::new(model, &self.scores, &up_to(band))))
    }

    /// The next band to be tried. None if no band is left.
    ///
    /// Bands that hold no less than the one before are passed over. Of bands that leave about as many columns free the last one
    /// is taken: it contains the others and is hardly larger. Before it comes the first one, if so wished, which may be far easier.
    /// After the last of `bands`, each leaves twice as many columns free as the one before, as far as scores tell them apart.
    fn climb(
        &mut self,
        model: &Model,
        bands: &[f32],
        with_first: bool,
    ) -> Option<(f32, Selection)> {
        if let Some(band) = self.loosest.take() {
            self.band = Some(band);
            return self.same_band(model);
        }
        let is_discrete = |j: &usize| model.is_integer(*j);
        let discrete = (0..model.num_columns()).filter(is_discrete).count();
        let free = |selection: &Selection| (discrete - selection.len()) as f64;
        let (mut first, mut found) = (None, None);
        let mut most_free = f64::INFINITY;
        while let Some(&band) = bands.get(self.next) {
            let selection = Selection::new(model, &self.scores, &up_to(band));
            if selection.is_empty() || free(&selection) > most_free {
                break;
            }
            self.next += 1;
            if self.held != Some(selection.len()) {
                self.held = Some(selection.len());
                most_free = most_free.min(ALIKE * free(&selection));
                match first {
                    None => first = Some((band, selection)),
                    Some(_) => found = Some(band),
                }
            }
        }
        if let Some(loosest) = found {
            self.band = Some(loosest);
            if !with_first {
                return self.same_band(model);
            }
            self.loosest = Some(loosest);
            self.band = first.as_ref().map(|(band, _)| *band);
            return first;
        }
        let found = first.or_else(|| self.beyond(model, discrete));
        self.is_climbed = found.is_none();
        if let Some((band, selection)) = &found {
            self.held = Some(selection.len());
            self.band = Some(*band);
        }
        found
    }

    /// A band that leaves twice as many of the `discrete` columns free as the last one, or a few more where scores are equal.
    fn beyond(&self, model: &Model, discrete: usize) -> Option<(f32, Selection)> {
        let (last, held) = (self.band?, self.held?);
        let integers = (0..model.num_columns()).filter(|&j| model.is_integer(j));
        let mut scores: Vec<f32> = integers.map(|j| self.scores[j]).collect();
        scores.retain(|score| *score <= last);
        scores.sort_by(f32::total_cmp);
        let free = discrete.saturating_sub(held).max(1);
        let kept = scores.len().checked_sub(free)?;
        let limit = kept.checked_sub(1).map(|at| scores[at])?;
        let band = scores
            .into_iter()
            .rfind(|score| *score <= limit && *score < last)?;
        let selection = Selection::new(model, &self.scores, &up_to(band));
        (!selection.is_empty() && selection.len() < held).then_some((band, selection))
    }
}

/// Selects every column with a score up to this.
fn up_to(most: f32) -> SelectionSettings {
    SelectionSettings {
        k0_binaries: Amount::Percent(100.0),
        k0_integers: Amount::Percent(100.0),
        k1_binaries: Amount::NONE,
        delta: Amount::NONE,
        max_score: Some(most),
    }
}

/// The bounds with the selected columns at zero, as far as zero is possible.
fn held(bounds: &Bounds, selection: &Selection) -> Bounds {
    let mut held = bounds.clone();
    for j in selection.zeros() {
        if (bounds.lower[j]..=bounds.upper[j]).contains(&0.0) {
            (held.lower[j], held.upper[j]) = (0.0, 0.0);
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use idpas_mip::{ModelBuilder, Sense, VarKind};

    use super::*;

    #[test]
    fn of_bands_that_are_alike_the_loosest_is_taken_and_the_tightest_if_wished()
    -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("twenty", Sense::Minimize);
        for j in 0..20 {
            b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0)?;
        }
        let model = b.build()?;
        // Free are ten columns of twenty, then eleven, then sixteen, then all.
        let mut scores = vec![0.9f32; 10];
        scores.push(0.45);
        scores.extend([0.25; 5]);
        scores.extend([0.15; 4]);
        let bands = [0.5, 0.4, 0.3, 0.2, 0.1];
        let set = || Set::new(ScoreOrigin::ZeroFrequency, Cow::Borrowed(&scores[..]), 1.0);
        let free = |held: &Selection| 20 - held.len();
        let mut climbing = set();
        let mut taken = Vec::new();
        while let Some((most, held)) = climbing.climb(&model, &bands, false) {
            taken.push((most, free(&held)));
        }
        assert_eq!(taken, [(0.4, 11), (0.2, 16)]);
        assert!(climbing.is_climbed);
        // With the tightest one before it, and the same band again.
        let mut climbing = set();
        let free = |band: Option<(f32, Selection)>| band.map(|(most, held)| (most, free(&held)));
        assert_eq!(free(climbing.climb(&model, &bands, true)), Some((0.5, 10)));
        assert_eq!(climbing.loosest, Some(0.4));
        assert_eq!(free(climbing.climb(&model, &bands, true)), Some((0.4, 11)));
        assert_eq!(climbing.loosest, None);
        assert_eq!(free(climbing.same_band(&model)), Some((0.4, 11)));
        Ok(())
    }

    #[test]
    fn after_the_last_band_twice_as_much_is_free() -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("hundred", Sense::Minimize);
        for j in 0..100 {
            b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0)?;
        }
        let model = b.build()?;
        // Ten columns are rather not zero; all others are surely zero, some more so than others, twenty of them alike.
        let score = |j: usize| match j {
            0..10 => 0.9,
            10..80 => 1e-3 - 1e-6 * j as f32,
            _ => 1e-5,
        };
        let scores: Vec<f32> = (0..100).map(score).collect();
        let mut set = Set::new(ScoreOrigin::Network, Cow::Borrowed(&scores[..]), 1.0);
        let mut free = Vec::new();
        while let Some((_, held)) = set.climb(&model, &[0.5, 0.1], false) {
            free.push(100 - held.len());
        }
        // What is alike is held or free together.
        assert_eq!(free, [10, 20, 40, 80]);
        Ok(())
    }
}

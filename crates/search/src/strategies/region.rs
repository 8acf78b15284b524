//! The paper's region, and what completes it.
//!
//! The columns that the scores are surest about are selected, and at most Δ of them may have another value than
//! predicted. Without completion that is all. With it, the region is first searched with Δ = 0, then wider, and at last
//! the whole model is solved from the best solution.

use idpas_mip::propagate::{Bounds, Propagator};

use crate::driver::stage::Stage;
use crate::driver::{SWEEPS, Search};
use crate::{Region, SearchError, SearchOutcome, Selection, StageEnd, repair};

impl Search<'_, '_> {
    /// The search by regions, to its end.
    pub(crate) fn by_regions(mut self) -> Result<SearchOutcome, SearchError> {
        self.starts()?;
        let mut selection = self.select();
        let mut released = 0;
        if selection.is_empty() {
            self.full()?;
        } else if self.settings.completion {
            released = self.complete(&mut selection)?;
        } else {
            self.faithful(&selection)?;
        }
        let scores = self.problem.scores;
        Ok(self.finish(&selection, released, scores))
    }

    fn has_indicators(&self) -> bool {
        self.problem.solver.abilities().indicators
    }

    fn select(&self) -> Selection {
        let settings = self.settings.method.selection(&self.settings.selection);
        match self.problem.scores {
            Some(scores) => Selection::new(self.problem.model, scores, &settings),
            None => Selection::default(),
        }
    }

    /// The paper's search: one region until the time is over.
    fn faithful(&mut self, selection: &Selection) -> Result<(), SearchError> {
        let model = self.problem.model;
        let mut bounds = Bounds::of(model);
        // A conflict means that there is no solution; the solver will find that out, too.
        let _ = Propagator::new(model).tighten(&mut bounds, SWEEPS);
        let amount = self.settings.selection.delta;
        let region = Region::new(
            selection.clone(),
            |n| amount.of(n),
            &bounds,
            self.has_indicators(),
        );
        if region.is_everything() {
            return self.full();
        }
        if !self.is_over() {
            let limit = self.clock.left();
            self.stage(Stage::region(&region, 1.0, limit, None))?;
        }
        Ok(())
    }

    /// Ever wider regions, then the whole model. Returns how many columns were released at first.
    fn complete(&mut self, selection: &mut Selection) -> Result<usize, SearchError> {
        let propagator = Propagator::new(self.problem.model);
        let mut bounds = Bounds::of(self.problem.model);
        if propagator.tighten(&mut bounds, SWEEPS).is_err() {
            self.full()?;
            return Ok(0);
        }
        let mut released = 0;
        if let (true, Some(scores)) = (self.settings.schedule.repair, self.problem.scores) {
            released = repair(self.problem.model, &propagator, &bounds, scores, selection);
        }
        self.bands(selection, &bounds)?;
        self.full()?;
        Ok(released)
    }

    /// The regions of the schedule, each from the best solution so far.
    fn bands(&mut self, selection: &Selection, bounds: &Bounds) -> Result<(), SearchError> {
        let amount = self.settings.selection.delta;
        let mut last: Option<Region> = None;
        for band in &self.settings.schedule.bands {
            let delta = |n: usize| (amount.of(n) as f64 * band.delta).round() as usize;
            let region = Region::new(
                selection.surest(band.keep),
                delta,
                bounds,
                self.has_indicators(),
            );
            if region.is_everything() || last.as_ref() == Some(&region) {
                continue;
            }
            let limit = self.clock.restricted_left();
            if self.is_over() || limit.is_some_and(|limit| limit <= 0.0) {
                break;
            }
            let stall = Some(self.clock.stall());
            let end = self.stage(Stage::region(&region, band.keep, limit, stall))?;
            if matches!(end, StageEnd::Unbounded | StageEnd::InfeasibleOrUnbounded) {
                break;
            }
            last = Some(region);
            self.probe()?;
        }
        Ok(())
    }
}

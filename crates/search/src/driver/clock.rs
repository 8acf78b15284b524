//! How the time of a search is shared among its stages.

use std::time::Instant;

use crate::{Schedule, StagedSettings};

/// Shares are of this many seconds where there is no time limit.
const UNLIMITED: f64 = 600.0;
/// With less than this left, nothing is begun.
const LEAST: f64 = 0.01;
/// The share of the time up to which a sub-model gets the seconds it needs at least.
const SUB_MOST: f64 = 0.2;

/// The time that is left, for everything and for the regions.
pub(crate) struct Clock {
    started: Instant,
    limit: Option<f64>,
    /// When the search began, and the time it had then.
    gone: f64,
    whole: f64,
    restricted_until: f64,
    stall: f64,
    probe: f64,
}

impl Clock {
    pub(crate) fn new(started: Instant, limit: Option<f64>, schedule: &Schedule) -> Self {
        let limit = limit.filter(|limit| limit.is_finite());
        // What went by before the search began is nobody's share.
        let gone = started.elapsed().as_secs_f64();
        let share = limit.map_or(UNLIMITED, |limit| (limit - gone).max(0.0));
        Clock {
            started,
            limit,
            gone,
            whole: share,
            restricted_until: gone + schedule.restricted_share * share,
            stall: schedule.stall_share * share,
            probe: schedule.probe_share * share,
        }
    }

    /// When this share of the search's time is over.
    pub(crate) fn until(&self, share: f64) -> f64 {
        self.gone + share * self.whole
    }

    /// This share of the search's time, or what is left.
    pub(crate) fn share(&self, share: f64) -> f64 {
        let seconds = share * self.whole;
        self.left().map_or(seconds, |left| left.min(seconds))
    }

    /// Seconds for a sub-model.
    pub(crate) fn sub(&self, staged: &StagedSettings) -> f64 {
        let least = self.share(SUB_MOST).min(staged.sub_least);
        let usual = self.share(staged.sub_share).max(least);
        usual.min(staged.sub_seconds)
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds left of the time limit.
    pub(crate) fn left(&self) -> Option<f64> {
        self.limit.map(|limit| (limit - self.now()).max(0.0))
    }

    /// This time, or the limit if that is earlier.
    pub(crate) fn in_time(&self, time: f64) -> f64 {
        self.limit.map_or(time, |limit| time.min(limit))
    }

    /// Seconds left for regions.
    pub(crate) fn restricted_left(&self) -> Option<f64> {
        let share = (self.restricted_until - self.now()).max(0.0);
        Some(self.left().map_or(share, |left| left.min(share)))
    }

    /// Seconds without improvement after which a region is left.
    pub(crate) fn stall(&self) -> f64 {
        self.stall
    }

    /// Seconds for the solver's first own solution.
    pub(crate) fn probe(&self) -> f64 {
        self.left().map_or(self.probe, |left| left.min(self.probe))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left < LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_models_get_a_share_but_time_to_begin() {
        let sub = |limit: f64| {
            let clock = Clock::new(Instant::now(), Some(limit), &Schedule::default());
            clock.sub(&StagedSettings::default())
        };
        // A fifth of too little, a second of little, a share, and what is enough.
        for (limit, expected) in [(2.0, 0.4), (10.0, 1.0), (100.0, 4.0), (1000.0, 5.0)] {
            let found = sub(limit);
            assert!((found - expected).abs() < 0.1, "{limit} s: {found} s");
        }
    }
}

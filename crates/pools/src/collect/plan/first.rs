//! Openings, and further turns of instances that have no solution.

use super::super::leads::{again_share, opening_share};
use super::super::standing::Standing;
use super::super::turn::{Lead, Turn, TurnKind, TurnPlan};
use super::Plan;

/// As long as nothing is known in the family, so many openings are long, in multiples of an instance's time: what they find
/// leads all others, and solvers find much of it only when their root is done. They go on until they have found something,
/// for at most this share of all time together.
const LONG_OPENINGS: usize = 2;
const LONG_OPENING: f64 = 1.5;
const LONG: f64 = 0.35;
/// How many openings have an instance's full time after that. Later ones wait for the long ones, and have half of it if
/// those find nothing either.
const FULL_OPENINGS: usize = 4;
/// The length, as a share of an instance's time, of a turn for a first solution where most of those that drew on siblings
/// found none: what siblings know leads to one soon or not at all, and more siblings will know more.
const BRIEF: f64 = 0.2;
/// Siblings with solutions that a comparison needs.
const SIBLINGS_TO_COMPARE: usize = 4;
/// One in so many turns for a first solution goes to the whole model, with an instance's full time.
const WHOLE_TURNS: usize = 4;
/// The share of what closings need that is kept free from turns for first solutions which siblings lead.
const KEPT_FOR_CLOSING: f64 = 0.5;

impl Plan<'_> {
    /// The first turn of an instance.
    pub(super) fn opening(&self) -> Option<(usize, TurnPlan)> {
        let unopened = |s: &Standing| s.is_free() && s.turns.is_empty();
        let index = self.standings.iter().position(unopened)?;
        if self.has_one_turn() {
            return Some((index, TurnPlan::alone(self.settings)));
        }
        let time = self.settings.time_limit;
        let known = self.teachers(index).count();
        let brief = self.brief(known);
        let opening = |lead: Lead| TurnPlan {
            kind: TurnKind::Opening,
            lead: Some(lead),
            search: brief.unwrap_or(opening_share(lead)) * time,
            until_first: 0.0,
            fill: 0.0,
        };
        let plan = if known == 0 {
            // Nobody knows yet which of the two finds something at all.
            let lead = match index % 2 {
                0 => Lead::Search,
                _ => Lead::Solver,
            };
            let begun = |s: &&Standing| !s.turns.is_empty() || s.is_busy();
            let begun = self.standings.iter().filter(begun).count();
            if begun >= FULL_OPENINGS && self.standings.iter().any(Standing::is_busy) {
                return None;
            }
            let plan = opening(lead);
            let long = LONG * self.budget() / LONG_OPENINGS as f64;
            let (search, most) = match begun {
                0..LONG_OPENINGS => (
                    (LONG_OPENING * time).min(long).max(plan.search),
                    time.max(long),
                ),
                LONG_OPENINGS..FULL_OPENINGS => (plan.search, time),
                _ => (plan.search, plan.search),
            };
            TurnPlan {
                search,
                until_first: (most - search).max(0.0),
                ..plan
            }
        } else if known >= SIBLINGS_TO_COMPARE
            && brief.is_none()
            && self.comparisons_begun() < self.comparisons_wanted()
        {
            TurnPlan {
                lead: None,
                ..opening(Lead::Search)
            }
        } else {
            opening(self.lead())
        };
        Some((index, plan))
    }

    /// The share of a turn that looks for a first solution with what so many siblings know, if it is to be brief.
    fn brief(&self, known: usize) -> Option<f64> {
        let turns = self.standings.iter().flat_map(|s| &s.turns);
        let led = turns.filter(|turn| turn.siblings > 0 && turn.kind != TurnKind::Closing);
        let (found, nothing): (Vec<&Turn>, Vec<&Turn>) = led.partition(|turn| turn.best.is_some());
        (known > 0 && nothing.len() > found.len().max(1)).then_some(BRIEF)
    }

    /// Another turn of an instance without a solution: now that siblings have some, or, if nobody has, a longer one.
    pub(super) fn first_solution(&self) -> Option<(usize, TurnPlan)> {
        if self.has_one_turn() {
            return None;
        }
        let unsolved = |s: &Standing| s.is_free() && s.best.is_none() && !s.turns.is_empty();
        let waiting = self.standings.iter().enumerate();
        let waiting = waiting.filter(|(_, s)| unsolved(s));
        // Those come first that have been tried least often with what is known by now, and of these who had the least time.
        let tried = waiting.map(|(index, standing)| {
            let known = self.known_siblings(index);
            let tries = standing.turns.iter().filter(|t| t.siblings >= known);
            (tries.count(), index, known)
        });
        let (tries, index, known) = tried.min_by(|a, b| {
            let seconds = |index: usize| self.standings[index].seconds();
            let (first, second) = (seconds(a.1), seconds(b.1));
            a.0.cmp(&b.0).then(first.total_cmp(&second))
        })?;
        let standing = &self.standings[index];
        if known == 0 && self.standings.iter().any(Standing::is_busy) {
            return None;
        }
        let (before, time) = (standing.turns.len(), self.settings.time_limit);
        let opening = self.brief(known).unwrap_or(opening_share(Lead::Search));
        let (lead, search) = match known {
            0 if before.is_multiple_of(2) => {
                (Lead::Search, time * f64::powi(2.0, before.min(6) as i32))
            }
            0 => (Lead::Solver, time * f64::powi(2.0, before.min(6) as i32)),
            _ if !(tries + 1).is_multiple_of(WHOLE_TURNS) => {
                // With nothing new to go by, it takes longer.
                let longer = f64::powi(2.0, tries as i32);
                (Lead::Search, (opening * longer).min(1.0) * time)
            }
            _ => (Lead::Whole, time),
        };
        // What closings need is kept free, and is there for this when all are closed; but a first solution that siblings may
        // lead to is worth more than the last ones of a pool.
        let kept = if known > 0 { KEPT_FOR_CLOSING } else { 1.0 };
        let left = self.budget() - self.used() - kept * self.reserve();
        (left > 0.0).then(|| {
            let plan = TurnPlan {
                kind: TurnKind::Again,
                lead: Some(lead),
                search: search.min(left.max(again_share(lead) * time)),
                until_first: 0.0,
                fill: 0.0,
            };
            (index, plan)
        })
    }
}

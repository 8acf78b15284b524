//! Whose turn it is in a family, and for how long.
//!
//! Every instance has an opening; then the time goes where better solutions are expected, as long as enough is left for a
//! closing of each, which fills its pool. The plan depends on nothing but what the pools say, so that processes that share
//! a folder follow the same plan, and one that is killed goes on where it was.

mod first;

use super::leads::{again_share, closing_share};
use super::standing::{Availability, Standing};
use super::turn::{Lead, TurnKind, TurnPlan};
use super::{CollectSettings, Siblings};

/// Siblings that a turn draws on.
const SIBLINGS: usize = 12;
/// Relative improvements below this are none.
const NOTHING: f64 = 1e-6;
/// What another turn is expected to bring as long as nobody has had one, as a relative improvement.
pub(super) const HOPE: f64 = 0.02;
/// A closing that would have less than this share of its time is left out.
const WORTHWHILE: f64 = 0.2;

/// What to do next.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// A turn of this instance.
    Turn(usize, TurnPlan),
    /// Nothing now; the end of a turn under way may change that.
    Wait,
    /// Nothing any more.
    Done,
}

/// A family, and how it is collected.
pub(super) struct Plan<'a> {
    pub(super) settings: &'a CollectSettings,
    pub(super) standings: Vec<Standing>,
}

impl Plan<'_> {
    /// Whether each instance has one turn only. So it is where everything is decided by counts: an instance learns from
    /// those before it only, and pools do not depend on the machine's speed.
    fn has_one_turn(&self) -> bool {
        self.settings.nodes.is_some() || self.ignores_siblings()
    }

    fn ignores_siblings(&self) -> bool {
        self.settings.siblings == Siblings::Ignore
    }

    /// What to do next.
    pub(super) fn next(&self) -> Next {
        let turn = self
            .opening()
            .or_else(|| self.first_solution())
            .or_else(|| self.again())
            .or_else(|| self.closing())
            .or_else(|| self.with_the_rest());
        match turn {
            Some((index, plan)) => Next::Turn(index, plan),
            None if self.standings.iter().any(|s| s.ours && s.is_busy()) => Next::Wait,
            None => Next::Done,
        }
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        self.next() == Next::Done
    }

    /// Seconds that all turns of our instances may take.
    pub(super) fn budget(&self) -> f64 {
        let ours = self.standings.iter().filter(|s| s.ours);
        self.settings.time_limit * ours.count() as f64
    }

    /// Seconds that the turns of our instances took, those under way included.
    pub(super) fn used(&self) -> f64 {
        let used = |s: &Standing| match &s.state {
            Availability::Busy(Some(plan)) => s.seconds() + plan.seconds(),
            _ => s.seconds(),
        };
        self.standings.iter().filter(|s| s.ours).map(used).sum()
    }

    /// The siblings that instance `index` can learn from, nearest first, with their distances.
    pub(super) fn siblings(&self, index: usize) -> Vec<(usize, f64)> {
        let own = self.standings[index].sketch.as_ref();
        let all = self.teachers(index);
        let mut all: Vec<(usize, f64)> = all
            .map(|at| {
                let other = self.standings[at].sketch.as_ref();
                // Without sketches, instances whose names are next to each other are taken to be similar.
                let distance = match (own, other) {
                    (Some(own), Some(other)) => own.distance(other),
                    _ => at.abs_diff(index) as f64,
                };
                (at, distance)
            })
            .collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all.truncate(SIBLINGS);
        all
    }

    /// Instances with solutions that `index` may learn from.
    fn teachers(&self, index: usize) -> impl Iterator<Item = usize> {
        let (counted, alone) = (self.has_one_turn(), self.ignores_siblings());
        let may = move |&(at, s): &(usize, &Standing)| {
            let is_allowed = at != index && !alone && !(counted && at > index);
            is_allowed && s.teaches && s.best.is_some()
        };
        self.standings
            .iter()
            .enumerate()
            .filter(may)
            .map(|(at, _)| at)
    }

    /// How many siblings a turn of `index` would draw on now.
    fn known_siblings(&self, index: usize) -> usize {
        self.teachers(index).count().min(SIBLINGS)
    }

    /// Another turn of the instance from which most is expected, if enough is left for the closings.
    fn again(&self) -> Option<(usize, TurnPlan)> {
        let lead = self.lead_again();
        let seconds = again_share(lead) * self.settings.time_limit;
        match self.used() + seconds + self.reserve() <= self.budget() {
            true => self.most_promising(lead, seconds),
            false => None,
        }
    }

    /// When all are closed and time is left.
    fn with_the_rest(&self) -> Option<(usize, TurnPlan)> {
        let left = self.budget() - self.used() - self.reserve();
        let lead = self.lead_again();
        let seconds = again_share(lead) * self.settings.time_limit;
        match left >= WORTHWHILE * seconds {
            true => self.most_promising(lead, left.min(seconds)),
            false => None,
        }
    }

    fn most_promising(&self, lead: Lead, seconds: f64) -> Option<(usize, TurnPlan)> {
        if self.has_one_turn() {
            return None;
        }
        let usual = self.usual_gain();
        let quartile = self.quartile_gap();
        let expected = |index: usize| self.expected(index, usual, quartile);
        let free = (0..self.standings.len()).filter(|&index| {
            let standing = &self.standings[index];
            standing.is_free() && standing.best.is_some()
        });
        let best = free
            .map(|index| (index, expected(index)))
            .filter(|(_, gain)| *gain > NOTHING)
            // Of equal ones the first.
            .reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let plan = TurnPlan {
            kind: TurnKind::Again,
            lead: Some(lead),
            search: seconds,
            until_first: 0.0,
            fill: 0.0,
        };
        Some((best.0, plan))
    }

    /// The relative improvement that another turn of an instance may bring: by what its last one brought, by how many
    /// siblings have found solutions since, and by how much farther from its bound it is than most.
    fn expected(&self, index: usize, usual: f64, quartile: f64) -> f64 {
        let standing = &self.standings[index];
        if standing.is_proven {
            return 0.0;
        }
        let mut last = standing.gains().rev();
        let (last, before) = (last.next(), last.next());
        let fruitless = |gain: Option<f64>| gain.is_some_and(|gain| gain <= NOTHING);
        if fruitless(last) && fruitless(before) {
            return 0.0;
        }
        let known = self.known_siblings(index);
        let then = standing.turns.last().map_or(0, |turn| turn.siblings);
        let news = known.saturating_sub(then) as f64 / SIBLINGS as f64;
        let behind = standing.gap().map_or(0.0, |gap| (gap - quartile).max(0.0));
        match last {
            None => usual * (0.5 + news) + 0.5 * behind,
            Some(last) => 0.5 * last + 0.25 * usual * news + 0.1 * behind,
        }
    }

    /// What another turn brought on average.
    fn usual_gain(&self) -> f64 {
        let gains: Vec<f64> = self.standings.iter().flat_map(Standing::gains).collect();
        // Hope counts as one turn.
        (HOPE + gains.iter().sum::<f64>()) / (1.0 + gains.len() as f64)
    }

    /// The gap to the bound that a quarter of the family is within.
    fn quartile_gap(&self) -> f64 {
        let mut gaps: Vec<f64> = self.standings.iter().filter_map(Standing::gap).collect();
        gaps.sort_by(f64::total_cmp);
        gaps.get(gaps.len() / 4).copied().unwrap_or(0.0)
    }

    /// Seconds that the closings of instances with a solution will take.
    fn reserve(&self) -> f64 {
        let open = |s: &&Standing| {
            let has_turns = s.ours && s.state != Availability::Ended;
            has_turns && s.best.is_some() && !s.is_closed()
        };
        let open = self.standings.iter().filter(open).count();
        open as f64 * self.closing_seconds()
    }

    fn closing_seconds(&self) -> f64 {
        closing_share(self.lead()) * self.settings.time_limit
    }

    /// The last turn of an instance, which fills its pool.
    fn closing(&self) -> Option<(usize, TurnPlan)> {
        if self.has_one_turn() {
            return None;
        }
        let open = |s: &Standing| s.is_free() && s.best.is_some() && !s.is_closed();
        let index = self.standings.iter().position(open)?;
        let open = self.standings.iter().filter(|s| open(s)).count();
        let wanted = self.closing_seconds();
        let left = (self.budget() - self.used()) / open as f64;
        let plan = TurnPlan {
            kind: TurnKind::Closing,
            lead: None,
            search: 0.0,
            until_first: 0.0,
            fill: wanted.min(left.max(WORTHWHILE * wanted)),
        };
        Some((index, plan))
    }
}

#[cfg(test)]
mod tests {
    use super::super::turn::Turn;
    use super::*;

    fn settings() -> CollectSettings {
        CollectSettings {
            time_limit: 10.0,
            ..CollectSettings::default()
        }
    }

    fn plan(settings: &CollectSettings, count: usize) -> Plan<'_> {
        Plan {
            settings,
            standings: vec![Standing::new(true, true, None); count],
        }
    }

    /// Takes the turns that a plan asks for, one at a time, with what `found` says of each: the best objective after it.
    fn played(
        plan: &mut Plan<'_>,
        mut found: impl FnMut(usize, &TurnPlan, usize, Option<f64>) -> Option<f64>,
    ) -> Vec<(usize, TurnPlan)> {
        let mut taken = Vec::new();
        loop {
            match plan.next() {
                Next::Done => return taken,
                Next::Wait => panic!("nobody is at work"),
                Next::Turn(index, turn) => {
                    let siblings = plan.siblings(index).len();
                    let standing = &mut plan.standings[index];
                    standing.best = found(index, &turn, siblings, standing.best);
                    let compared = match turn.lead {
                        None if turn.search > 0.0 => vec![standing.best, Some(120.0), Some(130.0)],
                        _ => Vec::new(),
                    };
                    standing.turns.push(Turn {
                        kind: turn.kind,
                        lead: turn.lead,
                        seconds: turn.seconds(),
                        siblings,
                        best: standing.best,
                        solutions: 1,
                        compared,
                    });
                    taken.push((index, turn));
                }
            }
            assert!(taken.len() < 1000, "no end");
        }
    }

    fn kinds(taken: &[(usize, TurnPlan)], kind: TurnKind) -> Vec<usize> {
        let those = taken.iter().filter(|(_, turn)| turn.kind == kind);
        those.map(|(index, _)| *index).collect()
    }

    #[test]
    fn all_are_opened_and_closed_and_the_time_is_kept() {
        let settings = settings();
        let mut plan = plan(&settings, 24);
        // Instance 7 improves with every turn, the others never do.
        let taken = played(&mut plan, |index, turn, _, best| {
            let before = best.unwrap_or(110.0);
            Some(match turn.kind {
                TurnKind::Again if index == 7 => before * 0.98,
                _ => before,
            })
        });
        assert_eq!(
            kinds(&taken, TurnKind::Opening),
            (0..24).collect::<Vec<_>>()
        );
        assert_eq!(kinds(&taken, TurnKind::Closing).len(), 24);
        let again = kinds(&taken, TurnKind::Again);
        let seven = again.iter().filter(|&&index| index == 7).count();
        assert!(seven > 4, "{again:?}");
        for index in 0..24 {
            let turns = again.iter().filter(|&&again| again == index).count();
            assert!(index == 7 || turns <= 2, "{again:?}");
        }
        assert!(plan.used() <= plan.budget() + 1e-9);
        // The first one is long, since nobody can help it and all others follow it.
        let seconds = |at: usize| taken[at].1.search;
        assert_eq!((seconds(0), seconds(1)), (15.0, 4.5));
        // Two comparisons, once four siblings are solved.
        let compared = taken
            .iter()
            .filter(|(_, t)| t.lead.is_none() && t.search > 0.0);
        let compared: Vec<usize> = compared.map(|(index, _)| *index).collect();
        assert_eq!(compared, [4, 5]);
    }

    #[test]
    fn what_is_proved_gets_no_more_time() {
        let settings = settings();
        let mut plan = plan(&settings, 10);
        for standing in &mut plan.standings {
            standing.is_proven = true;
        }
        let taken = played(&mut plan, |_, _, _, _| Some(100.0));
        assert!(kinds(&taken, TurnKind::Again).is_empty());
        assert!(plan.used() < plan.budget());
    }

    #[test]
    fn the_lead_is_who_did_best() {
        let settings = settings();
        let mut plan = plan(&settings, 10);
        assert_eq!(plan.lead(), Lead::Search);
        let compared = |values: [Option<f64>; 3]| Turn {
            kind: TurnKind::Opening,
            lead: None,
            seconds: 1.0,
            siblings: 2,
            best: Some(1.0),
            solutions: 1,
            compared: values.to_vec(),
        };
        let turns = &mut plan.standings[0].turns;
        turns.push(compared([Some(101.0), Some(100.0), None]));
        assert_eq!(plan.lead(), Lead::Whole);
        let turns = &mut plan.standings[1].turns;
        turns.push(compared([None, None, Some(50.0)]));
        turns.push(compared([Some(101.0), Some(101.0), Some(100.0)]));
        assert_eq!(plan.lead(), Lead::Solver);
    }

    #[test]
    fn first_solutions_spread() {
        let settings = settings();
        let mut plan = plan(&settings, 12);
        // Only the sixth can be solved by itself.
        let taken = played(&mut plan, |index, _, siblings, best| {
            best.or((index == 5 || siblings > 0).then_some(100.0))
        });
        assert!(plan.standings.iter().all(|s| s.best.is_some()));
        assert_eq!(kinds(&taken, TurnKind::Closing).len(), 12);
        assert!(plan.used() <= 1.1 * plan.budget());
        // Nobody ever is: longer and longer turns, until the time is over.
        let mut plan = self::plan(&settings, 12);
        let taken = played(&mut plan, |_, _, _, _| None);
        assert!(taken.iter().any(|(_, turn)| turn.search > 15.0));
        assert!(plan.used() <= 1.05 * plan.budget());
    }

    #[test]
    fn who_was_tried_least_with_what_is_known_now_is_next() {
        let settings = settings();
        let mut plan = plan(&settings, 20);
        let failed = |siblings: usize, seconds: f64| Turn {
            kind: TurnKind::Opening,
            lead: Some(Lead::Search),
            seconds,
            siblings,
            best: None,
            solutions: 0,
            compared: Vec::new(),
        };
        for standing in &mut plan.standings {
            standing.turns.push(failed(2, 4.5));
            standing.best = Some(100.0);
        }
        // Two without a solution: one had long turns when little was known, the other short ones since.
        for (at, turn) in [(3, failed(2, 13.5)), (4, failed(12, 2.0))] {
            plan.standings[at].best = None;
            plan.standings[at].turns = vec![turn.clone(), turn];
        }
        let next = |plan: &Plan<'_>| plan.first_solution().map(|(index, _)| index);
        assert_eq!(next(&plan), Some(3));
        plan.standings[3]
            .turns
            .extend([failed(12, 2.0), failed(12, 2.0)]);
        assert_eq!(next(&plan), Some(4));
    }

    #[test]
    fn with_counts_each_has_one_turn_and_learns_from_those_before() {
        let settings = CollectSettings {
            nodes: Some(3),
            ..settings()
        };
        let mut plan = plan(&settings, 9);
        let taken = played(&mut plan, |_, _, _, _| Some(1.0));
        assert_eq!(kinds(&taken, TurnKind::Alone), (0..9).collect::<Vec<_>>());
        assert_eq!(taken.len(), 9);
        let before = |plan: &Plan<'_>| -> Vec<usize> {
            plan.siblings(3).iter().map(|(at, _)| *at).collect()
        };
        assert_eq!(before(&plan), [2, 1, 0]);
        let settings = CollectSettings {
            siblings: Siblings::Ignore,
            ..settings.clone()
        };
        plan.settings = &settings;
        assert!(before(&plan).is_empty());
    }

    #[test]
    fn only_the_training_set_teaches() {
        let settings = settings();
        let mut plan = plan(&settings, 4);
        for (at, standing) in plan.standings.iter_mut().enumerate() {
            standing.best = Some(1.0);
            standing.teaches = at != 2;
        }
        let of = |at| {
            plan.siblings(at)
                .iter()
                .map(|(at, _)| *at)
                .collect::<Vec<_>>()
        };
        assert_eq!((of(3), of(2)), (vec![1, 0], vec![1, 3, 0]));
    }
}

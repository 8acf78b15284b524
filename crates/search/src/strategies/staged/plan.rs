//! Whose turn it is, and what the sources keep between their turns.

use std::collections::BTreeSet;

use super::Known;
use super::crossing::Crossings;
use super::ledger::{Ledger, worth};
use super::neighbourhoods::Neighbourhoods;
use super::sets::Set;
use crate::driver::Search;
use crate::{ScoreOrigin, Source, SourceReport, StageEnd, StageKind, StageReport};

/// What was is worth a third after this share of the time.
const MEMORY: f64 = 0.3;
/// The share of the whole model while there is no solution: at first, and later, when what the others know has had its chance.
const UNSOLVED: f64 = 0.33;
const UNSOLVED_LATER: f64 = 0.7;
/// How long learned scores have the time for themselves, at most, until there is a solution: a share of the time, and seconds
/// or so many usual pieces of work, whichever is longer. Scores that lead to a solution do so within seconds; with a long time
/// limit, a share of it alone would keep the solver waiting for minutes.
const TRUST: f64 = 0.35;
const TRUST_SECONDS: f64 = 3.5;
const TRUST_PIECES: f64 = 6.0;
/// The share of the whole model when nothing has improved for a while: it proves, at least.
const STALLED: f64 = 0.8;
/// Nothing has improved for a while after this share of the time, and after so many usual pieces of work.
const STALL: f64 = 0.15;
const FAIR: f64 = 4.0;
/// Once there is a solution, the whole model does not begin while better ones come one after the other, with less than this
/// share of the longest time of a sub-model between them; but after this share of all time at the latest.
const IMPROVING: f64 = 0.4;
const LATEST: f64 = 0.2;
/// Relative gaps between solution and bound: from the first on downwards, the whole model gets more of the time, the closer
/// they are, up to the second.
const FAR: f64 = 0.08;
const NEAR: f64 = 0.01;
/// What the solver needs to begin with the whole model, as a multiple of the time that the relaxation takes; or, where that
/// is not known, seconds for each million entries.
const BEGIN: f64 = 3.0;
const BEGIN_PER_MILLION: f64 = 2.0;
/// A smaller relative improvement is none: tolerances allow as much.
const NO_GAIN: f64 = 1e-7;
/// Pieces of the whole model: the first in seconds, since an easy model is solved at once; how the others grow with what
/// went before; and the longest, as a share of the longest time of a sub-model.
const FIRST_SLICE: f64 = 0.05;
const SLICE_GROWTH: f64 = 0.25;
const LONGEST_SLICE: f64 = 0.5;
/// A solver that takes so many times the longest piece without a pause is stuck.
const STUCK: f64 = 6.0;
/// How long a piece of work usually takes, as a share of the longest time of a sub-model.
const USUAL: f64 = 0.3;

/// Whether a source has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    More,
    /// Not before the best solution has changed.
    Waits,
    /// Never again.
    Last,
}

/// What the sources keep between their turns, and whose turn it is.
pub(super) struct Plan {
    pub(super) ledger: Ledger,
    /// Sources that are switched off.
    without: Vec<Source>,
    /// Sources that have nothing more to do.
    ended: BTreeSet<Source>,
    /// Sources that wait for another best solution.
    waiting: BTreeSet<Source>,
    /// Seconds of the search's clock when it began, and when the best solution was last improved.
    began: f64,
    improved: f64,
    /// Seconds of the whole model when the best solution was last improved.
    whole_then: f64,
    /// The solver took far longer than it was given for a piece of the whole model, since it did not come to its gate.
    is_stuck: bool,
    /// Longest time of a sub-model, in seconds.
    longest: f64,
    /// Start solutions: the next to be made to fit.
    pub(super) next_start: usize,
    /// How often the starts were gone through, each time with more of their columns free.
    pub(super) loosened: usize,
    pub(super) past: StageReport,
    pub(super) crossings: Crossings,
    pub(super) crossed: StageReport,
    pub(super) neighbourhoods: Neighbourhoods,
    pub(super) around: StageReport,
    /// How often a first solution was looked for.
    pub(super) next_order: usize,
    pub(super) first: StageReport,
    /// The whole model was solved by a solver that cannot pause.
    pub(super) is_decided: bool,
    troubles: Vec<(Source, String)>,
}

impl Plan {
    pub(super) fn new(search: &Search<'_, '_>) -> Self {
        let settings = &search.settings.staged;
        let longest = search.clock.sub(settings);
        let memory = search.clock.until(MEMORY) - search.clock.until(0.0);
        let now = search.control.time();
        let report = |kind| StageReport::new(kind, search.problem.model, now);
        Plan {
            ledger: Ledger::new(memory.max(longest), USUAL * longest),
            without: settings.without.clone(),
            ended: BTreeSet::new(),
            waiting: BTreeSet::new(),
            began: now,
            improved: now,
            whole_then: 0.0,
            is_stuck: false,
            longest,
            next_start: 0,
            loosened: 0,
            past: report(StageKind::Start),
            crossings: Crossings::default(),
            crossed: report(StageKind::Crossing),
            neighbourhoods: Neighbourhoods::new(search.problem.model, settings),
            around: report(StageKind::Neighbourhoods),
            next_order: 0,
            first: report(StageKind::First),
            is_decided: false,
            troubles: Vec::new(),
        }
    }

    /// Whether a source is not switched off.
    pub(super) fn is_on(&self, source: Source) -> bool {
        !self.without.contains(&source)
    }

    /// Seconds that a piece of work usually takes.
    pub(super) fn usual(&self) -> f64 {
        USUAL * self.longest
    }

    /// Seconds for a piece of the whole model.
    pub(super) fn slice(&self) -> f64 {
        let longest = LONGEST_SLICE * self.longest;
        let grown = SLICE_GROWTH * self.ledger.seconds(Source::Whole);
        grown.max(FIRST_SLICE).min(longest)
    }

    fn can_work(&self, source: Source) -> bool {
        self.is_on(source) && !self.ended.contains(&source) && !self.waiting.contains(&source)
    }

    /// A source has failed, and is not tried again.
    pub(super) fn trouble(&mut self, source: Source, words: String) {
        self.troubles.push((source, words));
    }

    /// Takes account of a piece of work that took so many seconds; `before` is the best objective value before it.
    pub(super) fn account(
        &mut self,
        search: &Search<'_, '_>,
        source: Source,
        piece: Piece,
        seconds: f64,
        before: Option<f64>,
    ) {
        let after = search.board.best().map(|best| best.objective);
        let gain = gain(before, after);
        if gain > 0.0 {
            self.improved = search.control.time();
            self.waiting.clear();
        }
        self.ledger.credit(source, seconds, gain);
        if gain > 0.0 {
            self.whole_then = self.ledger.seconds(Source::Whole);
        }
        self.is_stuck |= source == Source::Whole && seconds > STUCK * LONGEST_SLICE * self.longest;
        match piece {
            Piece::More => {}
            Piece::Waits if gain > 0.0 => {}
            Piece::Waits => {
                self.waiting.insert(source);
            }
            Piece::Last => {
                self.ended.insert(source);
            }
        }
    }
}

/// How close a relative gap is: 0 for a wide one, 1 for one that is all but closed.
fn nearness(gap: f64) -> f64 {
    ((FAR / gap).ln() / (FAR / NEAR).ln()).clamp(0.0, 1.0)
}

/// How many seconds of `all` learned scores have for themselves, if a piece of work usually takes this long.
fn trust(all: f64, usual: f64) -> f64 {
    (TRUST * all).min(TRUST_SECONDS.max(TRUST_PIECES * usual))
}

/// The share of the whole model after so many seconds without a solution, of which scores had the first for themselves.
fn unsolved(elapsed: f64, trust: f64) -> f64 {
    if elapsed < 2.0 * trust {
        UNSOLVED
    } else {
        UNSOLVED_LATER
    }
}

/// The relative improvement.
pub(super) fn gain(before: Option<f64>, after: Option<f64>) -> f64 {
    match (before, after) {
        (None, Some(_)) => SourceReport::FIRST_GAIN,
        (Some(before), Some(after)) => {
            let size = before.abs().max(after.abs()).max(1e-9);
            let gain = (before - after).abs() / size;
            if gain > NO_GAIN { gain.min(1.0) } else { 0.0 }
        }
        _ => 0.0,
    }
}

impl Search<'_, '_> {
    /// The source whose turn it is; none if all have ended.
    pub(super) fn next_source(&mut self, known: &Known<'_>, plan: &mut Plan) -> Option<Source> {
        let available = self.available(known, plan);
        let settings = &self.settings.staged;
        for &(source, _) in &available {
            let weight = match source {
                Source::Bands(origin) => known.sets.get(origin).map_or(1.0, |set| set.weight),
                _ => 1.0,
            };
            plan.ledger.open(source, weight * worth(settings, source));
        }
        let whole = self.whole_expects(known, plan);
        // Where it runs beside everything else, it needs no turn; where nothing else is left, it is waited for.
        let is_beside = self.whole.as_ref().is_some_and(|whole| whole.is_beside());
        let can = !plan.ended.contains(&Source::Whole)
            && (available.is_empty() || plan.is_on(Source::Whole) && !is_beside);
        if !can || !available.is_empty() && self.trusts_scores(known, plan) {
            return plan.ledger.next(&available);
        }
        plan.ledger
            .open(Source::Whole, worth(settings, Source::Whole));
        if available.is_empty() || self.whole_is_due(whole, plan) {
            return Some(Source::Whole);
        }
        let mut all = available;
        // A solver that cannot pause has its turn when it is due.
        if self.whole.is_some() || plan.ledger.seconds(Source::Whole) == 0.0 {
            all.push((Source::Whole, whole));
        }
        plan.ledger.next(&all)
    }

    /// Whether learned scores have the first of the time for themselves: while there is no solution, the solver can take
    /// seconds until it pauses, in which they may have found one.
    fn trusts_scores(&self, known: &Known<'_>, plan: &Plan) -> bool {
        let is_learned = |set: &Set<'_>| set.origin != ScoreOrigin::Relaxation;
        self.board.best().is_none()
            && known.sets.iter().any(is_learned)
            && self.control.time() - plan.began < self.trust(plan)
    }

    /// Seconds that learned scores have for themselves.
    fn trust(&self, plan: &Plan) -> f64 {
        let all = self.clock.until(1.0) - self.clock.until(0.0);
        trust(all, plan.usual())
    }

    /// The sources but the whole model that have something to do, each with the seconds that it will take.
    fn available(&self, known: &Known<'_>, plan: &Plan) -> Vec<(Source, f64)> {
        let usual = plan.usual();
        let mut all = Vec::new();
        let mut add = |source: Source, has_work: bool, seconds: f64| {
            if has_work && plan.can_work(source) {
                all.push((source, seconds));
            }
        };
        let has_solution = self.board.best().is_some();
        add(Source::Past, self.has_past(plan), usual);
        add(Source::First, !has_solution, usual);
        for set in known.sets.iter() {
            add(
                Source::Bands(set.origin),
                !set.is_climbed,
                set.expects(usual),
            );
        }
        let is_missing = self.problem.late.is_some() || known.relaxation.is_none();
        // What is at hand may give a solution while others would still be asked.
        let is_untried =
            |set: &Set<'_>| set.seconds.is_none() && plan.can_work(Source::Bands(set.origin));
        let waits = !has_solution && known.sets.iter().any(is_untried);
        add(Source::Prediction, is_missing && !waits, usual);
        let past = self.problem.starts.len();
        add(Source::Crossing, has_solution || past > 1, usual);
        add(Source::Neighbourhoods, has_solution, usual);
        all
    }

    /// Seconds that the next piece of the whole model will take: the solver cannot pause while it begins.
    fn whole_expects(&self, known: &Known<'_>, plan: &Plan) -> f64 {
        if self.whole.is_some() {
            return plan.slice();
        }
        let entries = self.problem.model.matrix.nonzeros() as f64;
        let begin = match known.relaxation_seconds {
            Some(seconds) => BEGIN * seconds,
            None => BEGIN_PER_MILLION * entries / 1e6,
        };
        begin.max(plan.slice())
    }

    /// Whether the whole model is owed a turn of so many seconds, whatever the others bring.
    fn whole_is_due(&self, expected: f64, plan: &Plan) -> bool {
        let now = self.control.time();
        let used = plan.ledger.seconds(Source::Whole);
        let elapsed = now - plan.began;
        let settings = &self.settings.staged;
        let all = self.clock.until(1.0) - self.clock.until(0.0);
        if self.board.best().is_none() {
            let share = unsolved(elapsed, self.trust(plan));
            return used + expected <= share * (elapsed + expected) && elapsed > used;
        }
        // Where solution and bound are close, a tree and its cuts are what brings them together; but a solver that is still
        // at its root after seconds is far from a tree.
        let near = match plan.is_stuck {
            true => 0.0,
            false => settings.whole_near * self.board.gap().map_or(0.0, nearness),
        };
        let raised = |share: f64| share + near * (1.0 - share);
        // The rest of what it is owed in all, while there is time for it.
        if self.clock.until(1.0) - now <= raised(settings.whole_share) * all - used {
            return true;
        }
        // Where it begins late, it can have what it is owed at the end. It cannot pause while it begins, and what others
        // find in that time is found sooner.
        let is_improving = now - plan.improved < IMPROVING * plan.longest;
        if self.whole.is_none() && is_improving && elapsed < LATEST * all {
            return false;
        }
        let stall = (STALL * all).max(FAIR * plan.usual());
        let (idle, used_idle) = (now - plan.improved, used - plan.whole_then);
        let is_stalled = idle > stall && used_idle + expected <= STALLED * (idle - stall);
        is_stalled || used + expected <= raised(settings.whole_least) * elapsed
    }

    /// Reports what the sources did.
    pub(super) fn end_sources(&mut self, plan: Plan) {
        self.sources = plan.ledger.reports();
        self.tried = plan.neighbourhoods.into_reports();
        let outcome = match self.control.interrupt.is_raised() {
            true => StageEnd::Interrupted,
            false => StageEnd::TimeLimit,
        };
        let reports = [
            (Source::Past, plan.past),
            (Source::First, plan.first),
            (Source::Crossing, plan.crossed),
            (Source::Neighbourhoods, plan.around),
        ];
        for (source, mut report) in reports {
            let account = self.sources.iter().find(|own| own.source == source);
            let trouble = plan.troubles.iter().find(|(of, _)| *of == source);
            // Starts that were taken as they are cost nothing.
            let are_starts = source == Source::Past && !self.problem.starts.is_empty();
            if account.is_none() && !are_starts {
                continue;
            }
            report.seconds = account.map_or(0.0, |account| account.seconds);
            let is_done =
                account.is_none() || plan.ended.contains(&source) || plan.waiting.contains(&source);
            report.outcome = match (trouble, is_done) {
                (Some(_), _) => StageEnd::Trouble,
                (None, true) => StageEnd::Exhausted,
                (None, false) => outcome,
            };
            report.trouble = trouble.map(|(_, words)| words.clone());
            self.end(report);
            // Everything begins with the starts.
            if source == Source::Past {
                self.stages.rotate_right(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_seconds_for_themselves_however_long_the_limit_is() {
        // Ten seconds, a minute, an hour; a piece of work takes longer with more time.
        assert_eq!(trust(10.0, 0.12), 3.5);
        assert!((trust(60.0, 0.72) - 4.32).abs() < 1e-9);
        assert_eq!(trust(3600.0, 3.0), 18.0);
        assert_eq!(trust(f64::INFINITY, 1.0), 6.0);
    }

    #[test]
    fn without_a_solution_most_of_the_time_is_the_solvers_in_the_end() {
        assert_eq!(unsolved(5.0, 4.0), UNSOLVED);
        assert_eq!(unsolved(8.0, 4.0), UNSOLVED_LATER);
    }

    #[test]
    fn gaps_between_far_and_near_count_by_their_logarithms() {
        assert_eq!(nearness(1.0), 0.0);
        assert_eq!(nearness(FAR), 0.0);
        assert_eq!(nearness(NEAR), 1.0);
        assert_eq!(nearness(0.0), 1.0);
        let middle = nearness((FAR * NEAR).sqrt());
        assert!((middle - 0.5).abs() < 1e-9, "{middle}");
    }
}

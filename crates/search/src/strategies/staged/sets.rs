//! The sets of scores at hand, and how far each has been followed.

use std::borrow::Cow;

use crate::{ScoreOrigin, ScoreSet, SearchProblem};

/// Scores up to which a set is believed in neighbourhoods before its own sub-models have said more.
const SURE: f32 = 0.05;

/// A set of scores, and how far its bands have been climbed.
pub(super) struct Set<'a> {
    pub(super) origin: ScoreOrigin,
    pub(super) scores: Cow<'a, [f32]>,
    pub(super) weight: f64,
    /// The band that is next, by number, the widest last.
    pub(super) next: usize,
    /// No band is left to be tried.
    pub(super) is_climbed: bool,
    /// The score up to which the last band held columns, and how many these were.
    pub(super) band: Option<f32>,
    pub(super) held: Option<usize>,
    /// The loosest of several bands that are alike, when the tightest one has been tried.
    pub(super) loosest: Option<f32>,
    /// Scores up to this were held in the largest sub-model that was searched.
    pub(super) sure: f32,
    /// Seconds that the last band took.
    pub(super) seconds: Option<f64>,
    /// Seconds to try the last band again, if they were too few.
    pub(super) longer: Option<f64>,
}

impl<'a> Set<'a> {
    pub(super) fn new(origin: ScoreOrigin, scores: Cow<'a, [f32]>, weight: f64) -> Self {
        Set {
            origin,
            scores,
            weight,
            next: 0,
            is_climbed: false,
            band: None,
            held: None,
            loosest: None,
            sure: SURE,
            seconds: None,
            longer: None,
        }
    }

    /// Seconds that its next band will take: one that is infeasible shows at once; one that is not takes longer than the one
    /// before.
    pub(super) fn expects(&self, usual: f64) -> f64 {
        let after = |last: f64| last.clamp(0.1 * usual, 2.0 * usual);
        self.longer.or(self.seconds.map(after)).unwrap_or(usual)
    }
}

/// The sets of scores at hand.
pub(super) struct ScoreSets<'a> {
    sets: Vec<Set<'a>>,
    /// The set that led a sub-model last.
    led: Option<ScoreOrigin>,
}

impl<'a> ScoreSets<'a> {
    /// What the problem gives.
    pub(super) fn new(problem: &SearchProblem<'a>) -> Self {
        let given = problem.scores.map(|scores| {
            let scores = Cow::Borrowed(scores);
            Set::new(ScoreOrigin::Given, scores, 1.0)
        });
        let sets = problem.sets.iter().map(|set| {
            let scores = Cow::Borrowed(&set.scores[..]);
            Set::new(set.origin, scores, set.weight)
        });
        let mut all = ScoreSets {
            sets: given.into_iter().chain(sets).collect(),
            led: None,
        };
        all.agree();
        all
    }

    /// Takes one more set.
    pub(super) fn add(&mut self, set: ScoreSet) {
        self.sets.retain(|old| old.origin != set.origin);
        self.sets
            .push(Set::new(set.origin, Cow::Owned(set.scores), set.weight));
        self.agree();
    }

    /// Makes the set of what all others agree on, if there are two or more.
    fn agree(&mut self) {
        self.sets.retain(|set| set.origin != ScoreOrigin::Agreement);
        if self.sets.len() < 2 {
            return;
        }
        let columns = self.sets[0].scores.len();
        // The greatest score doubts the zero most. `max` passes over what is not a number.
        let doubt = |j: usize| {
            let scores = self.sets.iter().map(|set| set.scores[j]);
            scores.fold(f32::NAN, f32::max)
        };
        let scores: Vec<f32> = (0..columns).map(doubt).collect();
        let weight = self.sets.iter().map(|set| set.weight).sum::<f64>() / self.sets.len() as f64;
        let agreed = Set::new(ScoreOrigin::Agreement, Cow::Owned(scores), weight);
        self.sets.push(agreed);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Set<'a>> {
        self.sets.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(super) fn get(&self, origin: ScoreOrigin) -> Option<&Set<'a>> {
        self.sets.iter().find(|set| set.origin == origin)
    }

    pub(super) fn get_mut(&mut self, origin: ScoreOrigin) -> Option<&mut Set<'a>> {
        self.sets.iter_mut().find(|set| set.origin == origin)
    }

    /// Says that a set has led a sub-model.
    pub(super) fn lead(&mut self, origin: ScoreOrigin) {
        self.led = Some(origin);
    }

    /// The scores by which the search is explained: those that led a sub-model last, or else the first.
    pub(super) fn shown(&self) -> Option<&[f32]> {
        let led = self.led.and_then(|origin| self.get(origin));
        led.or(self.sets.first()).map(|set| &set.scores[..])
    }
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind};
    use idpas_solver::highs::Highs;

    use super::*;

    #[test]
    fn the_doubtful_score_is_what_all_agree_on() -> Result<(), idpas_mip::ModelError> {
        let mut b = ModelBuilder::new("two", Sense::Minimize);
        b.column("x", VarKind::Integer, 0.0, 1.0, 1.0)?;
        b.column("y", VarKind::Integer, 0.0, 1.0, 1.0)?;
        let model = b.build()?;
        let first = [ScoreSet::new(
            ScoreOrigin::ZeroFrequency,
            vec![0.1, f32::NAN],
        )];
        let problem = SearchProblem {
            sets: &first,
            ..SearchProblem::new(&Highs, &model)
        };
        let mut sets = ScoreSets::new(&problem);
        assert!(sets.get(ScoreOrigin::Agreement).is_none());
        sets.add(ScoreSet::new(ScoreOrigin::Network, vec![0.4, 0.2]));
        let agreed = sets.get(ScoreOrigin::Agreement);
        assert_eq!(agreed.map(|set| &set.scores[..]), Some(&[0.4, 0.2][..]));
        // A set that comes again takes the place of the old one.
        sets.add(ScoreSet::new(ScoreOrigin::Network, vec![0.05, 0.3]));
        let agreed = sets.get(ScoreOrigin::Agreement);
        assert_eq!(agreed.map(|set| &set.scores[..]), Some(&[0.1, 0.3][..]));
        assert_eq!(sets.iter().count(), 3);
        Ok(())
    }
}

//! What a guide knows about an instance by the names of its variables alone: past zeros and past solutions. It takes
//! milliseconds, since neither a relaxation nor a graph network is asked.

use std::time::Instant;

use idpas_graph::{Fit, Identities};
use idpas_mip::Model;
use idpas_search::{PredictionReport, ScoreOrigin, ScoreSet};

use super::Guidance;
use super::prediction::report;
use crate::predict::{BY_POSITION, BY_STRUCTURE, unknown};
use crate::sets::by_name;
use crate::{LearnError, PredictorKind, TrainedModel};

/// Past solutions that the staged search is given to start from; it decides how many of them it tries.
const STARTS: usize = 8;

/// A model and an instance whose variables it has looked up.
pub(super) struct ByName<'a> {
    trained: &'a TrainedModel,
    model: &'a Model,
    identities: Identities,
    clock: Instant,
}

impl<'a> ByName<'a> {
    pub(super) fn new(trained: &'a TrainedModel, model: &'a Model) -> Self {
        ByName {
            trained,
            model,
            clock: Instant::now(),
            identities: trained.registry.identify(model),
        }
    }

    /// For the staged search: all sets of scores that are there at once, and past solutions to start from. Sets that know
    /// too few of the discrete columns are left out.
    pub(super) fn sets(self) -> Guidance {
        if !self.trained.predictor.is_identity_aware() {
            // It is asked without names, whether it knows them or not.
            return Guidance {
                report: Some(report(self.trained, self.fit(), false)),
                ..Guidance::default()
            };
        }
        let mut guidance = self.guidance();
        if self.trained.predictor.kind() == PredictorKind::Gnn {
            guidance.warnings = self.warnings(BY_STRUCTURE);
        }
        if !self.is_known() {
            return self.timed(guidance);
        }
        for origin in self.trained.origins_at_once() {
            match self.set(origin) {
                Ok(set) if known_share(self.model, &set.scores) < Fit::KNOWN => {}
                Ok(set) => guidance.sets.push(set),
                Err(error) => {
                    let warning = format!("{error}; there are no scores by `{origin}`");
                    guidance.warnings.push(warning);
                }
            }
        }
        guidance.sets.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        guidance.starts = self.starts(STARTS);
        self.timed(guidance)
    }

    /// For the method `warm-start`: the best solution of the most similar past instance.
    pub(super) fn past_solution(self) -> Guidance {
        let mut guidance = self.guidance();
        if self.is_known() {
            guidance.starts = self.starts(1);
        }
        self.timed(guidance)
    }

    /// For the method `zero-frequency`: how often variables were not zero in training, which files of all kinds know
    /// alike.
    pub(super) fn frequencies(self) -> Guidance {
        let mut guidance = self.guidance();
        if self.is_known() {
            let scores = self.trained.frequencies(self.model, &self.identities);
            guidance.scores = Some(scores);
        }
        self.timed(guidance)
    }

    /// For the method `nearest`: scores by the most similar past instances, and at most `starts` of their solutions.
    pub(super) fn nearest(self, starts: usize) -> Guidance {
        let mut guidance = self.guidance();
        if !self.is_known() {
            return self.timed(guidance);
        }
        match self.set(ScoreOrigin::Nearest) {
            Ok(set) => {
                guidance.scores = Some(set.scores);
                guidance.starts = self.starts(starts);
            }
            Err(error) => {
                let warning = format!("{error}; the solver works alone");
                guidance.warnings.push(warning);
            }
        }
        self.timed(guidance)
    }

    fn fit(&self) -> Fit {
        self.identities.fit()
    }

    fn is_known(&self) -> bool {
        self.fit().is_known(Fit::KNOWN)
    }

    fn set(&self, origin: ScoreOrigin) -> Result<ScoreSet, LearnError> {
        let scores = self
            .trained
            .scores_at_once(origin, self.model, &self.identities)?;
        Ok(ScoreSet {
            weight: self.trained.weight(origin),
            ..ScoreSet::new(origin, scores)
        })
    }

    fn starts(&self, most: usize) -> Vec<Vec<f64>> {
        let instance = by_name(self.model, &self.identities, &self.trained.registry);
        let past = self.trained.past_solutions();
        past.map_or_else(Vec::new, |past| past.starts(&instance, most))
    }

    /// What the user should know; `otherwise` says what happens if too few names are known.
    fn warnings(&self, otherwise: &str) -> Vec<String> {
        if !self.is_known() {
            return vec![unknown(&self.fit(), otherwise)];
        }
        let by_position = self.trained.goes_by_position();
        by_position
            .then(|| BY_POSITION.into())
            .into_iter()
            .collect()
    }

    /// A guidance that says no more than how well the instance is known.
    fn guidance(&self) -> Guidance {
        Guidance {
            report: Some(report(self.trained, self.fit(), self.is_known())),
            warnings: self.warnings("nothing is predicted, the solver works alone"),
            ..Guidance::default()
        }
    }

    /// With the time that it took.
    fn timed(&self, mut guidance: Guidance) -> Guidance {
        let report: Option<&mut PredictionReport> = guidance.report.as_mut();
        if let Some(report) = report {
            report.seconds.scores = self.clock.elapsed().as_secs_f64();
        }
        guidance
    }
}

/// The share of discrete columns, between 0 and 1, that have a score; 1 if there are none.
pub(super) fn known_share(model: &Model, scores: &[f32]) -> f64 {
    let discrete = || (0..model.num_columns()).filter(|&j| model.is_integer(j));
    let known = discrete().filter(|&j| !scores[j].is_nan()).count();
    match discrete().count() {
        0 => 1.0,
        count => known as f64 / count as f64,
    }
}

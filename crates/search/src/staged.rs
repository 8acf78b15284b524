//! Settings of the staged search: the method `idpas`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{SearchError, Source};

/// Settings of the staged search. Every share is one of the time limit, between 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StagedSettings {
    /// Sources that are switched off.
    pub without: Vec<Source>,
    /// What sources are worth before they are tried, each compared with the others; those that are not listed, by experience.
    pub worth: BTreeMap<Source, f64>,
    /// Share of the time that the whole model has had at the end, at least.
    pub whole_share: f64,
    /// Share of the time that the whole model has at every moment, at least, once there is a solution.
    pub whole_least: f64,
    /// What the whole model gets of the others' share when solution and bound are close: all of this share at a relative gap of
    /// 1 %, none of it at 8 %, and less and less in between.
    pub whole_near: f64,
    /// Scores up to which columns are held at zero, one sub-model for each, the smallest sub-model first. As soon as one
    /// cannot be searched to its end, the others are left out.
    pub bands: Vec<f32>,
    /// Longest time of one sub-model, as a share of the time.
    pub sub_share: f64,
    /// Longest time of one sub-model, in seconds; the smaller of this and `sub_share` counts.
    pub sub_seconds: f64,
    /// Seconds that a sub-model gets in any case, since a solver needs a moment to begin; at most a fifth of the time.
    pub sub_least: f64,
    /// How far a freed general integer may move from its value in the current solution, in units of that column.
    pub window: u32,
    /// The rankings by which neighbourhoods choose their columns.
    pub neighbourhoods: Vec<Ranking>,
    /// Whether rankings and scopes that were successful lately are preferred.
    pub adaptive: bool,
    /// Whether most neighbourhoods leave out the columns that the scores are sure about.
    pub guided: bool,
    /// Whether a neighbourhood within one that was searched to its end is passed over.
    pub remember: bool,
    /// Whether columns are held at bounds that their reduced costs prove, in sub-models and in the whole model.
    pub reduced_costs: bool,
    /// Options of the solver, by its own names, for the whole model alone.
    pub whole_options: Vec<(String, String)>,
}

impl Default for StagedSettings {
    fn default() -> Self {
        StagedSettings {
            without: Vec::new(),
            worth: BTreeMap::new(),
            whole_share: 0.5,
            whole_least: 0.3,
            whole_near: 0.8,
            bands: vec![0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01],
            sub_share: 0.04,
            sub_seconds: 5.0,
            sub_least: 1.0,
            window: 2,
            neighbourhoods: Ranking::ALL.to_vec(),
            adaptive: true,
            guided: true,
            remember: true,
            reduced_costs: true,
            whole_options: Vec::new(),
        }
    }
}

impl StagedSettings {
    /// A share of the whole model from which on a search is mostly the plain solver.
    pub const MOSTLY_WHOLE: f64 = 0.85;

    /// Whether the plain solver has most of the time.
    pub fn is_mostly_whole(&self) -> bool {
        self.whole_least >= Self::MOSTLY_WHOLE
    }

    /// Refuses values that mean nothing.
    pub(crate) fn validate(&self) -> Result<(), SearchError> {
        let shares = [
            ("whole_share", self.whole_share),
            ("whole_least", self.whole_least),
            ("whole_near", self.whole_near),
            ("sub_share", self.sub_share),
        ];
        let bands = self.bands.iter().map(|&band| ("bands", f64::from(band)));
        for (name, value) in shares.into_iter().chain(bands) {
            if !(0.0..=1.0).contains(&value) {
                let expected = "between 0 and 1";
                return Err(SearchError::Setting {
                    name,
                    value,
                    expected,
                });
            }
        }
        let seconds = [
            (
                ("sub_seconds", self.sub_seconds, "more than 0 seconds"),
                self.sub_seconds > 0.0,
            ),
            (
                ("sub_least", self.sub_least, "0 seconds or more"),
                self.sub_least >= 0.0,
            ),
        ];
        if let Some(&((name, value, expected), _)) = seconds.iter().find(|(_, fits)| !fits) {
            return Err(SearchError::Setting {
                name,
                value,
                expected,
            });
        }
        let not_positive = |worth: &&f64| !(worth.is_finite() && **worth > 0.0);
        if let Some(&value) = self.worth.values().find(not_positive) {
            return Err(SearchError::Setting {
                name: "worth",
                value,
                expected: "more than 0",
            });
        }
        Ok(())
    }
}

/// Which columns a neighbourhood frees first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Columns linked by rows, around one that is drawn.
    Linked,
    /// Columns whose scores are near ½.
    Unsure,
    /// Columns whose value in the current solution is not what the scores predict.
    Disagreement,
    /// Columns whose value differs from the linear relaxation's, or that have small reduced costs.
    Relaxation,
    /// Columns that changed when solutions were improved.
    Recent,
    /// All columns with equal chances.
    Random,
    /// Columns that are undecided when a part of what the solution uses is held, with all that follows from it.
    Implied,
}

impl Ranking {
    /// All rankings.
    pub const ALL: [Ranking; 7] = [
        Ranking::Linked,
        Ranking::Unsure,
        Ranking::Disagreement,
        Ranking::Relaxation,
        Ranking::Recent,
        Ranking::Random,
        Ranking::Implied,
    ];

    /// Its name in settings and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Ranking::Linked => "linked",
            Ranking::Unsure => "unsure",
            Ranking::Disagreement => "disagreement",
            Ranking::Relaxation => "relaxation",
            Ranking::Recent => "recent",
            Ranking::Random => "random",
            Ranking::Implied => "implied",
        }
    }
}

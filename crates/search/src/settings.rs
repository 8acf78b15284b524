//! The settings of a search.

use serde::{Deserialize, Serialize};

use crate::{Method, SearchError, SelectionSettings, StagedSettings};

/// How to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// The method.
    pub method: Method,
    /// What is selected, and how much of it may be wrong.
    pub selection: SelectionSettings,
    /// Go on where the paper stops: widen the region, and at last solve the whole model from the best solution.
    pub completion: bool,
    /// The regions that completion searches, and its shares of the time.
    pub schedule: Schedule,
    /// How the staged search, the method `idpas`, goes about it. Of the settings above it uses `completion`, and
    /// `schedule.probe_share`, where it leaves everything to a solve of the whole model.
    pub staged: StagedSettings,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            method: Method::default(),
            selection: SelectionSettings::default(),
            completion: true,
            schedule: Schedule::default(),
            staged: StagedSettings::default(),
        }
    }
}

impl SearchSettings {
    /// The default settings of a method.
    pub fn of(method: Method) -> Self {
        SearchSettings {
            method,
            ..SearchSettings::default()
        }
    }

    /// The paper's search: one region until the time is over.
    pub fn faithful(method: Method, selection: SelectionSettings) -> Self {
        SearchSettings {
            method,
            selection,
            completion: false,
            ..SearchSettings::default()
        }
    }

    /// Refuses values that mean nothing.
    pub fn validate(&self) -> Result<(), SearchError> {
        let schedule = &self.schedule;
        let shares = [
            ("restricted_share", schedule.restricted_share),
            ("stall_share", schedule.stall_share),
            ("probe_share", schedule.probe_share),
        ];
        let keeps = schedule.bands.iter().map(|band| ("keep", band.keep));
        for (name, value) in shares.into_iter().chain(keeps) {
            if !(0.0..=1.0).contains(&value) {
                return Err(SearchError::Setting {
                    name,
                    value,
                    expected: "a share between 0 and 1",
                });
            }
        }
        for band in &schedule.bands {
            if !(0.0..=1e9).contains(&band.delta) {
                return Err(SearchError::Setting {
                    name: "delta",
                    value: band.delta,
                    expected: "a factor of at least 0",
                });
            }
        }
        self.staged.validate()
    }
}

/// The regions that are searched before the whole model, and when to leave them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Schedule {
    /// The regions in their order, best each within the next.
    pub bands: Vec<Band>,
    /// The share of the time that all regions together may take before the whole model has its turn.
    pub restricted_share: f64,
    /// A region is left when nothing has improved for this share of the time.
    pub stall_share: f64,
    /// The share of the time that the solver may take, alone with the whole model, to find one solution of its own.
    /// Some of its heuristics run only while it has none, so that a poor start can cost it a good one.
    pub probe_share: f64,
    /// Take out of the selection what contradicts the rows when everything surer is as predicted.
    pub repair: bool,
}

/// One region of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The share of the selection that is kept, the surest of it.
    pub keep: f64,
    /// Δ as a multiple of the one in the settings; 0 fixes the columns by their bounds.
    pub delta: f64,
}

impl Default for Schedule {
    /// Bounds first, since they make the model small and the Δ row does not; then the paper's region from there; then
    /// a wider one.
    fn default() -> Self {
        let band = |keep, delta| Band { keep, delta };
        Schedule {
            bands: vec![band(1.0, 0.0), band(1.0, 1.0), band(0.7, 2.0)],
            restricted_share: 0.7,
            stall_share: 0.1,
            probe_share: 0.03,
            repair: true,
        }
    }
}

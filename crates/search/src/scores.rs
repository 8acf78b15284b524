//! Sets of scores, and where each is from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a set of scores is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ScoreOrigin {
    /// The caller, who says no more about them.
    Given,
    /// A trained network.
    Network,
    /// How often each column was not zero in training.
    ZeroFrequency,
    /// The solutions of the most similar past instances.
    Nearest,
    /// Past solutions that the caller gave.
    History,
    /// The linear relaxation, where nothing was learned.
    Relaxation,
    /// What all other sets agree on: a column is as surely zero as the set that doubts it most says.
    Agreement,
}

impl ScoreOrigin {
    /// All origins.
    pub const ALL: [ScoreOrigin; 7] = [
        ScoreOrigin::Given,
        ScoreOrigin::Network,
        ScoreOrigin::ZeroFrequency,
        ScoreOrigin::Nearest,
        ScoreOrigin::History,
        ScoreOrigin::Relaxation,
        ScoreOrigin::Agreement,
    ];

    /// Its name in settings and results.
    pub fn as_str(self) -> &'static str {
        match self {
            ScoreOrigin::Given => "given",
            ScoreOrigin::Network => "network",
            ScoreOrigin::ZeroFrequency => "zero-frequency",
            ScoreOrigin::Nearest => "nearest",
            ScoreOrigin::History => "history",
            ScoreOrigin::Relaxation => "relaxation",
            ScoreOrigin::Agreement => "agreement",
        }
    }
}

impl fmt::Display for ScoreOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreSet {
    /// Where they are from.
    pub origin: ScoreOrigin,
    /// For each column the predicted probability that it is not zero; NaN where nothing is predicted.
    pub scores: Vec<f32>,
    /// How much the set is worth beside others before any of them has been tried: a set with twice the weight is twice as
    /// likely to lead.
    pub weight: f64,
}

impl ScoreSet {
    /// A set that is worth as much as any other.
    pub fn new(origin: ScoreOrigin, scores: Vec<f32>) -> Self {
        ScoreSet {
            origin,
            scores,
            weight: 1.0,
        }
    }
}

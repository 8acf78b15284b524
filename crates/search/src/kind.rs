//! What a stage of a search does.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Ranking, ScoreOrigin};

/// What a stage of a search does. Its display form is its name in results, and is read from there; a share that is kept
/// is written, and read, in whole per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StageKind {
    /// Looks at start solutions.
    Start,
    /// Fixes selected columns at their predicted values.
    Fix {
        /// The share of the selection that is kept, the surest of it.
        keep: f64,
    },
    /// Searches a region in which at most Δ of the selected columns have another value than predicted.
    Region {
        /// The share of the selection that is kept, the surest of it.
        keep: f64,
    },
    /// Solves the whole model until the solver has found a first solution of its own.
    Probe,
    /// Looks for a first solution by fixing and propagating.
    First,
    /// Holds columns with low scores at zero.
    Band {
        /// Whose scores.
        origin: ScoreOrigin,
        /// The highest score that is held.
        most: f32,
    },
    /// Holds what two solutions agree on.
    Crossing,
    /// Searches neighbourhoods of a solution, one after the other.
    Neighbourhoods,
    /// Searches one of these neighbourhoods; the source of a solution, never a stage of its own.
    Neighbourhood(Ranking),
    /// Solves the whole model.
    Full,
}

impl StageKind {
    /// Whether it solves the model itself, so that what it proves holds for the model.
    pub fn is_whole_model(self) -> bool {
        matches!(self, StageKind::Full | StageKind::Probe)
    }
}

impl fmt::Display for StageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |name: &str, keep: f64| match keep {
            1.0 => name.to_owned(),
            _ => format!("{name} {:.0}%", keep * 100.0),
        };
        match *self {
            StageKind::Start => f.pad("start"),
            StageKind::Fix { keep } => f.pad(&share("fix", keep)),
            StageKind::Region { keep } => f.pad(&share("region", keep)),
            StageKind::Probe => f.pad("probe"),
            StageKind::First => f.pad("first"),
            StageKind::Band { origin, most } => f.pad(&format!("{origin} band {most}")),
            StageKind::Crossing => f.pad("crossing"),
            StageKind::Neighbourhoods => f.pad("neighbourhoods"),
            StageKind::Neighbourhood(ranking) => f.pad(ranking.as_str()),
            StageKind::Full => f.pad("full"),
        }
    }
}

impl Serialize for StageKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for StageKind {
    type Err = UnknownStage;

    fn from_str(name: &str) -> Result<Self, UnknownStage> {
        let plain = [
            StageKind::Start,
            StageKind::Fix { keep: 1.0 },
            StageKind::Region { keep: 1.0 },
            StageKind::Probe,
            StageKind::First,
            StageKind::Crossing,
            StageKind::Neighbourhoods,
            StageKind::Full,
        ];
        let rankings = Ranking::ALL.map(StageKind::Neighbourhood);
        let mut kinds = plain.into_iter().chain(rankings);
        if let Some(kind) = kinds.find(|kind| kind.to_string() == name) {
            return Ok(kind);
        }
        let unknown = || UnknownStage(name.to_owned());
        let (what, number) = name.rsplit_once(' ').ok_or_else(unknown)?;
        let share = || {
            let percent = number.strip_suffix('%')?.parse::<f64>().ok()?;
            Some(percent / 100.0)
        };
        let band = || {
            let name = what.strip_suffix(" band")?;
            let mut origins = ScoreOrigin::ALL.into_iter();
            let origin = origins.find(|origin| origin.as_str() == name)?;
            let most = number.parse().ok()?;
            Some(StageKind::Band { origin, most })
        };
        let kind = match what {
            "fix" => share().map(|keep| StageKind::Fix { keep }),
            "region" => share().map(|keep| StageKind::Region { keep }),
            _ => band(),
        };
        kind.ok_or_else(unknown)
    }
}

/// A name that no stage has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown stage `{0}`")]
pub struct UnknownStage(String);

impl<'de> Deserialize<'de> for StageKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_results() {
        let kinds = [
            (StageKind::Start, "start"),
            (StageKind::Fix { keep: 1.0 }, "fix"),
            (StageKind::Fix { keep: 0.7 }, "fix 70%"),
            (StageKind::Region { keep: 1.0 }, "region"),
            (StageKind::Region { keep: 0.7 }, "region 70%"),
            (StageKind::Probe, "probe"),
            (StageKind::First, "first"),
            (StageKind::Crossing, "crossing"),
            (
                StageKind::Band {
                    origin: ScoreOrigin::ZeroFrequency,
                    most: 0.05,
                },
                "zero-frequency band 0.05",
            ),
            (StageKind::Neighbourhoods, "neighbourhoods"),
            (StageKind::Neighbourhood(Ranking::Linked), "linked"),
            (StageKind::Full, "full"),
        ];
        for (kind, name) in kinds {
            assert_eq!(kind.to_string(), name);
            assert_eq!(serde_json::to_value(kind).unwrap_or_default(), name);
            assert_eq!(name.parse(), Ok(kind));
        }
        for wrong in [
            "",
            "begin",
            "band",
            "network band x",
            "band 0.5",
            "fix 7",
            "region one%",
        ] {
            assert!(wrong.parse::<StageKind>().is_err(), "{wrong}");
        }
    }
}

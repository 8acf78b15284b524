//! Where a staged search gets its solutions from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ScoreOrigin;

/// Where a staged search gets its solutions from. Each source does one piece of work at a time, and is credited for what
/// it brings per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Source {
    /// Past solutions and starts, made to fit.
    Past,
    /// First solutions by fixing and propagating.
    First,
    /// Sub-models in which columns that a set of scores is sure about are held at zero.
    Bands(ScoreOrigin),
    /// More scores, which take a while: a relaxation and a network. They bring no solution themselves.
    Prediction,
    /// Sub-models in which all columns are held on which two solutions, or a solution and the relaxation, agree.
    Crossing,
    /// Neighbourhoods of the best solution.
    Neighbourhoods,
    /// The whole model: the plain solver, which pauses while the others work.
    Whole,
}

impl Source {
    /// All sources.
    pub fn all() -> Vec<Source> {
        let mut all = vec![Source::Past, Source::First];
        all.extend(ScoreOrigin::ALL.map(Source::Bands));
        all.extend([
            Source::Prediction,
            Source::Crossing,
            Source::Neighbourhoods,
            Source::Whole,
        ]);
        all
    }

    /// What a source is worth before it is tried, compared with the others: by experience with families of all kinds.
    pub(crate) fn usual_worth(self) -> f64 {
        match self {
            Source::Past | Source::First | Source::Prediction => 4.0,
            Source::Bands(ScoreOrigin::Agreement) => 2.0,
            Source::Bands(_) => 4.0,
            Source::Crossing | Source::Neighbourhoods => 3.0,
            Source::Whole => 1.0,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Past => f.pad("past"),
            Source::First => f.pad("first"),
            Source::Bands(origin) => f.pad(&format!("bands {origin}")),
            Source::Prediction => f.pad("prediction"),
            Source::Crossing => f.pad("crossing"),
            Source::Neighbourhoods => f.pad("neighbourhoods"),
            Source::Whole => f.pad("whole"),
        }
    }
}

/// A name that no source has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown source `{name}`; known: {known}")]
pub struct UnknownSource {
    /// The name asked for.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl FromStr for Source {
    type Err = UnknownSource;

    fn from_str(text: &str) -> Result<Self, UnknownSource> {
        let all = Source::all();
        let names = || all.iter().map(Source::to_string);
        let found = names().position(|name| name == text);
        found.map(|at| all[at]).ok_or_else(|| UnknownSource {
            name: text.to_owned(),
            known: names().collect::<Vec<_>>().join(", "),
        })
    }
}

impl TryFrom<String> for Source {
    type Error = UnknownSource;

    fn try_from(text: String) -> Result<Self, UnknownSource> {
        text.parse()
    }
}

impl From<Source> for String {
    fn from(source: Source) -> String {
        source.to_string()
    }
}

/// What a source did and brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceReport {
    /// The source; in JSON its name.
    pub source: Source,
    /// Pieces of work.
    pub tries: usize,
    /// How many of them improved the best solution.
    pub improved: usize,
    /// Sum of the relative improvements of the best solution. A first solution counts as
    /// [`FIRST_GAIN`](Self::FIRST_GAIN).
    pub gain: f64,
    /// Seconds.
    pub seconds: f64,
    /// Its share of the time to come, as it stood when the search ended.
    pub credit: f64,
}

impl SourceReport {
    /// The relative improvement that a first solution counts as.
    pub const FIRST_GAIN: f64 = 0.1;

    /// A source that has done nothing yet.
    pub fn new(source: Source) -> Self {
        SourceReport {
            source,
            tries: 0,
            improved: 0,
            gain: 0.0,
            seconds: 0.0,
            credit: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for source in Source::all() {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
        let error = "bands".parse::<Source>().map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("`bands`; known: past, first, bands given")));
    }
}

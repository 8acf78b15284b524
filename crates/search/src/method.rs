//! The methods by name. `idpas` is the staged search, and `solver` and `warm-start` are the plain solver. The others search
//! the paper's region; they differ in where the scores come from, which is the caller's business, and in whether ones
//! are selected beside zeros.

use std::fmt;
use std::str::FromStr;

use idpas_mip::Model;
use serde::{Deserialize, Serialize};

use crate::{Amount, SelectionSettings};

/// A score above this predicts that the variable is not zero.
const EVEN: f32 = 0.5;

/// A method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Method {
    /// The solver alone.
    Solver,
    /// The solver alone, started from the solution of the most similar past instance: what users do without learning.
    WarmStart,
    /// Predict-and-search: zeros and ones among the binaries.
    Pas,
    /// Zeros among binaries and integers, scored by a network without identities.
    PasPlus,
    /// Zeros among binaries and integers, scored by a network with identities: the paper's.
    IdPasPlus,
    /// The staged search: whatever the scores are from, or without any.
    #[default]
    Idpas,
    /// Scored by how often each variable was zero in training.
    ZeroFrequency,
    /// Scored by one small network per variable.
    Prop,
    /// Scored by, and started from, the solutions of the most similar past instance.
    Nearest,
    /// Scored by the best solution known: what a perfect prediction would give.
    Oracle,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 10] = [
        Method::Solver,
        Method::WarmStart,
        Method::Pas,
        Method::PasPlus,
        Method::IdPasPlus,
        Method::Idpas,
        Method::ZeroFrequency,
        Method::Prop,
        Method::Nearest,
        Method::Oracle,
    ];

    /// Its name on the command line and in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Solver => "solver",
            Method::WarmStart => "warm-start",
            Method::Pas => "pas",
            Method::PasPlus => "pas+",
            Method::IdPasPlus => "id-pas+",
            Method::Idpas => "idpas",
            Method::ZeroFrequency => "zero-frequency",
            Method::Prop => "prop",
            Method::Nearest => "nearest",
            Method::Oracle => "oracle",
        }
    }

    /// What of the settings applies to this method.
    pub fn selection(self, settings: &SelectionSettings) -> SelectionSettings {
        let zeros = SelectionSettings {
            k1_binaries: Amount::NONE,
            ..*settings
        };
        match self {
            Method::Solver | Method::WarmStart => SelectionSettings {
                k0_binaries: Amount::NONE,
                k0_integers: Amount::NONE,
                ..zeros
            },
            Method::Pas => SelectionSettings {
                k0_integers: Amount::NONE,
                ..*settings
            },
            // A ceiling must not take for zero what is known to be none, however much is asked for.
            Method::Oracle => SelectionSettings {
                max_score: Some(settings.max_score.map_or(EVEN, |most| most.min(EVEN))),
                ..zeros
            },
            _ => zeros,
        }
    }
}

/// Scores of a perfect prediction: 0 where `solution` is zero, else 1.
///
/// # Panics
/// If there is not one value for each column.
pub fn oracle_scores(model: &Model, solution: &[f64]) -> Vec<f32> {
    assert_eq!(
        solution.len(),
        model.num_columns(),
        "one value for each column"
    );
    let score = |&value: &f64| if value.abs() < 0.5 { 0.0 } else { 1.0 };
    solution.iter().map(score).collect()
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A name that no method has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown method `{name}`; known: {known}")]
pub struct UnknownMethod {
    /// The name asked for.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let known = Method::ALL.into_iter().find(|m| m.as_str() == text);
        known.ok_or_else(|| UnknownMethod {
            name: text.to_owned(),
            known: Method::ALL.map(Method::as_str).join(", "),
        })
    }
}

impl TryFrom<String> for Method {
    type Error = UnknownMethod;

    fn try_from(text: String) -> Result<Self, UnknownMethod> {
        text.parse()
    }
}

impl From<Method> for String {
    fn from(method: Method) -> String {
        method.as_str().to_owned()
    }
}

//! A turn: one stretch of work on one instance of a family.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Who leads the search for better solutions in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lead {
    /// The staged search, with the solutions of siblings.
    Search,
    /// The staged search, with most of the time for the whole model.
    Whole,
    /// The solver alone.
    Solver,
}

impl Lead {
    /// All of them; of two that do as well, the earlier one is preferred.
    pub const ALL: [Lead; 3] = [Lead::Search, Lead::Whole, Lead::Solver];

    /// In words, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Lead::Search => "the search that siblings lead",
            Lead::Whole => "the search that siblings lead, mostly on the whole model",
            Lead::Solver => "the solver alone",
        }
    }
}

/// What a turn is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnKind {
    /// All that is done for the instance, by itself or with what the instances before it gave: solve, then fill the pool.
    Alone,
    /// The first turn of an instance: good solutions.
    Opening,
    /// Another turn: better solutions, with what siblings have found meanwhile.
    Again,
    /// The last turn: more solutions around those known, until the pool is full.
    Closing,
}

/// A turn that was taken, as a pool remembers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What it was for.
    pub kind: TurnKind,
    /// Who led; `None` where all leads were compared.
    pub lead: Option<Lead>,
    /// Seconds that it took.
    pub seconds: f64,
    /// How many siblings it drew on.
    pub siblings: usize,
    /// The best objective known afterwards; `None` as long as there is no solution.
    pub best: Option<f64>,
    /// How many solutions the pool had afterwards.
    pub solutions: usize,
    /// Where leads were compared: the best objective that each found by itself in the same time, in the order of
    /// [`Lead::ALL`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Option<f64>>,
}

/// What a turn is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnPlan {
    /// What it is for.
    pub kind: TurnKind,
    /// Who leads; `None` to compare all leads, each with the same time.
    pub lead: Option<Lead>,
    /// Seconds for better solutions; for each lead if they are compared.
    pub search: f64,
    /// How much longer, in seconds, the search may take as long as there is no solution.
    pub until_first: f64,
    /// Seconds for more solutions around those known, which fill the pool.
    pub fill: f64,
}

impl TurnPlan {
    /// Seconds in all, if a solution is found in time.
    pub fn seconds(&self) -> f64 {
        let searches = match self.lead {
            Some(_) => 1,
            None => Lead::ALL.len(),
        };
        searches as f64 * self.search + self.fill
    }

    /// Seconds in all, at most.
    pub fn most_seconds(&self) -> f64 {
        self.seconds() + self.until_first
    }
}

/// An instance of the same family that has a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sibling {
    /// Its pool.
    pub pool: PathBuf,
    /// Its file, which is read only if its columns are others.
    pub instance: PathBuf,
    /// How far it is from the instance of the turn.
    pub distance: f64,
}

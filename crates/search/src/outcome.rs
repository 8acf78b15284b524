//! What comes out of a search.

use idpas_mip::check::Report;
use serde::{Deserialize, Serialize};

use crate::{Explain, StageKind};

/// Why a search ended, and what is proved about the original model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// The solution is optimal within the gaps asked for.
    Optimal,
    /// There is no solution.
    Infeasible,
    /// There are solutions of any objective value.
    Unbounded,
    /// One of the two, and it is not known which.
    InfeasibleOrUnbounded,
    /// The time is over.
    TimeLimit,
    /// Another limit was reached.
    Limit,
    /// Interrupted.
    Interrupted,
    /// Without completion: the region was searched to its end, which says nothing about the rest of the model.
    RegionExhausted,
    /// Without completion: the region has no solution; the model may have.
    RegionInfeasible,
    /// The solver gave up.
    Trouble,
}

impl Status {
    /// One word, as in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Infeasible => "infeasible",
            Status::Unbounded => "unbounded",
            Status::InfeasibleOrUnbounded => "infeasible_or_unbounded",
            Status::TimeLimit => "time_limit",
            Status::Limit => "limit",
            Status::Interrupted => "interrupted",
            Status::RegionExhausted => "region_exhausted",
            Status::RegionInfeasible => "region_infeasible",
            Status::Trouble => "trouble",
        }
    }
}

/// A solution that passed the exact check in the original model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// Objective value, exact.
    pub objective: f64,
    /// Values by column, discrete ones rounded where that is feasible.
    pub values: Vec<f64>,
    /// What the check found.
    #[serde(skip)]
    pub check: Report,
}

/// A step of the best objective over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrajectoryPoint {
    /// Seconds since the search's clock started.
    pub time: f64,
    /// Objective value, exact.
    pub objective: f64,
    /// The bound of the original model that was known then.
    pub bound: Option<f64>,
    /// The stage that found it.
    pub stage: StageKind,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StageEnd {
    /// Not over yet.
    Running,
    /// Searched to the end: its best solution, or the one it began with, is the best there is in it.
    Exhausted,
    /// There is no solution in it.
    Infeasible,
    /// It has solutions of any objective value.
    Unbounded,
    /// One of the two, and it is not known which.
    InfeasibleOrUnbounded,
    /// Its share of the time is over.
    TimeLimit,
    /// Another limit was reached.
    Limit,
    /// It was to end with its first solution.
    FirstSolution,
    /// Nothing improved for too long.
    Stalled,
    /// Interrupted from outside.
    Interrupted,
    /// The solver gave up.
    Trouble,
}

impl StageEnd {
    /// One word, as in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            StageEnd::Running => "running",
            StageEnd::Exhausted => "exhausted",
            StageEnd::Infeasible => "infeasible",
            StageEnd::Unbounded => "unbounded",
            StageEnd::InfeasibleOrUnbounded => "infeasible_or_unbounded",
            StageEnd::TimeLimit => "time_limit",
            StageEnd::Limit => "limit",
            StageEnd::FirstSolution => "first_solution",
            StageEnd::Stalled => "stalled",
            StageEnd::Interrupted => "interrupted",
            StageEnd::Trouble => "trouble",
        }
    }
}

/// What a stage did and found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageReport {
    /// What it does; its name when it is serialised.
    #[serde(rename = "name")]
    pub kind: StageKind,
    /// Δ: how many of the selected columns could have another value than predicted.
    pub delta: usize,
    /// Binaries restricted to zero.
    pub fixed_binaries: usize,
    /// General integers restricted to zero.
    pub fixed_integers: usize,
    /// Binaries restricted to one.
    pub fixed_ones: usize,
    /// Selected integers that could not be restricted, since they have no finite bound.
    pub left_out: usize,
    /// Rows handed to the solver.
    pub rows: usize,
    /// Columns handed to the solver.
    pub columns: usize,
    /// When it began, in seconds since the search's clock started.
    pub began: f64,
    /// When its model was handed to the solver, restricted and with a start.
    pub handed: f64,
    /// How long it took.
    pub seconds: f64,
    /// How it ended.
    pub outcome: StageEnd,
    /// What the solver said if it gave up.
    pub trouble: Option<String>,
    /// Improvements of the best solution.
    pub incumbents: usize,
    /// Solutions that failed the check in the original model.
    pub rejected: usize,
    /// The best objective value of the search when it ended.
    pub best: Option<f64>,
    /// The bound it proved: of the original model if its kind is that of one, of its region for others.
    pub bound: Option<f64>,
    /// Nodes of its search tree.
    pub nodes: u64,
    /// The solver did not stop in time and was left behind.
    pub abandoned: bool,
}

/// What neighbourhoods of one ranking did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NeighbourhoodReport {
    /// The ranking.
    pub name: String,
    /// How many were solved.
    pub tries: usize,
    /// How many of them were searched to their end.
    pub exhausted: usize,
    /// How many of them improved the best solution.
    pub improved: usize,
    /// By how much, in all.
    pub gain: f64,
    /// How long they took.
    pub seconds: f64,
    /// Columns that the last one was to free.
    pub columns: usize,
}

/// What a search found out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Why it ended.
    pub status: Status,
    /// What the solver said if it gave up.
    pub trouble: Option<String>,
    /// The best solution.
    pub solution: Option<Solution>,
    /// No solution of the original model is better than this.
    pub bound: Option<f64>,
    /// |objective − bound| / |objective|, if both are known.
    pub gap: Option<f64>,
    /// Seconds since the search's clock started.
    pub time: f64,
    /// The best objective over time.
    pub trajectory: Vec<TrajectoryPoint>,
    /// The stages in their order.
    pub stages: Vec<StageReport>,
    /// What the neighbourhoods of a staged search did, by ranking.
    pub neighbourhoods: Vec<NeighbourhoodReport>,
    /// What was selected, and what became of it.
    pub explain: Explain,
}

impl Outcome {
    /// The outcome of a search that was ended before it began, by an interrupt or else by its time limit, after `time`
    /// seconds.
    pub fn nothing(interrupted: bool, time: f64) -> Self {
        Outcome {
            status: match interrupted {
                true => Status::Interrupted,
                false => Status::TimeLimit,
            },
            trouble: None,
            solution: None,
            bound: None,
            gap: None,
            time,
            trajectory: Vec::new(),
            stages: Vec::new(),
            neighbourhoods: Vec::new(),
            explain: Explain::default(),
        }
    }
}

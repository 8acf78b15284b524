//! What comes out of a search.

use idpas_mip::Model;
use idpas_solver::StartOutcome;
use idpas_solver::judge::CheckedSolution;
use serde::{Deserialize, Serialize};

use crate::{Explain, SourceReport, StageKind};

/// Why a search ended, and what it proved about the original model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchStatus {
    /// The solution is optimal within the gaps asked for.
    Optimal,
    /// There is no solution.
    Infeasible,
    /// There are solutions of any objective value.
    Unbounded,
    /// Infeasible or unbounded; it is not known which.
    InfeasibleOrUnbounded,
    /// The time limit was reached.
    TimeLimit,
    /// A limit other than time was reached, such as the number of nodes.
    Limit,
    /// The interrupt was raised.
    Interrupted,
    /// Without completion: the region was searched to its end, which says nothing about the rest of the model.
    RegionExhausted,
    /// Without completion: the region has no solution; the model may have.
    RegionInfeasible,
    /// The solver gave up.
    Trouble,
}

impl SearchStatus {
    /// One word, as in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            SearchStatus::Optimal => "optimal",
            SearchStatus::Infeasible => "infeasible",
            SearchStatus::Unbounded => "unbounded",
            SearchStatus::InfeasibleOrUnbounded => "infeasible_or_unbounded",
            SearchStatus::TimeLimit => "time_limit",
            SearchStatus::Limit => "limit",
            SearchStatus::Interrupted => "interrupted",
            SearchStatus::RegionExhausted => "region_exhausted",
            SearchStatus::RegionInfeasible => "region_infeasible",
            SearchStatus::Trouble => "trouble",
        }
    }
}

/// A step of the best objective over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Infeasible or unbounded; it is not known which.
    InfeasibleOrUnbounded,
    /// Its time limit was reached.
    TimeLimit,
    /// A limit other than time was reached, such as the number of nodes.
    Limit,
    /// It ended with its first solution, as it should.
    FirstSolution,
    /// It was left because nothing improved for too long.
    Stalled,
    /// The interrupt was raised.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// What the stage does; in JSON its name.
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
    /// When its model was handed to the solver, in seconds since the search's clock started.
    pub handed: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// How it ended.
    pub outcome: StageEnd,
    /// What the solver said if it gave up.
    pub trouble: Option<String>,
    /// How often it improved the best solution.
    pub incumbents: usize,
    /// How many of its solutions failed the check in the original model.
    pub rejected: usize,
    /// The search's best objective value at the end of the stage.
    pub best: Option<f64>,
    /// The bound it proved: of the original model if the stage solves that, of its region otherwise.
    pub bound: Option<f64>,
    /// Nodes of its search tree.
    pub nodes: u64,
    /// Simplex iterations of a stage that is one solve; 0 for stages of many sub-models.
    pub lp_iterations: u64,
    /// Whether the solver did not stop in time and was left behind.
    pub abandoned: bool,
}

impl StageReport {
    /// A stage of a model that begins, and has done nothing yet.
    pub(crate) fn new(kind: StageKind, model: &Model, began: f64) -> Self {
        StageReport {
            kind,
            delta: 0,
            fixed_binaries: 0,
            fixed_integers: 0,
            fixed_ones: 0,
            left_out: 0,
            rows: model.num_rows(),
            columns: model.num_columns(),
            began,
            handed: began,
            seconds: 0.0,
            outcome: StageEnd::Running,
            trouble: None,
            incumbents: 0,
            rejected: 0,
            best: None,
            bound: None,
            nodes: 0,
            lp_iterations: 0,
            abandoned: false,
        }
    }
}

/// What the neighbourhoods of one ranking did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NeighbourhoodReport {
    /// Name of the ranking.
    pub name: String,
    /// How many neighbourhoods were solved.
    pub tries: usize,
    /// How many of them were searched to their end.
    pub exhausted: usize,
    /// How many of them improved the best solution.
    pub improved: usize,
    /// Sum of these improvements, in units of the objective.
    pub gain: f64,
    /// Seconds that all of them took.
    pub seconds: f64,
    /// How many columns the next one would free.
    pub columns: usize,
}

/// What a search found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOutcome {
    /// Why it ended.
    pub status: SearchStatus,
    /// What the solver said if it gave up.
    pub trouble: Option<String>,
    /// The best solution.
    pub solution: Option<CheckedSolution>,
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
    /// What the sources of a staged search cost and brought.
    #[serde(default)]
    pub sources: Vec<SourceReport>,
    /// What was selected, and what became of it.
    pub explain: Explain,
    /// What became of the start solutions, if there were any: whether the solver took the first one in a plain solve,
    /// whether one of them improved on those before in the other strategies.
    pub start: Option<StartOutcome>,
}

impl SearchOutcome {
    /// The outcome of a search that was ended before it began, by an interrupt or else by its time limit, after `time`
    /// seconds.
    pub fn nothing(interrupted: bool, time: f64) -> Self {
        SearchOutcome {
            status: match interrupted {
                true => SearchStatus::Interrupted,
                false => SearchStatus::TimeLimit,
            },
            trouble: None,
            solution: None,
            bound: None,
            gap: None,
            time,
            trajectory: Vec::new(),
            stages: Vec::new(),
            neighbourhoods: Vec::new(),
            sources: Vec::new(),
            explain: Explain::default(),
            start: None,
        }
    }
}

//! What comes out of a solve: why it stopped, and, apart from that, what is known.

use idpas_mip::Relaxation;
use serde::{Deserialize, Serialize};

/// Why a solve stopped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Termination {
    /// The best solution is optimal within the gaps asked for.
    Optimal,
    /// There is no solution.
    Infeasible,
    /// There are solutions of any objective value.
    Unbounded,
    /// Infeasible or unbounded; it is not known which.
    InfeasibleOrUnbounded,
    /// The time limit was reached.
    TimeLimit,
    /// The node limit, or a limit among the raw options, was reached.
    Limit,
    /// The interrupt was raised.
    Interrupted,
    /// The solver gave up; its own word for it.
    Trouble(String),
}

impl Termination {
    /// One word, as used in JSON output.
    pub fn as_str(&self) -> &str {
        match self {
            Termination::Optimal => "optimal",
            Termination::Infeasible => "infeasible",
            Termination::Unbounded => "unbounded",
            Termination::InfeasibleOrUnbounded => "infeasible_or_unbounded",
            Termination::TimeLimit => "time_limit",
            Termination::Limit => "limit",
            Termination::Interrupted => "interrupted",
            Termination::Trouble(_) => "trouble",
        }
    }
}

/// A feasible solution, and when it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSolution {
    /// Values by column.
    pub values: Vec<f64>,
    /// Objective value.
    pub objective: f64,
    /// Seconds since the solve began.
    pub time: f64,
}

/// What became of the start solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartOutcome {
    /// It was feasible, or could be completed, and the search began from it.
    Accepted,
    /// It was infeasible or could not be completed; the search went on without it.
    Rejected,
}

/// What a MIP solve found out.
#[derive(Clone, Debug)]
pub struct SolveResult {
    /// Why it stopped.
    pub termination: Termination,
    /// The best solution.
    pub best: Option<FoundSolution>,
    /// No solution is better than this; infinite if nothing is known.
    pub bound: f64,
    /// Every distinct solution seen, best first; distinct means different in a discrete column after rounding.
    pub solutions: Vec<FoundSolution>,
    /// What became of the start, if one was given.
    pub start: Option<StartOutcome>,
    /// Seconds the solve took.
    pub time: f64,
    /// Nodes of the search tree.
    pub nodes: u64,
    /// Simplex iterations.
    pub lp_iterations: u64,
    /// The backend did not stop by itself in time and was left behind: the loaded model cannot be used again.
    pub abandoned: bool,
}

impl SolveResult {
    /// The relative gap between the best solution and the bound, if both are known.
    pub fn gap(&self) -> Option<f64> {
        self.best
            .as_ref()
            .and_then(|best| relative_gap(best.objective, self.bound))
    }
}

/// |objective − bound| / |objective|: 0 where they are equal, `None` where it would be infinite.
pub fn relative_gap(objective: f64, bound: f64) -> Option<f64> {
    if objective == bound {
        return Some(0.0);
    }
    let gap = (objective - bound).abs() / objective.abs();
    gap.is_finite().then_some(gap)
}

/// What a solve of the linear relaxation found out.
#[derive(Clone, Debug)]
pub struct LpResult {
    /// Why it stopped.
    pub termination: Termination,
    /// The solution, if it is optimal.
    pub solution: Option<Relaxation>,
    /// Seconds the solve took.
    pub time: f64,
    /// Simplex iterations.
    pub iterations: u64,
}

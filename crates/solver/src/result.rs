//! What comes out of a solve: why it stopped, and, apart from that, what is known.

use idpas_mip::Sense;

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
    /// One of the two, and it is not known which.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Where a row or column stands in a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasisStatus {
    /// At its lower bound.
    Lower,
    /// In the basis.
    Basic,
    /// At its upper bound.
    Upper,
    /// Free, outside the basis, at zero.
    Zero,
    /// Outside the basis, at no bound (superbasic).
    Nonbasic,
}

/// An optimal solution of the linear relaxation.
#[derive(Clone, Debug)]
pub struct LpSolution {
    /// Objective value.
    pub objective: f64,
    /// Values by column.
    pub values: Vec<f64>,
    /// Reduced costs by column.
    pub reduced_costs: Vec<f64>,
    /// Activities by row.
    pub activities: Vec<f64>,
    /// Dual values by row: how the objective changes with the row's side.
    pub duals: Vec<f64>,
    /// Basis status by column.
    pub column_basis: Vec<BasisStatus>,
    /// Basis status by row.
    pub row_basis: Vec<BasisStatus>,
}

/// The columns' part of an optimal solution of the linear relaxation.
#[derive(Clone, Debug, PartialEq)]
pub struct RelaxedColumns {
    /// Objective value.
    pub objective: f64,
    /// Values by column.
    pub values: Vec<f64>,
    /// Reduced costs by column.
    pub reduced_costs: Vec<f64>,
}

impl RelaxedColumns {
    /// What its value may be wrong by, relatively: solvers work with tolerances.
    const SLACK: f64 = 1e-6;

    /// What its value may be wrong by.
    pub fn slack(&self) -> f64 {
        Self::SLACK * self.objective.abs().max(1.0)
    }

    /// A bound of the model: the value, with room for tolerances.
    pub fn bound(&self, sense: Sense) -> f64 {
        match sense {
            Sense::Minimize => self.objective - self.slack(),
            Sense::Maximize => self.objective + self.slack(),
        }
    }
}

impl From<LpSolution> for RelaxedColumns {
    fn from(solution: LpSolution) -> Self {
        RelaxedColumns {
            objective: solution.objective,
            values: solution.values,
            reduced_costs: solution.reduced_costs,
        }
    }
}

/// What a solve of the linear relaxation found out.
#[derive(Clone, Debug)]
pub struct LpResult {
    /// Why it stopped.
    pub termination: Termination,
    /// The solution, if it is optimal.
    pub solution: Option<LpSolution>,
    /// Seconds the solve took.
    pub time: f64,
    /// Simplex iterations.
    pub iterations: u64,
}

//! What the solver says of a model without any search or advice.

use idpas::{SearchStatus, Sense};
use idpas_solver::highs::Highs;
use idpas_solver::{Control, Params, Solver, SolverError, Termination};

use super::claims::{Claim, faults};
use super::models::Case;
use super::truth::Truth;

/// Whether the solver alone is wrong about the model or about its relaxation: then a wrong answer is no work of the advice.
pub fn solver_is_wrong(case: &Case) -> bool {
    is_wrong(case).unwrap_or(false)
}

fn is_wrong(case: &Case) -> Result<bool, SolverError> {
    let params = Params {
        relative_gap: 0.0,
        ..Params::with_time_limit(60.0)
    };
    for threads in [1, 2] {
        let params = Params {
            threads,
            ..params.clone()
        };
        let solved = (Highs.load(&case.model)?).solve(&params, None, &mut Control::default())?;
        let best = solved.best.as_ref();
        let claim = Claim {
            status: match solved.termination {
                Termination::Optimal => SearchStatus::Optimal,
                Termination::Infeasible => SearchStatus::Infeasible,
                Termination::Unbounded => SearchStatus::Unbounded,
                Termination::InfeasibleOrUnbounded => SearchStatus::InfeasibleOrUnbounded,
                _ => SearchStatus::Trouble,
            },
            solution: best.map(|best| (&best.values[..], best.objective)),
            bound: Some(solved.bound).filter(|bound| bound.is_finite()),
            trajectory: best.iter().map(|best| (best.objective, None)).collect(),
        };
        if !faults(case, &claim).is_empty() {
            return Ok(true);
        }
    }
    let mut loaded = Highs.load(&case.model)?;
    let relaxed = loaded.solve_relaxation(&params, &mut Control::default())?;
    let bound = relaxed.solution.map(|lp| lp.bound(case.model.sense));
    Ok(match (&case.truth, bound) {
        (Truth::Infeasible, _) => false,
        (Truth::Unbounded, bound) => bound.is_some(),
        (Truth::Optimal(best), Some(bound)) => {
            let value = best.value.approximate();
            let beyond = match case.model.sense {
                Sense::Minimize => bound - value,
                Sense::Maximize => value - bound,
            };
            beyond > 1e-6 * value.abs().max(1.0)
        }
        (Truth::Optimal(_), None) => relaxed.termination == Termination::Infeasible,
    })
}

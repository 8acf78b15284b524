//! Test cases that every solver must pass. The test of a solver is
//!
//! ```
//! let outcomes = idpas_solver::conformance::run(&idpas_solver::highs::Highs);
//! for outcome in &outcomes {
//!     assert_eq!(outcome.failure, None, "{}", outcome.name);
//! }
//! ```
//!
//! Cases check answers, never speed. Those that need a search in progress use models that no solver finishes within
//! their time.

mod changes;
mod indicators;
mod limits;
mod models;
mod outcomes;
mod relaxation;
mod starts;

use crate::{Solver, SolverError};

/// The result of a case; the error says why the solver fails it.
type Verdict = Result<(), String>;

/// A case and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOutcome {
    /// Name of the case.
    pub name: &'static str,
    /// Why the solver fails it; `None` if it passes.
    pub failure: Option<String>,
}

type Case = (&'static str, fn(&dyn Solver) -> Verdict);

const CASES: &[Case] = &[
    ("optimal: minimise", outcomes::minimise),
    ("optimal: maximise, with a constant", outcomes::maximise),
    (
        "optimal: with a gap of zero nothing better is left",
        outcomes::nothing_better_is_left,
    ),
    ("optimal: free and fixed columns", outcomes::free_and_fixed),
    ("optimal: empty rows and columns", outcomes::empty_rows),
    (
        "optimal: fractional bounds of integers",
        outcomes::integer_bounds,
    ),
    ("optimal: no integer columns", outcomes::continuous_only),
    ("optimal: no columns at all", outcomes::no_columns),
    ("infeasible: by rows", outcomes::infeasible),
    (
        "infeasible: by integrality",
        outcomes::infeasible_by_integrality,
    ),
    ("infeasible: an empty row", outcomes::infeasible_empty_row),
    (
        "infeasible: though the objective has a ray",
        outcomes::infeasible_with_a_ray,
    ),
    (
        "infeasible: sides that cross",
        outcomes::infeasible_by_crossed_sides,
    ),
    ("unbounded", outcomes::unbounded),
    (
        "optimal: sides that cross by a rounding error",
        outcomes::sides_that_almost_cross,
    ),
    ("equal results for equal seeds", outcomes::reproducible),
    ("events tell incumbents in order", outcomes::events),
    (
        "solutions are distinct, feasible, best first",
        outcomes::distinct_solutions,
    ),
    (
        "pool: the best solutions in one solve",
        outcomes::pool_in_one_solve,
    ),
    (
        "time limit without a solution",
        limits::time_limit_without_solution,
    ),
    (
        "time limit with a solution",
        limits::time_limit_with_solution,
    ),
    ("time limit of zero", limits::time_limit_of_zero),
    ("node limit", limits::node_limit),
    ("node limit of zero", limits::node_limit_of_zero),
    ("interrupt from another thread", limits::interrupt),
    (
        "interrupt raised before the solve",
        limits::interrupt_before,
    ),
    ("hard stop: nothing later counts", limits::hard_stop),
    ("hard stop: due before the solve", limits::hard_stop_before),
    ("hard stop: by an interrupt", limits::hard_interrupt),
    ("two solves side by side", limits::side_by_side),
    ("parameters are checked", limits::bad_parameters),
    (
        "a panic in the observer comes through",
        limits::observer_panics,
    ),
    ("start: complete, accepted", starts::complete_accepted),
    (
        "start: accepted on an easy model",
        starts::accepted_when_easy,
    ),
    (
        "start: complete, infeasible, rejected",
        starts::complete_rejected,
    ),
    ("start: partial, completed", starts::partial_accepted),
    (
        "start: partial, impossible, rejected",
        starts::partial_rejected,
    ),
    ("start: of the wrong size is an error", starts::wrong_size),
    (
        "start: a failure leaves no trace",
        starts::failure_leaves_no_trace,
    ),
    (
        "start: the bound is of the whole model",
        starts::bound_is_global,
    ),
    ("offers: a better solution is taken", starts::offer_taken),
    ("offers: an infeasible one is not", starts::offer_ignored),
    ("gate: a shut one pauses", limits::gate_pauses),
    ("gate: a paused solve ends when asked", limits::gate_obeys),
    (
        "several threads: offers, pauses and an interrupt",
        limits::several_threads,
    ),
    (
        "changes: column bounds, there and back",
        changes::column_bounds,
    ),
    (
        "changes: fractional bounds of integers",
        changes::fractional_bounds,
    ),
    ("changes: row sides", changes::row_bounds),
    ("changes: objective and sense", changes::objective),
    ("changes: rows added and deleted", changes::rows),
    ("changes: columns added", changes::columns),
    ("changes: out of range is an error", changes::out_of_range),
    (
        "changes: a column twice in a row is an error",
        changes::column_twice,
    ),
    (
        "indicators: at one and at zero",
        indicators::at_one_and_zero,
    ),
    (
        "indicators: without any bound of the column",
        indicators::without_bounds,
    ),
    (
        "indicators: of a fixed column",
        indicators::of_a_fixed_column,
    ),
    ("indicators: sides that cross", indicators::sides_that_cross),
    ("indicators: only of binaries", indicators::only_of_binaries),
    (
        "relaxation: values, duals, reduced costs, basis",
        relaxation::minimise,
    ),
    ("relaxation: of a maximisation", relaxation::maximise),
    ("relaxation: rows with two sides", relaxation::two_sides),
    (
        "relaxation: of a model with integers",
        relaxation::of_integers,
    ),
    ("relaxation: no columns at all", relaxation::no_columns),
    (
        "relaxation: infeasible and unbounded",
        relaxation::no_solution,
    ),
];

/// Runs all cases on a solver.
pub fn run(solver: &dyn Solver) -> Vec<CaseOutcome> {
    CASES
        .iter()
        .map(|&(name, case)| CaseOutcome {
            name,
            failure: case(solver).err(),
        })
        .collect()
}

fn fail<T>(error: SolverError) -> Result<T, String> {
    Err(format!("the backend answered with an error: {error}"))
}

/// Fails, with a message of what was found and expected, unless the two are equal.
fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Verdict {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what} is {found:?}, expected {expected:?}"))
    }
}

fn expect_close(what: &str, found: f64, expected: f64) -> Verdict {
    let close = (found - expected).abs() <= 1e-6 * expected.abs().max(1.0);
    if close || found == expected {
        Ok(())
    } else {
        Err(format!("{what} is {found}, expected {expected}"))
    }
}

fn ensure(condition: bool, what: impl Into<String>) -> Verdict {
    if condition { Ok(()) } else { Err(what.into()) }
}

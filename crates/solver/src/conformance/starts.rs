//! Cases on starting from a solution.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::models::{knapsack, load, market_split, solve, solve_from, three_products};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{Control, Event, Offers, Params, Solver, SolverError, Start, StartOutcome};

pub(super) fn complete_accepted(solver: &dyn Solver) -> Verdict {
    let model = market_split(5, 40, true)?;
    let good = solve(solver, &model, &Params::with_time_limit(1.0))?
        .best
        .ok_or("no solution to start from")?;
    let params = Params {
        node_limit: Some(0),
        ..Params::with_time_limit(60.0)
    };
    let start = Start::Complete(good.values.clone());
    let result = solve_from(solver, &model, &params, Some(&start))?;
    expect("the start", result.start, Some(StartOutcome::Accepted))?;
    let best = result.best.ok_or("the start was lost")?;
    ensure(
        best.objective <= good.objective + 1e-6,
        "worse than its start",
    )
}

pub(super) fn accepted_when_easy(solver: &dyn Solver) -> Verdict {
    // Presolve may solve this model before any search could use a start.
    let model = three_products()?;
    for start in [
        Start::Complete(vec![0.0, 1.0, 0.0]),
        Start::Partial(vec![(0, 1.0)]),
    ] {
        let result = solve_from(solver, &model, &Params::default(), Some(&start))?;
        expect("the start", result.start, Some(StartOutcome::Accepted))?;
        let best = result.best.ok_or("no solution")?;
        expect_close("the optimum", best.objective, 13.0)?;
    }
    Ok(())
}

pub(super) fn complete_rejected(solver: &dyn Solver) -> Verdict {
    let model = three_products()?;
    let start = Start::Complete(vec![9.0, 9.0, 9.0]);
    let result = solve_from(solver, &model, &Params::default(), Some(&start))?;
    expect("the start", result.start, Some(StartOutcome::Rejected))?;
    expect_close(
        "the optimum all the same",
        result.best.ok_or("no solution")?.objective,
        13.0,
    )
}

pub(super) fn partial_accepted(solver: &dyn Solver) -> Verdict {
    let model = three_products()?;
    let start = Start::Partial(vec![(1, 1.0)]);
    let result = solve_from(solver, &model, &Params::default(), Some(&start))?;
    expect("the start", result.start, Some(StartOutcome::Accepted))?;
    expect_close(
        "the optimum",
        result.best.ok_or("no solution")?.objective,
        13.0,
    )?;
    ensure(
        result.solutions.iter().any(|s| s.values[1].round() == 1.0),
        "no solution has the start's value",
    )
}

pub(super) fn partial_rejected(solver: &dyn Solver) -> Verdict {
    let model = three_products()?;
    // The first value is within the bounds but violates every row; the second is outside the bounds.
    for value in [9.0, 77.0] {
        let start = Start::Partial(vec![(0, value)]);
        let result = solve_from(solver, &model, &Params::default(), Some(&start))?;
        expect("the start", result.start, Some(StartOutcome::Rejected))?;
        expect_close(
            "the optimum all the same",
            result.best.ok_or("no solution")?.objective,
            13.0,
        )?;
    }
    Ok(())
}

pub(super) fn wrong_size(solver: &dyn Solver) -> Verdict {
    let model = three_products()?;
    let mut loaded = load(solver, &model)?;
    let short = Start::Complete(vec![0.0]);
    let answer = loaded.solve(&Params::default(), Some(&short), &mut Control::default());
    ensure(
        matches!(answer, Err(SolverError::Parameter { .. })),
        "a short start was accepted",
    )?;
    let beyond = Start::Partial(vec![(99, 0.0)]);
    let answer = loaded.solve(&Params::default(), Some(&beyond), &mut Control::default());
    ensure(
        matches!(answer, Err(SolverError::NoSuchIndex { .. })),
        "a start beyond the columns was accepted",
    )
}

pub(super) fn bound_is_global(solver: &dyn Solver) -> Verdict {
    // The start fixes half the columns at a bad value; its completion must not be taken for the optimum of the model.
    let model = knapsack(40)?;
    let start = Start::Partial((0..20).map(|j| (j, 0.0)).collect());
    let params = Params {
        relative_gap: 0.0,
        ..Params::default()
    };
    let optimum = solve(solver, &model, &params)?
        .best
        .ok_or("no solution")?
        .objective;
    let result = solve_from(solver, &model, &params, Some(&start))?;
    expect_close(
        "the optimum",
        result.best.ok_or("no solution")?.objective,
        optimum,
    )?;
    expect_close("the bound", result.bound, optimum)
}

pub(super) fn failure_leaves_no_trace(solver: &dyn Solver) -> Verdict {
    let mut loaded = load(solver, &three_products()?)?;
    let start = Start::Partial(vec![(1, 1.0)]);
    let wrong = Params {
        raw: vec![("no_such_option".into(), "1".into())],
        ..Params::default()
    };
    let answer = loaded.solve(&wrong, Some(&start), &mut Control::default());
    ensure(answer.is_err(), "a wrong option was accepted")?;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let mut observer = |event: Event<'_>| {
            if let Event::Incumbent { .. } = event {
                resume_unwind(Box::new("observer"));
            }
        };
        let mut control = Control {
            observer: Some(&mut observer),
            ..Control::default()
        };
        let _ = loaded.solve(&Params::default(), Some(&start), &mut control);
    }));
    ensure(caught.is_err(), "the panic was swallowed")?;
    // If the start's column were still fixed, the optimum would be 10.
    let control = &mut Control::default();
    let after = loaded
        .solve(&Params::default(), None, control)
        .or_else(fail)?;
    expect_close(
        "the optimum afterwards",
        after.best.ok_or("no solution")?.objective,
        13.0,
    )
}

/// A solution that is offered while a solve runs becomes its incumbent. A solver without this ability says so.
pub(super) fn offer_taken(solver: &dyn Solver) -> Verdict {
    let model = market_split(5, 40, true)?;
    let good = solve(solver, &model, &Params::with_time_limit(2.0))?
        .best
        .ok_or("no solution to offer")?;
    let mut loaded = load(solver, &model)?;
    let offers = Offers::new();
    if !loaded.accept(&offers) {
        return Ok(());
    }
    offers.put(good.values.clone());
    let result = loaded
        .solve(&Params::with_time_limit(3.0), None, &mut Control::default())
        .or_else(fail)?;
    ensure(offers.take().is_none(), "nobody took the offer")?;
    let best = result.best.ok_or("the offer was lost")?;
    ensure(
        best.objective <= good.objective + 1e-6,
        format!(
            "{} is worse than the offer {}",
            best.objective, good.objective
        ),
    )
}

pub(super) fn offer_ignored(solver: &dyn Solver) -> Verdict {
    let model = knapsack(30)?;
    let expected = solve(solver, &model, &Params::default())?
        .best
        .ok_or("no solution")?;
    for offer in [vec![1.0; 30], vec![0.5; 30], vec![1.0; 7]] {
        let mut loaded = load(solver, &model)?;
        let offers = Offers::new();
        loaded.accept(&offers);
        offers.put(offer);
        let result = loaded
            .solve(&Params::default(), None, &mut Control::default())
            .or_else(fail)?;
        let best = result.best.ok_or("no solution")?;
        expect_close(
            "the optimum all the same",
            best.objective,
            expected.objective,
        )?;
    }
    Ok(())
}

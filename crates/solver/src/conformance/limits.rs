//! Cases on solves that are ended early.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use super::models::{knapsack, load, market_split, solve};
use super::{Verdict, ensure, expect, expect_close, fail};
use crate::{
    Control, Event, FoundSolution, Gate, HardStop, Interrupt, Offers, Params, Solver, SolverError,
    Termination,
};

/// A time limit in seconds that is only reached if a stop was not obeyed.
const PATIENCE: f64 = 120.0;

pub(super) fn time_limit_without_solution(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, false)?;
    let result = solve(solver, &model, &Params::with_time_limit(0.5))?;
    expect("termination", result.termination, Termination::TimeLimit)?;
    ensure(
        result.best.is_none() && result.solutions.is_empty(),
        "a solution of a market-split model",
    )?;
    expect("the gap", result.bound <= 0.0, true)
}

pub(super) fn time_limit_with_solution(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, true)?;
    let result = solve(solver, &model, &Params::with_time_limit(1.0))?;
    expect("termination", result.termination, Termination::TimeLimit)?;
    let best = result
        .best
        .ok_or("no solution although every assignment is feasible")?;
    ensure(
        result.bound < best.objective,
        "a bound that claims optimality at the time limit",
    )
}

pub(super) fn time_limit_of_zero(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, false)?;
    let params = Params::with_time_limit(0.0);
    let result = solve(solver, &model, &params)?;
    expect("termination", result.termination, Termination::TimeLimit)?;
    let lp = load(solver, &model)?
        .solve_relaxation(&params, &mut Control::default())
        .or_else(fail)?;
    // A solver may have solved so small a relaxation before it looks at its clock.
    ensure(
        matches!(
            lp.termination,
            Termination::TimeLimit | Termination::Optimal
        ),
        format!("the relaxation ended with {:?}", lp.termination),
    )
}

pub(super) fn node_limit_of_zero(solver: &dyn Solver) -> Verdict {
    let model = market_split(5, 40, true)?;
    let params = Params {
        node_limit: Some(0),
        ..Params::with_time_limit(PATIENCE)
    };
    let result = solve(solver, &model, &params)?;
    expect("termination", result.termination, Termination::Limit)
}

pub(super) fn node_limit(solver: &dyn Solver) -> Verdict {
    let model = market_split(5, 40, true)?;
    let params = Params {
        node_limit: Some(1),
        ..Params::with_time_limit(PATIENCE)
    };
    let result = solve(solver, &model, &params)?;
    expect("termination", result.termination, Termination::Limit)
}

pub(super) fn interrupt(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, true)?;
    let interrupt = Interrupt::new();
    let raiser = interrupt.clone();
    let waiting = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        raiser.raise();
    });
    let mut control = Control {
        interrupt,
        ..Control::default()
    };
    let params = Params::with_time_limit(PATIENCE);
    let result = load(solver, &model)?
        .solve(&params, None, &mut control)
        .or_else(fail)?;
    waiting.join().map_err(|_| "the waiting thread panicked")?;
    expect("termination", result.termination, Termination::Interrupted)?;
    ensure(
        result.best.is_some(),
        "the interrupt lost the best solution",
    )
}

pub(super) fn interrupt_before(solver: &dyn Solver) -> Verdict {
    let interrupt = Interrupt::new();
    interrupt.raise();
    let mut control = Control {
        interrupt,
        ..Control::default()
    };
    let model = market_split(6, 60, false)?;
    let params = Params::with_time_limit(PATIENCE);
    let result = load(solver, &model)?
        .solve(&params, None, &mut control)
        .or_else(fail)?;
    expect("termination", result.termination, Termination::Interrupted)
}

pub(super) fn hard_stop(solver: &dyn Solver) -> Verdict {
    const SECONDS: f64 = 1.0;
    let model = market_split(6, 60, true)?;
    let mut loaded = load(solver, &model)?;
    let (mut late, mut incumbents) = (0, 0);
    let mut observer = |event: Event<'_>| {
        let time = match event {
            Event::Incumbent { time, .. } | Event::Solution { time, .. } => time,
            Event::Progress { time, .. } => time,
            _ => return,
        };
        incumbents += usize::from(matches!(event, Event::Incumbent { .. }));
        late += usize::from(time > SECONDS);
    };
    let mut control = Control {
        stop: HardStop::after(Instant::now(), Some(SECONDS)),
        observer: Some(&mut observer),
        ..Control::default()
    };
    // The hard stop holds whatever the time limit says.
    let params = Params::with_time_limit(PATIENCE);
    let result = loaded.solve(&params, None, &mut control).or_else(fail)?;
    drop(control);
    expect("termination", result.termination, Termination::TimeLimit)?;
    ensure(incumbents > 0 && result.best.is_some(), "no solution")?;
    ensure(late == 0, "an event of something found after the hard stop")?;
    let in_time = |solution: &FoundSolution| solution.time <= SECONDS;
    ensure(
        result.solutions.iter().chain(&result.best).all(in_time),
        "a solution found after the hard stop",
    )?;
    ensure(
        result
            .best
            .is_some_and(|best| result.bound < best.objective),
        "a bound that claims optimality at the hard stop",
    )
}

pub(super) fn hard_stop_before(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, true)?;
    let params = Params::with_time_limit(PATIENCE);
    let interrupted = HardStop::default();
    interrupted.interrupt.raise();
    let passed = HardStop::after(Instant::now(), Some(0.0));
    for (stop, expected) in [
        (passed, Termination::TimeLimit),
        (interrupted, Termination::Interrupted),
    ] {
        let mut control = Control {
            stop,
            ..Control::default()
        };
        let mut loaded = load(solver, &model)?;
        let result = loaded.solve(&params, None, &mut control).or_else(fail)?;
        expect("termination", result.termination, expected.clone())?;
        ensure(
            result.best.is_none(),
            "a solution found after the hard stop",
        )?;
        let mut loaded = load(solver, &model)?;
        let lp = loaded
            .solve_relaxation(&params, &mut control)
            .or_else(fail)?;
        expect("termination of the relaxation", lp.termination, expected)?;
        ensure(lp.solution.is_none(), "a relaxation after the hard stop")?;
    }
    Ok(())
}

pub(super) fn hard_interrupt(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 60, true)?;
    let stop = HardStop::default();
    let raiser = stop.interrupt.clone();
    let mut observer = |event: Event<'_>| {
        if let Event::Incumbent { .. } = event {
            raiser.raise();
        }
    };
    let mut control = Control {
        stop,
        observer: Some(&mut observer),
        ..Control::default()
    };
    let params = Params::with_time_limit(PATIENCE);
    let result = load(solver, &model)?
        .solve(&params, None, &mut control)
        .or_else(fail)?;
    expect("termination", result.termination, Termination::Interrupted)?;
    ensure(
        result.best.is_some(),
        "the interrupt lost the best solution",
    )
}

pub(super) fn side_by_side(solver: &dyn Solver) -> Verdict {
    let model = knapsack(40)?;
    let params = Params {
        relative_gap: 0.0,
        ..Params::default()
    };
    let alone = solve(solver, &model, &params)?
        .best
        .ok_or("no solution")?
        .objective;
    let found: Vec<Result<f64, String>> = thread::scope(|scope| {
        let running: Vec<_> = (1..=2)
            .map(|threads| {
                let params = Params {
                    threads,
                    ..params.clone()
                };
                let model = &model;
                scope.spawn(move || {
                    let best = solve(solver, model, &params)?.best;
                    best.map(|b| b.objective)
                        .ok_or_else(|| "no solution".to_owned())
                })
            })
            .collect();
        running
            .into_iter()
            .map(|r| r.join().unwrap_or_else(|_| Err("a solve panicked".into())))
            .collect()
    });
    for objective in found {
        expect_close("an optimum found beside another solve", objective?, alone)?;
    }
    Ok(())
}

pub(super) fn bad_parameters(solver: &dyn Solver) -> Verdict {
    let model = knapsack(5)?;
    let bad = [
        Params {
            threads: 0,
            ..Params::default()
        },
        Params {
            relative_gap: -1.0,
            ..Params::default()
        },
        Params {
            time_limit: Some(f64::NAN),
            ..Params::default()
        },
        Params {
            raw: vec![("no_such_option".into(), "1".into())],
            ..Params::default()
        },
    ];
    for params in bad {
        let answer = load(solver, &model)?.solve(&params, None, &mut Control::default());
        ensure(
            matches!(answer, Err(SolverError::Parameter { .. })),
            format!("{params:?} was accepted"),
        )?;
    }
    Ok(())
}

pub(super) fn observer_panics(solver: &dyn Solver) -> Verdict {
    let model = knapsack(40)?;
    let mut loaded = load(solver, &model)?;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let mut observer = |event: Event<'_>| {
            if let Event::Incumbent { .. } = event {
                // Not `panic!`, whose message would appear in the output of a passing test.
                std::panic::resume_unwind(Box::new("observer"));
            }
        };
        let mut control = Control {
            observer: Some(&mut observer),
            ..Control::default()
        };
        let _ = loaded.solve(&Params::default(), None, &mut control);
    }));
    ensure(caught.is_err(), "the panic was swallowed")?;
    let after = loaded
        .solve(&Params::default(), None, &mut Control::default())
        .or_else(fail)?;
    expect(
        "termination of the next solve",
        after.termination,
        Termination::Optimal,
    )
}

pub(super) fn gate_pauses(solver: &dyn Solver) -> Verdict {
    let model = knapsack(30)?;
    let expected = solve(solver, &model, &Params::default())?;
    let expected = expected.best.ok_or("no solution")?;
    let mut loaded = load(solver, &model)?;
    let gate = Gate::new();
    gate.shut();
    if !loaded.pause_at(&gate) {
        return Ok(());
    }
    let result = thread::scope(|scope| {
        let work = scope.spawn(|| loaded.solve(&Params::default(), None, &mut Control::default()));
        let paused = gate.wait_for_pause(Duration::from_secs(20));
        thread::sleep(Duration::from_millis(100));
        let waits = !work.is_finished() && gate.is_paused();
        gate.open();
        let result = work.join().map_err(|_| "the solve panicked".to_owned())?;
        ensure(paused && waits, "a shut gate did not pause the solve")?;
        result.or_else(fail)
    })?;
    expect(
        "the reason to stop",
        result.termination,
        Termination::Optimal,
    )?;
    let best = result.best.ok_or("no solution")?;
    expect_close("the optimum", best.objective, expected.objective)
}

pub(super) fn gate_obeys(solver: &dyn Solver) -> Verdict {
    let model = market_split(5, 40, true)?;
    // The gate stays shut: by an interrupt, and by a hard stop, the solve ends all the same.
    for by_interrupt in [true, false] {
        let mut loaded = load(solver, &model)?;
        let gate = Gate::new();
        gate.shut();
        if !loaded.pause_at(&gate) {
            return Ok(());
        }
        let mut control = Control::default();
        let interrupt = control.interrupt.clone();
        if !by_interrupt {
            control.stop = HardStop::after(Instant::now(), Some(0.3));
        }
        let began = Instant::now();
        thread::scope(|scope| {
            let work = scope.spawn(move || loaded.solve(&Params::default(), None, &mut control));
            if by_interrupt {
                gate.wait_for_pause(Duration::from_secs(20));
                interrupt.raise();
            }
            let result = work.join().map_err(|_| "the solve panicked".to_owned())?;
            result.map(drop).or_else(fail)
        })?;
        ensure(
            began.elapsed() < Duration::from_secs(10),
            "a paused solve did not end",
        )?;
    }
    Ok(())
}

/// A solver's callbacks may come from any of its threads.
pub(super) fn several_threads(solver: &dyn Solver) -> Verdict {
    let model = market_split(6, 50, true)?;
    let good = solve(solver, &model, &Params::with_time_limit(1.0))?
        .best
        .ok_or("no solution to offer")?;
    let mut loaded = load(solver, &model)?;
    let (offers, gate, interrupt) = (Offers::new(), Gate::new(), Interrupt::new());
    let takes = loaded.accept(&offers);
    let pauses = loaded.pause_at(&gate);
    let params = Params {
        threads: 3,
        ..Params::with_time_limit(PATIENCE)
    };
    let mut control = Control {
        interrupt: interrupt.clone(),
        ..Control::default()
    };
    let (result, paused) = thread::scope(|scope| {
        let work = scope.spawn(|| loaded.solve(&params, None, &mut control));
        let mut paused = true;
        for _ in 0..10 {
            offers.put(good.values.clone());
            thread::sleep(Duration::from_millis(50));
            if pauses {
                gate.shut();
                paused &= gate.wait_for_pause(Duration::from_secs(20));
                gate.open();
            }
        }
        interrupt.raise();
        (work.join(), paused)
    });
    let result = result
        .map_err(|_| "the solve panicked".to_owned())?
        .or_else(fail)?;
    ensure(paused, "a shut gate did not pause the solve")?;
    expect("termination", result.termination, Termination::Interrupted)?;
    let best = result.best.ok_or("no solution")?.objective;
    ensure(
        !takes || best <= good.objective + 1e-6,
        format!("{best} is worse than the offer {}", good.objective),
    )
}

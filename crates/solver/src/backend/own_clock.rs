//! Time limits by a clock that nobody sets.
//!
//! Solvers look at the clock on the wall: HiGHS takes its time from it. Where that is set forwards, by a person, after a
//! machine has slept or because it had gone wrong, they say that their time is over when it is not. Such a run is made
//! again. That it is set backwards does no harm: whoever waits for a run has a clock of his own.

use std::time::Instant;

use crate::{Params, SolverError, Termination};

/// A run that ended by its time limit was ended by another clock if more than this share of its time is left, and more
/// than [`EARLY_SECONDS`].
const EARLY_SHARE: f64 = 0.05;
/// In seconds; see [`EARLY_SHARE`].
const EARLY_SECONDS: f64 = 0.05;
/// A solver that says so every time has another reason, and is believed after so many runs.
const MOST_RUNS: usize = 100;

/// Whether a solver has said that its time is over.
pub(super) fn is_time_limit(end: &Termination) -> bool {
    *end == Termination::TimeLimit
}

/// Calls `run` with the seconds that it has, and again with what is left of them as long as it ends by its time limit too
/// early. A user who has set a time limit by the solver's own name for it is believed.
pub(super) fn within<T>(
    limit: Option<f64>,
    params: &Params,
    is_time_limit: impl Fn(&T) -> bool,
    mut run: impl FnMut(Option<f64>) -> Result<T, SolverError>,
) -> Result<T, SolverError> {
    let clock = Instant::now();
    let left = || limit.map(|limit| (limit - clock.elapsed().as_secs_f64()).max(0.0));
    let is_users = || {
        let mut names = params.raw.iter().map(|(name, _)| name.to_lowercase());
        names.any(|name| name.contains("time"))
    };
    let mut runs = 1;
    loop {
        let seconds = left();
        let end = run(seconds)?;
        let early = EARLY_SECONDS.max(EARLY_SHARE * seconds.unwrap_or(0.0));
        let is_early = left().is_some_and(|left| left > early);
        if !is_early || !is_time_limit(&end) || runs == MOST_RUNS || is_users() {
            return Ok(end);
        }
        runs += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Ends of runs, one after the other; how many were asked for, and the last of them.
    fn runs(limit: Option<f64>, params: &Params, ends: &[Termination]) -> (usize, Termination) {
        let mut count = 0;
        let last = within(limit, params, is_time_limit, |seconds| {
            assert_eq!(seconds.is_some(), limit.is_some());
            assert!(seconds.unwrap_or(0.0) <= limit.unwrap_or(0.0));
            count += 1;
            Ok(ends[(count - 1).min(ends.len() - 1)].clone())
        });
        (count, last.unwrap())
    }

    #[test]
    fn a_run_that_another_clock_ended_is_made_again() {
        use Termination::{Optimal, TimeLimit};
        let params = Params::default();
        let ends = [TimeLimit, TimeLimit, Optimal];
        assert_eq!(runs(Some(1000.0), &params, &ends), (3, Optimal));
        assert_eq!(runs(Some(1000.0), &params, &ends[2..]), (1, Optimal));
        assert_eq!(runs(None, &params, &ends), (1, TimeLimit));
        // Over at once, and over when it says so.
        assert_eq!(runs(Some(0.0), &params, &ends), (1, TimeLimit));
        let late = within(Some(0.1), &params, is_time_limit, |_| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(TimeLimit)
        });
        assert_eq!(late.unwrap(), TimeLimit);
    }

    #[test]
    fn a_solver_that_always_says_so_and_a_users_own_limit_are_believed() {
        use Termination::TimeLimit;
        let mut params = Params::default();
        let ends = [TimeLimit];
        let (count, _) = runs(Some(1000.0), &params, &ends);
        assert_eq!(count, MOST_RUNS);
        params.raw.push(("time_limit".into(), "1".into()));
        assert_eq!(runs(Some(1000.0), &params, &ends), (1, TimeLimit));
    }
}

//! The score of a run in the competition on re-optimisation of the MIP Workshop 2023.

use idpas_search::SearchStatus;
use serde::Serialize;

use super::SeriesRun;

/// Overruns of the time limit up to this share of it are not counted: solvers look at their clock now and then only.
const OVERRUN: f64 = 0.01;

/// The score of a run: the sum of three parts, each 0 at best. Smaller is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// The time as a share of the time limit; at least 1 if the instance was not solved.
    pub time: f64,
    /// The gap between solution and bound, from 0 to 1; 0 if the instance was solved.
    pub gap: f64,
    /// 1 if there is no solution, otherwise 0.
    pub no_solution: f64,
}

impl Score {
    /// The score of a run that had `time_limit` seconds and after which learning took `learning` seconds.
    ///
    /// - Solved means that the solution was proved optimal, or that the instance was proved infeasible: the rules do
    ///   not speak of infeasible instances, for which there is nothing better to do. Such a run is scored by its time
    ///   alone; its gap is within the solver's tolerance and counts as 0.
    /// - Learning counts as time where the instance was solved, since the next one could not begin earlier. Where it was
    ///   not solved, learning is not counted: it comes after the time limit, and the run has the whole limit against it
    ///   already.
    /// - A run that did not solve the instance and took up to 1 % more than the limit has a time of 1; one that took
    ///   longer has what it took.
    /// - Every other end, for example that the objective is unbounded, counts as not solved.
    ///
    /// Without a positive time limit, the time is 1.
    pub fn of(run: &SeriesRun, learning: f64, time_limit: f64) -> Self {
        let share = |seconds: f64| match time_limit > 0.0 {
            true => seconds / time_limit,
            false => 1.0,
        };
        if run.is_solved() {
            return Score {
                time: share(run.seconds + learning),
                ..Score::default()
            };
        }
        let spent = share(run.seconds);
        Score {
            time: if spent <= 1.0 + OVERRUN { 1.0 } else { spent },
            gap: gap(run.objective, run.bound),
            no_solution: if run.objective.is_some() { 0.0 } else { 1.0 },
        }
    }

    /// The sum of the parts.
    pub fn total(&self) -> f64 {
        self.time + self.gap + self.no_solution
    }
}

impl SeriesRun {
    /// Whether nothing is left to be found: the solution was proved optimal, or the instance infeasible.
    pub fn is_solved(&self) -> bool {
        self.is_proved() || self.status == SearchStatus::Infeasible
    }
}

/// The gap between a solution's objective value and a bound: |p − d| / max(|p|, |d|). It is 0 if both are 0, and 1 if
/// either is missing or infinite or if their signs differ.
fn gap(objective: Option<f64>, bound: Option<f64>) -> f64 {
    let (Some(primal), Some(dual)) = (objective, bound) else {
        return 1.0;
    };
    if !primal.is_finite()
        || !dual.is_finite()
        || (primal < 0.0 && dual > 0.0)
        || (primal > 0.0 && dual < 0.0)
    {
        return 1.0;
    }
    match primal.abs().max(dual.abs()) {
        0.0 => 0.0,
        // The difference is taken of shares, so that it does not overflow.
        largest => (primal / largest - dual / largest).abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(
        status: SearchStatus,
        seconds: f64,
        objective: Option<f64>,
        bound: Option<f64>,
    ) -> SeriesRun {
        SeriesRun {
            started: 0.0,
            seconds,
            status,
            objective,
            bound,
            trajectory: Vec::new(),
        }
    }

    fn parts(run: &SeriesRun, learning: f64) -> [f64; 3] {
        let score = Score::of(run, learning, 10.0);
        [score.time, score.gap, score.no_solution]
    }

    #[test]
    fn what_was_solved_is_scored_by_its_time() {
        let optimal = run(SearchStatus::Optimal, 4.0, Some(100.0), Some(99.99));
        assert_eq!(parts(&optimal, 0.0), [0.4, 0.0, 0.0]);
        assert_eq!(parts(&optimal, 1.0), [0.5, 0.0, 0.0]);
        let late = run(SearchStatus::Optimal, 12.0, Some(100.0), None);
        assert_eq!(parts(&late, 0.0), [1.2, 0.0, 0.0]);
        let infeasible = run(SearchStatus::Infeasible, 1.0, None, None);
        assert_eq!(parts(&infeasible, 0.0), [0.1, 0.0, 0.0]);
        assert!(!infeasible.is_proved());
    }

    #[test]
    fn what_was_not_solved_has_the_whole_time_and_the_gap() {
        let limit = |seconds| run(SearchStatus::TimeLimit, seconds, Some(100.0), Some(75.0));
        assert_eq!(parts(&limit(10.0), 3.0), [1.0, 0.25, 0.0]);
        assert_eq!(parts(&limit(2.0), 3.0), [1.0, 0.25, 0.0]);
        assert_eq!(parts(&limit(10.09), 0.0), [1.0, 0.25, 0.0]);
        assert_eq!(parts(&limit(12.5), 3.0), [1.25, 0.25, 0.0]);
        let nothing = run(SearchStatus::TimeLimit, 10.0, None, Some(75.0));
        assert_eq!(parts(&nothing, 0.0), [1.0, 1.0, 1.0]);
        assert_eq!(Score::of(&nothing, 0.0, 10.0).total(), 3.0);
        let unbounded = run(SearchStatus::Unbounded, 1.0, Some(-1e9), None);
        assert_eq!(parts(&unbounded, 0.0), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn gaps_as_the_rules_have_them() {
        for (primal, dual, expected) in [
            (0.0, 0.0, 0.0),
            (0.0, -0.0, 0.0),
            (-100.0, -125.0, 0.2),
            (100.0, 125.0, 0.2),
            (0.0, -3.0, 1.0),
            (1.0, -1.0, 1.0),
            (-1e-9, 1e-9, 1.0),
            (f64::INFINITY, 1.0, 1.0),
            (1.0, f64::NEG_INFINITY, 1.0),
            (f64::NAN, 1.0, 1.0),
            (f64::MAX, f64::MAX, 0.0),
        ] {
            let found = gap(Some(primal), Some(dual));
            assert!((found - expected).abs() < 1e-12, "{primal} {dual}: {found}");
        }
        assert_eq!(gap(None, Some(1.0)), 1.0);
        assert_eq!(gap(Some(1.0), None), 1.0);
    }

    #[test]
    fn without_a_time_limit_the_score_is_a_number() {
        let optimal = run(SearchStatus::Optimal, 4.0, Some(1.0), Some(1.0));
        assert_eq!(Score::of(&optimal, 0.0, 0.0).total(), 1.0);
    }
}

//! Running a stage: the solver's events, the check of its incumbents, and what its end means.

use idpas_solver::judge::Verdict;
use idpas_solver::{
    Control, Event, HardStop, LoadedModel, Params, SolveResult, Solver, SolverError, Start,
    Termination,
};

use super::Search;
use super::clock::Clock;
use super::stage::Stage;
use super::watch::Watch;
use crate::board::Board;
use crate::region::cut_off;
use crate::{SearchControl, SearchError, SearchEvent, StageEnd, StageReport};

/// Solutions kept of a stage, in case its best ones fail the check.
const KEPT: usize = 16;
/// The least relative improvement that a cut-off asks for.
const CUT_OFF: f64 = 1e-6;

/// Runs a stage. Every stage loads the model anew: what an earlier one added cannot all be taken away, and a solver
/// that did not stop in time has kept its copy.
pub(crate) fn run(
    search: &mut Search<'_, '_>,
    stage: &Stage<'_>,
    report: &mut StageReport,
) -> Result<SolveResult, SearchError> {
    let mut loaded = search.problem.solver.load(search.problem.model)?;
    let (start, is_cut_off) = prepare(search, stage, loaded.as_mut())?;
    report.rows = loaded.num_rows();
    report.columns = loaded.num_columns();
    let time = search.control.time();
    report.handed = time;
    search.control.tell(SearchEvent::StageStarted {
        time,
        stage: report,
    });
    let params = Params {
        time_limit: stage.limit,
        keep_solutions: match stage.plain {
            Some(_) => search.params.keep_solutions,
            None => search.params.keep_solutions.min(KEPT),
        },
        ..search.params.clone()
    };
    let columns = search.problem.model.num_columns();
    let view = |values: &[f64]| values[..columns].to_vec();
    let began = search.control.time();
    let result = solve(
        search,
        stage,
        report,
        loaded.as_mut(),
        &params,
        start,
        &view,
    )?;
    let ended = search.control.time();
    if report.incumbents == 0 {
        rescue(search, report, &result, began, &view)?;
    }
    report.bound = Some(result.bound).filter(|bound| bound.is_finite());
    report.nodes = result.nodes;
    report.lp_iterations = result.lp_iterations;
    report.abandoned = result.abandoned;
    if let (true, Some(bound)) = (stage.is_full(), report.bound) {
        // What the solver found too late is not in its result.
        let found = search.clock.in_time(ended);
        search.board.improve_bound(bound, found, search.control);
    }
    let termination = result.termination.clone();
    (report.outcome, report.trouble) = search.stage_end(stage, termination, is_cut_off);
    Ok(result)
}

impl Search<'_, '_> {
    /// How a stage ended, and what the solver said if it gave up.
    pub(crate) fn stage_end(
        &self,
        stage: &Stage<'_>,
        termination: Termination,
        is_cut_off: bool,
    ) -> (StageEnd, Option<String>) {
        let interrupted = self.control.interrupt.is_raised();
        let end = match termination {
            Termination::Optimal => StageEnd::Exhausted,
            Termination::Infeasible if is_cut_off => StageEnd::Exhausted,
            Termination::Infeasible => StageEnd::Infeasible,
            Termination::Unbounded => StageEnd::Unbounded,
            Termination::InfeasibleOrUnbounded => StageEnd::InfeasibleOrUnbounded,
            Termination::TimeLimit => StageEnd::TimeLimit,
            Termination::Limit => StageEnd::Limit,
            Termination::Interrupted if interrupted => StageEnd::Interrupted,
            Termination::Interrupted if stage.probe => StageEnd::FirstSolution,
            Termination::Interrupted => StageEnd::Stalled,
            Termination::Trouble(words) => return (StageEnd::Trouble, Some(words)),
            other => return (StageEnd::Trouble, Some(other.as_str().to_owned())),
        };
        (end, None)
    }
}

/// Restricts the loaded model and brings the best solution in: as the start where it is in the region, else as a
/// cut-off. Says whether there is a cut-off.
fn prepare(
    search: &Search<'_, '_>,
    stage: &Stage<'_>,
    loaded: &mut dyn LoadedModel,
) -> Result<(Option<Start>, bool), SolverError> {
    let best = search.board.best();
    if let Some(plain) = &stage.plain {
        return Ok((plain.start.clone(), false));
    }
    if stage.probe {
        return Ok((None, false));
    }
    let Some(region) = stage.region else {
        let start = best.map(|best| Start::Complete(best.values.clone()));
        return Ok((start, false));
    };
    region.apply(loaded)?;
    match best {
        None => Ok((None, false)),
        Some(best) if region.contains(&best.values) => {
            let start = region.extend(&best.values);
            Ok((Some(Start::Complete(start)), false))
        }
        // The paper's search knows no solution but those of its region.
        Some(_) if !search.settings.completion => Ok((None, false)),
        Some(best) => {
            let step = CUT_OFF * best.objective.abs().max(1.0);
            loaded.add_rows(&[cut_off(search.problem.model, best.objective, step)])?;
            Ok((None, true))
        }
    }
}

/// Makes of the values of a stage's columns those of the model's.
pub(crate) type View<'a> = dyn Fn(&[f64]) -> Vec<f64> + Sync + 'a;

/// Who mends incumbents that fail the check, and until when.
struct Polisher<'a> {
    solver: &'a dyn Solver,
    clock: &'a Clock,
    stop: &'a HardStop,
}

impl Polisher<'_> {
    /// Takes an incumbent of a stage that was found at `found`, in seconds of the search's clock. One that fails the check
    /// is mended, as long as the search has no solution.
    fn take(
        &self,
        values: &[f64],
        found: f64,
        board: &mut Board<'_>,
        report: &mut StageReport,
        control: &mut SearchControl<'_>,
    ) -> Verdict {
        let mut verdict = board.offer(values, found, report.kind, control);
        if verdict == Verdict::Rejected {
            report.rejected += 1;
            let left = self.clock.left();
            if let Some(mended) = board.polish_first(self.solver, values, left, self.stop) {
                verdict = board.offer(&mended, control.time(), report.kind, control);
            }
        }
        report.incumbents += usize::from(verdict == Verdict::Better);
        verdict
    }
}

/// Solves, checks every incumbent, and stops when nothing improves for too long.
pub(crate) fn solve(
    search: &mut Search<'_, '_>,
    stage: &Stage<'_>,
    report: &mut StageReport,
    loaded: &mut dyn LoadedModel,
    params: &Params,
    start: Option<Start>,
    view: &View<'_>,
) -> Result<SolveResult, SearchError> {
    let full = stage.is_full();
    let (board, control) = (&mut search.board, &mut *search.control);
    let whole = &mut search.whole;
    let params_of_search = search.params;
    let polisher = Polisher {
        solver: search.problem.solver,
        clock: &search.clock,
        stop: &search.stop,
    };
    board.begin_stage();
    let watch = Watch::new(stage.stall);
    let began = control.time();
    let mut observer = |event: Event<'_>| {
        if let Some(whole) = whole {
            whole.hear(board, control);
            if whole.is_decided() || board.is_closed(params_of_search) {
                watch.stop();
            }
        }
        match event {
            Event::Incumbent {
                time,
                objective,
                bound,
                values,
            } => {
                let found = began + time;
                if full {
                    board.improve_bound(bound, found, control);
                }
                if stage.probe {
                    watch.stop();
                }
                // The plain solver's objective is not trusted, not even for that.
                if stage.plain.is_none() && !board.is_improvement(objective) {
                    if control.wants_candidates {
                        let (time, values) = (found, &view(values)[..]);
                        control.tell(SearchEvent::Candidate {
                            time,
                            objective,
                            values,
                        });
                    }
                    return;
                }
                if polisher.take(&view(values), found, board, report, control) == Verdict::Better {
                    watch.improved();
                }
            }
            Event::Progress {
                time, bound, nodes, ..
            } => {
                let time = began + time;
                if full {
                    board.improve_bound(bound, time, control);
                }
                control.tell(SearchEvent::Progress {
                    time,
                    objective: board.best().map(|best| best.objective),
                    bound: board.bound,
                    stage: stage.kind,
                    nodes,
                });
            }
            Event::Log(line) => control.tell(SearchEvent::Log(line)),
            _ => {}
        }
    };
    let mut watched = Control {
        interrupt: watch.interrupt(),
        stop: search.stop.clone(),
        observer: Some(&mut observer),
    };
    watch.over(|| Ok(loaded.solve(params, start.as_ref(), &mut watched)?))
}

/// When no incumbent passed: the other solutions, and then the best one with its continuous columns found again. The
/// solve began at `began`, in seconds of the search's clock.
pub(crate) fn rescue(
    search: &mut Search<'_, '_>,
    report: &mut StageReport,
    result: &SolveResult,
    began: f64,
    view: &View<'_>,
) -> Result<(), SearchError> {
    let solutions = result.solutions.iter().chain(&result.best);
    let hopeful: Vec<(f64, Vec<f64>)> = solutions
        .filter(|solution| search.board.is_improvement(solution.objective))
        .map(|solution| (began + solution.time, view(&solution.values)))
        .collect();
    for (found, values) in &hopeful {
        if search.stop.is_due() {
            return Ok(());
        }
        let (board, control) = (&mut search.board, &mut *search.control);
        if board.offer(values, *found, report.kind, control) == Verdict::Better {
            report.incumbents += 1;
            return Ok(());
        }
    }
    if let Some((_, values)) = hopeful.first() {
        let (solver, limit) = (search.problem.solver, search.clock.left());
        let polished = search.board.polish(solver, values, limit, &search.stop)?;
        let found = search.control.time();
        let (board, control) = (&mut search.board, &mut *search.control);
        if let Some(values) = polished
            && board.offer(&values, found, report.kind, control) == Verdict::Better
        {
            report.incumbents += 1;
        }
    }
    Ok(())
}

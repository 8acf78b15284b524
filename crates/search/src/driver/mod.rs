//! What every strategy is made of: the state of a search, its clock, its stages, and what is proved in the end.
//! The strategies themselves are in [`strategies`](crate::strategies).

mod clock;
pub(crate) mod finish;
pub(crate) mod run;
pub(crate) mod stage;
mod watch;
pub(crate) mod whole;

use idpas_mip::{Model, Relaxation};
use idpas_solver::judge::Verdict;
use idpas_solver::{Guarded, HardStop, Params, Solver, StartOutcome};

use crate::board::Board;
use crate::{
    Method, NeighbourhoodReport, ScoreSet, SearchControl, SearchError, SearchOutcome,
    SearchSettings, Selection, SourceReport, StageEnd, StageKind, StageReport,
};
use clock::Clock;
use run::run;
use stage::Stage;
use whole::Whole;

/// Sweeps of propagation over the whole model.
pub(crate) const SWEEPS: usize = 10;

/// A model to be solved, with what is known about it.
#[derive(Clone, Copy)]
pub struct SearchProblem<'a> {
    /// The solver.
    pub solver: &'a dyn Solver,
    /// The model.
    pub model: &'a Model,
    /// For each column the predicted probability that it is not zero; NaN where nothing is predicted. The paper's methods
    /// go by these alone.
    pub scores: Option<&'a [f32]>,
    /// More sets of scores, for the staged search, which finds out which of them serve.
    pub sets: &'a [ScoreSet],
    /// Solutions to start from, tried in this order; NaN where a value is not known. The plain solver gets the first.
    pub starts: &'a [Vec<f64>],
    /// A bound of the model that is known already, for example from its linear relaxation.
    pub bound: Option<f64>,
    /// The solution of its linear relaxation, if that was solved already; the staged search uses it.
    pub relaxation: Option<&'a Relaxation>,
    /// Makes more sets of scores, which take a while: a relaxation and a network, for example. The staged search calls it
    /// once, when what is known at once has given a first solution.
    pub late: Option<&'a dyn Fn() -> LateScores>,
}

/// Scores and relaxation that arrive after a search has begun.
#[derive(Clone, Debug, Default)]
pub struct LateScores {
    /// More sets of scores.
    pub sets: Vec<ScoreSet>,
    /// The solution of the linear relaxation.
    pub relaxation: Option<Relaxation>,
    /// A bound of the model.
    pub bound: Option<f64>,
}

impl<'a> SearchProblem<'a> {
    /// A model about which nothing is known.
    pub fn new(solver: &'a dyn Solver, model: &'a Model) -> Self {
        SearchProblem {
            solver,
            model,
            scores: None,
            sets: &[],
            starts: &[],
            bound: None,
            relaxation: None,
            late: None,
        }
    }
}

/// A search under way.
pub(crate) struct Search<'s, 'c> {
    pub(crate) problem: &'s SearchProblem<'s>,
    pub(crate) settings: &'s SearchSettings,
    pub(crate) params: &'s Params,
    pub(crate) control: &'s mut SearchControl<'c>,
    pub(crate) clock: Clock,
    /// Ends every solve: the time limit, and the interrupt.
    pub(crate) stop: HardStop,
    pub(crate) board: Board<'s>,
    pub(crate) stages: Vec<StageReport>,
    pub(crate) probed: bool,
    /// The whole model, if it is solved beside or in turn with everything else.
    pub(crate) whole: Option<Whole>,
    pub(crate) tried: Vec<NeighbourhoodReport>,
    pub(crate) sources: Vec<SourceReport>,
    /// What became of the start that was handed to the solver.
    pub(crate) start: Option<StartOutcome>,
}

/// Searches for the best solution until it is proved, the time limit of `params` is over, or the interrupt is raised.
///
/// The time limit counts from the clock of `control`. It holds even where the solver does not look at its own clock: the
/// solver is left behind then, and nothing that it finds after the limit counts. Sub-models before the end are given two
/// seconds more than they have where the solver needs them, but never beyond the limit. What is not done by the solver
/// (propagation, the check of a solution) ends when it is done, which takes less than a tenth of a second for a million
/// entries.
pub fn search(
    problem: &SearchProblem<'_>,
    settings: &SearchSettings,
    params: &Params,
    control: &mut SearchControl<'_>,
) -> Result<SearchOutcome, SearchError> {
    settings.validate()?;
    params.validate()?;
    let expected = problem.model.num_columns();
    let given = problem.scores.map(<[f32]>::len);
    let relaxation = problem.relaxation.map(|lp| lp.values.len());
    let sets = problem.sets.iter().map(|set| set.scores.len());
    let mut lengths = sets.chain(given).chain(relaxation);
    if let Some(found) = lengths.find(|len| *len != expected) {
        return Err(SearchError::Scores { found, expected });
    }
    let stop = HardStop {
        interrupt: control.interrupt.clone(),
        ..HardStop::after(control.started, params.time_limit)
    };
    let solver = Guarded::Borrowed(problem.solver);
    let guarded = SearchProblem {
        solver: &solver,
        ..*problem
    };
    let search = Search {
        problem: &guarded,
        settings,
        params,
        clock: Clock::new(control.started, params.time_limit, &settings.schedule),
        control,
        stop,
        board: Board::new(problem.model, problem.bound, params.time_limit),
        stages: Vec::new(),
        probed: false,
        whole: None,
        sources: Vec::new(),
        tried: Vec::new(),
        start: None,
    };
    if search.stop.is_due() {
        return Ok(search.finish(&Selection::default(), 0, None));
    }
    match settings.method {
        Method::Solver | Method::WarmStart => search.plain(),
        Method::Idpas => search.staged(),
        _ => search.by_regions(),
    }
}

impl Search<'_, '_> {
    /// Whether there is nothing more to do.
    pub(crate) fn is_over(&self) -> bool {
        self.control.interrupt.is_raised()
            || self.clock.is_over()
            || self.board.is_closed(self.params)
    }

    /// Offers a solution that was found at this moment.
    pub(crate) fn offer_now(&mut self, values: &[f64], stage: StageKind) -> Verdict {
        let found = self.control.time();
        self.board.offer(values, found, stage, self.control)
    }

    /// Takes the start solutions that are feasible, or become so when their continuous columns are found again.
    pub(crate) fn starts(&mut self) -> Result<(), SearchError> {
        if self.problem.starts.is_empty() {
            return Ok(());
        }
        let mut report = Stage::start().report(self.problem.model, self.control.time());
        for start in self.problem.starts {
            if self.is_over() {
                break;
            }
            if start.len() != self.problem.model.num_columns() {
                report.rejected += 1;
                continue;
            }
            let complete = start.iter().all(|value| value.is_finite());
            let mut verdict = match complete {
                true => self.offer_now(start, report.kind),
                false => Verdict::Rejected,
            };
            // A model without discrete columns has nothing to hold.
            if verdict == Verdict::Rejected && self.problem.model.has_integers() {
                let solver = self.problem.solver;
                let limit = self.clock.restricted_left();
                let polished = self.board.polish(solver, start, limit, &self.stop);
                // A start that the solver cannot digest is one that does not help.
                if let Ok(Some(values)) = polished {
                    verdict = self.offer_now(&values, report.kind);
                }
            }
            report.incumbents += usize::from(verdict == Verdict::Better);
            report.rejected += usize::from(verdict == Verdict::Rejected);
        }
        report.outcome = StageEnd::Exhausted;
        self.end(report);
        Ok(())
    }

    /// The solver's own first solution, once. It comes after the first region, which gives a solution sooner if the
    /// prediction is good, and before the others, which are then measured by it if the prediction is not.
    pub(crate) fn probe(&mut self) -> Result<(), SearchError> {
        let seconds = self.clock.probe();
        if !self.probed && seconds > 0.0 && !self.is_over() {
            self.probed = true;
            self.stage(Stage::probe(seconds))?;
        }
        Ok(())
    }

    /// The model itself, from the best solution so far.
    pub(crate) fn full(&mut self) -> Result<(), SearchError> {
        if self.settings.completion && self.board.best().is_some() {
            self.probe()?;
        }
        if !self.is_over() {
            self.stage(Stage::full(self.clock.left()))?;
        }
        Ok(())
    }

    /// Runs a stage. That the solver fails is an error only where nothing else is left to do and nothing was found.
    pub(crate) fn stage(&mut self, stage: Stage<'_>) -> Result<StageEnd, SearchError> {
        let mut report = stage.report(self.problem.model, self.control.time());
        match run(self, &stage, &mut report) {
            Ok(_) => {}
            Err(SearchError::Solver(error)) if !stage.is_last() || self.board.best().is_some() => {
                report.outcome = StageEnd::Trouble;
                report.trouble = Some(error.to_string());
            }
            Err(error) => return Err(error),
        }
        let end = report.outcome;
        self.end(report);
        Ok(end)
    }

    /// Completes a stage's report and tells of it.
    pub(crate) fn end(&mut self, mut report: StageReport) {
        let time = self.control.time();
        // The whole model has its own seconds, since it pauses.
        if report.seconds == 0.0 {
            report.seconds = time - report.began;
        }
        report.best = self.board.best().map(|best| best.objective);
        let stage = &report;
        self.control
            .tell(crate::SearchEvent::StageEnded { time, stage });
        self.stages.push(report);
    }
}

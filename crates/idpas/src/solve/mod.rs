//! Solving an instance: the guide says what it knows, the search does the rest.

mod options;
mod plan;
mod report;
mod until;

use std::cell::OnceCell;
use std::io;
use std::path::Path;
use std::sync::Arc;

use idpas_learn::{Guidance, Guide, LearnError, PredictionRequest};
use idpas_mip::files::Input;
use idpas_mip::{Model, ReadError, solution};
use idpas_search::{
    LateScores, Method, Overhead, PredictionReport, Preparation, ScoreOrigin, ScoreSet,
    SearchControl, SearchError, SearchEvent, SearchOutcome, SearchProblem, SearchSettings,
    SettingsOrigin, oracle_scores, search,
};
use idpas_solver::{HardStop, SolverError};

pub use options::{Amounts, GivenSettings, KnownSolution, SettingsFileError, Solve};
pub use plan::{PlanError, SolvePlan, Unfit, UnfitMethod};
pub use report::ReportDetails;
pub use until::until;

/// What a solve gave.
#[derive(Clone, Debug)]
pub struct Solved {
    /// What the search found out: status, checked solution, bound, trajectory, stages.
    pub outcome: SearchOutcome,
    /// The settings of the search, its method among them.
    pub settings: SearchSettings,
    /// Where the settings are from.
    pub origin: SettingsOrigin,
    /// What the predictor reported beside its scores.
    pub prediction: Option<PredictionReport>,
    /// Where the time went before the solver was first asked.
    pub overhead: Overhead,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Whether the search had scores when it began.
    pub has_scores: bool,
    /// Whether nothing was said about a search, so that the solver worked alone.
    pub is_plain: bool,
}

impl Solved {
    /// A solve that ended before it began, by an interrupt or else by its time limit, after `time` seconds.
    pub fn nothing(plan: &SolvePlan, interrupted: bool, time: f64) -> Self {
        let outcome = SearchOutcome::nothing(interrupted, time);
        let preparation = Preparation {
            predictor_read: time,
            model_read: time,
            predicted: time,
            relaxation: 0.0,
        };
        Solved {
            overhead: Overhead::new(preparation, &outcome),
            outcome,
            settings: plan.settings.clone(),
            origin: plan.origin,
            prediction: None,
            warnings: Vec::new(),
            has_scores: false,
            is_plain: plan.is_plain,
        }
    }
}

/// A solve that could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Method, settings and guide do not fit together.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A solution file could not be read.
    #[error(transparent)]
    Solution(ReadError),
    /// The folder of past solutions could not be read.
    #[error("past solutions: {0}")]
    History(LearnError),
    /// A prediction could not be made.
    #[error(transparent)]
    Prediction(LearnError),
    /// A thread could not be started, or broke.
    #[error(transparent)]
    Thread(#[from] io::Error),
    /// The solver is not known, or failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The search failed.
    #[error(transparent)]
    Search(SearchError),
}

impl From<SearchError> for SolveError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Solver(error) => SolveError::Solver(error),
            other => SolveError::Search(other),
        }
    }
}

/// Solves a model: the best solution in the time given, checked in the model as it is.
///
/// With a guide the search begins where the guide expects good solutions; without one, and with nothing said about a
/// method, the solver works alone. The clock of `control` is that of the time limit.
///
/// The model is copied, since a prediction that is not done in time is left behind with what it looks at; [`solve_shared`]
/// does without a copy.
pub fn solve(
    model: &Model,
    guide: Option<&Guide>,
    options: &Solve,
    control: &mut SearchControl<'_>,
) -> Result<Solved, SolveError> {
    solve_shared(&Arc::new(model.clone()), guide, options, control)
}

/// [`solve`] for a model that need not be copied.
pub fn solve_shared(
    model: &Arc<Model>,
    guide: Option<&Guide>,
    options: &Solve,
    control: &mut SearchControl<'_>,
) -> Result<Solved, SolveError> {
    let plan = options.plan(guide)?;
    let solver = idpas_solver::by_name(&options.solver)?;
    let task = PredictionTask {
        guide: guide.cloned(),
        model: model.clone(),
        options: Arc::new(options.clone()),
        request: PredictionRequest {
            method: plan.settings.method,
            solver: options.solver.clone(),
            threads: options.threads,
            stop: HardStop {
                interrupt: control.interrupt.clone(),
                ..HardStop::after(control.started, options.time_limit)
            },
        },
    };
    let mut guidance = task.initial_guidance()?;
    let settings = &plan.settings;
    let is_tuned = plan.origin == SettingsOrigin::Tuned;
    if is_tuned && settings.method == Method::Idpas && settings.staged.is_mostly_whole() {
        let words = "the plain solver gets most of the time: nothing was better on the validation instances";
        guidance.warnings.push(words.into());
    }
    let predicted = control.time();
    for warning in &guidance.warnings {
        control.tell(SearchEvent::Warning(warning));
    }
    let late = LateGuidance {
        task: &task,
        rest: OnceCell::new(),
    };
    let ask = || late.ask();
    let problem = SearchProblem {
        sets: &guidance.sets,
        late: task.has_late_guidance().then_some(&ask),
        scores: guidance.scores.as_deref(),
        starts: &guidance.starts,
        bound: guidance.bound,
        relaxation: guidance.relaxation.as_ref(),
        ..SearchProblem::new(&*solver, model)
    };
    let outcome = search(&problem, &plan.settings, &options.params(), control)?;
    let report = guidance.report.as_ref();
    let preparation = Preparation {
        predicted,
        relaxation: report.map_or(0.0, |report| report.seconds.relaxation),
        ..options.read
    };
    let overhead = Overhead::new(preparation, &outcome);
    let (mut prediction, mut warnings) = (guidance.report, guidance.warnings);
    if let Some(mut late) = late.rest.into_inner() {
        // What is known of the names is said at the beginning already.
        late.warnings.retain(|warning| !warnings.contains(warning));
        for warning in &late.warnings {
            control.tell(SearchEvent::Warning(warning));
        }
        warnings.extend(late.warnings);
        prediction = late.report.or(prediction);
    }
    Ok(Solved {
        outcome,
        settings: plan.settings,
        origin: plan.origin,
        prediction,
        overhead,
        warnings,
        has_scores: guidance.scores.is_some() || !guidance.sets.is_empty(),
        is_plain: plan.is_plain,
    })
}

/// Everything that a prediction of one instance needs. It owns its parts, so that a prediction that is not done in time can
/// be left behind on its thread.
#[derive(Clone)]
struct PredictionTask {
    guide: Option<Guide>,
    model: Arc<Model>,
    options: Arc<Solve>,
    request: PredictionRequest,
}

/// What the guide says in the middle of a search.
struct LateGuidance<'a> {
    task: &'a PredictionTask,
    /// What is reported of it at the end.
    rest: OnceCell<Guidance>,
}

impl LateGuidance<'_> {
    /// Asks the guide; nothing if the time is over before it has answered.
    fn ask(&self) -> LateScores {
        let task = self.task.clone();
        let answer = until(&self.task.request.stop, move || task.during_search());
        let mut guidance = answer.ok().flatten().unwrap_or_default();
        let advice = LateScores {
            sets: std::mem::take(&mut guidance.sets),
            relaxation: guidance.relaxation.take(),
            bound: guidance.bound,
        };
        // A search asks once.
        let _ = self.rest.set(guidance);
        advice
    }
}

impl PredictionTask {
    /// What is known when the search begins; nothing if the time is over before anything is, so that the search has nothing
    /// to do but to say so.
    fn initial_guidance(&self) -> Result<Guidance, SolveError> {
        let task = self.clone();
        let known = until(&self.request.stop, move || task.before_search())?.transpose()?;
        let mut guidance = known.unwrap_or_default();
        // What is wrong with tuned settings matters only where they could have been used.
        let tuned = self
            .guide
            .as_ref()
            .filter(|_| self.options.settings.is_none());
        let warnings = tuned.map_or(&[][..], Guide::warnings);
        guidance.warnings.splice(0..0, warnings.iter().cloned());
        guidance
            .starts
            .splice(0..0, self.options.starts.iter().cloned());
        Ok(guidance)
    }

    /// What guide, oracle and past solutions say before the search.
    fn before_search(&self) -> Result<Guidance, SolveError> {
        let (model, method) = (&self.model, self.request.method);
        let mut guidance = match (method, &self.guide, &self.options.oracle) {
            (Method::Solver, ..) => Guidance::default(),
            (Method::Oracle | Method::Idpas, _, Some(known)) => oracle(known, model)?,
            (_, Some(guide), _) => guide
                .initial_guidance(model, &self.request)
                .map_err(SolveError::Prediction)?,
            _ => Guidance::default(),
        };
        if let Some(history) = &self.options.history {
            let mut past = history.read(model).map_err(SolveError::History)?;
            guidance.warnings.append(&mut past.warnings);
            if !past.is_empty() {
                let set = ScoreSet::new(ScoreOrigin::History, past.scores(model));
                guidance.sets.push(set);
            }
            guidance.starts.extend(past.starts(model));
        }
        Ok(guidance)
    }

    /// Whether the guide knows more than it says before the search.
    fn has_late_guidance(&self) -> bool {
        let guide = self.guide.as_ref();
        guide.is_some_and(|guide| guide.has_late_guidance(self.request.method))
    }

    /// What the guide says in the middle of a search. That it cannot answer ends nothing that has begun.
    fn during_search(&self) -> Guidance {
        let guide = self.guide.as_ref();
        let answer = guide.map(|guide| guide.late_guidance(&self.model, &self.request));
        let answer = answer.unwrap_or_else(|| Ok(Guidance::default()));
        answer.unwrap_or_else(|error| Guidance {
            warnings: vec![format!("{error}; the network is not asked")],
            ..Guidance::default()
        })
    }
}

/// A perfect prediction.
fn oracle(known: &KnownSolution, model: &Model) -> Result<Guidance, SolveError> {
    let mut guidance = Guidance::default();
    let values = match known {
        KnownSolution::Values(values) => values.clone(),
        KnownSolution::File(path) => read_solution(path, model, &mut guidance.warnings)?,
    };
    if values.len() != model.num_columns() {
        return Err(SolveError::Search(SearchError::Scores {
            found: values.len(),
            expected: model.num_columns(),
        }));
    }
    guidance.scores = Some(oracle_scores(model, &values));
    Ok(guidance)
}

fn read_solution(
    path: &Path,
    model: &Model,
    warnings: &mut Vec<String>,
) -> Result<Vec<f64>, SolveError> {
    let file = solution::read(&Input::path(path), model).map_err(SolveError::Solution)?;
    for warning in &file.warnings {
        warnings.push(format!("{}: {}", path.display(), warning.message));
    }
    Ok(file.solution.values)
}

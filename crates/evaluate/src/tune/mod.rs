//! Choosing the settings of a search for a trained model, on validation instances.
//!
//! [`tune`] runs a race (or the paper's grid) whose evaluations are searches in processes of their own. Each evaluation
//! is a line of a record file beside the result; a tuning that was interrupted goes on from there, and several that run
//! at the same time with the same files share the work and come to the same choice.

mod batch;
mod evaluation;
pub(crate) mod instances;
mod overrides;
mod race;
mod record;

use std::path::{Path, PathBuf};

use idpas_base::deadline::Deadline;
use idpas_base::process::Commands;
use idpas_learn::TrainedModel;
use idpas_mip::Warning;
use idpas_mip::files::{folder_of, remove_left_behind_beside};
use idpas_search::tune::{
    Plan, default_candidates, distinct_for, grid_paper, grid_paper_best, measured_worth,
};
use idpas_search::tuned::{Grid, TunedSettings, sidecar};
use idpas_search::{Method, SearchSettings};

use crate::error::TuningProblem;
use crate::study::has_settings;
use crate::{EvaluateError, cores};
pub(crate) use evaluation::AROUND_A_SEARCH;
use evaluation::SearchRunner;
use instances::ValidationSet;
pub use overrides::TuneOverrides;
use race::{Race, RaceResult};
use record::EvaluationFile;
pub use record::{EvaluationKey, EvaluationRecord};

/// The share of the paper's grid that a race may take: below a tenth, since many points of the grid end before their
/// time is over.
pub(crate) const RACE_SHARE: f64 = 0.08;

/// Everything that a tuning needs to know.
#[derive(Clone, Debug)]
pub struct TuneRequest<'a> {
    /// The file of the trained model.
    pub model: &'a Path,
    /// A folder of instances, or a folder of pools, whose validation set is used then.
    pub instances: &'a Path,
    /// How to choose, and the seconds for each instance, which have no default.
    pub settings: TuneOverrides,
    /// The file for the choice and its evidence. By default beside the model, where a search looks for it.
    pub out: Option<&'a Path>,
    /// How searches are started.
    pub commands: &'a Commands,
    /// When this process has to be done: no search is begun that would last longer.
    pub deadline: Deadline,
}

/// What candidates and plan of a tuning follow from.
struct PlanSettings {
    grid: Grid,
    time_limit: f64,
    budget: Option<f64>,
    method: Method,
}

/// What a tuning tells while it runs, from several threads.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TuneEvent<'a> {
    /// An instance file was read in a way that deserves a warning.
    Warnings {
        /// The file.
        path: &'a Path,
        /// What was odd.
        warnings: &'a [Warning],
    },
    /// The most that is going to happen.
    Planned {
        /// How candidates are compared.
        plan: &'a Plan,
        /// How many candidates there are.
        candidates: usize,
        /// Searches at a time.
        jobs: usize,
    },
    /// An evaluation is there.
    Evaluated {
        /// Seconds that the search was given.
        time_limit: f64,
        /// The evaluation if it was made now; `None` if it was in the record.
        made: Option<&'a EvaluationRecord>,
    },
    /// Other processes make all evaluations that are left for now.
    Waiting {
        /// How many.
        evaluations: usize,
    },
}

/// Called with each event of a tuning, from several threads.
pub type TuneObserver<'a> = dyn Fn(&TuneEvent<'_>) + Sync + 'a;

/// A finished tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The choice and its evidence, as written to the file.
    pub tuned: TunedSettings,
    /// The file.
    pub out: PathBuf,
}

/// Chooses settings and writes them, with all evidence, to the file that the request names. Evaluations that a former
/// tuning left in the record beside that file (its name ends with `.jsonl`) are not made again.
///
/// Fails with [`EvaluateError::Interrupted`] when [`Commands::interrupted`] is raised, and with
/// [`EvaluateError::TimeOver`] when searches are left that would not be done before the deadline.
pub fn tune(
    request: &TuneRequest<'_>,
    observer: &TuneObserver<'_>,
) -> Result<Tuning, EvaluateError> {
    let settings = &request.settings;
    let time_limit = settings.time_limit.unwrap_or(0.0);
    let count = settings.count.unwrap_or(TuneOverrides::COUNT);
    if time_limit <= 0.0 || count == 0 {
        return Err(TuningProblem::NotPositive.into());
    }
    let grid = settings.grid.unwrap_or_default();
    if settings.budget.is_some() && grid.is_papers() {
        return Err(TuningProblem::BudgetForGrid.into());
    }
    let (trained, model_sha256) = TrainedModel::read_hashed(request.model)?;
    let method = method(settings.method, grid, &trained)?;
    let plan_settings = PlanSettings {
        grid,
        time_limit,
        budget: settings.budget,
        method,
    };
    let threads = settings.threads.unwrap_or(TuneOverrides::THREADS);
    let seed = settings.seed.unwrap_or(TuneOverrides::SEED);
    let solver = settings.solver.as_deref().unwrap_or(TuneOverrides::SOLVER);
    // A solver that is not there is said before anything is read or run.
    idpas_solver::by_name(solver)?;
    let instances = instances::find(request.instances, count, observer)?;
    let (candidates, plan, paper_grid_seconds) = plan(&plan_settings, &instances);
    let out = (request.out).map_or_else(|| sidecar(request.model), Path::to_path_buf);
    remove_left_behind_beside(&out);
    let race = Race {
        record: EvaluationFile::open(&out.with_extension("jsonl"))?,
        runner: SearchRunner {
            commands: request.commands,
            model: request.model,
            folder: folder_of(&out),
            threads,
            seed,
            solver,
        },
        instances: &instances,
        model_sha256: &model_sha256,
        jobs: cores::jobs(settings.jobs.map(usize::from), usize::from(threads)),
        lead: match (grid.is_papers(), method) {
            // The paper takes the best point on average, and the first one of its grid fixes nothing at all.
            (true, _) => None,
            // Its settings differ by little beside the luck of a search.
            (false, Method::Idpas) => Some(2.0),
            (false, _) => Some(1.0),
        },
        deadline: request.deadline,
        observer,
    };
    let result = race.run(&candidates, &plan);
    race.record.tidy();
    let RaceResult {
        candidate,
        cost,
        instances,
        rungs,
        evaluations,
        sources,
        seconds,
    } = result?;
    let mut chosen = candidates[candidate].clone();
    if method == Method::Idpas {
        chosen.staged.worth = measured_worth(&sources);
    }
    let tuned = TunedSettings {
        program: idpas_base::PROGRAM.into(),
        model: request.model.display().to_string(),
        model_sha256,
        method,
        settings: chosen,
        grid,
        time_limit,
        threads,
        seed,
        seconds,
        paper_grid_seconds,
        candidate,
        cost,
        instances,
        rungs,
        evaluations,
        candidates,
    };
    tuned.write(&out)?;
    Ok(Tuning { tuned, out })
}

/// The method to choose settings for.
fn method(
    asked: Option<Method>,
    grid: Grid,
    trained: &TrainedModel,
) -> Result<Method, EvaluateError> {
    let method = match (asked, grid) {
        (_, Grid::Off) => return Err(TuningProblem::Off.into()),
        (Some(method), _) => method,
        (None, Grid::Paper | Grid::PaperBest) => trained.paper_method(),
        (None, Grid::Race) => Method::Idpas,
    };
    if !grid.is_about(method) {
        let problem = match method {
            Method::Idpas => TuningProblem::NotInPaper(method),
            _ => TuningProblem::NotStated(method),
        };
        return Err(problem.into());
    }
    if !has_settings(method) {
        return Err(TuningProblem::NothingToChoose(method).into());
    }
    trained
        .check_method(method)
        .map_err(|why| EvaluateError::Misfit { method, why })?;
    Ok(method)
}

/// The candidates, how they are compared, and the seconds that the paper's grid would take.
fn plan(settings: &PlanSettings, instances: &ValidationSet) -> (Vec<SearchSettings>, Plan, f64) {
    let count = instances.list.len();
    let exhaustive = Plan::exhaustive(count, settings.time_limit);
    let grid = distinct_for(&grid_paper(settings.method), &instances.shape);
    let paper = exhaustive.seconds(grid.len());
    match settings.grid {
        Grid::Paper => return (grid, exhaustive, paper),
        Grid::PaperBest => {
            let best = grid_paper_best(settings.method, &instances.shape);
            return (best, exhaustive, paper);
        }
        Grid::Race | Grid::Off => {}
    }
    let all = distinct_for(&default_candidates(settings.method), &instances.shape);
    let budget = settings.budget.unwrap_or(RACE_SHARE * paper);
    let halving = |candidates: &[SearchSettings]| {
        let most = exhaustive.seconds(candidates.len());
        let share = (budget / most).min(1.0);
        Plan::halving(candidates.len(), count, settings.time_limit, share)
    };
    // As many candidates as the budget allows: evenly from all, but for the staged search, whose first are the most
    // different.
    let pick = |n: usize| match settings.method {
        Method::Idpas => all[..n].to_vec(),
        _ => (0..n).map(|k| all[k * all.len() / n].clone()).collect(),
    };
    for n in (2..=all.len()).rev() {
        let some: Vec<SearchSettings> = pick(n);
        let plan = halving(&some);
        if plan.seconds(n) <= budget || n == 2 {
            return (some, plan, paper);
        }
    }
    let plan = halving(&all);
    (all, plan, paper)
}

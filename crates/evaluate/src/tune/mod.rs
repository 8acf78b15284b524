//! Choosing the settings of a search for a trained model, on validation instances.
//!
//! [`tune`] runs a race (or the paper's grid) whose evaluations are searches in processes of their own. Each evaluation
//! is a line of a record file beside the result; a tuning that was interrupted goes on from there, and several that run
//! at the same time with the same files share the work and come to the same choice.

mod batch;
mod evaluation;
mod instances;
mod race;
mod record;

use std::path::{Path, PathBuf};

use idpas_base::process::Commands;
use idpas_learn::TrainedModel;
use idpas_mip::Warning;
use idpas_search::tune::{Plan, default_candidates, distinct_for, grid_paper};
use idpas_search::tuned::{Grid, TunedSettings, sidecar};
use idpas_search::{Method, Settings};

use crate::error::TuningProblem;
use crate::fit::{fitting_method, refuse_misfit};
use crate::{EvaluateError, cores};
use evaluation::SearchRunner;
use instances::ValidationSet;
use race::{Race, RaceResult};
use record::EvaluationFile;
pub use record::{EvaluationKey, EvaluationRecord};

/// The share of the paper's grid that a race may take: below a tenth, since many points of the grid end before their
/// time is over.
const RACE_SHARE: f64 = 0.08;

/// Everything that a tuning needs to know.
#[derive(Clone, Debug)]
pub struct TuneRequest<'a> {
    /// The file of the trained model.
    pub model: &'a Path,
    /// A folder of instances, or a folder of pools, whose validation set is used then.
    pub instances: &'a Path,
    /// Seconds for each instance, as the search will have them.
    pub time_limit: f64,
    /// The method to choose settings for. By default `idpas`, or with the paper's grid the method that the model is for.
    pub method: Option<Method>,
    /// How to choose.
    pub grid: Grid,
    /// About how many seconds of solving a race may take. By default a twelfth of the paper's grid.
    pub budget: Option<f64>,
    /// Instances to use, at most.
    pub count: usize,
    /// Searches at a time. By default one per processor and thread of a search.
    pub jobs: Option<usize>,
    /// Threads of each search.
    pub threads: u16,
    /// Seed of the solver's random choices.
    pub seed: u32,
    /// The file for the choice and its evidence. By default beside the model, where a search looks for it.
    pub out: Option<&'a Path>,
    /// How searches are started.
    pub commands: &'a Commands,
}

impl<'a> TuneRequest<'a> {
    /// A race with the defaults of everything else.
    pub fn new(
        model: &'a Path,
        instances: &'a Path,
        time_limit: f64,
        commands: &'a Commands,
    ) -> Self {
        TuneRequest {
            model,
            instances,
            time_limit,
            method: None,
            grid: Grid::default(),
            budget: None,
            count: 30,
            jobs: None,
            threads: 1,
            seed: 0,
            out: None,
            commands,
        }
    }

    /// The file that the choice goes to.
    pub fn out(&self) -> PathBuf {
        self.out
            .map_or_else(|| sidecar(self.model), Path::to_path_buf)
    }
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

/// Who is told of the events of a tuning.
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
/// Fails with [`EvaluateError::Interrupted`] when the commands' program is told to end.
pub fn tune(
    request: &TuneRequest<'_>,
    observer: &TuneObserver<'_>,
) -> Result<Tuning, EvaluateError> {
    if request.time_limit <= 0.0 || request.count == 0 {
        return Err(TuningProblem::NotPositive.into());
    }
    if request.budget.is_some() && request.grid == Grid::Paper {
        return Err(TuningProblem::BudgetForGrid.into());
    }
    let (trained, model_sha256) = TrainedModel::read_hashed(request.model)?;
    let method = method(request, &trained)?;
    let instances = instances::find(request.instances, request.count, observer)?;
    let (candidates, plan, paper_grid_seconds) = plan(request, method, &instances);
    let out = request.out();
    let race = Race {
        record: EvaluationFile::open(&out.with_extension("jsonl"))?,
        runner: SearchRunner {
            commands: request.commands,
            model: request.model,
            threads: request.threads,
            seed: request.seed,
        },
        instances: &instances,
        model_sha256: &model_sha256,
        jobs: cores::jobs(request.jobs, usize::from(request.threads)),
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
        seconds,
    } = result?;
    let tuned = TunedSettings {
        program: idpas_base::PROGRAM.into(),
        model: request.model.display().to_string(),
        model_sha256,
        method,
        settings: candidates[candidate].clone(),
        grid: request.grid,
        time_limit: request.time_limit,
        threads: request.threads,
        seed: request.seed,
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
fn method(request: &TuneRequest<'_>, trained: &TrainedModel) -> Result<Method, EvaluateError> {
    let method = request.method.unwrap_or_else(|| match request.grid {
        Grid::Paper => fitting_method(trained),
        Grid::Race => Method::Idpas,
    });
    if method == Method::Idpas && request.grid == Grid::Paper {
        return Err(TuningProblem::NotInPaper(method).into());
    }
    if matches!(method, Method::Solver | Method::Oracle) {
        return Err(TuningProblem::NothingToChoose(method).into());
    }
    refuse_misfit(method, trained)?;
    Ok(method)
}

/// The candidates, how they are compared, and the seconds that the paper's grid would take.
fn plan(
    request: &TuneRequest<'_>,
    method: Method,
    instances: &ValidationSet,
) -> (Vec<Settings>, Plan, f64) {
    let count = instances.list.len();
    let exhaustive = Plan::exhaustive(count, request.time_limit);
    let grid = distinct_for(&grid_paper(method), &instances.shape);
    let paper = exhaustive.seconds(grid.len());
    if request.grid == Grid::Paper {
        return (grid, exhaustive, paper);
    }
    let all = distinct_for(&default_candidates(method), &instances.shape);
    let budget = request.budget.unwrap_or(RACE_SHARE * paper);
    let halving = |candidates: &[Settings]| {
        let most = exhaustive.seconds(candidates.len());
        let share = (budget / most).min(1.0);
        Plan::halving(candidates.len(), count, request.time_limit, share)
    };
    // As many candidates as the budget allows, evenly from all.
    for n in (2..=all.len()).rev() {
        let some: Vec<Settings> = (0..n).map(|k| all[k * all.len() / n].clone()).collect();
        let plan = halving(&some);
        if plan.seconds(n) <= budget || n == 2 {
            return (some, plan, paper);
        }
    }
    let plan = halving(&all);
    (all, plan, paper)
}

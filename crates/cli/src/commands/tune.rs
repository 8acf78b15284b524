//! `idpas tune`: the settings of a search, chosen on validation instances.

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use idpas_learn::TrainedModel;
use idpas_mip::files::save_bytes;
use idpas_search::tune::{Plan, default_candidates, distinct_for, grid_paper};
use idpas_search::{Method, SearchSettings};
use serde::Serialize;

use super::solve::{fitting_method, refuse_unfit_model, sidecar};
use super::tune_display::TuneDisplay;
use super::tune_instances::{self, Instances};
use super::tune_race::{Race, Stopped};
use super::tune_record::Record;
use super::tune_report::{Sidecar, TuneJson, text};
use super::tune_run::Runner;
use crate::args::{OutputFormat, Verbosity, seconds};
use crate::failure::{Done, Failure, INTERRUPTED};
use crate::output::{json, tell};
use crate::target::refuse_unwritable;

/// The share of the paper's grid that a race may take: below a tenth, since many points of the grid end before their
/// time is over.
const SHARE: f64 = 0.08;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GridName {
    /// Every point of the paper's grid, on every instance, for the full time
    Paper,
    /// Many settings on few instances for a short time, then the better ones on more for longer
    #[default]
    Race,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TuneArgs {
    /// Trained model
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// Folder of instances, or folder of pools, whose validation set is used then
    #[arg(long, value_name = "DIR|POOLS")]
    instances: PathBuf,
    /// Seconds for each instance, as the search will have them
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: f64,
    /// Method to choose settings for: `idpas`, or with the paper's grid what the model is for
    #[arg(long, value_name = "M")]
    method: Option<Method>,
    /// How to choose
    #[arg(long, value_enum, default_value_t)]
    grid: GridName,
    /// Seconds of solving that a race may take, about; by default a twelfth of the paper's grid
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget: Option<f64>,
    /// Instances to use, at most
    #[arg(long, value_name = "N", default_value_t = 30)]
    count: usize,
    /// Searches at a time; one per processor (and thread of the solver) by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads of each search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of the solver's random choices
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=2147483647))]
    seed: u32,
    /// File for the choice and its evidence; by default beside the model, where `idpas solve` finds it. Commands that run
    /// at the same time with the same file share the work
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(crate) fn run(args: &TuneArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let clock = Instant::now();
    let out = args.out.clone().unwrap_or_else(|| sidecar(&args.model));
    refuse_unwritable([&out], &args.model)?;
    if args.time_limit <= 0.0 || args.count == 0 {
        let why = "--time-limit and --count: expected more than 0";
        return Err(Failure::Usage(why.into()));
    }
    if args.budget.is_some() && args.grid == GridName::Paper {
        let why = "--budget is for a race; the paper's grid takes what it takes";
        return Err(Failure::Usage(why.into()));
    }
    let (trained, model_sha256) = TrainedModel::read_hashed(&args.model)?;
    let method = args.method.unwrap_or_else(|| match args.grid {
        GridName::Paper => fitting_method(&trained),
        _ => Method::Idpas,
    });
    if method == Method::Idpas && args.grid == GridName::Paper {
        let why = format!("method `{method}`: is not in the paper, so its grid says nothing of it");
        return Err(Failure::Usage(why));
    }
    if matches!(method, Method::Solver | Method::Oracle) {
        let why = format!("method `{method}`: has no settings to choose for other instances");
        return Err(Failure::Usage(why));
    }
    refuse_unfit_model(method, &trained)?;
    let commands = crate::processes::commands()?;
    let instances = tune_instances::find(&args.instances, args.count, verbosity)?;
    let (candidates, plan, paper) = args.plan(method, &instances);
    let display = TuneDisplay::new(verbosity);
    let jobs = args.jobs.map_or_else(
        || {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            (processors / usize::from(args.threads)).max(1)
        },
        usize::from,
    );
    let race = Race {
        record: Record::open(&out.with_extension("jsonl"))?,
        runner: Runner {
            commands,
            model: &args.model,
            threads: args.threads,
            seed: args.seed,
        },
        instances: &instances,
        model_sha256: &model_sha256,
        jobs,
        display: &display,
    };
    let chosen = race.run(&candidates, &plan);
    display.finish();
    race.record.tidy();
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(Stopped::Interrupted) => {
            tell("interrupted: run the same command again to go on");
            return Ok(Done::default().with_code(INTERRUPTED));
        }
        Err(Stopped::Failed(failure)) => return Err(failure),
    };
    let written = json(&Sidecar {
        program: idpas_base::PROGRAM,
        model: args.model.display().to_string(),
        model_sha256: &model_sha256,
        method,
        settings: &chosen.settings,
        grid: args.grid,
        time_limit: args.time_limit,
        threads: args.threads,
        seed: args.seed,
        seconds: chosen.solving,
        paper_grid_seconds: paper,
        evidence: &chosen,
        candidates: &candidates,
    })?;
    save_bytes(&out, written.text.as_bytes())?;
    let told = TuneJson {
        settings: &chosen.settings,
        cost: chosen.cost,
        evaluations: chosen.evaluations.len(),
        seconds: chosen.solving,
        paper_grid_seconds: paper,
        out: out.display().to_string(),
    };
    match args.format {
        OutputFormat::Json => json(&told),
        OutputFormat::Text => Ok(text(&told, clock.elapsed().as_secs_f64())),
    }
}

impl TuneArgs {
    /// The candidates, how they are compared, and the seconds that the paper's grid would take.
    fn plan(&self, method: Method, instances: &Instances) -> (Vec<SearchSettings>, Plan, f64) {
        let count = instances.list.len();
        let exhaustive = Plan::exhaustive(count, self.time_limit);
        let grid = distinct_for(&grid_paper(method), &instances.shape);
        let paper = exhaustive.seconds(grid.len());
        if self.grid == GridName::Paper {
            return (grid, exhaustive, paper);
        }
        let all = distinct_for(&default_candidates(method), &instances.shape);
        let budget = self.budget.unwrap_or(SHARE * paper);
        let halving = |candidates: &[SearchSettings]| {
            let most = exhaustive.seconds(candidates.len());
            let share = (budget / most).min(1.0);
            Plan::halving(candidates.len(), count, self.time_limit, share)
        };
        // As many candidates as the budget allows, evenly from all.
        for n in (2..=all.len()).rev() {
            let some: Vec<SearchSettings> =
                (0..n).map(|k| all[k * all.len() / n].clone()).collect();
            let plan = halving(&some);
            if plan.seconds(n) <= budget || n == 2 {
                return (some, plan, paper);
            }
        }
        let plan = halving(&all);
        (all, plan, paper)
    }
}

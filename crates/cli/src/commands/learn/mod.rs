//! `idpas learn`: from a folder of instances to a guide, with evidence, in one command.

mod display;

use std::path::PathBuf;

use idpas::{Learn, LearnFamilyError, Verdict};
use idpas_base::words::parse_duration;
use idpas_learn::TrainOverrides;
use idpas_pools::collect::{CollectOptions, CollectSettings};
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure};
use crate::output::{Lines, json};
use crate::processes::{collect_worker, commands};
use crate::target::refuse_unwritable;
use display::LearnDisplay;

#[derive(Debug, clap::Args)]
pub(crate) struct LearnArgs {
    /// Folder of instances (.mps, .mps.gz, .lp, .lp.gz) of one kind, or a list of paths, one a line
    input: PathBuf,
    /// File for the guide; run the same command again to go on where it stopped, or to learn from instances that were added
    #[arg(long, value_name = "GUIDE", display_order = 1)]
    out: PathBuf,
    /// Time for everything by the clock on the wall, such as `20m` or `2h`: half of it to collect solutions, the rest to
    /// train, to tune and to judge
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1h", display_order = 2)]
    budget: f64,
    /// Seconds that a solve with the guide will have; chosen by the budget by default
    #[arg(long, value_name = "S", value_parser = idpas_base::overrides::seconds, display_order = 3)]
    time_limit: Option<f64>,
    /// Folder for the solutions that it learns from; by default beside the guide
    #[arg(long, value_name = "POOLS", display_order = 4)]
    pools: Option<PathBuf>,
    /// Instances at a time; one per processor by default
    #[arg(long, value_name = "N", display_order = 5)]
    jobs: Option<usize>,
    /// Seed of all random choices
    #[arg(long, default_value_t = 0, display_order = 6)]
    seed: u64,
    /// Solver to use; `idpas solvers` lists them
    #[arg(long, default_value = "highs", display_order = 7)]
    solver: String,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, display_order = 210)]
    format: OutputFormat,
}

impl LearnArgs {
    /// From a folder to a guide in so many seconds, for solves of `time_limit` seconds; everything else as by default.
    pub(super) fn new(input: PathBuf, out: PathBuf, budget: f64, time_limit: f64) -> Self {
        LearnArgs {
            input,
            out,
            budget,
            time_limit: Some(time_limit),
            pools: None,
            jobs: None,
            seed: 0,
            solver: "highs".into(),
            format: OutputFormat::Text,
        }
    }
}

#[derive(Serialize)]
struct LearnJson {
    guide: String,
    pools: String,
    training_instances: usize,
    validation_instances: usize,
    without_pool: usize,
    time_limit: f64,
    verdict: Option<Verdict>,
    expect: Vec<String>,
}

pub(crate) fn run(args: &LearnArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    idpas_solver::by_name(&args.solver)?;
    refuse_unwritable([&args.out], &args.input)?;
    let commands = commands()?;
    let pools = args.pools.clone();
    let pools = pools.unwrap_or_else(|| Learn::pools_beside(&args.out));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let learn = Learn {
        instances: args.input.clone(),
        out: args.out.clone(),
        collect: CollectOptions {
            out: pools.clone(),
            settings: CollectSettings {
                seed: args.seed,
                solver: args.solver.clone(),
                ..CollectSettings::default()
            },
            jobs: args.jobs.unwrap_or(processors).max(1),
            worker: Some(collect_worker()?),
            ..CollectOptions::default()
        },
        budget: args.budget,
        time_limit: args.time_limit.filter(|limit| *limit > 0.0),
        recipe: TrainOverrides {
            seed: Some(args.seed),
            ..TrainOverrides::default()
        }
        .recipe(),
        commands: &commands,
    };
    let display = LearnDisplay::new(verbosity, args.budget);
    let learned = learn.run(&|event| display.show(event));
    display.finish();
    let learned = match learned {
        Err(LearnFamilyError::Interrupted) => return Ok(Done::interrupted()),
        learned => learned?,
    };
    let expect = learned
        .verdict
        .map_or_else(Vec::new, |v| v.lines().to_vec());
    let (training, validation) = learned.instances;
    let shown = LearnJson {
        guide: args.out.display().to_string(),
        pools: pools.display().to_string(),
        training_instances: training,
        validation_instances: validation,
        without_pool: learned.collected.failed.len(),
        time_limit: learned.time_limit,
        verdict: learned.verdict,
        expect,
    };
    if args.format == OutputFormat::Json {
        return json(&shown);
    }
    let mut lines = Lines::default();
    let learned_from = format!("{training} instances, {validation} kept back to judge by");
    lines
        .add("guide", &shown.guide)
        .add("learned from", learned_from)
        .add("pools", &shown.pools);
    if shown.without_pool > 0 {
        lines.add("no solution", format!("{} instances", shown.without_pool));
    }
    let solver = match args.solver.as_str() {
        "highs" => String::new(),
        other => format!(" --solver {other}"),
    };
    let next = format!(
        "idpas solve FILE --model {} --time-limit {}{solver}",
        shown.guide, shown.time_limit
    );
    lines.add("next", next);
    let mut done = lines.done();
    for line in &shown.expect {
        done.text += line;
        done.text.push('\n');
    }
    Ok(done)
}

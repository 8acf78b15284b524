//! `idpas series`: solves instances in the order in which they come, and learns from each.

mod display;

use std::path::{Path, PathBuf};

use idpas::{
    Series, SeriesControl, SeriesError, SeriesEvent, SeriesOptions, SeriesSolved, TrainBeside,
};
use idpas_base::words::parse_duration;
use idpas_evaluate::series::{SeriesRecord, SeriesSummary, competition, text};
use idpas_pools::inputs::InputFile;
use idpas_pools::series::SeriesList;
use idpas_solver::Interrupt;
use serde::Serialize;

use crate::args::{OutputFormat, Verbosity, seconds};
use crate::failure::{Done, Failure, INTERRUPTED, NOTHING};
use crate::output::json;
use crate::signals::flag_on_signals;
use display::SeriesDisplay;

/// Seconds of training beside, as a multiple of the time limit, unless the user says them.
const TRAINING: f64 = 10.0;

#[derive(Debug, clap::Args)]
pub(crate) struct SeriesArgs {
    /// Instances in their order: a folder (by name), a model file, a list of paths, or a `.test` file of the MIP Workshop
    /// 2023 competition
    list: PathBuf,
    /// Folder for everything learned; run the same command again to go on, or with tomorrow's file to solve that next
    #[arg(long, value_name = "STATE", display_order = 1)]
    out: PathBuf,
    /// Seconds for each instance, from opening its file on; by default what a `.test` file says
    #[arg(long, value_name = "S", value_parser = seconds, display_order = 2)]
    time_limit: Option<f64>,
    /// Solve at most so many instances now
    #[arg(long, value_name = "N", display_order = 3)]
    count: Option<usize>,
    /// Stop an instance at this relative gap between solution and bound
    #[arg(long, value_name = "GAP", default_value_t = 1e-4, display_order = 4)]
    gap: f64,
    /// Threads of the solver
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), display_order = 5)]
    threads: u16,
    /// Seed of all random choices
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=2147483647), display_order = 6)]
    seed: u32,
    /// Solver to use; `idpas solvers` lists them
    #[arg(long, default_value = "highs", display_order = 7)]
    solver: String,
    /// Train a network on a thread of its own while instances are solved, and use it when it is ready
    #[arg(long, value_enum, default_value_t, display_order = 8)]
    train: TrainWhen,
    /// Longest time of one such training, such as `10m`; by default ten times the time limit
    #[arg(long, value_name = "TIME", value_parser = parse_duration, display_order = 9)]
    train_budget: Option<f64>,
    /// Run the default solver on every instance as well, in turn, so that the report can compare
    #[arg(long, display_order = 10)]
    compare: bool,
    /// Take this way for every instance, instead of the one that has paid so far: solver, start or search
    #[arg(long, value_name = "WAY", display_order = 11)]
    way: Option<String>,
    /// Write log and solutions in the competition's format into this folder
    #[arg(long, value_name = "OUT", display_order = 12)]
    competition: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, display_order = 210)]
    format: OutputFormat,
}

/// When a network is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum TrainWhen {
    /// Never: counting serves
    #[default]
    Off,
    /// While instances are solved
    Beside,
}

/// What the command prints for programs.
#[derive(Serialize)]
struct SeriesJson<'a> {
    state: String,
    /// Instances that were solved now, and those that had been solved before.
    solved: usize,
    before: usize,
    /// Instances of the list that are left.
    left: usize,
    records: &'a [SeriesRecord],
    summary: &'a SeriesSummary,
}

impl SeriesArgs {
    fn options(&self, list: &SeriesList) -> Result<SeriesOptions, Failure> {
        let time_limit = self.time_limit.or(list.time_limit).ok_or_else(|| {
            Failure::Usage(
                "--time-limit S is needed: the list does not say how long an instance may take"
                    .into(),
            )
        })?;
        if !(self.gap >= 0.0 && self.gap.is_finite()) {
            return Err(Failure::Usage("--gap: expected a number, 0 or more".into()));
        }
        Ok(SeriesOptions {
            time_limit,
            gap: self.gap,
            threads: self.threads.into(),
            seed: self.seed,
            solver: self.solver.clone(),
            way: self.way.clone(),
            compare: self.compare,
            train: match self.train {
                TrainWhen::Off => TrainBeside::Off,
                TrainWhen::Beside => {
                    let seconds = self.train_budget.unwrap_or(TRAINING * time_limit);
                    TrainBeside::Seconds(seconds)
                }
            },
        })
    }
}

pub(crate) fn run(args: &SeriesArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let list = SeriesList::read(&args.list)?;
    let options = args.options(&list)?;
    let time_limit = options.time_limit;
    let mut series = Series::open(&args.out, options)?;
    let before = series.records().len();
    let remaining = series.remaining(&list.instances)?;
    let count = args.count.unwrap_or(usize::MAX).min(remaining.len());
    let display = SeriesDisplay::new(verbosity, before, count, time_limit);
    if list.time_limit.is_some() {
        display.line(&format!("varies: {}", list.varies.in_words()));
    }
    if before > 0 {
        display.line(&format!(
            "goes on after {before} instances in {}",
            args.out.display()
        ));
    }
    let interrupt = Interrupt::from_flag(flag_on_signals()?);
    let mut is_interrupted = false;
    for file in &remaining[..count] {
        if interrupt.is_raised() {
            is_interrupted = true;
            break;
        }
        let solved = solve(&mut series, file, &interrupt, &display)?;
        if !solved.is_recorded {
            is_interrupted = true;
            if let Some(path) = &solved.solution {
                display.line(&format!("the best solution so far: {}", path.display()));
            }
            break;
        }
        if let Some(out) = &args.competition {
            write_competition(out, file, &solved)?;
        }
    }
    if series.is_training() && !is_interrupted {
        display.line("a network is being trained for the next time; Ctrl-C goes without it");
        series.finish_training(&interrupt);
    }
    display.finish();
    let records = series.records();
    let summary = SeriesSummary::new(records);
    let done = match args.format {
        OutputFormat::Json => json(&SeriesJson {
            state: args.out.display().to_string(),
            solved: records.len() - before,
            before,
            left: remaining.len() - (records.len() - before),
            records: &records[before..],
            summary: &summary,
        })?,
        OutputFormat::Text if records.is_empty() => Done::default(),
        OutputFormat::Text => Done::text(text(&summary)),
    };
    if is_interrupted {
        crate::output::tell("interrupted: run the same command again to go on");
        return Ok(done.with_code(INTERRUPTED));
    }
    let unsolved = records[before..]
        .iter()
        .any(|record| record.run.objective.is_none());
    Ok(done.with_code(if unsolved { NOTHING } else { 0 }))
}

fn solve(
    series: &mut Series,
    file: &InputFile,
    interrupt: &Interrupt,
    display: &SeriesDisplay,
) -> Result<SeriesSolved, SeriesError> {
    let mut observer = |event: SeriesEvent<'_>| display.show(&event);
    let mut control = SeriesControl {
        interrupt: interrupt.clone(),
        observer: Some(&mut observer),
    };
    series.solve_file(file, &mut control)
}

/// The entry of an instance as the competition asks for it.
fn write_competition(out: &Path, file: &InputFile, solved: &SeriesSolved) -> Result<(), Failure> {
    let run = &solved.record.run;
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    let model = &solved.model;
    if let Some(best) = &solved.solved.outcome.solution {
        competition::write_solution(out, model, &file.name, &best.values)?;
    }
    let ended = run.started + run.seconds;
    competition::write_entry(out, &name, run.started, ended, run.bound, model.sense)?;
    Ok(())
}

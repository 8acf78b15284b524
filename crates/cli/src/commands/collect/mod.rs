//! `idpas collect`: a pool of good solutions for every instance of a folder.

pub(super) mod display;
pub(crate) mod worker;

use std::path::PathBuf;
use std::time::Duration;

use idpas_pools::collect::{
    CollectOptions, CollectOverrides, CollectStop, CollectSummary, Lead, Shard, collect,
};
use idpas_pools::manifest::SplitRule;
use idpas_pools::split::Proportions;
use idpas_pools::status;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::status::add_growth;
use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure, INTERRUPTED, NOTHING};
use crate::output::{Lines, json, one_line, tell};
use crate::processes::collect_worker;
use display::CollectDisplay;

/// Seconds beyond its limit after which a worker is taken to hang: reading a large model takes time too.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
pub(crate) struct CollectArgs {
    /// Folder of instances (.mps, .mps.gz, .lp, .lp.gz), or a list of paths, one a line
    input: PathBuf,
    /// Folder for the pools; run the same command again to make only what is missing
    #[arg(long, value_name = "POOLS", display_order = 1)]
    out: PathBuf,
    #[command(flatten)]
    settings: CollectOverrides,
    /// Instances at a time; one per processor (and thread of the solver) by default
    #[arg(long, value_name = "N", display_order = 25)]
    jobs: Option<usize>,
    /// Do the i-th of n parts of the work; by default as a Slurm array or Kubernetes indexed job says
    #[arg(long, value_name = "i/n", display_order = 45)]
    shard: Option<Shard>,
    /// Go on with the other parts when the own one is done, and end when every instance has a pool or failed: what other
    /// runs have claimed is waited for, and taken over from those that die
    #[arg(long, display_order = 46)]
    take_over: bool,
    /// Proportions of training, validation and test sets
    #[arg(
        long,
        value_name = "TRAIN/VALIDATION/TEST",
        default_value = "480/120/100",
        display_order = 55
    )]
    split: Proportions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t, display_order = 210)]
    format: OutputFormat,
}

impl CollectArgs {
    fn options(&self) -> Result<CollectOptions, Failure> {
        let settings = self.settings.settings();
        settings.validate()?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let memory_limit = match self.settings.memory_limit {
            Some(gigabytes) if !(gigabytes > 0.0 && gigabytes < 1e9) => {
                let message = format!("--memory-limit {gigabytes}: expected gigabytes above 0");
                return Err(Failure::Usage(message));
            }
            limit => limit.map(|gigabytes| (gigabytes * 1e9) as u64),
        };
        let scheduled = || Shard::from_environment(|name| std::env::var(name).ok());
        Ok(CollectOptions {
            out: self.out.clone(),
            split: SplitRule {
                proportions: self.split,
                seed: settings.seed,
            },
            jobs: self.jobs.unwrap_or(processors / settings.threads).max(1),
            settings,
            budget: self.settings.budget,
            shard: self.shard.or_else(scheduled).unwrap_or_default(),
            take_over: self.take_over,
            memory_limit,
            worker: Some(collect_worker()?),
            grace: GRACE,
            attempts: 2,
        })
    }
}

#[derive(Serialize)]
struct CollectJson {
    total: usize,
    made: usize,
    already: usize,
    elsewhere: usize,
    failed: usize,
    interrupted: bool,
    /// Who led the search, if that was found out by comparing.
    lead: Option<Lead>,
}

pub(crate) fn run(args: &CollectArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let options = args.options()?;
    let stop = CollectStop::default();
    let mut display = CollectDisplay::new(verbosity);
    stop_on_signals(&stop, display.bar(), verbosity)?;
    let summary = collect(&args.input, &options, &stop, &mut |event| {
        display.show(&event)
    });
    display.finish();
    let summary = summary?;
    for failure in &summary.failed {
        let attempts = match failure.attempts {
            0 | 1 => String::new(),
            n => format!(" ({n} attempts)"),
        };
        let (name, reason) = (&failure.name, &failure.reason);
        tell(&one_line(&format!("failed: {name}: {reason}{attempts}")));
    }
    if summary.interrupted && verbosity > Verbosity::Quiet {
        tell("interrupted: run the same command again to make the rest");
    }
    report(args, &summary)
}

fn report(args: &CollectArgs, summary: &CollectSummary) -> Result<Done, Failure> {
    let code = match summary {
        CollectSummary {
            interrupted: true, ..
        } => INTERRUPTED,
        CollectSummary { failed, .. } if !failed.is_empty() => NOTHING,
        _ => 0,
    };
    if args.format == OutputFormat::Json {
        let shown = CollectJson {
            total: summary.total,
            made: summary.made,
            already: summary.already,
            elsewhere: summary.elsewhere,
            failed: summary.failed.len(),
            interrupted: summary.interrupted,
            lead: summary.lead,
        };
        return Ok(json(&shown)?.with_code(code));
    }
    let mut lines = Lines::default();
    lines
        .add("instances", summary.total)
        .add("made", summary.made)
        .add("already", summary.already);
    if summary.elsewhere > 0 {
        lines.add("elsewhere", summary.elsewhere);
    }
    lines.add("failed", summary.failed.len());
    let status = status(&args.out)?;
    add_growth(&mut lines, &status);
    if let Some(lead) = summary.lead {
        lines.add("led by", lead.as_str());
    }
    lines.add("pools", args.out.display());
    Ok(lines.done().with_code(code))
}

/// The first Ctrl-C lets the instances under way finish, the second ends them; SIGTERM, which schedulers send
/// shortly before worse, ends them at once.
fn stop_on_signals(
    stop: &CollectStop,
    bar: indicatif::ProgressBar,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|e| Failure::Internal(format!("cannot listen to signals: {e}")))?;
    let stop = stop.clone();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTERM || stop.is_raised() {
                stop.abandon();
            } else {
                stop.finish();
                if verbosity > Verbosity::Quiet {
                    bar.suspend(|| {
                        tell("finishing the instances under way; Ctrl-C again abandons them");
                    });
                }
            }
        }
    });
    Ok(())
}

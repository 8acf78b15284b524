//! `idpas collect`: a pool of good solutions for every instance of a folder.

pub(super) mod display;
pub(crate) mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use idpas_base::deadline::Deadline;
use idpas_base::words::parse_duration;
use idpas_evaluate::cluster::{PlanRequest, Slurm, plan_collection, submit};
use idpas_pools::collect::{
    CollectOptions, CollectOverrides, CollectStop, CollectSummary, Lead, Shard, collect,
};
use idpas_pools::inputs::find_instances;
use idpas_pools::manifest::{MANIFEST, SplitRule};
use idpas_pools::split::Proportions;
use idpas_pools::status;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::status::add_growth;
use crate::args::{OutputFormat, Verbosity};
use crate::cluster::{self, SlurmArgs};
use crate::failure::{Done, Failure, INTERRUPTED, NOTHING};
use crate::output::{Lines, json, one_line, tell};
use crate::processes::{collect_worker, this_program};
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
    /// End after this time, such as `30m`: no turn is begun that would not be done by then
    #[arg(long, value_name = "TIME", value_parser = parse_duration, display_order = 47)]
    end_in: Option<f64>,
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
    #[command(flatten)]
    cluster: SlurmArgs,
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
            deadline: self.end_in.map_or(Deadline::default(), Deadline::after),
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
    /// Whether something is left that would not have been done in the time of this command.
    time_over: bool,
    /// Who led the search, if that was found out by comparing.
    lead: Option<Lead>,
}

pub(crate) fn run(args: &CollectArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let options = args.options()?;
    if args.cluster.slurm {
        return hand_over(args, &options);
    }
    args.cluster.refuse_settings()?;
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
    if summary.time_over && verbosity > Verbosity::Quiet {
        tell("the time is over: run the same command again to go on");
    }
    report(args, &summary)
}

/// Hands the collection over to Slurm, as an array of tasks that share its turns.
fn hand_over(args: &CollectArgs, options: &CollectOptions) -> Result<Done, Failure> {
    if options.budget.is_some() {
        let why = "--budget: the time on the wall is up to the cluster; give --time-limit, the mean time of an instance";
        return Err(Failure::Usage(why.into()));
    }
    let settings = &args.cluster.settings;
    settings.validate()?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (input, out) = (absolute(&args.input), absolute(&args.out));
    let instances = find_instances(&input)?.len();
    let limit = options.settings.time_limit;
    let left = match out.join(MANIFEST).exists() {
        true => status(&out).map(|status| status.seconds_planned - status.seconds_used)?,
        false => limit * instances as f64,
    };
    let mut words: Vec<OsString> = vec!["collect".into(), input.into()];
    words.extend(["--out".into(), out.clone().into()]);
    words.extend(["--split".into(), args.split.to_string().into()]);
    words.extend(args.settings.flags().into_iter().map(OsString::from));
    let plan = PlanRequest {
        settings,
        program: &this_program()?,
        out: out.clone(),
        jobs: args.jobs.unwrap_or(1).max(1),
        most_tasks: Slurm.most_tasks(),
    };
    let job = plan_collection(
        &plan,
        words,
        options.settings.threads,
        instances,
        limit,
        left,
    )?;
    let dry_run = args.cluster.dry_run;
    let submission = submit(&out, vec![job], settings, &Slurm, dry_run)?;
    cluster::show(&submission, &args.out, dry_run, args.format)
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
            time_over: summary.time_over,
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

//! `idpas generate`: writes instances of a family, each of which depends only on the seed and its number.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Subcommand;
use idpas_families::course::Course;
use idpas_families::mmcnp::Mmcnp;
use idpas_families::perturb::Perturb;
use idpas_families::slap::Slap;
use idpas_families::{FamilyError, FileFormat, GenerateOptions, InstanceFamily, Size, generate};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Verbosity;
use crate::failure::{Done, Failure, INTERRUPTED};
use crate::output::tell;
use crate::signals::flag_on_signals;

/// Which family to generate.
#[derive(Debug, Subcommand)]
pub(crate) enum FamilyCommand {
    /// Middle-mile consolidation network design; demand varies
    Mmcnp {
        /// Size, number, seed and folder
        #[command(flatten)]
        sized: SizedArgs,
        /// Also decide how often trucks leave, so that waiting for them keeps each commodity's lead time
        #[arg(long)]
        lead_time: bool,
    },
    /// Strategic locomotive assignment; locomotives per train vary
    Slap(SizedArgs),
    /// Course scheduling: blocks of exams into slots; co-enrolment varies
    Course {
        /// Size, number, seed and folder
        #[command(flatten)]
        sized: SizedArgs,
        /// Folder with Cornell's anonymised data; drawn from the seed without it
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
    },
    /// Vary numbers of any model file as a specification says
    Perturb {
        /// Model file: MPS or LP, plain or gzipped
        file: PathBuf,
        /// What varies, and how (TOML)
        #[arg(long, value_name = "SPEC.toml")]
        spec: PathBuf,
        /// Seed; overrides the specification's
        #[arg(long)]
        seed: Option<u64>,
        /// Number, format and folder
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct SizedArgs {
    /// How big: tiny, small, large or hard
    #[arg(long, default_value = "small")]
    size: Size,
    /// Seed of the infrastructure
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// How many instances
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: u64,
    /// Number of the first instance
    #[arg(long, value_name = "N", default_value_t = 1)]
    first: u64,
    /// Folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// File format: mps.gz, mps, lp.gz or lp (names are written with ~ for > in LP)
    #[arg(long, default_value = "mps.gz")]
    format: FileFormat,
    /// Instances to make at a time; 0 for one per processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
}

pub(crate) fn run(command: &FamilyCommand, verbosity: Verbosity) -> Result<Done, Failure> {
    match command {
        FamilyCommand::Mmcnp {
            sized: a,
            lead_time,
        } => {
            let make = match lead_time {
                true => Mmcnp::with_lead_time,
                false => Mmcnp::new,
            };
            write(&make(a.size, a.seed)?, &a.output, verbosity)
        }
        FamilyCommand::Slap(a) => write(&Slap::new(a.size, a.seed)?, &a.output, verbosity),
        FamilyCommand::Course { sized: a, data } => write(
            &Course::new(a.size, a.seed, data.as_deref())?,
            &a.output,
            verbosity,
        ),
        FamilyCommand::Perturb {
            file,
            spec,
            seed,
            output,
        } => write(&Perturb::read(file, spec, *seed)?, output, verbosity),
    }
}

fn write(
    family: &dyn InstanceFamily,
    args: &OutputArgs,
    verbosity: Verbosity,
) -> Result<Done, Failure> {
    let options = GenerateOptions {
        out: args.out.clone(),
        first: args.first,
        count: args.count,
        format: args.format,
        jobs: args.jobs,
    };
    let bar = match verbosity {
        Verbosity::Quiet => ProgressBar::hidden(),
        _ => ProgressBar::new(args.count),
    };
    let template = "{prefix} {wide_bar} {pos}/{len}  {per_sec}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_prefix(format!("{} {}", family.name(), family.size()));
    // On Ctrl-C the instances that have been begun are finished.
    let stopped = flag_on_signals()?;
    let manifest = generate(family, &options, &|progress| {
        bar.set_position(progress.done);
        if verbosity == Verbosity::Verbose {
            bar.suspend(|| tell(&progress.file.name));
        }
        if stopped.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    bar.finish_and_clear();
    let manifest = match manifest {
        Err(FamilyError::Interrupted { .. }) => {
            tell("interrupted: run the same command again to make the whole set");
            return Ok(Done::text("").with_code(INTERRUPTED));
        }
        other => other?,
    };
    let repaired = manifest
        .instances
        .iter()
        .filter(|i| !i.repairs.is_empty())
        .count();
    if repaired > 0 && verbosity > Verbosity::Quiet {
        tell(&format!(
            "{repaired} instances were repaired to keep them feasible; see manifest.json"
        ));
    }
    Ok(Done::text(format!("{}\n", args.out.display())))
}

//! `idpas evaluate`: methods on instances, with equal time, threads and seeds; everything that is missing is made.

mod board;
pub(crate) mod cores;
mod display;
mod instances;
mod jobs;
mod leases;
mod making;
mod plan;
mod prepare;
mod quality;
mod run;
mod runs;
mod shards;
mod stamp;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use idpas_base::process::{Commands, Interrupted};
use idpas_evaluate::analysis::{Clock, analyse};
use idpas_evaluate::report;
use idpas_evaluate::results::{Machine, Manifest, Results, STUDY};
use idpas_evaluate::study::{Benchmark, Folders};
use idpas_evaluate::{EvaluateError, Study};
use idpas_mip::files::save_bytes;
use idpas_pools::Hashes;
use idpas_pools::collect::Shard;
use shards::Shards;

use crate::args::{OutputFormat, Verbosity};
use crate::failure::{Done, Failure, INTERRUPTED, NOTHING};
use crate::output::{json, tell};

/// Up to where to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Until {
    /// Instances are there
    Instances,
    /// Pools are collected
    Collect,
    /// Models are trained
    Train,
    /// Settings are tuned
    Tune,
    /// Everything is run
    #[default]
    Runs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EvaluateArgs {
    /// What to compare, on what, for how long (TOML; see docs/evaluation.md)
    study: PathBuf,
    /// Folder for everything that is made; run the same command again to make only what is missing
    #[arg(long, value_name = "RESULTS")]
    out: PathBuf,
    /// Folder of instances for a benchmark that names neither a family nor instances
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Stop after this
    #[arg(long, value_enum, default_value_t)]
    until: Until,
    /// Do the i-th of n parts of the runs, and help with the rest: all shards that run share pools and tuning, and finish
    /// the part of one that died; by default as a Slurm array or Kubernetes indexed job says
    #[arg(long, value_name = "i/n")]
    shard: Option<String>,
    /// Runs at a time; as many as have a core (per thread) of their own by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl EvaluateArgs {
    /// A study into a folder, everything else as by default.
    pub(super) fn new(study: PathBuf, out: PathBuf) -> Self {
        EvaluateArgs {
            study,
            out,
            instances: None,
            until: Until::Runs,
            shard: None,
            jobs: None,
            format: OutputFormat::Text,
        }
    }
}

/// Why the work ends early.
pub(super) enum Stop {
    /// The user or the system said so.
    Interrupted,
    /// It cannot go on.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

impl From<EvaluateError> for Stop {
    fn from(error: EvaluateError) -> Self {
        Stop::Failed(error.into())
    }
}

impl From<idpas_pools::PoolError> for Stop {
    fn from(error: idpas_pools::PoolError) -> Self {
        Stop::Failed(error.into())
    }
}

impl From<Interrupted> for Stop {
    fn from(_: Interrupted) -> Self {
        Stop::Interrupted
    }
}

/// What all parts of the work need.
pub(super) struct Work<'a> {
    study: &'a Study,
    results: &'a Results,
    commands: &'a Commands,
    shard: Shard,
    shards: &'a Shards,
    /// When this process began, in seconds since 1970.
    begun: u64,
    jobs: Option<usize>,
    until: Until,
    verbosity: Verbosity,
    /// Hashes of files that this command has read.
    hashes: Hashes,
}

impl Work<'_> {
    fn say(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            tell(text);
        }
    }
}

pub(crate) fn run(args: &EvaluateArgs, verbosity: Verbosity) -> Result<Done, Failure> {
    let mut study = Study::read(&args.study)?;
    fill_in(&mut study, args)?;
    let scheduled = || Shard::from_environment(|name| std::env::var(name).ok());
    let shard = match &args.shard {
        Some(text) => text.parse()?,
        None => scheduled().unwrap_or_default(),
    };
    let results = Results::new(&args.out);
    let commands = crate::processes::commands()?;
    keep_study(&study, args, &results)?;
    let shards = Shards::begin(results.folder(), shard)?;
    let work = Work {
        study: &study,
        results: &results,
        commands: &commands,
        shard,
        shards: &shards,
        begun: stamp::now(),
        jobs: args.jobs.map(usize::from),
        until: args.until,
        verbosity,
        hashes: Hashes::default(),
    };
    let failed = match work.all() {
        Ok(failed) => failed,
        Err(Stop::Interrupted) => {
            tell("interrupted: run the same command again to go on");
            return Ok(Done::default().with_code(INTERRUPTED));
        }
        Err(Stop::Failed(failure)) => return Err(failure),
    };
    if failed.is_none() {
        shards.done();
    }
    if args.until < Until::Runs {
        return match failed {
            Some(failure) => Err(failure),
            None => Ok(Done::text(format!("{}\n", args.out.display()))),
        };
    }
    conclude(&work, failed, args.format)
}

/// The table of what was run, and how it went.
fn conclude(
    work: &Work<'_>,
    failed: Option<Failure>,
    format: OutputFormat,
) -> Result<Done, Failure> {
    let analysis = match analyse(work.results, Clock::EndToEnd) {
        Ok(analysis) => analysis,
        // What failed is the reason for having nothing to show.
        Err(error) => return Err(failed.unwrap_or(error.into())),
    };
    // What other shards have not done yet is no failure of this one.
    let alone = work.shard.parts().is_none();
    let incomplete = analysis
        .benchmarks
        .iter()
        .any(|b| b.soundness.failed > 0 || alone && b.soundness.missing > 0);
    let code = if incomplete { NOTHING } else { 0 };
    if failed.is_none() && analysis.benchmarks.iter().all(|b| b.soundness.missing == 0) {
        work.shards.all_done();
    }
    let done = match format {
        OutputFormat::Json => json(&analysis)?,
        OutputFormat::Text => Done::text(report::text(&analysis)),
    };
    Ok(done.with_code(code).with_failure(failed))
}

/// Puts the folder given on the command line where the study leaves it open.
fn fill_in(study: &mut Study, args: &EvaluateArgs) -> Result<(), Failure> {
    let open = |b: &Benchmark| b.family.is_none() && b.instances.is_none();
    let mut used = false;
    for benchmark in study.benchmarks.iter_mut().filter(|b| open(b)) {
        let Some(folder) = &args.instances else {
            return Err(Failure::Usage(format!(
                "{}: benchmark `{}` names neither a family nor instances; add --instances DIR",
                args.study.display(),
                benchmark.name
            )));
        };
        benchmark.instances = Some(Folders::One(folder.clone()));
        used = true;
    }
    if args.instances.is_some() && !used {
        return Err(Failure::Usage(format!(
            "--instances: every benchmark of {} names its own",
            args.study.display()
        )));
    }
    Ok(())
}

/// Keeps the study with its results, paths resolved, and says what they are made with.
fn keep_study(study: &Study, args: &EvaluateArgs, results: &Results) -> Result<(), Failure> {
    let folder = results.folder();
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::Usage(format!("{}: {e}", folder.display())))?;
    let text = study.to_toml()?;
    let path = folder.join(STUDY);
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        save_bytes(&path, text.as_bytes())?;
    }
    let mut machine = Machine::this();
    machine.cores = cores::available().len().max(1);
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    let manifest = Manifest {
        program: idpas_base::PROGRAM.into(),
        solver: solver_version()?,
        study_sha256: idpas_base::hash::text_hash(&text),
        machine,
        written: stamp::now(),
        command: format!(
            "idpas evaluate {} --out {}",
            name(&args.study),
            name(&args.out)
        ),
    };
    Ok(idpas_evaluate::results::write(
        &folder.join("manifest.json"),
        &manifest,
    )?)
}

fn solver_version() -> Result<String, Failure> {
    let solver = idpas_solver::by_name("highs")?;
    Ok(format!("{} {}", solver.name(), solver.version()))
}

impl Work<'_> {
    /// Does all benchmarks. One that fails does not keep the others waiting; the first failure is returned.
    fn all(&self) -> Result<Option<Failure>, Stop> {
        let mut failed = None;
        let mut left = self.study.benchmarks.len();
        for benchmark in &self.study.benchmarks {
            left -= 1;
            match self.benchmark(benchmark) {
                Ok(()) => {}
                Err(Stop::Interrupted) => return Err(Stop::Interrupted),
                Err(Stop::Failed(failure)) => {
                    if left > 0 {
                        let name = &benchmark.name;
                        tell(&format!(
                            "error: {failure}; {name} is left, the next benchmark begins"
                        ));
                    }
                    failed.get_or_insert(failure);
                }
            }
        }
        Ok(failed)
    }

    fn benchmark(&self, benchmark: &Benchmark) -> Result<(), Stop> {
        let threads = usize::from(self.study.threads);
        let at_a_time = cores::deal(&cores::available(), threads, self.jobs).jobs;
        for line in plan::lines(self.study, benchmark, at_a_time) {
            self.say(&line);
        }
        let Some(prepared) = prepare::prepare(self, benchmark)? else {
            return Ok(());
        };
        runs::run_all(self, &prepared)?;
        quality::judge(self, &prepared)
    }
}

//! What commands that hand work over to a cluster have in common: their flags, and what they show.

use std::path::Path;

use idpas_base::words::{counted, duration};
use idpas_evaluate::cluster::{ClusterJob, ClusterSettings, PlannedJob, Submission, SubmittedJob};
use serde::Serialize;

use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::json;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct SlurmArgs {
    /// Hand the work over to Slurm and end: writes batch scripts and submits those whose work is neither done nor in the
    /// queue; `idpas status` shows how far it is
    #[arg(long, help_heading = "Cluster", display_order = 300)]
    pub(crate) slurm: bool,
    /// With --slurm: show the scripts; nothing is written or submitted
    #[arg(
        long,
        requires = "slurm",
        help_heading = "Cluster",
        display_order = 301
    )]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) settings: ClusterSettings,
}

impl SlurmArgs {
    /// Refuses settings of a cluster where none is asked for.
    pub(crate) fn refuse_settings(&self) -> Result<(), Failure> {
        match self.settings.is_empty() {
            true => Ok(()),
            false => Err(Failure::Usage(
                "settings of a cluster were given without --slurm or --kubernetes".into(),
            )),
        }
    }
}

#[derive(Serialize)]
struct SubmissionJson<'a> {
    planned: Vec<PlannedJson<'a>>,
    submitted: &'a [SubmittedJob],
}

#[derive(Serialize)]
struct PlannedJson<'a> {
    name: &'a str,
    benchmark: Option<&'a str>,
    stage: &'static str,
    tasks: usize,
    cpus: usize,
    memory: Option<&'a str>,
    seconds: Option<f64>,
    work: Option<f64>,
    longest: f64,
    after: &'a [usize],
    path: &'a Path,
    script: &'a str,
    queued: Option<u64>,
}

/// What was handed over, or would be.
pub(crate) fn show(
    submission: &Submission,
    out: &Path,
    dry_run: bool,
    format: OutputFormat,
) -> Result<Done, Failure> {
    if format == OutputFormat::Json {
        let planned = submission.planned.iter().map(|planned| PlannedJson {
            name: &planned.job.name,
            benchmark: planned.job.benchmark.as_deref(),
            stage: planned.job.stage.as_str(),
            tasks: planned.job.tasks,
            cpus: planned.job.cpus,
            memory: planned.job.memory.as_deref(),
            seconds: planned.job.seconds,
            work: planned.job.work,
            longest: planned.job.longest,
            after: &planned.job.after,
            path: &planned.path,
            script: &planned.script,
            queued: planned.queued,
        });
        return json(&SubmissionJson {
            planned: planned.collect(),
            submitted: &submission.submitted,
        });
    }
    let mut text = String::new();
    if submission.planned.is_empty() {
        return Ok(Done::text("nothing is left to do\n"));
    }
    let mut submitted = submission.submitted.iter();
    for planned in &submission.planned {
        let PlannedJob { job, queued, .. } = planned;
        let number = match (queued, dry_run) {
            (Some(id), _) => format!("job {id} is in the queue already"),
            (None, true) => "would be submitted".to_owned(),
            (None, false) => {
                let id = submitted.next().map_or(0, |job| job.id);
                format!("job {id}")
            }
        };
        text.push_str(&format!("{}: {}: {number}\n", job.name, size(job)));
        if dry_run && queued.is_none() {
            let names = job.after.iter().map(|&at| &submission.planned[at].job.name);
            let names: Vec<&str> = names.map(String::as_str).collect();
            if !names.is_empty() {
                text.push_str(&format!("  after {}\n", names.join(", ")));
            }
            text.push_str(&format!("  {}\n", planned.path.display()));
            let lines = planned.script.lines().map(|line| format!("    {line}\n"));
            text.extend(lines);
        }
    }
    if !dry_run {
        text.push_str(&format!("\nidpas status {}\n", out.display()));
    }
    Ok(Done::text(text))
}

/// What a job asks for.
fn size(job: &ClusterJob) -> String {
    let time = match job.seconds {
        Some(seconds) => format!("{} at most", duration(seconds)),
        None => "as long as the cluster allows".to_owned(),
    };
    let memory = job.memory.iter().map(|memory| format!(", {memory}"));
    format!(
        "{} of {}{}, {time}",
        counted(job.tasks, "task"),
        counted(job.cpus, "processor"),
        memory.collect::<String>()
    )
}

//! Handing jobs over to Slurm: only those whose work is neither done nor in the queue.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use idpas_base::claim::Claims;
use idpas_mip::files::save_bytes;
use serde::{Deserialize, Serialize};

use super::{
    ClusterJob, ClusterSettings, FOLDER, JobStage, PlanRequest, Slurm, plan_study, sbatch_script,
};
use crate::results::{Results, read, write};
use crate::run::{StudyRequest, absolute, complete_study, keep_study, study_progress};
use crate::{EvaluateError, Study};

/// A job that was handed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmittedJob {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The benchmark that it works on; `None` if on all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// What it does.
    pub stage: JobStage,
    /// How many tasks it has.
    pub tasks: usize,
    /// When it was handed over, in seconds since 1970.
    pub submitted: u64,
}

/// A job of the plan, with its script.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedJob {
    /// The job.
    pub job: ClusterJob,
    /// The file of its script.
    pub path: PathBuf,
    /// The text of its script.
    pub script: String,
    /// The job that does the same and is in the queue already, if there is one: nothing is handed over then.
    pub queued: Option<u64>,
}

/// What was handed over, or would be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    /// The plan.
    pub planned: Vec<PlannedJob>,
    /// The jobs that were handed over; none if that was not asked for.
    pub submitted: Vec<SubmittedJob>,
}

/// Plans what is left of a study and hands it over, unless it is in the queue already. With `dry_run`, nothing is written
/// or handed over. Parts of the request that are about one process alone do not matter.
pub fn submit_study(
    request: &StudyRequest<'_>,
    settings: &ClusterSettings,
    slurm: &Slurm,
    dry_run: bool,
) -> Result<Submission, EvaluateError> {
    let planned = plan_left(request, settings, slurm.most_tasks())?;
    if !dry_run {
        keep_study(&planned.study, request, &Results::new(request.out))?;
    }
    submit(
        &planned.out,
        planned.jobs,
        &planned.settings,
        slurm,
        dry_run,
    )
}

/// A plan, and what it was made from.
pub(super) struct StudyPlan {
    pub(super) study: Study,
    pub(super) settings: ClusterSettings,
    pub(super) out: PathBuf,
    pub(super) jobs: Vec<ClusterJob>,
}

/// Plans what is left of a study.
pub(super) fn plan_left(
    request: &StudyRequest<'_>,
    settings: &ClusterSettings,
    most_tasks: usize,
) -> Result<StudyPlan, EvaluateError> {
    let study = complete_study(request)?;
    let settings = settings.or(&study.cluster);
    settings.validate()?;
    let out = absolute(request.out);
    let progress = study_progress(&study, request.out, request.only)?;
    let plan = PlanRequest {
        settings: &settings,
        program: &request.commands.program,
        out: out.clone(),
        jobs: request.jobs.unwrap_or(1).max(1),
        most_tasks,
    };
    let jobs = plan_study(&plan, &study, &progress)?;
    Ok(StudyPlan {
        study,
        settings,
        out,
        jobs,
    })
}

/// Writes the scripts of jobs into the folder `cluster` of `out` and hands them over in their order, each to begin when
/// those before it are over. A job that does the same as one in the queue is left out.
pub fn submit(
    out: &Path,
    jobs: Vec<ClusterJob>,
    settings: &ClusterSettings,
    slurm: &Slurm,
    dry_run: bool,
) -> Result<Submission, EvaluateError> {
    let folder = out.join(FOLDER);
    refuse_lines(out)?;
    if dry_run || jobs.is_empty() {
        return hand_over(out, jobs, settings, slurm, dry_run);
    }
    let claims = Claims::new(folder.join("claims"));
    let claim = claims
        .take("submit")
        .map_err(|e| EvaluateError::io(&folder, e))?;
    if claim.is_none() {
        let folder = folder.display();
        let why = "another process is handing jobs over at this moment";
        return Err(EvaluateError::Input(format!("{folder}: {why}")));
    }
    let submission = hand_over(out, jobs, settings, slurm, dry_run);
    drop(claim);
    claims.tidy();
    submission
}

/// Refuses a folder whose name has several lines: in the options of a batch script, where nothing can be quoted, the second
/// one would be a command.
fn refuse_lines(out: &Path) -> Result<(), EvaluateError> {
    let name = out.display().to_string();
    match name.chars().any(char::is_control) {
        true => Err(EvaluateError::Input(format!(
            "{name:?}: control characters in the name of the folder; expected a name in one line"
        ))),
        false => Ok(()),
    }
}

fn hand_over(
    out: &Path,
    jobs: Vec<ClusterJob>,
    settings: &ClusterSettings,
    slurm: &Slurm,
    dry_run: bool,
) -> Result<Submission, EvaluateError> {
    let folder = out.join(FOLDER);
    let logs = folder.join("logs");
    let before = submitted_jobs(out)?;
    let alive = match before.is_empty() {
        true => Vec::new(),
        false => alive(&before, slurm)?,
    };
    let mut submission = Submission::default();
    // Numbers of the jobs of the plan.
    let mut ids: Vec<Option<u64>> = Vec::new();
    let mut all = before;
    for job in jobs {
        let same = |old: &&SubmittedJob| old.benchmark == job.benchmark && old.stage == job.stage;
        let mut queued = alive.iter().rfind(same).map(|old| old.id);
        // A report that waits for other jobs than these comes too soon.
        if job.stage == JobStage::Report && submission.planned.iter().any(|p| p.queued.is_none()) {
            queued = None;
        }
        let planned = PlannedJob {
            path: folder.join(format!("{}.sbatch", job.name)),
            script: sbatch_script(&job, settings, &logs),
            queued,
            job,
        };
        let mut id = queued;
        if queued.is_none() && !dry_run {
            std::fs::create_dir_all(&logs).map_err(|e| EvaluateError::io(&logs, e))?;
            save_bytes(&planned.path, planned.script.as_bytes())?;
            let after = planned.job.after.iter();
            let after: Vec<u64> = after
                .filter_map(|&at| ids.get(at).copied().flatten())
                .collect();
            let new = SubmittedJob {
                id: slurm.submit(&planned.path, &after)?,
                name: planned.job.name.clone(),
                benchmark: planned.job.benchmark.clone(),
                stage: planned.job.stage,
                tasks: planned.job.tasks,
                submitted: SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0, |since| since.as_secs()),
            };
            id = Some(new.id);
            all.push(new.clone());
            // One by one, so that none is forgotten if the next is refused.
            write(&folder.join(JOBS), &all)?;
            submission.submitted.push(new);
        }
        ids.push(id);
        submission.planned.push(planned);
    }
    Ok(submission)
}

/// The file of all jobs that were handed over.
const JOBS: &str = "jobs.json";

/// All jobs that were ever handed over for a folder, oldest first.
pub(super) fn submitted_jobs(out: &Path) -> Result<Vec<SubmittedJob>, EvaluateError> {
    let jobs = read(&out.join(FOLDER).join(JOBS), "list of jobs of a cluster")?;
    Ok(jobs.unwrap_or_default())
}

/// Those of some jobs that are in the queue.
fn alive(jobs: &[SubmittedJob], slurm: &Slurm) -> Result<Vec<SubmittedJob>, EvaluateError> {
    let queue = slurm.queue(&names(jobs))?;
    let is_alive = |job: &&SubmittedJob| {
        queue
            .get(&job.id)
            .is_some_and(|queued| queued.pending + queued.running > 0)
    };
    Ok(jobs.iter().filter(is_alive).cloned().collect())
}

/// The different names of jobs.
pub(super) fn names(jobs: &[SubmittedJob]) -> Vec<String> {
    let mut names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

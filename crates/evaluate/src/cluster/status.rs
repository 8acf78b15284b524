//! How the jobs of a folder are, by the queue, the accounts and the logs of their tasks.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::submit::{names, submitted_jobs};
use super::{FOLDER, Slurm, SubmittedJob};
use crate::EvaluateError;

/// Bytes at the end of a log in which its last error is looked for.
const TAIL: u64 = 8192;
/// Failures that are listed, at most.
const MOST_FAILURES: usize = 20;

/// How the jobs of a folder are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterStatus {
    /// The newest job of each stage of each benchmark, in the order in which they were handed over.
    pub jobs: Vec<JobStatus>,
    /// Tasks that ended with an error, the latest of each job, at most 20.
    pub failures: Vec<TaskFailure>,
    /// Why the queue could not be asked, if it could not.
    pub unknown: Option<String>,
}

/// How a job is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobStatus {
    /// The job.
    #[serde(flatten)]
    pub job: SubmittedJob,
    /// Tasks that wait.
    pub pending: usize,
    /// Tasks at work.
    pub running: usize,
    /// Tasks that are over, as far as is known.
    pub ended: usize,
    /// Tasks that did not end well, by Slurm's word for it; empty where no accounts are kept.
    pub not_completed: BTreeMap<String, usize>,
    /// Why tasks wait, in Slurm's words.
    pub reasons: Vec<String>,
}

/// A task that ended with an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskFailure {
    /// Its log.
    pub log: PathBuf,
    /// The error.
    pub message: String,
}

impl ClusterStatus {
    /// Tasks at work, of all jobs.
    pub fn running(&self) -> usize {
        self.jobs.iter().map(|job| job.running).sum()
    }

    /// Numbers of the jobs in the queue.
    pub fn in_queue(&self) -> Vec<u64> {
        let alive = |job: &&JobStatus| job.pending + job.running > 0;
        self.jobs
            .iter()
            .filter(alive)
            .map(|job| job.job.id)
            .collect()
    }
}

/// How the jobs of a folder of results or pools are; `None` if there never were any.
pub fn cluster_status(out: &Path, slurm: &Slurm) -> Result<Option<ClusterStatus>, EvaluateError> {
    let all = submitted_jobs(out)?;
    if all.is_empty() {
        return Ok(None);
    }
    let (queue, unknown) = match slurm.queue(&names(&all)) {
        Ok(queue) => (queue, None),
        Err(error) => (BTreeMap::new(), Some(error.to_string())),
    };
    let in_queue = |job: &SubmittedJob| {
        queue
            .get(&job.id)
            .is_some_and(|q| q.pending + q.running > 0)
    };
    let is_newest = |at: usize| {
        let job = &all[at];
        let same =
            |other: &SubmittedJob| other.benchmark == job.benchmark && other.stage == job.stage;
        !all[at + 1..].iter().any(same)
    };
    let shown: Vec<&SubmittedJob> = (0..all.len())
        .filter(|&at| is_newest(at) || in_queue(&all[at]))
        .map(|at| &all[at])
        .collect();
    let ids: Vec<u64> = shown.iter().map(|job| job.id).collect();
    let accounts = match unknown {
        None => slurm.accounts(&ids).unwrap_or_default(),
        Some(_) => BTreeMap::new(),
    };
    let jobs = shown.into_iter().map(|job| {
        let queued = queue.get(&job.id).cloned().unwrap_or_default();
        let accounted = accounts.get(&job.id).cloned().unwrap_or_default();
        JobStatus {
            ended: match unknown {
                None => job.tasks.saturating_sub(queued.pending + queued.running),
                Some(_) => 0,
            },
            pending: queued.pending,
            running: queued.running,
            reasons: queued.reasons,
            not_completed: accounted.others,
            job: job.clone(),
        }
    });
    let jobs: Vec<JobStatus> = jobs.collect();
    let failures = failures(&out.join(FOLDER).join("logs"), &ids);
    Ok(Some(ClusterStatus {
        jobs,
        failures,
        unknown,
    }))
}

/// The last errors in the logs of some jobs' tasks.
fn failures(logs: &Path, ids: &[u64]) -> Vec<TaskFailure> {
    let files = std::fs::read_dir(logs).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = files.map(|file| file.path()).collect();
    paths.sort();
    // `NAME-123_4.log`.
    let is_ours = |path: &&PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let task = stem.rsplit('-').next().unwrap_or_default();
        let id = task.split('_').next().and_then(|id| id.parse().ok());
        id.is_some_and(|id: u64| ids.contains(&id))
    };
    let failure = |path: &PathBuf| {
        let message = last_error(path)?;
        Some(TaskFailure {
            log: path.clone(),
            message,
        })
    };
    let found = paths.iter().filter(is_ours).filter_map(failure);
    found.take(MOST_FAILURES).collect()
}

/// The error that a log ends with.
fn last_error(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().rev().take(5);
    // `error: …` is ours, `slurmstepd: error: …` is Slurm's.
    let error =
        lines.find(|line| line.starts_with("error:") || line.starts_with("slurmstepd: error:"))?;
    Some(idpas_base::words::one_line(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_at_the_ends_of_logs() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "idpas-s-b-runs-12_1.log",
            "[1/3] a\nerror: x.mps:3: no such row\n",
        );
        write(
            "idpas-s-b-runs-12_2.log",
            "error: once\na\nb\nc\nd\ne\nall went well\n",
        );
        write("idpas-s-b-runs-11_1.log", "error: of an earlier job\n");
        write(
            "idpas-s-b-runs-12_3.log",
            &format!("{}\nslurmstepd: error: killed\n", "x".repeat(20_000)),
        );
        let found = failures(folder.path(), &[12]);
        let messages: Vec<&str> = found
            .iter()
            .map(|failure| failure.message.as_str())
            .collect();
        assert_eq!(
            messages,
            ["error: x.mps:3: no such row", "slurmstepd: error: killed"]
        );
        assert_eq!(found[0].log, folder.path().join("idpas-s-b-runs-12_1.log"));
    }
}

//! The commands of Slurm.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::EvaluateError;

/// Tasks that an array may have where the scheduler does not say: Slurm's own default.
const MOST_TASKS: usize = 1000;

/// Slurm, by its commands. They are looked for as the system looks for programs.
#[derive(Clone, Copy, Debug)]
pub struct Slurm;

/// Tasks of one job in the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queued {
    pub(super) pending: usize,
    pub(super) running: usize,
    /// Why tasks are waiting, in Slurm's words.
    pub(super) reasons: Vec<String>,
}

/// Tasks of one job that have ended, by Slurm's accounting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Accounted {
    pub(super) completed: usize,
    /// Tasks that ended otherwise, by Slurm's word for it.
    pub(super) others: BTreeMap<String, usize>,
}

impl Slurm {
    /// The standard output of a command that succeeded.
    fn run(&self, program: &str, words: &[OsString]) -> Result<String, EvaluateError> {
        let failed = |message: String| EvaluateError::Cluster {
            command: program.to_owned(),
            message,
        };
        let output = Command::new(program)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| match e.kind() {
                ErrorKind::NotFound => failed(
                    "there is no such command here; run this on a machine that submits jobs".into(),
                ),
                _ => failed(e.to_string()),
            })?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => {
                let message = String::from_utf8_lossy(&output.stderr);
                Err(failed(idpas_base::words::one_line(message.trim())))
            }
        }
    }

    /// How many tasks an array may have.
    pub fn most_tasks(&self) -> usize {
        let config = self.run("scontrol", &["show".into(), "config".into()]);
        config
            .ok()
            .and_then(|text| most_tasks(&text))
            .unwrap_or(MOST_TASKS)
    }

    /// Submits a script that runs when some jobs are over, however they ended. Gives its number.
    pub(super) fn submit(&self, script: &Path, after: &[u64]) -> Result<u64, EvaluateError> {
        let mut words: Vec<OsString> = vec!["--parsable".into()];
        if !after.is_empty() {
            let ids: Vec<String> = after.iter().map(u64::to_string).collect();
            words.push(format!("--dependency=afterany:{}", ids.join(":")).into());
        }
        words.push(script.into());
        let printed = self.run("sbatch", &words)?;
        // `123`, or `123;cluster`.
        let id = printed.trim().split(';').next().unwrap_or_default();
        id.parse().map_err(|_| EvaluateError::Cluster {
            command: "sbatch".into(),
            message: format!("`{}`; expected the number of a job", printed.trim()),
        })
    }

    /// The tasks in the queue of jobs with these names, by the number of their job.
    pub(super) fn queue(&self, names: &[String]) -> Result<BTreeMap<u64, Queued>, EvaluateError> {
        let words = ["-h", "-r", "-o", "%F|%T|%r", "--name"].map(OsString::from);
        let mut words = words.to_vec();
        words.push(names.join(",").into());
        Ok(queued(&self.run("squeue", &words)?))
    }

    /// The tasks of some jobs that have ended, by the number of their job; `None` if the cluster keeps no accounts.
    pub(super) fn accounts(&self, ids: &[u64]) -> Option<BTreeMap<u64, Accounted>> {
        let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
        let words = ["-n", "-P", "-X", "-o", "JobID,State", "-j"].map(OsString::from);
        let mut words = words.to_vec();
        words.push(ids.join(",").into());
        self.run("sacct", &words).ok().map(|text| accounted(&text))
    }
}

/// `MaxArraySize = 1001`: the numbers of tasks are below it, and ours begin at 1.
fn most_tasks(config: &str) -> Option<usize> {
    let line = config
        .lines()
        .find(|line| line.starts_with("MaxArraySize"))?;
    let size: usize = line.split('=').nth(1)?.trim().parse().ok()?;
    Some(size.saturating_sub(1).max(1))
}

/// Lines such as `123|PENDING|Dependency`.
fn queued(text: &str) -> BTreeMap<u64, Queued> {
    let mut all: BTreeMap<u64, Queued> = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.trim().split('|');
        let (Some(id), Some(state)) = (fields.next(), fields.next()) else {
            continue;
        };
        let Ok(id) = id.parse() else {
            continue;
        };
        let one = all.entry(id).or_default();
        match state {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "SUSPENDED" | "SPECIAL_EXIT" => {
                one.pending += 1;
                let reason = fields.next().unwrap_or_default().to_owned();
                if !one.reasons.contains(&reason) && reason != "None" {
                    one.reasons.push(reason);
                }
            }
            "RUNNING" | "CONFIGURING" | "COMPLETING" | "STAGE_OUT" | "SIGNALING" => {
                one.running += 1;
            }
            // It has ended, and is shown for a while.
            _ => {}
        }
    }
    all
}

/// Lines such as `123_4|COMPLETED` and `123_[5-9]|PENDING`.
fn accounted(text: &str) -> BTreeMap<u64, Accounted> {
    let mut all: BTreeMap<u64, Accounted> = BTreeMap::new();
    for line in text.lines() {
        let Some((task, state)) = line.trim().split_once('|') else {
            continue;
        };
        let Some(Ok(id)) = task.split('_').next().map(str::parse) else {
            continue;
        };
        let one = all.entry(id).or_default();
        // `CANCELLED by 1000`.
        match state.split_whitespace().next().unwrap_or_default() {
            "COMPLETED" => one.completed += 1,
            "PENDING" | "RUNNING" | "REQUEUED" | "SUSPENDED" | "" => {}
            other => *one.others.entry(other.to_lowercase()).or_default() += 1,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slurm_prints_is_understood() {
        let config =
            "Configuration data as of 2026-11-18\nMaxArraySize            = 1001\nMaxDBDMsgs = 1\n";
        assert_eq!(most_tasks(config), Some(1000));
        assert_eq!(most_tasks("nothing"), None);
        let queue = queued(
            "12|RUNNING|None\n12|PENDING|Resources\n12|PENDING|Resources\n13|PENDING|Dependency\n14|COMPLETED|None\nx\n",
        );
        assert_eq!(queue[&12].pending, 2);
        assert_eq!(queue[&12].running, 1);
        assert_eq!(queue[&12].reasons, ["Resources"]);
        assert_eq!(queue[&13].reasons, ["Dependency"]);
        assert_eq!(queue[&14], Queued::default());
        let accounts = accounted(
            "12_1|COMPLETED\n12_2|CANCELLED by 0\n12_[3-9]|PENDING\n13_1|TIMEOUT\n13_2|TIMEOUT\n",
        );
        assert_eq!(accounts[&12].completed, 1);
        assert_eq!(accounts[&12].others["cancelled"], 1);
        assert_eq!(accounts[&13].others["timeout"], 2);
    }
}

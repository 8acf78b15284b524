//! Jobs as batch scripts of Slurm.

use std::ffi::OsStr;
use std::path::Path;

use super::{ClusterJob, ClusterSettings};

/// Seconds before the end of its time at which a task is told to end, so that a training keeps what it has.
const WARNING: u64 = 60;

/// The text of a job's batch script. What the tasks say goes to the folder `logs`.
pub fn sbatch_script(job: &ClusterJob, settings: &ClusterSettings, logs: &Path) -> String {
    let mut lines = vec!["#!/bin/bash".to_owned()];
    let mut option = |text: String| lines.push(format!("#SBATCH {text}"));
    option(format!("--job-name={}", job.name));
    if let Some(partition) = &settings.partition {
        option(format!("--partition={partition}"));
    }
    if let Some(account) = &settings.account {
        option(format!("--account={account}"));
    }
    option(format!("--array={}", array(job)));
    option("--nodes=1".into());
    option("--ntasks=1".into());
    option(format!("--cpus-per-task={}", job.cpus));
    if let Some(memory) = &job.memory {
        option(format!("--mem={memory}"));
    }
    if let Some(seconds) = job.seconds {
        option(format!("--time={}", slurm_time(seconds)));
    }
    // To the program itself, which takes the place of the script's shell.
    option(format!("--signal=B:TERM@{WARNING}"));
    option("--requeue".into());
    option("--open-mode=append".into());
    option(format!("--output={}", escaped(logs, "%x-%A_%a.log")));
    for line in settings.sbatch.iter().flatten() {
        let text = line.trim().trim_start_matches("#SBATCH").trim();
        option(text.to_owned());
    }
    lines.push("# A training uses as many threads as the task has processors, also where the cluster does not bind tasks.".into());
    lines.push("export RAYON_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}".into());
    lines.extend(settings.setup.iter().flatten().cloned());
    let (last, before) = match job.commands.split_last() {
        Some((last, before)) => (Some(last), before),
        None => (None, job.commands.as_slice()),
    };
    // What a command leaves undone does not keep the next from its work.
    lines.extend(before.iter().map(|words| shell_words(words)));
    lines.extend(last.map(|words| format!("exec {}", shell_words(words))));
    lines.join("\n") + "\n"
}

/// Tasks are counted from 1, as shards are.
fn array(job: &ClusterJob) -> String {
    let most = job
        .at_a_time
        .map_or(String::new(), |most| format!("%{most}"));
    format!("1-{}{most}", job.tasks)
}

/// Seconds as `hours:minutes:seconds`, rounded up to minutes, which is how Slurm counts.
fn slurm_time(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil().max(1.0) as u64;
    format!("{}:{:02}:00", minutes / 60, minutes % 60)
}

/// A path of a log in whose folder Slurm finds no patterns of its own.
fn escaped(folder: &Path, name: &str) -> String {
    let folder = folder.display().to_string().replace('%', "%%");
    format!("{folder}/{name}")
}

/// Words as a shell reads them.
pub(super) fn shell_words<W: AsRef<OsStr>>(words: &[W]) -> String {
    let quoted = words.iter().map(|word| {
        let word = word.as_ref().to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::JobStage;
    use super::*;
    use crate::run::Until;

    #[test]
    fn a_script_says_all_that_was_asked_for() {
        let job = ClusterJob {
            name: "idpas-s-b-runs".into(),
            benchmark: Some("b".into()),
            stage: JobStage::Study(Until::Runs),
            tasks: 12,
            at_a_time: Some(4),
            cpus: 2,
            memory: Some("8G".into()),
            seconds: Some(3601.0),
            work: None,
            longest: 0.0,
            commands: vec![
                vec![
                    "/opt/my tools/idpas".into(),
                    "evaluate".into(),
                    "it's".into(),
                ],
                vec!["idpas".into(), "report".into(), "$(rm -r x)".into()],
            ],
            after: vec![],
        };
        let settings = ClusterSettings {
            partition: Some("long".into()),
            account: Some("opt".into()),
            sbatch: Some(vec!["--constraint=x".into(), "#SBATCH --qos=low".into()]),
            setup: Some(vec!["module load gcc".into()]),
            ..ClusterSettings::default()
        };
        let expected = "#!/bin/bash
#SBATCH --job-name=idpas-s-b-runs
#SBATCH --partition=long
#SBATCH --account=opt
#SBATCH --array=1-12%4
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=1:01:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/r%%1/logs/%x-%A_%a.log
#SBATCH --constraint=x
#SBATCH --qos=low
# A training uses as many threads as the task has processors, also where the cluster does not bind tasks.
export RAYON_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
module load gcc
'/opt/my tools/idpas' evaluate 'it'\\''s'
exec idpas report '$(rm -r x)'
";
        assert_eq!(
            sbatch_script(&job, &settings, "/r%1/logs".as_ref()),
            expected
        );
    }
}

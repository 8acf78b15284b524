//! Which jobs of a cluster do what is left of a study, or of a collection.
//!
//! Every stage of a benchmark is an array of tasks, each of which does a part of about equal length; it begins when the
//! stage before has ended, however that went. Tasks claim their work, and make what a stage before has left: so it does
//! not matter how many of them run at a time, in which order, or whether some die.

use std::ffi::OsString;
use std::path::PathBuf;

use idpas_base::process::WorkerCommand;
use serde::{Deserialize, Serialize};

use super::ClusterSettings;
use crate::EvaluateError;
use crate::run::{LONGEST_TURN, StageProgress, StudyProgress, Until};
use crate::study::{Study, slug};

/// Seconds that a task may take beyond its work: starting, reading instances and models, writing.
const AROUND_A_TASK: f64 = 300.0;
/// Seconds before the end of its time at which a task is done.
const SPARE: f64 = 120.0;
/// Seconds for generating instances, and for what the last job has to do.
const SHORT: f64 = 3600.0;
/// Trainings read instances and make graphs before their time begins.
const AROUND_A_TRAINING: f64 = 3600.0;
/// Names of jobs are cut here.
const LONGEST_NAME: usize = 100;

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobStage {
    /// A collection of its own.
    Pools,
    /// The report of a study.
    Report,
    /// A stage of a study.
    #[serde(untagged)]
    Study(Until),
}

impl JobStage {
    /// Its name in those of jobs.
    pub fn as_str(self) -> &'static str {
        match self {
            JobStage::Study(until) => until.as_str(),
            JobStage::Pools => "pools",
            JobStage::Report => "report",
        }
    }
}

/// A job of a cluster: an array of equal tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterJob {
    /// Its name.
    pub name: String,
    /// The benchmark that it works on; `None` if on all.
    pub benchmark: Option<String>,
    /// What it does.
    pub stage: JobStage,
    /// How many tasks it has.
    pub tasks: usize,
    /// How many of them may run at a time.
    pub at_a_time: Option<usize>,
    /// Processors of a task.
    pub cpus: usize,
    /// Memory of a task.
    pub memory: Option<String>,
    /// Seconds that a task may take; `None` for as long as the cluster lets it.
    pub seconds: Option<f64>,
    /// Seconds of work of all tasks together, about; `None` where nothing limits them.
    pub work: Option<f64>,
    /// Seconds of the longest piece of work, about; 0 where nothing limits it.
    pub longest: f64,
    /// The commands of a task, one after the other.
    pub commands: Vec<Vec<OsString>>,
    /// The jobs that have to be over before this one begins, by their places in the plan.
    pub after: Vec<usize>,
}

/// What all jobs of a plan share.
#[derive(Clone, Debug)]
pub struct PlanRequest<'a> {
    /// What is asked of the cluster.
    pub settings: &'a ClusterSettings,
    /// How the program is started on the machines of the cluster.
    pub program: &'a WorkerCommand,
    /// The folder of results or pools, on all machines of the cluster.
    pub out: PathBuf,
    /// Pieces of work at a time in a task.
    pub jobs: usize,
    /// Tasks that an array may have.
    pub most_tasks: usize,
}

/// The jobs for what is left of a study; none if nothing is. Its study file is the one among its results.
pub fn plan_study(
    request: &PlanRequest<'_>,
    study: &Study,
    progress: &StudyProgress,
) -> Result<Vec<ClusterJob>, EvaluateError> {
    let mut jobs: Vec<ClusterJob> = Vec::new();
    let mut last = Vec::new();
    for benchmark in &progress.benchmarks {
        let mut before: Option<usize> = None;
        for stage in benchmark.stages.iter().filter(|stage| !stage.is_done) {
            request.check_fits(
                stage.stage.as_str(),
                stage.longest_piece,
                stage.stage == Until::Train,
            )?;
            let mut job = request.stage_job(study, &benchmark.name, stage);
            job.after.extend(before);
            before = Some(jobs.len());
            jobs.push(job);
        }
        last.extend(before);
    }
    let is_reported = request.report().exists();
    if jobs.is_empty() && is_reported {
        return Ok(jobs);
    }
    let mut only: Vec<&str> = Vec::new();
    if progress.benchmarks.len() < study.benchmarks.len() {
        only.extend(progress.benchmarks.iter().map(|b| b.name.as_str()));
    }
    jobs.push(request.report_job(study, &only, last));
    Ok(jobs)
}

/// The job for a collection of `instances` with `limit` seconds each on average; `command` is what collects it, without the
/// words that a task adds.
pub fn plan_collection(
    request: &PlanRequest<'_>,
    command: Vec<OsString>,
    threads: usize,
    instances: usize,
    limit: f64,
    seconds_left: f64,
) -> Result<ClusterJob, EvaluateError> {
    let longest = LONGEST_TURN * limit;
    request.check_fits("collect", longest, false)?;
    let (tasks, seconds) = request.shares(seconds_left, longest, instances);
    let name = request.out.file_name().unwrap_or_default();
    let mut words = command;
    words.extend(["--jobs".into(), request.jobs.to_string().into()]);
    words.extend(["--take-over".into(), "--end-in".into()]);
    words.push(whole(seconds - SPARE));
    Ok(ClusterJob {
        name: job_name(&name.to_string_lossy(), None, JobStage::Pools),
        benchmark: None,
        stage: JobStage::Pools,
        tasks,
        at_a_time: request.settings.tasks,
        cpus: request.jobs * threads.max(1),
        memory: request.settings.memory.clone(),
        seconds: Some(seconds),
        work: Some(seconds_left),
        longest,
        commands: vec![request.words(words)],
        after: Vec::new(),
    })
}

/// Seconds without digits that mean nothing.
fn whole(seconds: f64) -> OsString {
    format!("{seconds:.0}").into()
}

fn job_name(study: &str, benchmark: Option<&str>, stage: JobStage) -> String {
    let parts = [Some("idpas"), Some(study), benchmark, Some(stage.as_str())];
    let parts: Vec<String> = parts.into_iter().flatten().map(slug).collect();
    let name = parts.join("-");
    match name.char_indices().nth(LONGEST_NAME) {
        Some((at, _)) => name[..at].to_owned(),
        None => name,
    }
}

impl PlanRequest<'_> {
    /// Where the report of a study goes.
    pub fn report(&self) -> PathBuf {
        self.out.join("report.html")
    }

    /// How many tasks share work of so many seconds in pieces of at most `longest`, and how many seconds each may take. Where
    /// an array may not have as many tasks as there are shares, shares are longer.
    fn shares(&self, seconds: f64, longest: f64, pieces: usize) -> (usize, f64) {
        let jobs = self.jobs as f64;
        let most_tasks = self.most_tasks.max(1);
        let share = self.settings.chunk().max(longest);
        let share = share.max(seconds / jobs / most_tasks as f64);
        // A piece may be anything from nothing to the longest; so there are no more tasks than pieces.
        let pieces = pieces.div_ceil(self.jobs).max(1);
        let tasks = (seconds / jobs / share).ceil() as usize;
        let tasks = tasks.clamp(1, pieces.min(most_tasks));
        // What a task has begun when its share is done is finished.
        let wanted = share + longest + AROUND_A_TASK + SPARE;
        let allowed = self.settings.longest.unwrap_or(f64::INFINITY);
        (tasks, wanted.min(allowed).ceil())
    }

    /// Refuses a longest time of tasks in which not even one piece of work can be done. A training goes on from where it was.
    fn check_fits(&self, what: &str, longest: f64, goes_on: bool) -> Result<(), EvaluateError> {
        let least = longest + SPARE;
        match self.settings.longest {
            Some(most) if most < least && !goes_on => Err(EvaluateError::Input(format!(
                "longest: {most} s; {what} has pieces of work that take up to {longest:.0} s, so a task needs {least:.0} s"
            ))),
            _ => Ok(()),
        }
    }

    /// The words that start the program with these arguments.
    fn words(&self, arguments: Vec<OsString>) -> Vec<OsString> {
        let mut words = vec![self.program.program.clone().into_os_string()];
        words.extend(self.program.args.iter().cloned());
        words.extend(arguments);
        words
    }

    /// The words of an evaluation of the study among the results.
    fn evaluate(&self, more: &[&str]) -> Vec<OsString> {
        let study = self.out.join(crate::results::STUDY);
        let mut words: Vec<OsString> = vec!["evaluate".into(), study.into()];
        words.extend(["--out".into(), self.out.clone().into()]);
        words.extend(["--jobs".into(), self.jobs.to_string().into()]);
        words.extend(more.iter().map(OsString::from));
        words
    }

    fn stage_job(&self, study: &Study, benchmark: &str, stage: &StageProgress) -> ClusterJob {
        let settings = self.settings;
        let threads = usize::from(study.threads);
        let left = stage.total.saturating_sub(stage.done).max(1);
        let longest = stage.longest_piece;
        let mut job = ClusterJob {
            name: job_name(&study.name, Some(benchmark), JobStage::Study(stage.stage)),
            benchmark: Some(benchmark.to_owned()),
            stage: JobStage::Study(stage.stage),
            tasks: 1,
            at_a_time: settings.tasks,
            cpus: self.jobs * threads,
            memory: settings.memory.clone(),
            seconds: None,
            work: stage.seconds_left,
            longest,
            commands: Vec::new(),
            after: Vec::new(),
        };
        let pieces = match stage.stage {
            // The last turns of a family may be on any of its instances.
            Until::Collect => stage.total,
            // Each method has many searches, which nobody has counted.
            Until::Tune => usize::MAX,
            _ => left,
        };
        match stage.stage {
            Until::Instances => {
                job.cpus = 1;
                job.seconds = Some(settings.longest.map_or(SHORT, |most| SHORT.min(most)));
            }
            Until::Train => {
                job.tasks = left.min(self.most_tasks.max(1));
                job.cpus = settings.train_cpus.unwrap_or(job.cpus);
                job.memory = settings.train_memory.clone().or(job.memory);
                let usual = (longest > 0.0).then_some(longest + AROUND_A_TRAINING);
                job.seconds = settings.train_time.or(usual);
                if let (Some(seconds), Some(most)) = (job.seconds, settings.longest) {
                    job.seconds = Some(seconds.min(most));
                }
            }
            Until::Collect | Until::Tune | Until::Runs => {
                let left = stage.seconds_left.unwrap_or(0.0);
                let (tasks, seconds) = self.shares(left, longest, pieces);
                (job.tasks, job.seconds) = (tasks, Some(seconds));
            }
        }
        let mut words = self.evaluate(&["--only", benchmark, "--until", stage.stage.as_str()]);
        words.push("--passing".into());
        if let (Some(seconds), false) = (job.seconds, stage.stage == Until::Train) {
            words.extend(["--end-in".into(), whole((seconds - SPARE).max(1.0))]);
        }
        job.commands = vec![self.words(words)];
        job
    }

    /// The last job: what is left over of all benchmarks, or of those that are named, and the page.
    fn report_job(&self, study: &Study, only: &[&str], after: Vec<usize>) -> ClusterJob {
        let settings = self.settings;
        let seconds = settings.longest.map_or(SHORT, |most| SHORT.min(most));
        let end_in = format!("{:.0}", (seconds - SPARE).max(1.0));
        let mut more = vec!["--end-in", &end_in];
        more.extend(only.iter().flat_map(|name| ["--only", *name]));
        let rest = self.evaluate(&more);
        let report: Vec<OsString> = vec![
            "report".into(),
            self.out.clone().into(),
            "--out".into(),
            self.report().into(),
        ];
        ClusterJob {
            name: job_name(&study.name, None, JobStage::Report),
            benchmark: None,
            stage: JobStage::Report,
            tasks: 1,
            at_a_time: None,
            cpus: self.jobs * usize::from(study.threads),
            memory: settings.memory.clone(),
            seconds: Some(seconds),
            work: Some(0.0),
            longest: 0.0,
            commands: vec![self.words(rest), self.words(report)],
            after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::BenchmarkProgress;

    const STUDY: &str = r#"
name = "two methods"
time_limit = 1000
threads = 2
methods = ["solver", "id-pas+"]
[[benchmark]]
name = "MMCNP"
family = "mmcnp"
size = "small"
train = 480
validation = 120
test = 100
"#;

    fn stage(
        stage: Until,
        [done, total]: [usize; 2],
        left: Option<f64>,
        longest: f64,
    ) -> StageProgress {
        StageProgress {
            stage,
            done,
            total,
            running: 0,
            failed: 0,
            is_done: done == total && left == Some(0.0),
            seconds_left: left,
            longest_piece: longest,
        }
    }

    fn planned(settings: &ClusterSettings, stages: Vec<StageProgress>) -> Vec<ClusterJob> {
        attempt(settings, stages).unwrap()
    }

    fn attempt(
        settings: &ClusterSettings,
        stages: Vec<StageProgress>,
    ) -> Result<Vec<ClusterJob>, EvaluateError> {
        let program = WorkerCommand::new("/opt/idpas");
        let request = PlanRequest {
            settings,
            program: &program,
            out: "/shared/results".into(),
            jobs: 1,
            most_tasks: 1000,
        };
        let progress = StudyProgress {
            benchmarks: vec![BenchmarkProgress {
                name: "MMCNP".into(),
                stages,
            }],
        };
        let study = Study::parse(STUDY, "s.toml".as_ref()).unwrap();
        plan_study(&request, &study, &progress)
    }

    fn all_stages() -> Vec<StageProgress> {
        vec![
            stage(Until::Instances, [0, 1], Some(0.0), 0.0),
            stage(Until::Collect, [0, 600], Some(600.0 * 3600.0), 3.0 * 3600.0),
            stage(Until::Train, [0, 1], None, 0.0),
            stage(Until::Tune, [0, 1], Some(1e6), 1005.0),
            stage(Until::Runs, [0, 200], Some(200.0 * 1005.0), 1005.0),
        ]
    }

    #[test]
    fn every_stage_waits_for_the_one_before_and_the_report_for_all() {
        let jobs = planned(&ClusterSettings::default(), all_stages());
        let names: Vec<&str> = jobs.iter().map(|job| job.stage.as_str()).collect();
        assert_eq!(
            names,
            ["instances", "collect", "train", "tune", "runs", "report"]
        );
        let after: Vec<&[usize]> = jobs.iter().map(|job| job.after.as_slice()).collect();
        assert_eq!(after, [&[] as &[usize], &[0], &[1], &[2], &[3], &[4]]);
        assert_eq!(jobs[1].name, "idpas-two_methods-MMCNP-collect");
        // Three hours are the longest turn, so a task has as much; 600 hours make 200 tasks.
        assert_eq!(jobs[1].tasks, 200);
        assert_eq!(jobs[1].seconds, Some(6.0 * 3600.0 + 420.0));
        // A training has no limit, so the cluster's own holds.
        assert_eq!((jobs[2].tasks, jobs[2].seconds), (1, None));
        assert_eq!(jobs[3].tasks, 834);
        assert_eq!(jobs[4].tasks, 168);
        assert!(jobs.iter().skip(1).all(|job| job.cpus == 2));
        assert_eq!(jobs[5].commands.len(), 2);
        let words: Vec<_> = jobs[4].commands[0]
            .iter()
            .map(|w| w.to_str().unwrap())
            .collect();
        assert_eq!(
            words.join(" "),
            "/opt/idpas evaluate /shared/results/study.toml --out /shared/results --jobs 1 --only MMCNP \
             --until runs --passing --end-in 2505"
        );
    }

    #[test]
    fn only_what_is_left_is_planned() {
        let mut stages = all_stages();
        for done in &mut stages[..4] {
            done.is_done = true;
        }
        stages[4].done = 190;
        stages[4].seconds_left = Some(10.0 * 1005.0);
        let jobs = planned(&ClusterSettings::default(), stages);
        assert_eq!(jobs.len(), 2);
        assert_eq!((jobs[0].tasks, jobs[0].after.len()), (9, 0));
        assert_eq!(jobs[1].after, [0]);
        assert!(!jobs[1].commands[0].contains(&"--only".into()));
    }

    #[test]
    fn arrays_and_times_keep_to_what_the_cluster_allows() {
        let settings = ClusterSettings {
            chunk: Some(60.0),
            longest: Some(1800.0),
            tasks: Some(40),
            train_cpus: Some(32),
            train_memory: Some("64G".into()),
            train_time: Some(7200.0),
            memory: Some("4G".into()),
            ..ClusterSettings::default()
        };
        let mut stages = all_stages();
        stages[4].seconds_left = Some(1e9);
        stages[4].total = 1_000_000;
        stages[1].longest_piece = 600.0;
        let jobs = planned(&settings, stages);
        assert_eq!(jobs[4].tasks, 1000, "as an array may have");
        // Without a limit of the cluster, a task has a thousandth of all.
        let mut stages = all_stages();
        stages[3].seconds_left = Some(1e8);
        let tune = &planned(&ClusterSettings::default(), stages)[3];
        assert_eq!(
            (tune.tasks, tune.seconds),
            (1000, Some(1e5 + 1005.0 + 420.0))
        );
        assert!(
            jobs.iter()
                .all(|job| job.seconds.is_none_or(|s| s <= 3600.0))
        );
        assert_eq!(jobs[4].seconds, Some(1800.0));
        assert_eq!(jobs[4].at_a_time, Some(40));
        assert_eq!((jobs[2].cpus, jobs[2].memory.as_deref()), (32, Some("64G")));
        assert_eq!(jobs[2].seconds, Some(1800.0));
        assert_eq!(jobs[4].memory.as_deref(), Some("4G"));
        let error = attempt(&settings, all_stages()).unwrap_err();
        assert!(error.to_string().contains("up to 10800 s"), "{error}");
    }
}

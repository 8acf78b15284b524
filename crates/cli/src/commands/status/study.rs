//! How far a study is.

use std::path::Path;

use idpas_base::words::duration;
use idpas_evaluate::cluster::{ClusterStatus, Slurm, cluster_status};
use idpas_evaluate::results::Results;
use idpas_evaluate::run::{StageProgress, StudyProgress, study_progress};
use serde::Serialize;

use super::cluster::add_jobs;
use super::{in_words, now, utc};
use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::{Lines, json};

#[derive(Serialize)]
struct StudyStatusJson<'a> {
    study: &'a str,
    #[serde(flatten)]
    progress: &'a StudyProgress,
    cluster: Option<&'a ClusterStatus>,
    seconds_left: Option<f64>,
    expected_finish: Option<String>,
}

pub(super) fn run(folder: &Path, format: OutputFormat) -> Result<Done, Failure> {
    let study = Results::new(folder).study()?;
    let progress = study_progress(&study, folder, &[])?;
    let cluster = cluster_status(folder, &Slurm)?;
    let at_a_time = at_a_time(&progress, cluster.as_ref());
    let seconds_left = seconds_left(&progress, at_a_time);
    let expected_finish = seconds_left.map(|left| utc((now() + left) as u64));
    if format == OutputFormat::Json {
        return json(&StudyStatusJson {
            study: &study.name,
            progress: &progress,
            cluster: cluster.as_ref(),
            seconds_left,
            expected_finish,
        });
    }
    let mut lines = Lines::default();
    lines.add("study", &study.name);
    for benchmark in &progress.benchmarks {
        lines.add("benchmark", &benchmark.name);
        for stage in &benchmark.stages {
            lines.add(&format!("  {}", stage.stage.as_str()), stage_text(stage));
        }
    }
    match (progress.is_done(), seconds_left) {
        (true, _) => lines.add("finish", "all done"),
        (false, Some(left)) => lines.add("finish", in_words(left, at_a_time)),
        (false, None) if at_a_time == 0 => lines.add("finish", "nothing is running"),
        (false, None) => lines.add("finish", "unknown: a training has no time limit"),
    };
    if let Some(cluster) = &cluster {
        add_jobs(&mut lines, cluster);
    }
    Ok(lines.done())
}

fn stage_text(stage: &StageProgress) -> String {
    let mut text = format!("{} of {}", stage.done, stage.total);
    if stage.running > 0 {
        text.push_str(&format!(", {} running", stage.running));
    }
    if stage.failed > 0 {
        text.push_str(&format!(", {} failed", stage.failed));
    }
    match stage.seconds_left {
        _ if stage.is_done => {}
        Some(left) if left > 0.0 => {
            text.push_str(&format!(", {} of work left", duration(left)));
        }
        _ => {}
    }
    text
}

/// Pieces of work under way: tasks of a cluster, or what claims say.
fn at_a_time(progress: &StudyProgress, cluster: Option<&ClusterStatus>) -> usize {
    let stages = progress.benchmarks.iter().flat_map(|b| &b.stages);
    let claimed: usize = stages.map(|stage| stage.running).sum();
    cluster.map_or(0, ClusterStatus::running).max(claimed)
}

/// Seconds until all is done if as much is under way as now; `None` if nothing is, or if nobody knows.
fn seconds_left(progress: &StudyProgress, at_a_time: usize) -> Option<f64> {
    let open = progress.benchmarks.iter().flat_map(|b| &b.stages);
    let open = open.filter(|stage| !stage.is_done);
    let all: Option<f64> = open.map(|stage| stage.seconds_left).sum();
    (at_a_time > 0).then_some(())?;
    Some(all? / at_a_time as f64)
}

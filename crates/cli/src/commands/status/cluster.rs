//! How the jobs of a cluster are.

use idpas_evaluate::cluster::{ClusterStatus, JobStatus};

use crate::output::{Lines, one_line};

/// Adds a line for each job, and one for each task that ended with an error.
pub(super) fn add_jobs(lines: &mut Lines, status: &ClusterStatus) {
    if let Some(why) = &status.unknown {
        lines.add("queue", format!("unknown: {}", one_line(why)));
    }
    for job in &status.jobs {
        lines.add(&format!("job {}", job.job.id), job_text(job));
    }
    let numbers = status.in_queue();
    if !numbers.is_empty() {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        lines.add("to cancel", format!("scancel {}", numbers.join(" ")));
    }
    for failure in &status.failures {
        lines.add(
            "failure",
            one_line(&format!("{}: {}", failure.log.display(), failure.message)),
        );
    }
}

fn job_text(status: &JobStatus) -> String {
    let benchmark = status.job.benchmark.iter().map(|name| format!("{name}, "));
    let mut text = format!(
        "{}{}: {} of {} tasks over",
        benchmark.collect::<String>(),
        status.job.stage.as_str(),
        status.ended,
        status.job.tasks
    );
    for (count, what) in [(status.running, "running"), (status.pending, "waiting")] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    if !status.reasons.is_empty() {
        text.push_str(&format!(" ({})", status.reasons.join(", ")));
    }
    for (what, count) in &status.not_completed {
        text.push_str(&format!(", {count} {what}"));
    }
    text
}

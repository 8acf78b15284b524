//! `idpas status`: shows how far a collection or a study is, and how its jobs on a cluster are.

mod cluster;
mod study;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use idpas_base::words::{date_of_day, duration, thousands};
use idpas_evaluate::cluster::{ClusterStatus, Slurm, cluster_status};
use idpas_evaluate::results::STUDY;
use idpas_pools::{Status, status};
use serde::Serialize;

use crate::args::OutputFormat;
use crate::failure::{Done, Failure};
use crate::output::{Lines, json, one_line, value};

/// Characters of the longest bar of a chart.
const BAR: f64 = 30.0;

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Folder of pools, or of results of a study
    folder: PathBuf,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Serialize)]
struct StatusJson<'a> {
    #[serde(flatten)]
    status: &'a Status,
    expected_finish: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a ClusterStatus>,
}

pub(crate) fn run(args: &StatusArgs) -> Result<Done, Failure> {
    if args.folder.join(STUDY).exists() {
        return study::run(&args.folder, args.format);
    }
    let status = status(&args.folder)?;
    let cluster = cluster_status(&args.folder, &Slurm)?;
    let expected_finish = status.seconds_left.map(|left| utc((now() + left) as u64));
    if args.format == OutputFormat::Json {
        return json(&StatusJson {
            status: &status,
            expected_finish,
            cluster: cluster.as_ref(),
        });
    }
    let mut lines = Lines::default();
    lines
        .add("done", format!("{} of {}", status.done, status.total))
        .add("running", status.running)
        .add("waiting", status.waiting)
        .add("failed", status.failed);
    if let Some(each) = status.seconds_per_instance {
        lines.add("each", duration(each));
    }
    match (status.seconds_left, expected_finish) {
        (Some(left), Some(when)) => lines.add("finish", format!("in {}, {when}", duration(left))),
        _ if status.done == status.total => lines.add("finish", "all done"),
        _ if status.waiting == 0 => lines.add("finish", "the time is used; more goes on"),
        _ => lines.add("finish", "nothing is running"),
    };
    add_growth(&mut lines, &status);
    let [train, validation, test] = status.split;
    lines.add(
        "split",
        format!("{train} training, {validation} validation, {test} test"),
    );
    for (label, names) in [("damaged", &status.damaged), ("outdated", &status.outdated)] {
        for name in names {
            lines.add(label, format!("{name}: will be made again"));
        }
    }
    for failure in &status.failures {
        let line = one_line(&format!("{}: {}", failure.name, failure.reason));
        lines.add("failure", line);
    }
    if let Some(cluster) = &cluster {
        cluster::add_jobs(&mut lines, cluster);
    }
    Ok(lines.done())
}

/// Seconds since 1970.
fn now() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0.0, |since| since.as_secs_f64())
}

/// When something is done that takes so many seconds more.
fn in_words(left: f64, at_a_time: usize) -> String {
    let when = utc((now() + left) as u64);
    format!(
        "in {}, {when}, with {at_a_time} at a time as now",
        duration(left)
    )
}

/// How many solutions there are, and how they grew from round to round.
pub(super) fn add_growth(lines: &mut Lines, status: &Status) {
    if status.solutions == 0 {
        return;
    }
    let copies = match status.copies {
        0 => String::new(),
        copies => format!(
            ", {} of them close copies of better ones",
            thousands(copies)
        ),
    };
    lines.add(
        "solutions",
        format!("{}{copies}", thousands(status.solutions)),
    );
    let most = status
        .growth
        .iter()
        .filter_map(|g| g.behind)
        .fold(0.0, f64::max);
    for growth in &status.growth {
        let (Some(mean), Some(behind)) = (growth.mean, growth.behind) else {
            continue;
        };
        lines.add(
            &format!("round {}", growth.round),
            format!(
                "{:>3} turns, {:>3} solved, mean objective {}, {:.2} % from now {}",
                growth.turns,
                growth.solved,
                value(mean),
                100.0 * behind,
                blocks(behind, most),
            ),
        );
    }
}

/// A bar as long as a number is large, beside the largest one.
fn blocks(number: f64, most: f64) -> String {
    let length = if most > 0.0 { BAR * number / most } else { 0.0 };
    "█".repeat(length.round() as usize)
}

/// A time in seconds since 1970 as `2026-11-15T22:40Z`.
fn utc(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86400, seconds % 86400 / 60);
    let (year, month, day) = date_of_day(days as i64);
    let (hour, minute) = (minutes / 60, minutes % 60);
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01T00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34Z");
        assert_eq!(utc(1_794_782_400), "2026-11-15T22:40Z");
    }
}

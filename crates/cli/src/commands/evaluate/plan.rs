//! What an evaluation is going to do and how long each part takes, shown before it begins.

use idpas_base::words::duration;
use idpas_evaluate::study::PlannedPart;

/// One line per part of a benchmark, and one for the sum.
pub(super) fn lines(benchmark: &str, parts: &[PlannedPart], at_a_time: usize) -> Vec<String> {
    let most = |seconds: Option<f64>| match seconds {
        None => "no limit is set".to_owned(),
        Some(0.0) => "seconds".to_owned(),
        Some(seconds) => format!("{} at most", duration(seconds)),
    };
    let mut lines = vec![format!(
        "{benchmark}: the plan, {at_a_time} at a time (what is there already is not made again)"
    )];
    for part in parts {
        let (command, what) = (part.command, &part.what);
        lines.push(format!("  {command:<9} {what:<36} {}", most(part.seconds)));
    }
    let all: Option<f64> = parts.iter().map(|part| part.seconds).sum();
    lines.push(format!("  {:<9} {:<36} {}", "all", "", most(all)));
    lines
}

//! The tables of wins, in the forms of the paper.

use std::fmt::Write;

use idpas_base::svg::escape;

use super::super::csv::Csv;
use super::super::text::wins;
use super::{begin_row, wrap};
use crate::analysis::{Analysis, MethodAnalysis, SAME_GAP};
use crate::statistics::strictly_better;

/// The number of instances on which the subject is strictly better than a baseline, as in the paper's table of zero
/// frequency.
pub(in crate::report) fn against(analysis: &Analysis, baseline: &str) -> Option<String> {
    let subject = analysis.subject.as_deref()?;
    let mut body = String::new();
    let mut csv = Csv::new(&[
        "benchmark",
        "instances",
        "better_gap",
        "worse_gap",
        "better_integral",
        "worse_integral",
    ]);
    for benchmark in &analysis.benchmarks {
        let find = |label: &str| benchmark.methods.iter().find(|m| m.label == label);
        let (Some(ours), Some(theirs)) = (find(subject), find(baseline)) else {
            continue;
        };
        let same = SAME_GAP * benchmark.time_limit;
        let counts = [
            ours.gaps.len(),
            strictly_better(&ours.gaps, &theirs.gaps, SAME_GAP),
            strictly_better(&theirs.gaps, &ours.gaps, SAME_GAP),
            strictly_better(&ours.integrals, &theirs.integrals, same),
            strictly_better(&theirs.integrals, &ours.integrals, same),
        ];
        let _ = write!(body, "<tr><td class=name>{}</td>", escape(&benchmark.name));
        for count in counts {
            let _ = write!(body, "<td>{count}</td>");
        }
        body.push_str("</tr>");
        csv.row(
            std::iter::once(benchmark.name.clone()).chain(counts.map(|count| count.to_string())),
        );
    }
    if body.is_empty() || subject == baseline {
        return None;
    }
    let head = "<tr><th>Benchmark</th><th>instances</th><th>better gap</th><th>worse gap</th><th>better integral</th><th>worse integral</th></tr>";
    let below = format!(
        "Instances on which {} is strictly better, or worse, than {}; the rest are ties. {}",
        escape(subject),
        escape(baseline),
        csv.link(&format!("against-{baseline}"))
    );
    Some(wrap(head, &body, &below))
}

/// The wins among three methods, as in the paper's table of PROP.
pub(in crate::report) fn three_way(analysis: &Analysis, third: &str) -> Option<String> {
    let subject = analysis.subject.as_deref()?;
    let mut body = String::new();
    let mut csv = Csv::new(&["benchmark", "method", "gap_wins", "integral_wins"]);
    for benchmark in &analysis.benchmarks {
        let find = |label: &str| benchmark.methods.iter().find(|m| m.label == label);
        let (Some(base), Some(third), Some(ours)) = (find("solver"), find(third), find(subject))
        else {
            continue;
        };
        let three = [base, third, ours];
        let values = |of: fn(&MethodAnalysis) -> &Vec<f64>| three.map(|m| of(m).clone());
        let gaps = crate::statistics::wins(&values(|m| &m.gaps), SAME_GAP);
        let same = SAME_GAP * benchmark.time_limit;
        let integrals = crate::statistics::wins(&values(|m| &m.integrals), same);
        for (at, method) in three.iter().enumerate() {
            begin_row(&mut body, at == 0, &benchmark.name, &method.label);
            let _ = write!(
                body,
                "<td>{}</td><td>{}</td></tr>",
                wins(gaps[at]),
                wins(integrals[at])
            );
            csv.row([
                benchmark.name.clone(),
                method.label.clone(),
                gaps[at].to_string(),
                integrals[at].to_string(),
            ]);
        }
    }
    if body.is_empty() || subject == third {
        return None;
    }
    let head = "<tr><th>Benchmark</th><th class=left>Approach</th><th>wins (gap)</th><th>wins (integral)</th></tr>";
    let below = format!(
        "Wins among these three, ties shared. {}",
        csv.link(&format!("wins-{third}"))
    );
    Some(wrap(head, &body, &below))
}

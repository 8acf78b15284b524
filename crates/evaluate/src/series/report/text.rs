//! The report about a series as text for a terminal.

use std::fmt::Write;

use idpas_base::words::visible;

use super::super::{MeanScore, SeriesPart, SeriesSummary};
use super::{about, headline, partly_compared, tables};
use crate::report::text::{aligned, whole_percent};

/// The result in a sentence, and the mean scores by batches of ten.
pub fn text(summary: &SeriesSummary) -> String {
    let mut out = format!("{}\n{}\n\n", headline(summary), about(summary));
    let with_solver = summary.all.compared.is_some();
    let mut header = vec!["instances", "score", "time", "gap", "none", "solved"];
    if with_solver {
        header.extend([
            "solver", "time", "gap", "none", "solved", "less", "better", "equal", "worse",
        ]);
    }
    let mut rows = vec![header.into_iter().map(str::to_owned).collect()];
    rows.extend(
        summary
            .batches
            .iter()
            .map(|part| row(tables::range(part), part, with_solver)),
    );
    rows.push(row("all".into(), &summary.all, with_solver));
    out.push_str(&aligned(&rows));
    let ways = summary.ways.iter();
    let ways: Vec<String> = ways
        .map(|way| format!("{} {}", visible(&way.way), way.instances))
        .collect();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "\nways: {}", ways.join(", "));
    if let Some(note) = partly_compared(summary) {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

fn row(name: String, part: &SeriesPart, with_solver: bool) -> Vec<String> {
    let mut cells = vec![name];
    cells.extend(scores(&part.ours));
    match &part.compared {
        _ if !with_solver => (),
        None => cells.extend(std::iter::repeat_n("-".to_owned(), 9)),
        Some(compared) => {
            cells.extend(scores(&compared.solver));
            cells.push(compared.reduction.map_or("-".into(), whole_percent));
            cells.extend(
                [compared.better, compared.equal, compared.worse].map(|count| count.to_string()),
            );
        }
    }
    cells
}

fn scores(mean: &MeanScore) -> [String; 5] {
    [
        format!("{:.3}", mean.total),
        format!("{:.3}", mean.time),
        format!("{:.3}", mean.gap),
        format!("{:.3}", mean.no_solution),
        format!("{}/{}", mean.solved, mean.instances),
    ]
}

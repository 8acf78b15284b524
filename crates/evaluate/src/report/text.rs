//! The report as text for a terminal.

use std::fmt::Write;

use idpas_base::words::visible;

use crate::analysis::{Analysis, BenchmarkAnalysis, MethodAnalysis};

/// The main table of each benchmark, as text.
pub fn text(analysis: &Analysis) -> String {
    let mut out = String::new();
    for benchmark in &analysis.benchmarks {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} ({}; {} instances, {} s)",
            visible(&benchmark.name),
            visible(&benchmark.source),
            counted(benchmark),
            benchmark.time_limit
        );
        table(&mut out, benchmark);
        for line in warnings(benchmark) {
            let _ = writeln!(out, "note: {line}");
        }
        out.push('\n');
    }
    for name in &analysis.without_results {
        let _ = writeln!(out, "note: {} has no results", visible(name));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The number of instances that count in the comparison.
pub(super) fn counted(benchmark: &BenchmarkAnalysis) -> usize {
    benchmark
        .instances
        .iter()
        .filter(|instance| instance.complete)
        .count()
}

fn table(out: &mut String, benchmark: &BenchmarkAnalysis) {
    let header = [
        "method", "gap", "std", "less", "wins", "integral", "std", "less", "wins", "speed-up",
    ];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    rows.extend(benchmark.methods.iter().map(row));
    out.push_str(&aligned(&rows));
}

/// Rows of equally many cells as text: the first column to the left, all others to the right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = match column {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn row(method: &MethodAnalysis) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    vec![
        visible(&method.label),
        or_dash(method.gap.map(|gap| percent(gap.mean))),
        or_dash(method.gap.map(|gap| percent(gap.deviation))),
        or_dash(method.gap_reduction.map(whole_percent)),
        or_dash(method.gap_wins.map(wins)),
        or_dash(method.integral.map(|integral| seconds(integral.mean))),
        or_dash(method.integral.map(|integral| seconds(integral.deviation))),
        or_dash(method.integral_reduction.map(whole_percent)),
        or_dash(method.integral_wins.map(wins)),
        or_dash(method.speed_up.map(|speed| format!("{:.1}×", speed.factor))),
    ]
}

/// A gap as text in per cent, with more digits if it is small.
pub(super) fn percent(share: f64) -> String {
    let value = 100.0 * share;
    match value {
        v if v >= 10.0 => format!("{v:.1} %"),
        v if v >= 0.1 || v == 0.0 => format!("{v:.2} %"),
        v => format!("{v:.3} %"),
    }
}

/// A reduction as text in per cent, with one digit.
pub(crate) fn whole_percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A number of wins as text, without digits after the point if it is whole.
pub(super) fn wins(won: f64) -> String {
    if (won - won.round()).abs() < 1e-9 {
        format!("{won:.0}")
    } else {
        format!("{won:.1}")
    }
}

/// A time or a primal integral in seconds as text, without the unit.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

/// Warnings that a reader must know to judge a comparison.
pub(super) fn warnings(benchmark: &BenchmarkAnalysis) -> Vec<String> {
    let sound = &benchmark.soundness;
    let mut all = Vec::new();
    if sound.missing > 0 {
        all.push(format!(
            "{} of {} runs are missing; {} instances are left out",
            sound.missing, sound.planned, sound.left_out
        ));
    }
    if sound.failed > 0 {
        all.push(format!(
            "{} runs failed and count as runs without a solution",
            sound.failed
        ));
    }
    if sound.shared > 0 {
        all.push(format!(
            "{} runs shared processors with other work of this program",
            sound.shared
        ));
    }
    if sound.disturbed > 0 {
        all.push(format!(
            "{} of {} runs waited for a processor for more than 5 % of their time: other work was on the machine",
            sound.disturbed, sound.planned
        ));
    }
    all
}

//! The tables of gaps and integrals, of speed, and of the comparison with the oracle.

use std::fmt::Write;

use idpas_base::svg::escape;

use super::super::csv::{Csv, number};
use super::super::text::{percent, seconds, whole_percent, wins};
use super::{begin_row, dash, p_value, wrap};
use crate::analysis::{Analysis, BenchmarkAnalysis, Clock, MethodAnalysis};
use crate::statistics::Wilcoxon;

/// The smallest value of a measurement among the methods that compete.
fn best(benchmark: &BenchmarkAnalysis, of: impl Fn(&MethodAnalysis) -> Option<f64>) -> Option<f64> {
    let values = benchmark
        .methods
        .iter()
        .filter(|m| !m.ceiling)
        .filter_map(of);
    values.min_by(f64::total_cmp)
}

/// Table 2 of the paper: gap and integral by benchmark and method.
pub(in crate::report) fn main(analysis: &Analysis) -> String {
    let (this, other) = match analysis.clock {
        Clock::EndToEnd => ("from opening the file", "solver’s clock"),
        Clock::Solver => ("solver’s clock", "from opening the file"),
    };
    let head = format!(
        "<tr><th rowspan=2>Benchmark</th><th rowspan=2 class=left>Approach</th><th colspan=5>Primal gap</th>\
         <th colspan=6>Primal integral, {this}</th></tr>\
         <tr><th>mean</th><th>less</th><th>std dev</th><th>wins</th><th>p</th>\
         <th>mean</th><th>less</th><th>std dev</th><th>wins</th><th>p</th><th>{other}</th></tr>"
    );
    let mut body = String::new();
    let mut csv = Csv::new(&[
        "benchmark",
        "method",
        "instances",
        "gap_mean",
        "gap_deviation",
        "gap_reduction",
        "gap_wins",
        "gap_p",
        "gap_geometric",
        "integral_mean",
        "integral_deviation",
        "integral_reduction",
        "integral_wins",
        "integral_p",
        "integral_geometric",
        "integral_mean_other_clock",
        "overhead_seconds",
    ]);
    for benchmark in &analysis.benchmarks {
        let least_gap = best(benchmark, |m| Some(m.gap?.mean));
        let least_integral = best(benchmark, |m| Some(m.integral?.mean));
        let most =
            |of: fn(&MethodAnalysis) -> Option<f64>| best(benchmark, |m| Some(-of(m)?)).map(|v| -v);
        let (gap_wins, integral_wins) = (most(|m| m.gap_wins), most(|m| m.integral_wins));
        for (at, method) in benchmark.methods.iter().enumerate() {
            let bold = |is: bool, text: String| {
                let class = if is && !method.ceiling {
                    " class=best"
                } else {
                    ""
                };
                format!("<td{class}>{text}</td>")
            };
            let gap = method.gap.map(|gap| gap.mean);
            let integral = method.integral.map(|integral| integral.mean);
            begin_row(&mut body, at == 0, &benchmark.name, &method.label);
            let _ = write!(
                body,
                "{}<td>{}</td><td>{}</td>{}<td>{}</td>{}<td>{}</td><td>{}</td>{}<td>{}</td><td>{}</td></tr>",
                bold(gap.is_some() && gap == least_gap, dash(gap.map(percent))),
                dash(method.gap_reduction.map(whole_percent)),
                dash(method.gap.map(|gap| percent(gap.deviation))),
                bold(
                    method.gap_wins.is_some() && method.gap_wins == gap_wins,
                    dash(method.gap_wins.map(wins))
                ),
                p_value(method.gap_test),
                bold(
                    integral.is_some() && integral == least_integral,
                    dash(integral.map(seconds))
                ),
                dash(method.integral_reduction.map(whole_percent)),
                dash(method.integral.map(|integral| seconds(integral.deviation))),
                bold(
                    method.integral_wins.is_some() && method.integral_wins == integral_wins,
                    dash(method.integral_wins.map(wins))
                ),
                p_value(method.integral_test),
                dash(method.other_integral.map(|integral| seconds(integral.mean))),
            );
            let p = |test: Option<Wilcoxon>| number(test.map(|test| test.p));
            csv.row([
                benchmark.name.clone(),
                method.label.clone(),
                method.gaps.len().to_string(),
                number(gap),
                number(method.gap.map(|gap| gap.deviation)),
                number(method.gap_reduction),
                number(method.gap_wins),
                p(method.gap_test),
                number(method.gap_geometric),
                number(integral),
                number(method.integral.map(|integral| integral.deviation)),
                number(method.integral_reduction),
                number(method.integral_wins),
                p(method.integral_test),
                number(method.integral_geometric),
                number(method.other_integral.map(|integral| integral.mean)),
                number(method.overhead),
            ]);
        }
    }
    let subject = analysis
        .subject
        .as_deref()
        .map_or(String::new(), |subject| {
            format!(
                " p: Wilcoxon signed-rank test against {}, two-sided.",
                escape(subject)
            )
        });
    let below = format!(
        "Means over instances; “less” is the reduction against <code>solver</code>; the best are bold. Wins are \
         shared where methods tie, and the oracle, which is told the answer, does not compete.{subject} {}",
        csv.link("gap-and-integral")
    );
    wrap(&head, &body, &below)
}

/// The table of speed, the share of the oracle's improvement, geometric means and overhead.
pub(in crate::report) fn speed(analysis: &Analysis) -> String {
    let head = "<tr><th rowspan=2>Benchmark</th><th rowspan=2 class=left>Approach</th>\
                <th colspan=3>To the solver’s final value</th><th colspan=2>Of the oracle’s improvement</th>\
                <th colspan=2>Shifted geometric mean</th><th rowspan=2>overhead</th></tr>\
                <tr><th>reached</th><th>seconds</th><th>speed-up</th><th>gap</th><th>integral</th><th>gap</th><th>integral</th></tr>";
    let mut body = String::new();
    let mut csv = Csv::new(&[
        "benchmark",
        "method",
        "runs",
        "reached",
        "seconds",
        "speed_up",
        "gap_oracle_share",
        "integral_oracle_share",
        "gap_geometric",
        "integral_geometric",
        "overhead_seconds",
    ]);
    for benchmark in &analysis.benchmarks {
        for (at, method) in benchmark.methods.iter().enumerate() {
            let speed = method.speed_up;
            begin_row(&mut body, at == 0, &benchmark.name, &method.label);
            for cell in [
                dash(speed.map(|s| format!("{} of {}", s.reached, s.runs))),
                dash(speed.map(|s| format!("{:.2} s", s.seconds))),
                dash(speed.map(|s| format!("{:.1}×", s.factor))),
                dash(method.gap_oracle_share.map(whole_percent)),
                dash(method.integral_oracle_share.map(whole_percent)),
                dash(method.gap_geometric.map(percent)),
                dash(method.integral_geometric.map(seconds)),
                dash(method.overhead.map(|s| format!("{s:.2} s"))),
            ] {
                let _ = write!(body, "<td>{cell}</td>");
            }
            body.push_str("</tr>");
            csv.row([
                benchmark.name.clone(),
                method.label.clone(),
                speed.map_or(String::new(), |s| s.runs.to_string()),
                speed.map_or(String::new(), |s| s.reached.to_string()),
                number(speed.map(|s| s.seconds)),
                number(speed.map(|s| s.factor)),
                number(method.gap_oracle_share),
                number(method.integral_oracle_share),
                number(method.gap_geometric),
                number(method.integral_geometric),
                number(method.overhead),
            ]);
        }
    }
    let below = format!(
        "Seconds are a shifted geometric mean over runs (shift 0.1 % of the limit), the limit where the value was not \
         reached; the speed-up is the solver’s own over it. The oracle searches with the zeros of the best solution \
         known: its improvement over the solver is what a perfect prediction would give this search. Geometric means \
         are shifted by 0.01 % and 0.1 % of the limit. Overhead is what passes before the solver is first asked. {}",
        csv.link("speed-and-oracle")
    );
    wrap(head, &body, &below)
}

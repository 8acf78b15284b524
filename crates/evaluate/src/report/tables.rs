//! The tables.

use std::fmt::Write;

use serde_json::Value;

use super::csv::{Csv, number};
use super::svg::escape;
use super::text::{percent, seconds, whole_percent, wins};
use crate::analysis::{Analysis, BenchmarkAnalysis, Clock, MethodAnalysis, SAME_GAP};
use crate::statistics::{Wilcoxon, strictly_better};

const DASH: &str = "–";

pub(super) fn dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| DASH.to_owned())
}

fn wrap(head: &str, body: &str, below: &str) -> String {
    format!(
        "<div class=\"scroll\"><table><thead>{head}</thead><tbody>{body}</tbody></table></div><p class=\"small\">{below}</p>"
    )
}

/// A p-value for people.
pub(super) fn p_value(test: Option<Wilcoxon>) -> String {
    match test {
        Some(test) if test.p < 0.001 => "&lt; 0.001".into(),
        Some(test) => format!("{:.3}", test.p),
        None => DASH.into(),
    }
}

/// The smallest of a measurement among those who compete.
fn best(benchmark: &BenchmarkAnalysis, of: impl Fn(&MethodAnalysis) -> Option<f64>) -> Option<f64> {
    let values = benchmark
        .methods
        .iter()
        .filter(|m| !m.ceiling)
        .filter_map(of);
    values.min_by(f64::total_cmp)
}

/// Table 2 of the paper: gap and integral by benchmark and method.
pub(super) fn main(analysis: &Analysis) -> String {
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
            let name = if at == 0 {
                escape(&benchmark.name)
            } else {
                String::new()
            };
            let begin = if at == 0 { " class=begin" } else { "" };
            let _ = write!(
                body,
                "<tr{begin}><td class=name>{name}</td><td class=left>{}</td>{}<td>{}</td><td>{}</td>{}<td>{}</td>{}<td>{}</td><td>{}</td>{}<td>{}</td><td>{}</td></tr>",
                escape(&method.label),
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

/// Speed, the oracle's share, geometric means, overhead.
pub(super) fn speed(analysis: &Analysis) -> String {
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
            let name = if at == 0 {
                escape(&benchmark.name)
            } else {
                String::new()
            };
            let begin = if at == 0 { " class=begin" } else { "" };
            let _ = write!(
                body,
                "<tr{begin}><td class=name>{name}</td><td class=left>{}</td>",
                escape(&method.label)
            );
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

/// On how many instances the subject is strictly better than a baseline, as the paper's table of zero frequency.
pub(super) fn against(analysis: &Analysis, baseline: &str) -> Option<String> {
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

/// Wins among three, as the paper's table of PROP.
pub(super) fn three_way(analysis: &Analysis, third: &str) -> Option<String> {
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
            let name = if at == 0 {
                escape(&benchmark.name)
            } else {
                String::new()
            };
            let begin = if at == 0 { " class=begin" } else { "" };
            let _ = write!(
                body,
                "<tr{begin}><td class=name>{name}</td><td class=left>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&method.label),
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

/// Table 1 of the paper, with how many instances there are.
pub(super) fn benchmarks(analysis: &Analysis) -> String {
    let head = "<tr><th>Benchmark</th><th class=left>source</th><th>rows</th><th>binaries</th><th>integers</th><th>continuous</th><th>nonzeros</th>\
                <th>train</th><th>validation</th><th>test</th><th>limit</th></tr>";
    let mut body = String::new();
    let mut csv = Csv::new(&[
        "benchmark",
        "source",
        "rows",
        "binaries",
        "integers",
        "continuous",
        "nonzeros",
        "train",
        "validation",
        "test",
        "limit",
    ]);
    for benchmark in &analysis.benchmarks {
        let sizes = benchmark.instances.first().map(|first| {
            let i = &first.instance;
            [i.rows, i.binaries, i.integers, i.continuous, i.nonzeros]
        });
        let _ = write!(
            body,
            "<tr><td class=name>{}</td><td class=left>{}</td>",
            escape(&benchmark.name),
            escape(&benchmark.source)
        );
        let numbers = sizes.unwrap_or_default().into_iter();
        let numbers = numbers.chain([
            benchmark.train,
            benchmark.validation,
            benchmark.instances.len(),
        ]);
        let numbers: Vec<usize> = numbers.collect();
        for count in &numbers {
            let _ = write!(body, "<td>{}</td>", thousands(*count));
        }
        let _ = write!(body, "<td>{} s</td></tr>", benchmark.time_limit);
        let mut cells = vec![benchmark.name.clone(), benchmark.source.clone()];
        cells.extend(numbers.iter().map(usize::to_string));
        cells.push(benchmark.time_limit.to_string());
        csv.row(cells);
    }
    let below = format!(
        "Sizes are those of the first test instance. {}",
        csv.link("benchmarks")
    );
    wrap(head, &body, &below)
}

/// Every instance with the best value, whose it is, and each method's gap.
pub(super) fn instances(benchmark: &BenchmarkAnalysis) -> String {
    let mut head =
        "<tr><th>Instance</th><th>best value</th><th class=left>found by</th>".to_owned();
    let mut columns = vec!["instance".to_owned(), "best".into(), "found_by".into()];
    for method in &benchmark.methods {
        let _ = write!(head, "<th>{}</th>", escape(&method.label));
        columns.push(format!("gap {}", method.label));
        columns.push(format!("integral {}", method.label));
    }
    head.push_str("</tr>");
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut csv = Csv::new(&columns);
    let mut body = String::new();
    let mut at = 0;
    for instance in &benchmark.instances {
        let best = dash(instance.best.map(|best| {
            format!("{best:.6}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
        }));
        let by = dash(instance.best_by.clone());
        let name = &instance.instance.name;
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{best}</td><td class=left>{}</td>",
            escape(name),
            escape(&by)
        );
        let mut cells = vec![name.clone(), number(instance.best), by];
        for method in &benchmark.methods {
            let value = |of: &[f64]| of.get(at).copied().filter(|_| instance.complete);
            let _ = write!(body, "<td>{}</td>", dash(value(&method.gaps).map(percent)));
            cells.extend([
                number(value(&method.gaps)),
                number(value(&method.integrals)),
            ]);
        }
        at += usize::from(instance.complete);
        body.push_str("</tr>");
        csv.row(cells);
    }
    let below = format!(
        "Gaps at the end of the runs. {}",
        csv.link(&format!("instances-{}", benchmark.name))
    );
    format!(
        "<details><summary>{}: {} instances</summary>{}</details>",
        escape(&benchmark.name),
        benchmark.instances.len(),
        wrap(&head, &body, &below)
    )
}

/// The settings that each search was run with.
pub(super) fn settings(analysis: &Analysis) -> String {
    let head = "<tr><th>Benchmark</th><th class=left>Approach</th><th>k₀ binaries</th><th>k₀ integers</th><th>k₁</th><th>Δ</th><th>score at most</th>\
                <th class=left>stages</th><th>tuning</th></tr>";
    let mut body = String::new();
    for benchmark in &analysis.benchmarks {
        let mut first = true;
        for method in &benchmark.methods {
            let Some(settings) = &method.settings else {
                continue;
            };
            let of = |name: &str| told(&settings["selection"][name]);
            let name = if first {
                escape(&benchmark.name)
            } else {
                String::new()
            };
            let begin = if first { " class=begin" } else { "" };
            first = false;
            let _ = write!(
                body,
                "<tr{begin}><td class=name>{name}</td><td class=left>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=left>{}</td><td>{}</td></tr>",
                escape(&method.label),
                of("k0_binaries"),
                of("k0_integers"),
                of("k1_binaries"),
                of("delta"),
                of("max_score"),
                escape(&bands(settings)),
                dash(method.tuning_seconds.map(|s| format!("{s:.0} s"))),
            );
        }
    }
    let below = "Stages: the share of the selection that is kept, at a multiple of Δ; then the whole model. Tuning is the time spent solving.";
    wrap(head, &body, below)
}

fn told(value: &Value) -> String {
    match value {
        Value::Null => DASH.into(),
        Value::String(text) => escape(text),
        Value::Number(number) => {
            let text = format!("{:.3}", number.as_f64().unwrap_or_default());
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => escape(&other.to_string()),
    }
}

fn bands(settings: &Value) -> String {
    if settings["completion"] == Value::Bool(false) {
        return "one region, as in the paper".into();
    }
    let bands = settings["schedule"]["bands"]
        .as_array()
        .into_iter()
        .flatten();
    let one = |band: &Value| {
        let (keep, delta) = (band["keep"].as_f64()?, band["delta"].as_f64()?);
        Some(format!("{:.0}% at {delta}Δ", 100.0 * keep))
    };
    let all: Vec<String> = bands.filter_map(one).collect();
    all.join(", ")
}

fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

//! The tables of benchmarks and of their instances.

use std::fmt::Write;

use idpas_base::svg::escape;
use idpas_base::words::thousands;

use super::super::csv::{Csv, number};
use super::super::text::percent;
use super::{dash, wrap};
use crate::analysis::{Analysis, BenchmarkAnalysis};

/// Table 1 of the paper, with the number of instances.
pub(in crate::report) fn benchmarks(analysis: &Analysis) -> String {
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

/// The table of all instances: best value, the method that found it, and the gap of each method.
pub(in crate::report) fn instances(benchmark: &BenchmarkAnalysis) -> String {
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

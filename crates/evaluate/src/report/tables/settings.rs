//! The table of the searches' settings.

use std::fmt::Write;

use idpas_base::svg::escape;
use serde_json::Value;

use super::{DASH, dash, wrap};
use crate::analysis::Analysis;

/// The table of the settings with which each search was run.
pub(in crate::report) fn settings(analysis: &Analysis) -> String {
    let head = "<tr><th>Benchmark</th><th class=left>Approach</th><th>k₀ binaries</th><th>k₀ integers</th><th>k₁</th><th>Δ</th><th>score at most</th>\
                <th class=left>stages</th><th>tuning</th></tr>";
    let mut body = String::new();
    for benchmark in &analysis.benchmarks {
        let mut first = true;
        for method in &benchmark.methods {
            let Some(settings) = &method.settings else {
                continue;
            };
            // The staged search does not use the amounts to fix.
            let of = |name: &str| match settings["method"] == "idpas" {
                true => DASH.to_owned(),
                false => shown(&settings["selection"][name]),
            };
            let name = if first {
                escape(&benchmark.name)
            } else {
                String::new()
            };
            let begin = if first { " class=begin" } else { "" };
            first = false;
            let _ = write!(
                body,
                "<tr{begin}><td class=name>{name}</td><td class=left>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"left wrap\">{}</td><td>{}</td></tr>",
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

fn shown(value: &Value) -> String {
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
    if settings["method"] == "idpas" {
        return staged(&settings["staged"]);
    }
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

/// The settings of the staged search as text.
fn staged(settings: &Value) -> String {
    let fields = settings.as_object().into_iter().flatten();
    let pairs: Vec<String> = fields
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name} {text}"),
            other => format!("{name} {other}"),
        })
        .collect();
    pairs.join(", ")
}

//! The tables of the report.

mod gaps;
mod lists;
mod settings;
mod wins;

use std::fmt::Write;

use crate::statistics::Wilcoxon;
pub(super) use gaps::{main, speed};
use idpas_base::svg::escape;
pub(super) use lists::{benchmarks, instances};
pub(super) use settings::settings;
pub(super) use wins::{against, three_way};

/// Stands where there is no value.
const DASH: &str = "–";

/// The text, or a dash if there is none.
pub(crate) fn dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| DASH.to_owned())
}

/// Begins the row of a method; the first row of a benchmark also has the benchmark's name.
fn begin_row(body: &mut String, first: bool, benchmark: &str, label: &str) {
    let (class, name) = match first {
        true => (" class=begin", escape(benchmark)),
        false => ("", String::new()),
    };
    // Writing to a string cannot fail.
    let _ = write!(
        body,
        "<tr{class}><td class=name>{name}</td><td class=left>{}</td>",
        escape(label)
    );
}

/// A table of HTML rows with a line of HTML below it.
pub(crate) fn wrap(head: &str, body: &str, below: &str) -> String {
    format!(
        "<div class=\"scroll\"><table><thead>{head}</thead><tbody>{body}</tbody></table></div><p class=\"small\">{below}</p>"
    )
}

/// A p-value as text.
pub(super) fn p_value(test: Option<Wilcoxon>) -> String {
    match test {
        Some(test) if test.p < 0.001 => "&lt; 0.001".into(),
        Some(test) => format!("{:.3}", test.p),
        None => DASH.into(),
    }
}

//! The tables.

mod gaps;
mod lists;
mod settings;
mod wins;

use crate::statistics::Wilcoxon;
pub(super) use gaps::{main, speed};
pub(super) use lists::{benchmarks, instances};
pub(super) use settings::settings;
pub(super) use wins::{against, three_way};

/// Where there is nothing to tell.
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

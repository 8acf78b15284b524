//! What `idpas tune` prints.

use idpas_base::words::short_duration;
use idpas_evaluate::tune::Tuning;
use idpas_search::{Method, SearchSettings, Source};
use serde::Serialize;

use crate::commands::solve::amounts;
use crate::failure::Done;
use crate::output::Lines;

/// What `idpas tune --format json` prints.
#[derive(Serialize)]
pub(super) struct TuneJson<'a> {
    pub(super) settings: &'a SearchSettings,
    pub(super) cost: Option<f64>,
    pub(super) evaluations: usize,
    pub(super) seconds: f64,
    pub(super) paper_grid_seconds: f64,
    pub(super) out: String,
}

impl<'a> TuneJson<'a> {
    pub(super) fn of(tuning: &'a Tuning) -> Self {
        let tuned = &tuning.tuned;
        TuneJson {
            settings: &tuned.settings,
            cost: tuned.cost,
            evaluations: tuned.evaluations.len(),
            seconds: tuned.seconds,
            paper_grid_seconds: tuned.paper_grid_seconds,
            out: tuning.out.display().to_string(),
        }
    }
}

/// The choice for people.
pub(super) fn text(result: &TuneJson<'_>, elapsed: f64) -> Done {
    let settings = result.settings;
    let stages: Vec<String> = match (settings.method, settings.completion) {
        (Method::Idpas, _) => vec![
            format!(
                "sub-models of {:.0}% of the time",
                100.0 * settings.staged.sub_share
            ),
            match settings.staged.is_mostly_whole() {
                true => "mostly the plain solver".into(),
                false => format!(
                    "at least {:.0}% for the plain solver",
                    100.0 * settings.staged.whole_share
                ),
            },
        ],
        (_, false) => vec!["one region, as in the paper".into()],
        (_, true) => (settings.schedule.bands.iter())
            .map(|band| format!("{:.0}% at {}Δ", 100.0 * band.keep, band.delta))
            .collect(),
    };
    let mut lines = Lines::default();
    lines
        .add("method", settings.method)
        .add("amounts", amounts(settings))
        .add("stages", stages.join(", "));
    let mut worth: Vec<_> = settings.staged.worth.iter().collect();
    worth.sort_by(|a, b| b.1.total_cmp(a.1));
    if !worth.is_empty() {
        let each = |(source, worth): (&Source, &f64)| format!("{source} {worth:.1}");
        let worth: Vec<String> = worth.into_iter().map(each).collect();
        lines.add("worth", worth.join(", "));
    }
    if let Some(cost) = result.cost {
        lines.add("mean gap", format!("{:.3}% over the time", 100.0 * cost));
    }
    lines
        .add("evaluations", result.evaluations)
        .add(
            "solving",
            format!(
                "{} (the paper's grid: {})",
                short_duration(result.seconds),
                short_duration(result.paper_grid_seconds)
            ),
        )
        .add("time", short_duration(elapsed))
        .add("written", &result.out);
    lines.done()
}

//! What `idpas tune` writes and says.

use idpas_base::words::short_duration;
use idpas_search::{Method, SearchSettings};
use serde::Serialize;

use super::solve::amounts;
use super::tune::GridName;
use super::tune_race::Chosen;
use crate::failure::Done;
use crate::output::Lines;

/// What is written: the choice, and all that led to it.
#[derive(Serialize)]
pub(super) struct Sidecar<'a> {
    pub(super) program: &'static str,
    pub(super) model: String,
    pub(super) model_sha256: &'a str,
    pub(super) method: Method,
    pub(super) settings: &'a SearchSettings,
    pub(super) grid: GridName,
    pub(super) time_limit: f64,
    pub(super) threads: u16,
    pub(super) seed: u32,
    /// Seconds of solving.
    pub(super) seconds: f64,
    /// What every point of the paper's grid that makes a difference would have taken on the same instances.
    pub(super) paper_grid_seconds: f64,
    #[serde(flatten)]
    pub(super) evidence: &'a Chosen,
    pub(super) candidates: &'a [SearchSettings],
}

#[derive(Serialize)]
pub(super) struct TuneJson<'a> {
    pub(super) settings: &'a SearchSettings,
    pub(super) cost: Option<f64>,
    pub(super) evaluations: usize,
    pub(super) seconds: f64,
    pub(super) paper_grid_seconds: f64,
    pub(super) out: String,
}

/// The choice for people.
pub(super) fn text(told: &TuneJson<'_>, elapsed: f64) -> Done {
    let settings = told.settings;
    let stages: Vec<String> = match (settings.method, settings.completion) {
        (Method::Idpas, _) => vec![format!(
            "sub-models of {:.0}% of the time",
            100.0 * settings.staged.sub_share
        )],
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
    if let Some(cost) = told.cost {
        lines.add("mean gap", format!("{:.3}% over the time", 100.0 * cost));
    }
    lines
        .add("evaluations", told.evaluations)
        .add(
            "solving",
            format!(
                "{} (the paper's grid: {})",
                short_duration(told.seconds),
                short_duration(told.paper_grid_seconds)
            ),
        )
        .add("time", short_duration(elapsed))
        .add("written", &told.out);
    lines.done()
}

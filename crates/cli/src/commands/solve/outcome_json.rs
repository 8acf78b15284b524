//! What a search says to programs.

use idpas_search::{
    Explain, NeighbourhoodReport, SearchOutcome, SearchSettings, StageEnd, StageKind, StageReport,
    TrajectoryPoint,
};
use serde::Serialize;

use super::decide::Origin;
use super::scores::{Guess, Told};
use crate::commands::check::CheckJson;

/// Seconds from the beginning until the first stage is handed to the solver, by what they went to.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Overhead {
    /// Reading the trained model.
    predictor: f64,
    /// Reading the instance.
    reading: f64,
    /// Solving the linear relaxation.
    relaxation: f64,
    /// Graph and network, or whatever gives the scores.
    scores: f64,
    /// Propagation, selection and repair, with start solutions checked.
    selection: f64,
    /// Loading the model into the solver and restricting it.
    loading: f64,
    /// All of it.
    total: f64,
}

impl Overhead {
    pub(super) fn new(
        guess: &Guess,
        outcome: &SearchOutcome,
        predictor_read: f64,
        model_read: f64,
        guessed: f64,
    ) -> Self {
        let solved = |stage: &&StageReport| stage.kind != StageKind::Start;
        let first = outcome.stages.iter().find(solved);
        let began = first.map_or(outcome.time, |stage| stage.began);
        let handed = first.map_or(outcome.time, |stage| stage.handed);
        let relaxation = guess.told.as_ref().map_or(0.0, |t| t.seconds.relaxation);
        Overhead {
            predictor: predictor_read,
            reading: model_read - predictor_read,
            relaxation,
            scores: (guessed - model_read - relaxation).max(0.0),
            selection: (began - guessed).max(0.0),
            loading: handed - began,
            total: handed,
        }
    }
}

#[derive(Serialize)]
pub(super) struct SearchJson<'a> {
    pub(super) status: &'a str,
    pub(super) objective: Option<f64>,
    pub(super) bound: Option<f64>,
    pub(super) gap: Option<f64>,
    pub(super) time: f64,
    pub(super) trajectory: &'a [TrajectoryPoint],
    pub(super) stages: Vec<StageJson<'a>>,
    pub(super) neighbourhoods: &'a [NeighbourhoodReport],
    pub(super) solution: Option<String>,
    pub(super) check: Option<CheckJson>,
    pub(super) solver: String,
    pub(super) threads: u16,
    pub(super) seed: u32,
    pub(super) start: Option<&'static str>,
    pub(super) method: &'a str,
    pub(super) model: Option<String>,
    pub(super) settings: &'a SearchSettings,
    pub(super) settings_from: Origin,
    pub(super) prediction: Option<&'a Told>,
    pub(super) overhead: Overhead,
    pub(super) explain: &'a Explain,
    pub(super) warnings: &'a [String],
}

/// A stage with the names that the stages of a plain solve have.
#[derive(Serialize)]
pub(super) struct StageJson<'a> {
    name: StageKind,
    begin: f64,
    time: f64,
    status: StageEnd,
    objective: Option<f64>,
    bound: Option<f64>,
    nodes: u64,
    delta: usize,
    fixed_binaries: usize,
    fixed_integers: usize,
    fixed_ones: usize,
    left_out: usize,
    rows: usize,
    columns: usize,
    handed: f64,
    incumbents: usize,
    rejected: usize,
    abandoned: bool,
    trouble: Option<&'a str>,
}

impl<'a> StageJson<'a> {
    pub(super) fn new(stage: &'a StageReport) -> Self {
        StageJson {
            name: stage.kind,
            begin: stage.began,
            time: stage.seconds,
            status: stage.outcome,
            objective: stage.best,
            bound: stage.bound,
            nodes: stage.nodes,
            delta: stage.delta,
            fixed_binaries: stage.fixed_binaries,
            fixed_integers: stage.fixed_integers,
            fixed_ones: stage.fixed_ones,
            left_out: stage.left_out,
            rows: stage.rows,
            columns: stage.columns,
            handed: stage.handed,
            incumbents: stage.incumbents,
            rejected: stage.rejected,
            abandoned: stage.abandoned,
            trouble: stage.trouble.as_deref(),
        }
    }
}

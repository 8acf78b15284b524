//! A solve as the document that `idpas solve --format json` prints.

use idpas_mip::check::CheckSummary;
use idpas_search::{
    GuidedReport, Method, ReportedPoint, ReportedStage, ReportedStart, SearchOutcome, SolveReport,
    StageReport,
};
use idpas_solver::{Solver, StartOutcome};

use super::Solved;

/// What a report says beside what the solve itself knows.
#[derive(Clone, Copy)]
pub struct ReportDetails<'a> {
    /// The solver.
    pub solver: &'a dyn Solver,
    /// Seconds in all, from opening the file on.
    pub time: f64,
    /// The file that holds the solution, if there is one.
    pub solution: Option<&'a str>,
    /// The file of the trained model, if there was one.
    pub model: Option<&'a str>,
    /// Threads of the solver.
    pub threads: u16,
    /// Seed of the solver and of the search.
    pub seed: u32,
    /// Whether the user gave a start solution.
    pub has_start: bool,
}

impl Solved {
    /// The report of this solve; a plain one leaves out what only a search has.
    pub fn report(&self, details: &ReportDetails<'_>) -> SolveReport {
        let outcome = &self.outcome;
        let solver = details.solver;
        let best = outcome.solution.as_ref();
        let plain = SolveReport {
            status: outcome.status,
            objective: best.map(|best| best.objective),
            bound: outcome.bound,
            gap: outcome.gap,
            time: details.time,
            trajectory: outcome
                .trajectory
                .iter()
                .map(ReportedPoint::plain)
                .collect(),
            stages: vec![plain_stage(solver.name(), outcome)],
            neighbourhoods: None,
            sources: None,
            solution: details.solution.map(str::to_owned),
            check: best.map(|best| CheckSummary::from(&best.check)),
            solver: format!("{} {}", solver.name(), solver.version()),
            threads: details.threads,
            seed: details.seed,
            start: (details.has_start || self.settings.method == Method::WarmStart)
                .then(|| start(outcome))
                .flatten(),
            guided: None,
        };
        if self.is_plain {
            return plain;
        }
        SolveReport {
            trajectory: outcome
                .trajectory
                .iter()
                .map(ReportedPoint::of_stage)
                .collect(),
            stages: outcome.stages.iter().map(ReportedStage::of_stage).collect(),
            neighbourhoods: Some(outcome.neighbourhoods.clone()),
            sources: Some(outcome.sources.clone()),
            guided: Some(GuidedReport {
                method: self.settings.method.to_string(),
                model: details.model.map(str::to_owned),
                settings: self.settings.clone(),
                settings_from: self.origin,
                prediction: self.prediction.clone(),
                overhead: self.overhead,
                explain: outcome.explain.clone(),
                warnings: self.warnings.clone(),
            }),
            ..plain
        }
    }
}

/// The one stage of a plain solve, also where it ended before the solver began.
fn plain_stage(solver: &str, outcome: &SearchOutcome) -> ReportedStage {
    let stage: Option<&StageReport> = outcome.stages.last();
    ReportedStage {
        name: solver.to_owned(),
        begin: stage.map_or(outcome.time, |stage| stage.handed),
        time: stage.map_or(0.0, |stage| stage.began + stage.seconds - stage.handed),
        status: outcome.status.as_str().to_owned(),
        objective: outcome.solution.as_ref().map(|best| best.objective),
        bound: None,
        nodes: stage.map_or(0, |stage| stage.nodes),
        lp_iterations: Some(stage.map_or(0, |stage| stage.lp_iterations)),
        restriction: None,
    }
}

/// What became of the start solution.
fn start(outcome: &SearchOutcome) -> Option<ReportedStart> {
    Some(match outcome.start? {
        StartOutcome::Accepted => ReportedStart::Accepted,
        StartOutcome::Rejected => ReportedStart::Rejected,
    })
}

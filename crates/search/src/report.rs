//! What a solve reports to programs: one document for the plain solver and for every method.
//!
//! `idpas solve --format json` prints a [`SolveReport`]; tuning and evaluating read it back by this type. A plain solve
//! leaves out what only a guided one has.

use idpas_mip::check::CheckSummary;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Explain, NeighbourhoodReport, SearchOutcome, SearchSettings, SearchStatus, SourceReport,
    StageKind, StageReport, TrajectoryPoint,
};

/// A solve and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolveReport {
    /// Why it ended, and what is proved.
    pub status: SearchStatus,
    /// Objective value of the best solution, exact.
    pub objective: Option<f64>,
    /// No solution is better than this.
    pub bound: Option<f64>,
    /// |objective − bound| / |objective|, if both are known.
    pub gap: Option<f64>,
    /// Seconds in all, from opening the file on.
    pub time: f64,
    /// The best objective over time.
    pub trajectory: Vec<ReportedPoint>,
    /// The stages in their order; a plain solve is one stage.
    pub stages: Vec<ReportedStage>,
    /// What the neighbourhoods of a staged search did, by ranking; absent in the report of a plain solve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhoods: Option<Vec<NeighbourhoodReport>>,
    /// What the sources of a staged search cost and brought; absent in the report of a plain solve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<SourceReport>>,
    /// The file that holds the solution, if one was asked for and written.
    pub solution: Option<String>,
    /// The exact check of the solution in the original model.
    pub check: Option<CheckSummary>,
    /// Name and version of the solver.
    pub solver: String,
    /// Threads of the solver.
    pub threads: u16,
    /// Seed of the solver and of the search.
    pub seed: u32,
    /// What became of the start solution, if one was given.
    pub start: Option<ReportedStart>,
    /// What only a guided solve has.
    #[serde(flatten)]
    pub guided: Option<GuidedReport>,
}

/// What a report says of a guided solve beside what every solve has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuidedReport {
    /// The method's name.
    pub method: String,
    /// The file of the trained model.
    pub model: Option<String>,
    /// All settings of the search.
    pub settings: SearchSettings,
    /// Where the settings are from.
    pub settings_from: SettingsOrigin,
    /// What the predictor reports beside its scores.
    pub prediction: Option<PredictionReport>,
    /// Where the time went before the solver was first asked.
    pub overhead: Overhead,
    /// What was selected, and what became of it.
    pub explain: Explain,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What became of a start solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportedStart {
    /// It was feasible, or could be completed, and the search began from it.
    Accepted,
    /// It was infeasible or could not be completed; the search went on without it.
    Rejected,
}

/// Where the settings of a search are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingsOrigin {
    /// They were given.
    File,
    /// They were tuned for the trained model.
    Tuned,
    /// They are the defaults of the method.
    Defaults,
}

/// What a predictor reports beside its scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictionReport {
    /// The kind of predictor: `gnn`, `prop`, `zero-frequency` or `nearest`.
    pub predictor: String,
    /// Whether it went by which variable is which.
    pub with_identity: bool,
    /// Share of the discrete columns that training knew.
    pub known_columns: f64,
    /// Share of the rows that training knew.
    pub known_rows: f64,
    /// Where the time of the prediction went.
    pub seconds: PredictionSeconds,
}

/// Where the time of a prediction went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictionSeconds {
    /// Seconds of solving the linear relaxation; 0 if none is needed.
    pub relaxation: f64,
    /// Seconds of everything else.
    pub scores: f64,
}

/// Seconds from the start of the clock until the first stage was handed to the solver, by what they went to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overhead {
    /// Reading the trained model.
    pub predictor: f64,
    /// Reading the instance.
    pub reading: f64,
    /// Solving the linear relaxation.
    pub relaxation: f64,
    /// Graph and network, or whatever gives the scores.
    pub scores: f64,
    /// Propagation, selection and repair, with start solutions checked.
    pub selection: f64,
    /// Loading the model into the solver and restricting it.
    pub loading: f64,
    /// All of it.
    pub total: f64,
}

/// When the parts of a solve that come before the search were done, in seconds of the search's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preparation {
    /// When the trained model had been read; 0 if none was.
    pub predictor_read: f64,
    /// When the instance had been read; 0 if it was in memory.
    pub model_read: f64,
    /// When the scores for the beginning of the search were there.
    pub predicted: f64,
    /// Seconds of these that went to the linear relaxation.
    pub relaxation: f64,
}

impl Overhead {
    /// The account of a search that was prepared like this.
    pub fn new(preparation: Preparation, outcome: &SearchOutcome) -> Self {
        let Preparation {
            predictor_read,
            model_read,
            predicted,
            relaxation,
        } = preparation;
        let is_solve = |stage: &&StageReport| stage.kind != StageKind::Start;
        let first = outcome.stages.iter().find(is_solve);
        let began = first.map_or(outcome.time, |stage| stage.began);
        let handed = first.map_or(outcome.time, |stage| stage.handed);
        Overhead {
            predictor: predictor_read,
            reading: model_read - predictor_read,
            relaxation,
            scores: (predicted - model_read - relaxation).max(0.0),
            selection: (began - predicted).max(0.0),
            loading: handed - began,
            total: handed,
        }
    }
}

/// A step of the best objective over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedPoint {
    /// Seconds from opening the file on.
    pub time: f64,
    /// Objective value, exact.
    pub objective: f64,
    /// The bound that was known then.
    pub bound: Option<f64>,
    /// The stage that found it; absent in the report of a plain solve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
}

impl ReportedPoint {
    /// A step of a guided solve.
    pub fn of_stage(point: &TrajectoryPoint) -> Self {
        ReportedPoint {
            stage: Some(point.stage.to_string()),
            ..Self::plain(point)
        }
    }

    /// A step of a plain solve, which has one stage only.
    pub fn plain(point: &TrajectoryPoint) -> Self {
        ReportedPoint {
            time: point.time,
            objective: point.objective,
            bound: point.bound,
            stage: None,
        }
    }
}

/// A stage of a solve. What a plain solve does not say is absent from its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedStage {
    /// What it did; in a plain solve the solver's name.
    pub name: String,
    /// When it began, in seconds from opening the file on.
    pub begin: f64,
    /// How long it took, in seconds.
    pub time: f64,
    /// How it ended, in one word.
    pub status: String,
    /// The best objective value of the solve when it ended.
    pub objective: Option<f64>,
    /// The bound that it proved; the outer `None` is that of a plain solve, whose bound is the report's.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub bound: Option<Option<f64>>,
    /// Nodes of its search tree.
    pub nodes: u64,
    /// Simplex iterations of a plain solve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lp_iterations: Option<u64>,
    /// What only a stage of a guided solve has.
    #[serde(flatten)]
    pub restriction: Option<ReportedRestriction>,
}

/// How a stage restricted the model, and what came of that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedRestriction {
    /// Δ: how many of the selected columns could have another value than predicted.
    pub delta: usize,
    /// Binaries restricted to zero.
    pub fixed_binaries: usize,
    /// General integers restricted to zero.
    pub fixed_integers: usize,
    /// Binaries restricted to one.
    pub fixed_ones: usize,
    /// Selected integers that could not be restricted, since they have no finite bound.
    pub left_out: usize,
    /// Rows handed to the solver.
    pub rows: usize,
    /// Columns handed to the solver.
    pub columns: usize,
    /// When the model was handed to the solver, in seconds from opening the file on.
    pub handed: f64,
    /// Improvements of the best solution.
    pub incumbents: usize,
    /// Solutions that failed the check in the original model.
    pub rejected: usize,
    /// Whether the solver did not stop in time and was left behind.
    pub abandoned: bool,
    /// What the solver said if it gave up.
    pub trouble: Option<String>,
}

impl ReportedStage {
    /// A stage of a guided solve.
    pub fn of_stage(stage: &StageReport) -> Self {
        ReportedStage {
            name: stage.kind.to_string(),
            begin: stage.began,
            time: stage.seconds,
            status: stage.outcome.as_str().to_owned(),
            objective: stage.best,
            bound: Some(stage.bound),
            nodes: stage.nodes,
            lp_iterations: None,
            restriction: Some(ReportedRestriction {
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
                trouble: stage.trouble.clone(),
            }),
        }
    }
}

/// A value that is there, be it null: what is absent is the default.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a plain solve says of itself, in its order.
    const PLAIN: &str = r#"{"status":"time_limit","objective":3.5,"bound":null,"gap":null,"time":1.25,"trajectory":[{"time":0.5,"objective":3.5,"bound":null}],"stages":[{"name":"highs","begin":0.1,"time":1.0,"status":"time_limit","objective":3.5,"nodes":7,"lp_iterations":9}],"solution":null,"check":null,"solver":"highs 1.15.0","threads":1,"seed":0,"start":"rejected"}"#;

    #[test]
    fn a_plain_report_reads_back_as_it_was_written() -> serde_json::Result<()> {
        let report: SolveReport = serde_json::from_str(PLAIN)?;
        assert_eq!(report.status, SearchStatus::TimeLimit);
        assert!(report.guided.is_none() && report.stages[0].restriction.is_none());
        assert_eq!(report.stages[0].bound, None);
        assert_eq!(serde_json::to_string(&report)?, PLAIN);
        Ok(())
    }

    #[test]
    fn a_guided_report_reads_back_as_it_was_written() -> serde_json::Result<()> {
        let mut report: SolveReport = serde_json::from_str(PLAIN)?;
        report.neighbourhoods = Some(vec![NeighbourhoodReport::default()]);
        report.stages[0].bound = Some(None);
        report.stages[0].lp_iterations = None;
        report.guided = Some(GuidedReport {
            method: "idpas".into(),
            model: None,
            settings: SearchSettings::default(),
            settings_from: SettingsOrigin::Tuned,
            prediction: Some(PredictionReport::default()),
            overhead: Overhead::default(),
            explain: Explain::default(),
            warnings: vec!["one".into()],
        });
        let text = serde_json::to_string(&report)?;
        assert!(
            text.contains(r#""objective":3.5,"bound":null,"nodes":7"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<SolveReport>(&text)?, report);
        Ok(())
    }
}

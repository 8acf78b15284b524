//! The log of a training, with a line per epoch, and a plot of the losses.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use idpas_base::svg::{Chart, Series};
use idpas_mip::files::save_bytes;
use serde::{Deserialize, Serialize};

use crate::LearnError;
use crate::metrics::Summary;

/// The results of an epoch: one line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// Number of the epoch, counted from 1.
    pub epoch: usize,
    /// Mean loss of the training graphs, each at the time when it was used.
    pub train_loss: f64,
    /// Mean loss of the validation graphs after the epoch; `None` without a validation set.
    pub validation_loss: Option<f64>,
    /// Mean loss of the validation graphs with all identities hidden.
    pub validation_loss_without_identity: Option<f64>,
    /// Learning rate at the end of the epoch.
    pub rate: f64,
    /// Whether this is the best epoch so far.
    pub best: bool,
    /// Seconds of training so far, including those before a resume.
    pub seconds: f64,
    /// Measures of the scores of the validation graphs.
    pub validation: Option<Summary>,
    /// Measures of the validation graphs with all identities hidden.
    pub validation_without_identity: Option<Summary>,
}

/// The log of a training, beside its model.
pub(super) struct History {
    log: PathBuf,
    plot: PathBuf,
    reports: Vec<EpochReport>,
}

impl History {
    /// The log beside `model`; of an existing one the first `epochs` epochs are kept.
    pub(super) fn open(model: &Path, epochs: usize) -> Result<Self, LearnError> {
        let mut history = History {
            log: model.with_extension("log.jsonl"),
            plot: model.with_extension("loss.svg"),
            reports: Vec::new(),
        };
        if epochs > 0
            && let Ok(text) = std::fs::read_to_string(&history.log)
        {
            // A line that was cut off by a crash belongs to an epoch that is done again.
            let reports = text
                .lines()
                .map_while(|line| serde_json::from_str(line).ok());
            history.reports = reports
                .take_while(|report: &EpochReport| report.epoch <= epochs)
                .collect();
        }
        let mut text = String::new();
        for report in &history.reports {
            text.push_str(&line(report));
        }
        save_bytes(&history.log, text.as_bytes())?;
        Ok(history)
    }

    /// Adds an epoch to the log.
    pub(super) fn add(&mut self, report: EpochReport) -> Result<(), LearnError> {
        let fault = |e| LearnError::io(&self.log, e);
        let mut file = OpenOptions::new()
            .append(true)
            .open(&self.log)
            .map_err(fault)?;
        file.write_all(line(&report).as_bytes()).map_err(fault)?;
        self.reports.push(report);
        Ok(())
    }

    /// Draws the losses to the plot beside the log.
    pub(super) fn draw(&self) -> Result<(), LearnError> {
        let series = |name: &str, of: fn(&EpochReport) -> Option<f64>| Series {
            name: name.into(),
            points: self
                .reports
                .iter()
                .filter_map(|report| Some((report.epoch as f64, of(report)?)))
                .collect(),
        };
        let all = [
            series("training", |report| Some(report.train_loss)),
            series("validation", |report| report.validation_loss),
            series("validation without identity", |report| {
                report.validation_loss_without_identity
            }),
        ];
        let chart = Chart {
            title: "Loss".into(),
            x_label: "epoch".into(),
            y_label: "cross-entropy (log)".into(),
            log_y: true,
            series: all.into_iter().filter(|s| !s.points.is_empty()).collect(),
            ..Chart::default()
        };
        Ok(save_bytes(&self.plot, chart.to_svg().as_bytes())?)
    }
}

fn line(report: &EpochReport) -> String {
    // Cannot fail: numbers always have a JSON form.
    let mut line = serde_json::to_string(report).unwrap_or_default();
    line.push('\n');
    line
}

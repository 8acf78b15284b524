//! The display of a running training: a bar on a terminal, a line now and then elsewhere.

use std::time::{Duration, Instant};

use idpas_base::words::duration;
use idpas_learn::train::{EpochReport, Stage, TrainProgress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Verbosity;
use crate::output::tell;
use crate::terminal;

/// Where there is no terminal, a line is printed at most this often.
const QUIET_TIME: Duration = Duration::from_secs(5);

pub(crate) struct TrainDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    stage: Option<Stage>,
    /// When the training of this run began, and at which epoch.
    began: Option<(Instant, usize)>,
    last_line: Option<Instant>,
    best: Option<f64>,
}

impl TrainDisplay {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let bar = match verbosity {
            Verbosity::Quiet => ProgressBar::hidden(),
            _ => ProgressBar::with_draw_target(Some(0), terminal::live()),
        };
        if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len}  {msg}") {
            bar.set_style(style);
        }
        TrainDisplay {
            bar,
            verbosity,
            stage: None,
            began: None,
            last_line: None,
            best: None,
        }
    }

    pub(crate) fn show(&mut self, progress: &TrainProgress) {
        match progress {
            TrainProgress::Step { stage, done, total } => {
                if self.stage != Some(*stage) {
                    self.stage = Some(*stage);
                    self.bar.set_prefix(match stage {
                        Stage::Reading => "reading",
                        Stage::Graphs => "graphs",
                        Stage::Training => "training",
                        _ => "judging",
                    });
                    self.bar.set_message("");
                }
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
            }
            TrainProgress::Batch {
                epoch,
                epochs,
                done,
                total,
                loss,
                rate,
            } => {
                let (since, first) = *self.began.get_or_insert((Instant::now(), *epoch));
                let along = |epoch: usize, done: usize| (epoch * total + done) as f64;
                let gone = along(epoch - first, *done);
                let left = along(epochs - epoch, total - done);
                let pace = since.elapsed().as_secs_f64() / gone.max(1.0);
                let best = self
                    .best
                    .map_or(String::new(), |b| format!("  best {b:.4}"));
                self.bar.set_prefix(format!("epoch {epoch}/{epochs}"));
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
                self.bar.set_message(format!(
                    "loss {loss:.4}{best}  rate {rate:.1e}  at most {} left",
                    duration(left * pace)
                ));
            }
            TrainProgress::Epoch(report) => self.epoch(report),
            _ => {}
        }
    }

    fn epoch(&mut self, report: &EpochReport) {
        if report.best {
            self.best = report.validation_loss.or(Some(report.train_loss));
        }
        let due = self
            .last_line
            .is_none_or(|last| last.elapsed() >= QUIET_TIME);
        let wanted = self.verbosity == Verbosity::Verbose || (self.bar.is_hidden() && due);
        if self.verbosity == Verbosity::Quiet || !wanted {
            return;
        }
        self.last_line = Some(Instant::now());
        let mut line = format!("epoch {}: loss {:.4}", report.epoch, report.train_loss);
        if let Some(loss) = report.validation_loss {
            line.push_str(&format!(", validation {loss:.4}"));
        }
        if report.best {
            line.push_str(" (best)");
        }
        self.bar.suspend(|| tell(&line));
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

//! The display of a running solve: a line per incumbent in the look that solver users know, and a live line below.

use std::time::Duration;

use idpas_solver::{Event, relative_gap};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Verbosity;
use crate::output::{percent, value};

/// Shows events on stderr. The live line appears only on a terminal; incumbent lines always, unless quiet.
pub(crate) struct SolveDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    header_shown: bool,
    limit: Option<f64>,
    /// Seconds that passed before the solve began.
    offset: f64,
}

impl SolveDisplay {
    pub(crate) fn new(verbosity: Verbosity, limit: Option<f64>, offset: f64) -> Self {
        let bar = if verbosity == Verbosity::Quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        SolveDisplay {
            bar,
            verbosity,
            header_shown: false,
            limit,
            offset,
        }
    }

    /// Prints a line above the live one.
    pub(crate) fn line(&self, text: &str) {
        if self.verbosity == Verbosity::Quiet {
        } else if self.bar.is_hidden() {
            eprintln!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match *event {
            Event::Log(text) if self.verbosity == Verbosity::Verbose => self.line(text),
            Event::Incumbent {
                time,
                objective,
                bound,
                ..
            } => {
                if !self.header_shown {
                    self.header_shown = true;
                    self.line(&row("time", "source", "objective", "bound", "gap"));
                }
                let time = format!("{:.1}s", time + self.offset);
                let gap = percent(relative_gap(objective, bound));
                self.line(&row(&time, "highs", &value(objective), &value(bound), &gap));
            }
            Event::Progress {
                time,
                objective,
                bound,
                nodes,
                ..
            } => {
                let limit = self.limit.map(|l| format!(" of {l}s")).unwrap_or_default();
                let gap = percent(objective.and_then(|o| relative_gap(o, bound)));
                let best = objective.map_or("none yet".into(), value);
                self.bar.set_message(format!(
                    "{:.0}s{limit}  best {best}  bound {}  gap {gap}  {nodes} nodes",
                    time + self.offset,
                    value(bound)
                ));
            }
            _ => {}
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn row(time: &str, source: &str, objective: &str, bound: &str, gap: &str) -> String {
    format!("{time:>9}  {source:<8} {objective:>18} {bound:>18} {gap:>9}")
}

//! The display of a running solve: a line for each incumbent, as in the logs of solvers, and a live line below them.

use std::fmt::Write;
use std::time::Duration;

use idpas_base::words::thousands;
use idpas_search::SearchEvent;
use idpas_solver::{Event, relative_gap};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::args::Verbosity;
use crate::output::{percent, tell, value};
use crate::terminal;

/// Shows events on stderr. The live line appears only on a terminal; lines of incumbents always, unless `--quiet`.
pub(crate) struct SolveDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    source: &'static str,
    /// The best objective value that passed the exact check; the solver's own may differ.
    best: Option<f64>,
    /// Seconds that passed before the solve began.
    offset: f64,
}

impl SolveDisplay {
    pub(crate) fn new(
        verbosity: Verbosity,
        source: &'static str,
        limit: Option<f64>,
        offset: f64,
    ) -> Self {
        let bar = if verbosity == Verbosity::Quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::with_draw_target(None, terminal::live())
        };
        let limit = limit.map(|l| format!(" of {l}s")).unwrap_or_default();
        // The time on the live line is updated even if the solver reports nothing.
        let clock = move |state: &ProgressState, out: &mut dyn Write| {
            let seconds = state.elapsed().as_secs_f64() + offset;
            let _ = write!(out, "{seconds:.0}s{limit}");
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {clock}  {wide_msg}") {
            bar.set_style(style.with_key("clock", clock));
        }
        bar.set_message("no solution yet");
        SolveDisplay {
            bar,
            verbosity,
            source,
            best: None,
            offset,
        }
    }

    /// Shows the live line.
    pub(crate) fn start(&self) {
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Prints a line above the live one.
    pub(crate) fn line(&self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.bar.suspend(|| tell(text));
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
            } => self.incumbent(time + self.offset, self.source, objective, bound),
            Event::Progress { bound, nodes, .. } => self.progress("", bound, nodes),
            _ => {}
        }
    }

    /// Prints a line for a better solution; `time` is in seconds from opening the file.
    fn incumbent(&mut self, time: f64, source: &str, objective: f64, bound: f64) {
        if self.best.replace(objective).is_none() {
            self.line(&row("time", "source", "objective", "bound", "gap"));
        }
        let time = format!("{time:.1}s");
        let gap = percent(relative_gap(objective, bound));
        let (objective, bound) = (value(objective), value(bound));
        self.line(&row(&time, source, &objective, &bound, &gap));
    }

    fn progress(&self, stage: &str, bound: f64, nodes: u64) {
        let best = self.best.map_or("none yet".into(), value);
        let gap = percent(self.best.and_then(|best| relative_gap(best, bound)));
        let bound = value(bound);
        let nodes = thousands(usize::try_from(nodes).unwrap_or(usize::MAX));
        self.bar.set_message(format!(
            "{stage}best {best}  bound {bound}  gap {gap}  nodes {nodes}"
        ));
    }

    /// Shows an event of a search in stages, whose times are counted from opening the file. `unknown` is the bound
    /// that means that none is known.
    pub(crate) fn show_search(&mut self, event: &SearchEvent<'_>, unknown: f64) {
        match *event {
            SearchEvent::Log(text) if self.verbosity == Verbosity::Verbose => self.line(text),
            SearchEvent::StageStarted { time, stage } => {
                if self.verbosity == Verbosity::Verbose {
                    let fixed = stage.fixed_binaries + stage.fixed_integers + stage.fixed_ones;
                    let (name, delta) = (stage.kind, stage.delta);
                    let fixed = thousands(fixed);
                    self.line(&format!(
                        "{time:>8.1}s  stage {name}: {fixed} columns restricted, Δ {delta}"
                    ));
                }
                self.progress(&format!("{}: ", stage.kind), unknown, 0);
            }
            SearchEvent::Incumbent {
                time,
                objective,
                bound,
                stage,
                ..
            } => {
                let source = stage.to_string();
                self.incumbent(time, &source, objective, bound.unwrap_or(unknown));
            }
            SearchEvent::Progress {
                bound,
                stage,
                nodes,
                ..
            } => self.progress(&format!("{stage}: "), bound.unwrap_or(unknown), nodes),
            _ => {}
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn row(time: &str, source: &str, objective: &str, bound: &str, gap: &str) -> String {
    format!("{time:>9}  {source:<10} {objective:>16} {bound:>18} {gap:>9}")
}

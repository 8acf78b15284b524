//! The display of a running solve: a line per incumbent in the look that solver users know, and a live line below.

use std::fmt::Write;
use std::time::Duration;

use idpas::SolveEvent;
use idpas_base::words::thousands;
use idpas_mip::Sense;
use idpas_search::StageKind;
use idpas_solver::relative_gap;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::args::Verbosity;
use crate::output::{one_line, percent, tell, tell_lines, value};
use crate::terminal;

/// Shows events on stderr. The live line appears only on a terminal; incumbent lines always, unless quiet.
pub(crate) struct SolveDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    /// The solver's name where it works alone: what is found is from it, and there are no stages to tell of.
    alone: Option<&'static str>,
    /// The bound that says nothing.
    unknown: f64,
    /// The best objective that passed the check; the solver's own may be another.
    best: Option<f64>,
}

impl SolveDisplay {
    /// `offset` is how many seconds passed before; the live clock goes on from there.
    pub(crate) fn new(
        verbosity: Verbosity,
        alone: Option<&'static str>,
        sense: Sense,
        limit: Option<f64>,
        offset: f64,
    ) -> Self {
        let bar = if verbosity == Verbosity::Quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::with_draw_target(None, terminal::live())
        };
        let limit = limit.map(|l| format!(" of {l}s")).unwrap_or_default();
        // The clock goes on while the solver says nothing.
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
            alone,
            unknown: match sense {
                Sense::Minimize => f64::NEG_INFINITY,
                Sense::Maximize => f64::INFINITY,
            },
            best: None,
        }
    }

    /// The live line begins.
    pub(crate) fn start(&self) {
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Prints a line above the live one.
    pub(crate) fn line(&self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.bar.suspend(|| tell(text));
        }
    }

    /// A line for a better solution; `time` counts from opening the file.
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

    /// Shows an event, whose time counts from opening the file.
    pub(crate) fn show(&mut self, event: &SolveEvent<'_>) {
        let unknown = self.unknown;
        let stage_name = |stage: StageKind| match self.alone {
            Some(_) => String::new(),
            None => format!("{stage}: "),
        };
        match *event {
            SolveEvent::Warning(text) => self.line(&one_line(&format!("warning: {text}"))),
            SolveEvent::Log(text) if self.verbosity == Verbosity::Verbose => {
                self.bar.suspend(|| tell_lines(text));
            }
            SolveEvent::StageStarted { time, stage } if self.alone.is_none() => {
                if self.verbosity == Verbosity::Verbose {
                    let fixed = stage.fixed_binaries + stage.fixed_integers + stage.fixed_ones;
                    let (name, delta) = (stage.kind, stage.delta);
                    let fixed = thousands(fixed);
                    self.line(&format!(
                        "{time:>8.1}s  stage {name}: {fixed} columns restricted, Δ {delta}"
                    ));
                }
                self.progress(&stage_name(stage.kind), unknown, 0);
            }
            SolveEvent::Incumbent {
                time,
                objective,
                bound,
                stage,
                ..
            } => {
                let source = self.alone.map_or(stage.to_string(), str::to_owned);
                self.incumbent(time, &source, objective, bound.unwrap_or(unknown));
            }
            SolveEvent::Progress {
                bound,
                stage,
                nodes,
                ..
            } => self.progress(&stage_name(stage), bound.unwrap_or(unknown), nodes),
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

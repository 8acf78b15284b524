//! The display of a series: a line for each instance, and a live line for the one under way.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use idpas::{SeriesEvent, SolveEvent};
use idpas_evaluate::series::{Score, SeriesRecord, SeriesRun};
use idpas_solver::relative_gap;
use indicatif::ProgressBar;

use crate::args::Verbosity;
use crate::output::{one_line, percent, tell, value};
use crate::terminal;

pub(super) struct SeriesDisplay {
    verbosity: Verbosity,
    bar: ProgressBar,
    time_limit: f64,
    state: Mutex<State>,
}

/// What the live line says.
#[derive(Default)]
struct State {
    name: String,
    way: String,
    best: Option<f64>,
    has_head: bool,
}

impl SeriesDisplay {
    pub(super) fn new(verbosity: Verbosity, before: usize, count: usize, time_limit: f64) -> Self {
        let bar = terminal::bar(verbosity, "{spinner} {pos}/{len}  {elapsed}  {wide_msg}");
        bar.set_length((before + count) as u64);
        bar.set_position(before as u64);
        bar.enable_steady_tick(Duration::from_millis(200));
        SeriesDisplay {
            verbosity,
            bar,
            time_limit,
            state: Mutex::default(),
        }
    }

    /// Prints a line above the live one.
    pub(super) fn line(&self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.bar.suspend(|| tell(&one_line(text)));
        }
    }

    pub(super) fn show(&self, event: &SeriesEvent<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            SeriesEvent::Begins { name, way, .. } => {
                state.name = (*name).to_owned();
                state.way = way.to_string();
                state.best = None;
                self.bar.set_message(format!("{name} ({way})"));
            }
            SeriesEvent::Solve(SolveEvent::Incumbent {
                time,
                objective,
                bound,
                ..
            }) => {
                state.best = Some(*objective);
                let gap = percent(bound.and_then(|bound| relative_gap(*objective, bound)));
                let (name, best) = (&state.name, value(*objective));
                let limit = self.time_limit;
                self.bar
                    .set_message(format!("{name}: {best}, gap {gap}, {time:.1} of {limit} s"));
            }
            SeriesEvent::Solve(SolveEvent::Warning(text)) => {
                self.line(&format!("warning: {}: {text}", state.name));
            }
            SeriesEvent::Solve(SolveEvent::Log(text)) if self.verbosity == Verbosity::Verbose => {
                self.line(text);
            }
            SeriesEvent::Compares => {
                self.bar
                    .set_message(format!("{}: the default solver", state.name));
            }
            SeriesEvent::Note(text) => self.line(&format!("note: {text}")),
            SeriesEvent::Done(record) => {
                if !state.has_head {
                    state.has_head = true;
                    self.line(&head(record.solver.is_some()));
                }
                self.line(&row(record));
                self.bar.set_position(record.number as u64);
            }
            _ => {}
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn head(compares: bool) -> String {
    let solver = if compares {
        "  solver: seconds, gap, score"
    } else {
        ""
    };
    format!(
        "{:>4} {:<20} {:>8} {:>9} {:>16} {:>16} {:>6}{solver}  way",
        "no", "instance", "seconds", "gap", "objective", "bound", "score"
    )
}

/// Seconds and gap of a run; a proof is marked by a star.
fn seconds_and_gap(run: &SeriesRun) -> (String, String) {
    let gap = match (run.objective, run.bound) {
        (Some(objective), Some(bound)) => relative_gap(objective, bound),
        _ => None,
    };
    let proved = if run.is_proved() { "*" } else { "" };
    (format!("{:.1}{proved}", run.seconds), percent(gap))
}

fn row(record: &SeriesRecord) -> String {
    let run = &record.run;
    let (seconds, gap) = seconds_and_gap(run);
    let score = |run: &SeriesRun, learning: f64| {
        let score = Score::of(run, learning, record.time_limit);
        format!("{:.3}", score.total())
    };
    let solver = record.solver.as_ref().map_or(String::new(), |solver| {
        let (seconds, gap) = seconds_and_gap(solver);
        format!("  {seconds:>8} {gap:>9} {:>8}", score(solver, 0.0))
    });
    let shown = |x: Option<f64>| x.map_or("-".into(), value);
    format!(
        "{:>4} {:<20} {seconds:>8} {gap:>9} {:>16} {:>16} {:>6}{solver}  {}",
        record.number,
        record.name,
        shown(run.objective),
        shown(run.bound),
        score(run, record.learning),
        record.way,
    )
}

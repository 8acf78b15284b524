//! The display of an evaluation: lines about its stages; for its runs a bar on a terminal, a line each elsewhere.

use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

use idpas_base::words::duration;
use idpas_evaluate::results::Record;
use idpas_evaluate::run::{StudyEvent, StudyStage};
use indicatif::ProgressBar;

use crate::args::Verbosity;
use crate::output::{one_line, tell, value, warn};
use crate::terminal;

use super::plan;

/// Shows the events of an evaluation.
pub(super) struct StudyDisplay {
    verbosity: Verbosity,
    /// The display of the runs of a benchmark, while they are made.
    runs: RwLock<Option<RunDisplay>>,
}

impl StudyDisplay {
    pub(super) fn new(verbosity: Verbosity) -> Self {
        StudyDisplay {
            verbosity,
            runs: RwLock::default(),
        }
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &StudyEvent<'_>) {
        match *event {
            StudyEvent::Planned {
                benchmark,
                parts,
                at_a_time,
            } => {
                for line in plan::lines(benchmark, parts, at_a_time) {
                    self.say(&line);
                }
            }
            StudyEvent::StageBegan { benchmark, stage } => {
                if let Some(text) = begins(&stage) {
                    self.say(&format!("{benchmark}: {text}"));
                }
            }
            StudyEvent::WaitingForStage { benchmark, stage } => self.say(&format!(
                "{benchmark}: {stage}: waiting for another process that does this"
            )),
            StudyEvent::WaitingForModels { benchmark } => self.say(&format!(
                "{benchmark}: waiting for models that other processes train"
            )),
            StudyEvent::CopiesLeftOut { benchmark, copies } => self.say(&format!(
                "note: {benchmark}: {copies} files are copies of others and left out"
            )),
            StudyEvent::Warnings { path, warnings } => warn(path, warnings, self.verbosity),
            StudyEvent::BenchmarkFailed { benchmark, error } => tell(&format!(
                "error: {error}; {benchmark} is left, the next benchmark begins"
            )),
            StudyEvent::SharedProcessors => self.say(
                "note: runs share processors: their times are not comparable to others, and the report says so",
            ),
            _ => self.show_runs(event),
        }
    }

    fn show_runs(&self, event: &StudyEvent<'_>) {
        match *event {
            StudyEvent::RunsPlanned {
                benchmark,
                runs,
                seconds,
                jobs,
            } => {
                let display = RunDisplay::new(self.verbosity);
                display.plan(benchmark, runs, seconds, jobs);
                *self.runs.write().unwrap_or_else(PoisonError::into_inner) = Some(display);
            }
            StudyEvent::RunsEnded => {
                let ended = self
                    .runs
                    .write()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take();
                if let Some(display) = ended {
                    display.finish();
                }
            }
            _ => {
                let runs = self.runs.read().unwrap_or_else(PoisonError::into_inner);
                if let Some(display) = runs.as_ref() {
                    display.show(event);
                }
            }
        }
    }

    fn say(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            tell(text);
        }
    }
}

/// What a stage does, for people.
fn begins(stage: &StudyStage<'_>) -> Option<String> {
    Some(match *stage {
        StudyStage::Generate { instances } => format!("generating {instances} instances"),
        StudyStage::Collect {
            instances,
            time_limit,
        } => format!("collecting solutions of {instances} instances, {time_limit} s each"),
        StudyStage::Train { model } => format!("training the model `{}`", model.as_str()),
        StudyStage::Tune { label } => format!("tuning `{label}`"),
        StudyStage::Judge { model } => format!("judging the scores of the model `{model}`"),
        _ => return None,
    })
}

/// The display of the runs of a benchmark.
struct RunDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    state: Mutex<RunState>,
}

#[derive(Default)]
struct RunState {
    /// Seconds of solving that are left, at most.
    left: f64,
    jobs: usize,
}

impl RunDisplay {
    fn new(verbosity: Verbosity) -> Self {
        let bar = terminal::bar(verbosity, "{prefix} {wide_bar} {pos}/{len}  {msg}");
        RunDisplay {
            bar,
            verbosity,
            state: Mutex::default(),
        }
    }

    fn plan(&self, benchmark: &str, runs: usize, seconds: f64, jobs: usize) {
        self.bar.set_length(runs as u64);
        self.bar.set_prefix(benchmark.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(500));
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = RunState {
            left: seconds,
            jobs,
        };
        let most = duration(seconds / jobs as f64);
        self.line(&format!(
            "{benchmark}: {runs} runs, {jobs} at a time, {most} at most"
        ));
    }

    /// There is one more run, of this limit, than was planned.
    fn more(&self, limit: f64) {
        self.bar.inc_length(1);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.left += limit;
    }

    fn show(&self, event: &StudyEvent<'_>) {
        match *event {
            StudyEvent::RunAdded { time_limit } => self.more(time_limit),
            StudyEvent::RunDone {
                time_limit,
                record,
                made,
            } => self.done(time_limit, record, made),
            StudyEvent::WaitingForProcessors => {
                self.line(
                    "note: other runs on this machine have its processors; waiting for a turn",
                );
            }
            StudyEvent::WaitingForRuns => self.line("waiting for runs that other processes make"),
            _ => {}
        }
    }

    /// A run is there: made now, or before.
    fn done(&self, limit: f64, record: &Record, made: bool) {
        let left = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.left = (state.left - limit).max(0.0);
            state.left / state.jobs.max(1) as f64
        };
        self.bar.inc(1);
        let left = format!("{} left at most", duration(left));
        let Record {
            label, instance, ..
        } = record;
        if made && (self.bar.is_hidden() || self.verbosity == Verbosity::Verbose) {
            let best = record.objective.map_or("no solution".into(), value);
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let text = format!(
                "[{done}/{total}] {instance}, {label}: {best} in {:.1} s, {left}",
                record.time
            );
            self.line(&one_line(&text));
        }
        if let (true, Some(failure)) = (made, &record.failure) {
            self.line(&one_line(&format!(
                "warning: {instance}, {label}: {failure}"
            )));
        }
        self.bar.set_message(left);
    }

    fn line(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.bar.suspend(|| tell(text));
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

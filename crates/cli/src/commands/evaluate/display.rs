//! The display of running an evaluation: a bar on a terminal, a line per run elsewhere.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use idpas_base::words::duration;
use idpas_evaluate::results::Record;
use indicatif::ProgressBar;

use crate::args::Verbosity;
use crate::output::{one_line, tell, value};
use crate::terminal;

pub(super) struct RunDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Seconds of solving that are left, at most.
    left: f64,
    jobs: usize,
}

impl RunDisplay {
    pub(super) fn new(verbosity: Verbosity) -> Self {
        let bar = terminal::bar(verbosity, "{prefix} {wide_bar} {pos}/{len}  {msg}");
        RunDisplay {
            bar,
            verbosity,
            state: Mutex::default(),
        }
    }

    pub(super) fn plan(&self, benchmark: &str, runs: usize, seconds: f64, jobs: usize) {
        self.bar.set_length(runs as u64);
        self.bar.set_prefix(benchmark.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(500));
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State {
            left: seconds,
            jobs,
        };
        let most = duration(seconds / jobs as f64);
        self.line(&format!(
            "{benchmark}: {runs} runs, {jobs} at a time, {most} at most"
        ));
    }

    /// There is one more run, of this limit, than was planned.
    pub(super) fn more(&self, limit: f64) {
        self.bar.inc_length(1);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.left += limit;
    }

    /// Says something between the lines of runs.
    pub(super) fn note(&self, text: &str) {
        self.line(text);
    }

    /// A run is there: made now, or before.
    pub(super) fn done(&self, limit: f64, record: &Record, made: bool) {
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

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

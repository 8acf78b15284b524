//! The display of a running tuning: how much is done, how long the rest takes at most.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use idpas_base::words::short_duration;
use idpas_search::tune::Plan;
use indicatif::ProgressBar;

use super::solve::amounts;
use super::tune_record::Made;
use crate::args::Verbosity;
use crate::output::{one_line, tell, value};
use crate::terminal;

pub(super) struct TuneDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Seconds of solving planned, and those that are done.
    planned: f64,
    done: f64,
    jobs: usize,
}

impl TuneDisplay {
    pub(super) fn new(verbosity: Verbosity) -> Self {
        let bar = terminal::bar(verbosity, "{wide_bar} {pos}/{len}  {msg}");
        TuneDisplay {
            bar,
            verbosity,
            state: Mutex::default(),
        }
    }

    /// What is going to happen at most.
    pub(super) fn plan(&self, plan: &Plan, candidates: usize, jobs: usize) {
        let (mut left, mut evaluations) = (candidates, 0);
        for rung in &plan.rungs {
            evaluations += left * rung.instances;
            left = left.min(rung.keep);
        }
        let planned = plan.seconds(candidates);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State {
            planned,
            done: 0.0,
            jobs,
        };
        self.bar.set_length(evaluations as u64);
        self.bar.enable_steady_tick(Duration::from_millis(500));
        let most = short_duration(planned / jobs as f64);
        self.line(&format!(
            "{candidates} settings, {evaluations} searches in {} rounds, {most} at most",
            plan.rungs.len()
        ));
    }

    /// An evaluation is there: made now, or remembered.
    pub(super) fn done(&self, time_limit: f64, made: Option<&Made>) {
        let left = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.done += time_limit;
            (state.planned - state.done).max(0.0) / state.jobs.max(1) as f64
        };
        self.bar.inc(1);
        let left = format!("{} left at most", short_duration(left));
        if let Some(made) = made {
            let best = made.trajectory.last();
            let best = best.map_or("no solution".into(), |point| value(point.1));
            let (instance, settings) = (&made.key.instance, amounts(&made.key.settings));
            let text = format!("{instance}, {time_limit:.1}s, {settings}: {best}");
            if self.bar.is_hidden() || self.verbosity == Verbosity::Verbose {
                let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
                self.line(&one_line(&format!("[{done}/{total}] {text}, {left}")));
            }
            if let Some(failure) = &made.failure {
                let instance = &made.key.instance;
                self.line(&one_line(&format!("warning: {instance}: {failure}")));
            }
        }
        self.bar.set_message(left);
    }

    /// Nothing is left to begin: other processes make the rest.
    pub(super) fn waiting(&self, evaluations: usize) {
        self.bar
            .set_message(format!("waiting for {evaluations} of other processes"));
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

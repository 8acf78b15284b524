//! The display of a running tuning: how much is done, how long the rest takes at most.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use idpas_base::words::short_duration;
use idpas_evaluate::tune::{EvaluationRecord, TuneEvent};
use idpas_search::tune::Plan;
use indicatif::ProgressBar;

use crate::args::Verbosity;
use crate::commands::solve::amounts;
use crate::output::{one_line, tell, value, warn};
use crate::terminal;

/// A bar on a terminal, a line per evaluation elsewhere.
pub(crate) struct TuneDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    state: Mutex<TuneState>,
}

#[derive(Default)]
struct TuneState {
    /// Seconds of solving that are planned.
    planned: f64,
    /// Seconds of solving that are done.
    done: f64,
    jobs: usize,
}

impl TuneDisplay {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let bar = terminal::bar(verbosity, "{wide_bar} {pos}/{len}  {msg}");
        TuneDisplay {
            bar,
            verbosity,
            state: Mutex::default(),
        }
    }

    /// Shows an event.
    pub(crate) fn show(&self, event: &TuneEvent<'_>) {
        match *event {
            TuneEvent::Warnings { path, warnings } => warn(path, warnings, self.verbosity),
            TuneEvent::Planned {
                plan,
                candidates,
                jobs,
            } => self.plan(plan, candidates, jobs),
            TuneEvent::Evaluated { time_limit, made } => self.done(time_limit, made),
            TuneEvent::Waiting { evaluations } => {
                (self.bar).set_message(format!("waiting for {evaluations} of other processes"))
            }
            _ => {}
        }
    }

    /// The most that is going to happen.
    fn plan(&self, plan: &Plan, candidates: usize, jobs: usize) {
        let (mut left, mut evaluations) = (candidates, 0);
        for rung in &plan.rungs {
            evaluations += left * rung.instances;
            left = left.min(rung.keep);
        }
        let planned = plan.seconds(candidates);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = TuneState {
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
    fn done(&self, time_limit: f64, made: Option<&EvaluationRecord>) {
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

    fn line(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.bar.suspend(|| tell(text));
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

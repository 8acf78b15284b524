//! The display of learning: which step it is, and what the step shows.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use idpas::{LearnEvent, LearnStep};
use idpas_base::words::duration;

use crate::args::Verbosity;
use crate::commands::collect::display::CollectDisplay;
use crate::commands::train::display::TrainDisplay;
use crate::commands::tune::display::TuneDisplay;
use crate::output::{tell, value};
use crate::terminal;

pub(super) struct LearnDisplay {
    verbosity: Verbosity,
    began: Instant,
    budget: f64,
    step: Mutex<Step>,
}

/// The display of the step under way.
enum Step {
    None,
    Collect(CollectDisplay),
    Train(TrainDisplay),
    Tune(TuneDisplay),
    Judge(indicatif::ProgressBar),
}

impl LearnDisplay {
    pub(super) fn new(verbosity: Verbosity, budget: f64) -> Self {
        LearnDisplay {
            verbosity,
            began: Instant::now(),
            budget,
            step: Mutex::new(Step::None),
        }
    }

    fn step(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn show(&self, event: &LearnEvent<'_>) {
        let mut step = self.step();
        match (event, &mut *step) {
            (LearnEvent::Step(next, seconds), _) => {
                step.finish();
                *step = self.begin(*next, *seconds);
            }
            (LearnEvent::Notice(text), _) => self.line(&format!("note: {text}")),
            (LearnEvent::Collect(event), Step::Collect(display)) => display.show(event),
            (LearnEvent::Train(event), Step::Train(display)) => display.show(event),
            (LearnEvent::Tune(event), Step::Tune(display)) => display.show(event),
            (LearnEvent::Judged { run, done, total }, Step::Judge(bar)) => {
                bar.set_length(*total as u64);
                bar.set_position(*done as u64);
                if bar.is_hidden() || self.verbosity == Verbosity::Verbose {
                    let best = run.trajectory.last();
                    let best = best.map_or("no solution".into(), |point| value(point.1));
                    let (instance, method) = (&run.instance, run.method);
                    bar.suspend(|| {
                        self.line(&format!("[{done}/{total}] {instance}, {method}: {best}"))
                    });
                }
            }
            _ => {}
        }
    }

    fn begin(&self, step: LearnStep, seconds: f64) -> Step {
        let number = 1 + LearnStep::ALL.iter().position(|s| *s == step).unwrap_or(0);
        let gone = self.began.elapsed().as_secs_f64();
        self.line(&format!(
            "{number} of {}: {}, {} at most; {} of {} are gone",
            LearnStep::ALL.len(),
            step.as_str(),
            duration(seconds),
            duration(gone),
            duration(self.budget),
        ));
        match step {
            LearnStep::Collect => Step::Collect(CollectDisplay::new(self.verbosity)),
            LearnStep::Train => Step::Train(TrainDisplay::new(self.verbosity)),
            LearnStep::Tune => Step::Tune(TuneDisplay::new(self.verbosity)),
            LearnStep::Judge => Step::Judge(terminal::bar(
                self.verbosity,
                "{wide_bar} {pos}/{len}  {msg}",
            )),
        }
    }

    fn line(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            tell(text);
        }
    }

    pub(super) fn finish(&self) {
        self.step().finish();
    }
}

impl Step {
    fn finish(&self) {
        match self {
            Step::None => {}
            Step::Collect(display) => display.finish(),
            Step::Train(display) => display.finish(),
            Step::Tune(display) => display.finish(),
            Step::Judge(bar) => bar.finish_and_clear(),
        }
    }
}

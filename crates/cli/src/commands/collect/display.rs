//! The display of a running collection: a bar on a terminal, a line per instance elsewhere.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use idpas_base::words::{counted, duration};
use idpas_pools::collect::CollectProgress;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::args::Verbosity;
use crate::output::{one_line, tell, value};
use crate::terminal;

pub(crate) struct CollectDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    /// What was done before this run.
    before: Arc<AtomicU64>,
    /// What is under way.
    running: Vec<String>,
    failed: usize,
}

impl CollectDisplay {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let bar = match verbosity {
            Verbosity::Quiet => ProgressBar::hidden(),
            _ => ProgressBar::with_draw_target(None, terminal::live()),
        };
        let before = Arc::new(AtomicU64::new(0));
        let known = before.clone();
        let pace = move |state: &ProgressState, out: &mut dyn Write| {
            let pace = Pace::new(state.pos(), state.len(), &known, state.elapsed());
            let _ = write!(out, "{}", pace.words());
        };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len}{pace}  {msg}") {
            bar.set_style(style.with_key("pace", pace));
        }
        CollectDisplay {
            bar,
            verbosity,
            before,
            running: Vec::new(),
            failed: 0,
        }
    }

    /// The bar, for those who print between its lines.
    pub(crate) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    pub(crate) fn show(&mut self, event: &CollectProgress) {
        match event {
            CollectProgress::Notice(text) => self.line(&one_line(&format!("note: {text}"))),
            CollectProgress::Planned { total, done } => {
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
                self.before.store(*done as u64, Ordering::Relaxed);
                self.bar.reset_elapsed();
                self.bar.enable_steady_tick(Duration::from_millis(500));
            }
            CollectProgress::Started { name } => self.running.push(name.clone()),
            CollectProgress::Made {
                name,
                solutions,
                best,
            } => {
                self.ended(name);
                let solutions = counted(*solutions, "solution");
                let text = format!("{name}: {solutions}, best {}", value(*best));
                self.passed(&text);
            }
            CollectProgress::Retried { name, reason } => {
                let text = format!("warning: {name}: {reason}; trying again");
                self.line(&one_line(&text));
            }
            CollectProgress::Failed(failure) => {
                self.ended(&failure.name);
                self.failed += 1;
                self.passed(&one_line(&format!("{}: {}", failure.name, failure.reason)));
            }
            CollectProgress::Elsewhere { name } => {
                self.ended(name);
                self.passed(&format!("{name}: another run has it"));
            }
            _ => {}
        }
        let failed = match self.failed {
            0 => String::new(),
            n => format!("{n} failed  "),
        };
        self.bar
            .set_message(format!("{failed}{}", self.running.join(" ")));
    }

    fn ended(&mut self, name: &str) {
        self.running.retain(|running| running != name);
        self.bar.inc(1);
    }

    /// A line of its own where there is no bar.
    fn passed(&self, text: &str) {
        if self.bar.is_hidden() || self.verbosity == Verbosity::Verbose {
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let elapsed = self.bar.elapsed();
            let pace = Pace::new(done, Some(total), &self.before, elapsed).words();
            self.line(&format!("[{done}/{total}] {text}{pace}"));
        }
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

/// How fast it goes.
struct Pace {
    /// Instances ended in this run.
    ended: u64,
    /// Instances still to do.
    left: u64,
    elapsed: Duration,
}

impl Pace {
    fn new(done: u64, total: Option<u64>, before: &AtomicU64, elapsed: Duration) -> Self {
        Pace {
            ended: done.saturating_sub(before.load(Ordering::Relaxed)),
            left: total.unwrap_or(done).saturating_sub(done),
            elapsed,
        }
    }

    /// `, 4.0/min, 12 min left`, once there is something to tell.
    fn words(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        if self.ended == 0 || self.left == 0 || seconds == 0.0 {
            return String::new();
        }
        let rate = self.ended as f64 / seconds;
        let left = duration(self.left as f64 / rate);
        format!(", {:.1}/min, {left} left", 60.0 * rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_counts_only_this_run() {
        let pace = |done, before| {
            let elapsed = Duration::from_secs(30);
            Pace::new(done, Some(10), &AtomicU64::new(before), elapsed).words()
        };
        assert_eq!(pace(6, 4), ", 4.0/min, 60 s left");
        assert_eq!(pace(4, 4), "");
        assert_eq!(pace(10, 4), "");
    }
}

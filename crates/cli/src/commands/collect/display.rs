//! The display of a running collection: a bar on a terminal, a line per turn elsewhere.

use std::time::Duration;

use idpas_base::words::{counted, duration};
use idpas_pools::collect::CollectProgress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Verbosity;
use crate::output::{one_line, tell, value};
use crate::terminal;

pub(crate) struct CollectDisplay {
    bar: ProgressBar,
    verbosity: Verbosity,
    pace: Pace,
    /// Instances with a pool, and all.
    done: usize,
    total: usize,
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
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {msg}") {
            bar.set_style(style);
        }
        CollectDisplay {
            bar,
            verbosity,
            pace: Pace::default(),
            done: 0,
            total: 0,
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
                (self.total, self.done) = (*total, *done);
                self.bar.reset_elapsed();
                self.bar.enable_steady_tick(Duration::from_millis(500));
            }
            CollectProgress::Used { seconds, budget } => {
                self.bar.set_length(budget.ceil() as u64);
                self.bar.set_position(*seconds as u64);
                self.pace.used(*seconds, *budget);
            }
            CollectProgress::Started { name, .. } => self.running.push(name.clone()),
            CollectProgress::Made {
                name,
                round,
                solutions,
                best,
                before,
            } => {
                self.ended(name);
                self.done += usize::from(before.is_none());
                let solutions = counted(*solutions, "solution");
                let best = match before {
                    None => value(*best),
                    Some(before) if before == best => format!("{}, as before", value(*best)),
                    Some(before) => format!("{}, before {}", value(*best), value(*before)),
                };
                let round = match round {
                    1 => String::new(),
                    round => format!(" (round {round})"),
                };
                self.passed(&format!("{name}{round}: {solutions}, best {best}"));
            }
            CollectProgress::Nothing { name, round } => {
                self.ended(name);
                self.passed(&format!("{name} (round {round}): no solution yet"));
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
        let left = self.pace.words(self.bar.elapsed());
        let running = self.running.join(" ");
        let (done, total) = (self.done, self.total);
        self.bar
            .set_message(format!("{done}/{total} pools{left}  {failed}{running}"));
    }

    fn ended(&mut self, name: &str) {
        self.running.retain(|running| running != name);
    }

    /// A line of its own where there is no bar.
    fn passed(&self, text: &str) {
        if self.bar.is_hidden() || self.verbosity == Verbosity::Verbose {
            let left = self.pace.words(self.bar.elapsed());
            let (done, total) = (self.done + self.failed, self.total);
            self.line(&format!("[{done}/{total}] {text}{left}"));
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

/// How fast the time that the turns have is used up.
#[derive(Default)]
struct Pace {
    /// Seconds of turns that were used when this run began, are used now, and may be used.
    used: Option<(f64, f64, f64)>,
}

impl Pace {
    fn used(&mut self, seconds: f64, budget: f64) {
        let before = self.used.map_or(seconds, |(before, _, _)| before);
        self.used = Some((before, seconds, budget));
    }

    /// `, 12 min left`, once there is something to tell.
    fn words(&self, elapsed: Duration) -> String {
        let Some((before, now, budget)) = self.used else {
            return String::new();
        };
        let (left, rate) = (budget - now, (now - before) / elapsed.as_secs_f64());
        match left > 0.0 && rate > 0.0 && rate.is_finite() {
            true => format!(", {} left", duration(left / rate)),
            false => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_goes_by_the_time_used() {
        let mut pace = Pace::default();
        let elapsed = Duration::from_secs(30);
        assert_eq!(pace.words(elapsed), "");
        pace.used(30.0, 210.0);
        assert_eq!(pace.words(elapsed), "");
        pace.used(90.0, 210.0);
        assert_eq!(pace.words(elapsed), ", 60 s left");
        pace.used(210.0, 210.0);
        assert_eq!(pace.words(elapsed), "");
    }
}

//! Leaving a stage that brings nothing more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use idpas_solver::Interrupt;

use crate::SearchError;

/// How often the watcher looks.
const LOOK: Duration = Duration::from_millis(20);

/// Stops a solve when nothing has improved for too long. It has a thread of its own, since a solver can be silent for
/// minutes.
pub(super) struct Watch {
    stall: Option<f64>,
    stop: Interrupt,
    began: Instant,
    /// Milliseconds from the beginning to the last improvement.
    improved: AtomicU64,
    done: AtomicBool,
}

impl Watch {
    pub(super) fn new(stall: Option<f64>) -> Self {
        Watch {
            stall,
            stop: Interrupt::new(),
            began: Instant::now(),
            improved: AtomicU64::new(0),
            done: AtomicBool::new(false),
        }
    }

    /// What stops the solve.
    pub(super) fn interrupt(&self) -> Interrupt {
        self.stop.clone()
    }

    /// Stops the solve.
    pub(super) fn stop(&self) {
        self.stop.raise();
    }

    /// Something has improved.
    pub(super) fn improved(&self) {
        let now = self.began.elapsed().as_millis() as u64;
        self.improved.store(now, Ordering::Relaxed);
    }

    fn is_stalled(&self) -> bool {
        let idle = self.began.elapsed().as_secs_f64()
            - self.improved.load(Ordering::Relaxed) as f64 / 1000.0;
        self.stall.is_some_and(|stall| idle > stall)
    }

    /// Watches over `work`, if there is anything to watch for.
    pub(super) fn over<T>(
        &self,
        work: impl FnOnce() -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        if self.stall.is_none() {
            return work();
        }
        thread::scope(|scope| {
            let watcher =
                thread::Builder::new()
                    .name("stall".into())
                    .spawn_scoped(scope, || {
                        while !self.done.load(Ordering::Relaxed) {
                            if self.is_stalled() {
                                self.stop.raise();
                            }
                            thread::park_timeout(LOOK);
                        }
                    })?;
            // Also when the work panics, or the scope would wait for ever.
            let _end = EndWatch(&self.done, watcher.thread());
            work()
        })
    }
}

/// Ends the watcher when dropped.
struct EndWatch<'a>(&'a AtomicBool, &'a Thread);

impl Drop for EndWatch<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

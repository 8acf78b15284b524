//! The moment at which a process has to be done, where it is one of many that come and go.

use std::time::{Duration, Instant};

/// When a process has to be done. It begins nothing that would last longer; by default it has all the time there is.
///
/// ```
/// use idpas_base::deadline::Deadline;
///
/// assert!(Deadline::default().allows(1e9));
/// let soon = Deadline::after(60.0);
/// assert!(soon.allows(50.0) && !soon.allows(61.0));
/// assert!(!soon.is_over() && Deadline::after(0.0).is_over());
/// assert!(soon.seconds_left().is_some_and(|left| left <= 60.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So many seconds from now.
    pub fn after(seconds: f64) -> Self {
        let duration = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
        // What is beyond all clocks is no limit.
        Deadline(duration.and_then(|duration| Instant::now().checked_add(duration)))
    }

    /// Whether work of so many seconds would be done in time.
    pub fn allows(&self, seconds: f64) -> bool {
        self.seconds_left().is_none_or(|left| seconds <= left)
    }

    /// Whether it has passed.
    pub fn is_over(&self) -> bool {
        self.0.is_some_and(|at| at <= Instant::now())
    }

    /// Seconds until then, 0 if it has passed; `None` if there is no such moment.
    pub fn seconds_left(&self) -> Option<f64> {
        let at = self.0?;
        Some(at.saturating_duration_since(Instant::now()).as_secs_f64())
    }
}

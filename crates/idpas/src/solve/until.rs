//! Work that cannot be stopped, waited for no longer than there is time.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use idpas_solver::HardStop;

/// How often the waiting thread looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own. `None` if `stop` is due before it is done: the thread is left behind then, and what
/// it gives is thrown away. An error if the thread cannot be started or panics.
pub fn until<T: Send + 'static>(
    stop: &HardStop,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let (tell, hear) = channel();
    thread::Builder::new()
        .spawn(move || {
            // Sending fails only if nobody waits any more.
            let _ = tell.send(work());
        })
        .map_err(|error| io::Error::other(format!("cannot start a thread: {error}")))?;
    loop {
        let left = stop.left().map(Duration::from_secs_f64);
        match hear.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Timeout) if stop.is_due() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("a thread ended without a result"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn what_is_done_in_time_is_given() {
        let done = until(&HardStop::default(), || 42);
        assert_eq!(done.ok(), Some(Some(42)));
    }

    #[test]
    fn what_takes_longer_is_left_behind() {
        let began = Instant::now();
        let long = Duration::from_secs(60);
        let slow = || thread::sleep(Duration::from_secs(60));
        let stop = HardStop::after(began, Some(0.05));
        assert_eq!(until(&stop, slow).ok(), Some(None));
        let stop = HardStop::default();
        stop.interrupt.raise();
        assert_eq!(until(&stop, slow).ok(), Some(None));
        assert!(began.elapsed() < long / 2);
    }

    #[test]
    fn a_panic_is_an_error() {
        // Not `panic!`, whose message would litter the output of a passing test.
        let panics = || std::panic::resume_unwind(Box::new("work"));
        assert!(until::<()>(&HardStop::default(), panics).is_err());
    }
}

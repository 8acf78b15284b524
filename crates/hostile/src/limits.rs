//! How much memory and time a reader may take for a file.

use rustix::time::{ClockId, clock_gettime};

use crate::memory::measured;

/// Most seconds of a processor for one input. Waiting for a processor does not count, since it is not the reader's fault.
const SECONDS: f64 = 1.0;

/// Most bytes that a reader may have allocated at one time, for each byte of the file.
const PER_BYTE: usize = 10;

/// Bytes that a reader may take however short the file is: lines are read in pieces of a quarter of a megabyte, and a file
/// of MPS is opened a second time if its first form does not fit.
const ALWAYS: usize = 2 << 20;

/// What `read` returns, unless it takes more memory than `bytes` allow.
pub(crate) fn frugal<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    frugal_beside(bytes, 0, read)
}

/// [`frugal`] with `more` bytes that the reader may take for another reason.
pub(crate) fn frugal_beside<T>(bytes: &[u8], more: usize, read: impl FnOnce() -> T) -> T {
    let allowed = (PER_BYTE * bytes.len())
        .saturating_add(ALWAYS)
        .saturating_add(more);
    let (result, peak) = measured(allowed, read);
    assert!(
        peak <= allowed,
        "{peak} bytes of memory for a file of {} bytes; at most {allowed} are allowed",
        bytes.len()
    );
    result
}

/// Does `work`, unless it takes more than a second.
pub(crate) fn in_time(work: impl FnOnce()) {
    let before = processor_seconds();
    work();
    let seconds = processor_seconds() - before;
    assert!(
        seconds <= SECONDS,
        "{seconds:.1} s; at most {SECONDS} s are allowed"
    );
}

/// Seconds that this thread has had a processor.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

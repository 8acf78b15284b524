//! Counts what a thread allocates, so that a reader that takes too much for its file is noticed.
//!
//! The allocator below is that of every program that uses this crate: its tests, and the fuzzer in `fuzz`. It counts for
//! each thread apart, because tests run side by side.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes that this thread has allocated and not freed; negative if it frees what others allocated.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The greatest value of `LIVE` since a measurement began.
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// The value of `LIVE` beyond which an allocation fails, which ends the process.
    static CEILING: Cell<isize> = const { Cell::new(isize::MAX) };
}

/// The system's allocator with a count of live bytes.
struct Counting;

/// Counts a change of the live bytes; `false` if that is beyond the ceiling, and then nothing is counted.
fn count(change: isize) -> bool {
    // A thread that ends has no counters any more; what it still does is not measured.
    LIVE.try_with(|live| {
        let now = live.get().saturating_add(change);
        if change > 0 && CEILING.try_with(|ceiling| now > ceiling.get()) == Ok(true) {
            return false;
        }
        live.set(now);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
        true
    })
    .unwrap_or(true)
}

// SAFETY: every call goes to the system's allocator with the arguments that came; counting allocates nothing, because the
// counters are constants without destructors. A null pointer says that there is no memory, which callers must expect.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !count(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !count(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !count(size as isize - layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// What a piece of work may allocate beyond its limit before the process ends: enough to say in good order what was wrong,
/// and little enough not to take the memory of the machine.
const GRACE: usize = 256 << 20;

/// Does `work` and returns its result, with the greatest number of bytes that it had allocated at one time. An allocation
/// far beyond `limit` ends the process.
pub fn measured<T>(limit: usize, work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let ceiling = limit.saturating_add(GRACE).min(isize::MAX as usize) as isize;
    CEILING.set(before.saturating_add(ceiling));
    let result = work();
    CEILING.set(isize::MAX);
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::measured;

    #[test]
    fn what_is_allocated_at_one_time_counts() {
        let ((), peak) = measured(1 << 20, || {
            let first = vec![1u8; 100_000];
            drop(std::hint::black_box(first));
            let mut second: Vec<u8> = Vec::with_capacity(1_000);
            second.resize(150_000, 0);
            std::hint::black_box(vec![0u8; 20_000]);
            drop(std::hint::black_box(second));
        });
        assert_eq!(peak, 170_000);
    }
}

//! Threads that work on one list.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Waits for all of them. A panic goes on here; of several errors, the first worker's counts.
pub fn join<E>(workers: Vec<ScopedJoinHandle<'_, Result<(), E>>>) -> Result<(), E> {
    let ends: Vec<Result<(), E>> = workers
        .into_iter()
        .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
        .collect();
    ends.into_iter().collect()
}

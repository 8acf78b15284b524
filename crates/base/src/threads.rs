//! Waiting for threads that share a list of work.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Waits for all workers. A panic of one is passed on; of several errors, the one of the first worker in the list is
/// returned.
pub fn join<E>(workers: Vec<ScopedJoinHandle<'_, Result<(), E>>>) -> Result<(), E> {
    let ends: Vec<Result<(), E>> = workers
        .into_iter()
        .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
        .collect();
    ends.into_iter().collect()
}

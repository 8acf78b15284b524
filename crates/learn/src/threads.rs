//! Work on a given number of threads.

use crate::LearnError;

/// Does `work` on `threads` threads, or on one per processor if no number is given.
pub fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, LearnError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|error| LearnError::Threads(error.to_string()))?;
    Ok(pool.install(work))
}

//! Measures times, and the memory that a run adds.

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use idpas_nn::{Threads, Workspace};

use crate::graphs::{case, network, size};

/// Prints times in seconds and memory in bytes, as a line of JSON.
pub(crate) fn measure(name: &str, seconds: f64) -> Result<(), Box<dyn Error>> {
    let case = case(size(name)?)?;
    let network = network()?;
    let mut gradient = vec![0.0; network.parameters().len()];
    // Starts the pool's threads before anything is measured.
    rayon::broadcast(|_| ());
    let before = memory("VmRSS");
    let mut workspace = Workspace::new(Threads::Pool);
    network.logits(&case.graph, &mut workspace)?;
    let forward_memory = memory("VmHWM").saturating_sub(before);
    let forward = best(seconds, || {
        network.logits(&case.graph, &mut workspace).map(drop)
    })?;
    case.step(&network, &mut gradient, &mut workspace)?;
    let step = best(seconds, || {
        case.step(&network, &mut gradient, &mut workspace).map(drop)
    })?;
    let step_memory = memory("VmHWM").saturating_sub(before);
    let line = serde_json::json!({
        "forward": forward.best, "step": step.best,
        "forward_cpu": forward.cpu, "step_cpu": step.cpu,
        "forward_memory": forward_memory, "step_memory": step_memory,
    });
    writeln!(io::stdout(), "{line}")?;
    Ok(())
}

/// Times in seconds: the best by the clock, and the mean of processor time, which is meaningful on a busy machine too.
pub(crate) struct Times {
    pub(crate) best: f64,
    pub(crate) cpu: f64,
}

/// Repeats `work` for about `seconds`, at least three times, and returns its times.
pub(crate) fn best<E>(seconds: f64, mut work: impl FnMut() -> Result<(), E>) -> Result<Times, E> {
    let begin = Instant::now();
    let before = processor();
    let mut best = Duration::MAX;
    let mut count = 0;
    while count < 3 || begin.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
        count += 1;
    }
    Ok(Times {
        best: best.as_secs_f64(),
        cpu: (processor() - before) / f64::from(count),
    })
}

/// Processor seconds of this process so far; 0 where the system does not tell.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    // Linux counts a hundred to the second wherever it runs.
    ticks.filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// A field of this process's status in bytes; 0 where the system does not tell.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

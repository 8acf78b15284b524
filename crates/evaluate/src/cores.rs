//! Which processors runs are kept on, so that runs at the same time do not disturb each other's clock.

use std::collections::BTreeMap;

/// How many runs there are at a time, and the processors for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DealtCores {
    /// Runs at a time.
    pub jobs: usize,
    /// One logical processor of each core that runs may be kept on; empty if they are not kept anywhere.
    pub processors: Vec<usize>,
    /// Whether no two runs at a time share a core.
    pub exclusive: bool,
}

/// Deals processors out to `jobs` runs at a time of `threads` each; as many as there are cores for, if `jobs` is not
/// given. `cores` lists the logical processors of each core. Each run gets cores of its own where there are enough.
pub fn deal(cores: &[Vec<usize>], threads: usize, jobs: Option<usize>) -> DealtCores {
    let fitting = (cores.len() / threads).max(1);
    let jobs = jobs.unwrap_or(fitting).max(1);
    // One logical processor of each core: its sibling would share the core's units.
    let first: Vec<usize> = cores
        .iter()
        .filter_map(|core| core.first().copied())
        .collect();
    if jobs * threads <= first.len() {
        return DealtCores {
            jobs,
            processors: first,
            exclusive: true,
        };
    }
    DealtCores {
        jobs,
        exclusive: jobs == 1 && first.is_empty(),
        processors: Vec::new(),
    }
}

/// Work at a time of `threads` each: as many as asked for, or else one per processor and thread.
pub fn jobs(asked: Option<usize>, threads: usize) -> usize {
    asked.unwrap_or_else(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        (processors / threads).max(1)
    })
}

/// The logical processors of each core that this process may use.
pub fn available() -> Vec<Vec<usize>> {
    let mut cores: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for processor in allowed() {
        cores
            .entry(core_name(processor))
            .or_default()
            .push(processor);
    }
    let mut cores: Vec<Vec<usize>> = cores.into_values().collect();
    cores.sort();
    cores
}

/// The core of a logical processor: all logical processors that it has, as the system lists them.
pub(crate) fn core_name(processor: usize) -> String {
    let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
    let siblings = std::fs::read_to_string(path).unwrap_or_default();
    match siblings.trim() {
        "" => processor.to_string(),
        siblings => siblings.to_owned(),
    }
}

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU)
            .filter(|&cpu| set.is_set(cpu))
            .collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> Vec<usize> {
    Vec::new()
}

/// Keeps this process on some processors. `false` if the system does not let it.
#[cfg(target_os = "linux")]
pub fn pin(processors: &[usize]) -> bool {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    for &processor in processors.iter().filter(|&&p| p < CpuSet::MAX_CPU) {
        set.set(processor);
    }
    sched_setaffinity(None, &set).is_ok()
}

/// Keeps this process on some processors. `false` if the system does not let it.
#[cfg(not(target_os = "linux"))]
pub fn pin(_: &[usize]) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_own_their_cores_where_there_are_enough() {
        let cores = [vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        let dealt = deal(&cores, 1, None);
        assert_eq!((dealt.jobs, dealt.exclusive), (4, true));
        assert_eq!(dealt.processors, [0, 1, 2, 3]);
        assert_eq!(deal(&cores, 2, None).jobs, 2);
        assert_eq!(deal(&cores, 1, Some(2)).jobs, 2);
        let crowded = deal(&cores, 1, Some(8));
        assert_eq!((crowded.jobs, crowded.exclusive), (8, false));
        let one = deal(&cores, 8, None);
        assert_eq!((one.jobs, one.exclusive), (1, false));
        assert!(crowded.processors.is_empty() && one.processors.is_empty());
        let unknown = deal(&[], 1, None);
        assert_eq!((unknown.jobs, unknown.exclusive), (1, true));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_somewhere_to_run() {
        assert!(!available().is_empty());
    }
}

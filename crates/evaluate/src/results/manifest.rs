//! The program, solver and machine with which results were made.

use serde::{Deserialize, Serialize};

/// The program, solver and machine with which results were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of the program.
    pub program: String,
    /// Name and version of the solver.
    pub solver: String,
    /// Hash of the study file.
    pub study_sha256: String,
    /// The machine that wrote the manifest.
    pub machine: Machine,
    /// Time at which it was written, in seconds since 1970.
    pub written: u64,
    /// The command line, without the names of folders.
    pub command: String,
}

/// A description of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of its processor, as the processor states it.
    pub processor: String,
    /// Number of logical processors.
    pub processors: usize,
    /// Number of processor cores; two logical processors can share one.
    pub cores: usize,
    /// Memory in GiB; `None` if the system does not tell.
    pub memory_gib: Option<f64>,
    /// Name of the operating system.
    pub system: String,
}

impl Machine {
    /// A description of this machine, as far as the system tells.
    pub fn this() -> Self {
        let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let value_of = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let memory = value_of(&file("/proc/meminfo"), "MemTotal");
        let kibibytes = memory.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        let release = file("/etc/os-release");
        let pretty = release
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let system = pretty.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
        Machine {
            processor: value_of(&file("/proc/cpuinfo"), "model name")
                .unwrap_or_else(|| std::env::consts::ARCH.into()),
            processors,
            cores: processors,
            memory_gib: kibibytes.map(|k| (k / 1024.0 / 1024.0 * 10.0).round() / 10.0),
            system: system.to_owned(),
        }
    }
}

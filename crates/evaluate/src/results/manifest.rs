//! What results were made with.

use serde::{Deserialize, Serialize};

/// What results were made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Program and version.
    pub program: String,
    /// Solver and version.
    pub solver: String,
    /// The hash of the study file.
    pub study_sha256: String,
    /// The machine that wrote this.
    pub machine: Machine,
    /// When this was written, in seconds since 1970.
    pub written: u64,
    /// The command, without the names of folders.
    pub command: String,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its processor, as it calls itself.
    pub processor: String,
    /// Logical processors.
    pub processors: usize,
    /// Processor cores; two logical processors can share one.
    pub cores: usize,
    /// Memory in GiB.
    pub memory_gib: Option<f64>,
    /// Operating system.
    pub system: String,
}

impl Machine {
    /// This one, as far as it tells.
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

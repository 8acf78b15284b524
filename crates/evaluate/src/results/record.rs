//! What one run came to.

use idpas_search::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The label of the longer runs that improve the best solutions before the oracle is asked.
pub const REFERENCE: &str = "reference";

/// Everything about a run but its instance and seed. A run whose configuration has changed is made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// The method.
    pub method: Method,
    /// Program and version.
    pub program: String,
    /// Solver and version.
    pub solver: String,
    /// Seconds.
    pub time_limit: f64,
    /// Threads.
    pub threads: u16,
    /// Relative gap at which it ends.
    pub gap: f64,
    /// The hash of the model.
    pub model_sha256: Option<String>,
    /// The hash of the settings, if they are given.
    pub settings_sha256: Option<String>,
    /// Options of the command that the study adds.
    pub options: Vec<String>,
}

impl Configuration {
    /// The hash by which configurations are compared.
    pub fn hash(&self) -> String {
        // A structure of numbers and texts always has a JSON form.
        idpas_base::hash::text_hash(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// What one run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The benchmark.
    pub benchmark: String,
    /// The label of the method.
    pub label: String,
    /// The instance.
    pub instance: String,
    /// The hash of the instance.
    pub instance_sha256: String,
    /// The seed.
    pub seed: u32,
    /// The hash of the solution that the run was given: the oracle's, or a start.
    pub given_sha256: Option<String>,
    /// How it was run.
    pub configuration: Configuration,
    /// [`Configuration::hash`] of that.
    pub configuration_sha256: String,
    /// How it ended.
    pub status: String,
    /// The best value.
    pub objective: Option<f64>,
    /// The bound.
    pub bound: Option<f64>,
    /// Seconds in all, as the run itself counts from opening the file on.
    pub time: f64,
    /// Seconds before the solver was first asked: reading, relaxation, prediction, model building.
    pub overhead: f64,
    /// Times and values of the solutions, from opening the file on.
    pub trajectory: Vec<(f64, f64)>,
    /// The processors it ran on; empty if it was not pinned.
    pub cores: Vec<usize>,
    /// Whether no other work of this program used these at the same time: no other run, of whatever study and process,
    /// and nothing that keeps to no processors, such as collecting.
    pub exclusive: bool,
    /// Seconds of processor time, as far as the system tells.
    pub cpu_seconds: Option<f64>,
    /// Seconds that it waited for a processor, as far as the system tells.
    pub waited_seconds: Option<f64>,
    /// The machine.
    pub host: String,
    /// When it ended, in seconds since 1970.
    pub finished: u64,
    /// The settings of the search, as it reports them.
    pub settings: Option<Value>,
    /// Its stages.
    pub stages: Option<Value>,
    /// What it warned of.
    pub warnings: Vec<String>,
    /// What went wrong, if something did. Such a run counts as one without a solution.
    pub failure: Option<String>,
}

impl Record {
    /// Whether this is the run that a configuration, instance and given solution ask for.
    pub fn answers(&self, configuration: &str, instance_sha256: &str, given: Option<&str>) -> bool {
        self.configuration_sha256 == configuration
            && self.instance_sha256 == instance_sha256
            && self.given_sha256.as_deref() == given
    }
}

/// The best value known of an instance, and who found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The value.
    pub objective: f64,
    /// The hash of the instance.
    pub instance_sha256: String,
    /// The hash of the solution file.
    pub solution_sha256: String,
    /// The label of the method.
    pub label: String,
    /// The seed of the run.
    pub seed: u32,
}

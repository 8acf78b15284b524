//! The record of one run.

use idpas_mip::Sense;
use idpas_search::Method;
use idpas_search::measure::integral;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Objective values nearer than this, relatively, are the same.
const SAME: f64 = 1e-9;

/// Whether two objective values are the same but for rounding.
pub(crate) fn are_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.abs().max(1.0)
}

/// The label of the longer runs that improve the best solutions before the oracle is run.
pub const REFERENCE: &str = "reference";

/// Everything that determines a run except its instance and seed. A run whose configuration has changed is made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// The method.
    pub method: Method,
    /// Name and version of the program.
    pub program: String,
    /// Name and version of the solver.
    pub solver: String,
    /// Time limit in seconds.
    pub time_limit: f64,
    /// Number of threads.
    pub threads: u16,
    /// Relative gap at which a run ends.
    pub gap: f64,
    /// Hash of the trained model; `None` if the method uses none.
    pub model_sha256: Option<String>,
    /// Hash of the settings; `None` if none are given.
    pub settings_sha256: Option<String>,
    /// Further command-line options from the study.
    pub options: Vec<String>,
}

impl Configuration {
    /// The hash by which configurations are compared.
    pub fn hash(&self) -> String {
        // Cannot fail: a structure of numbers and texts always has a JSON form.
        idpas_base::hash::text_hash(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// The record of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Label of the method.
    pub label: String,
    /// Name of the instance.
    pub instance: String,
    /// Hash of the instance's content.
    pub instance_sha256: String,
    /// The random seed.
    pub seed: u32,
    /// Hash of the solution that the run was given, the oracle's or a start; `None` if it was given none.
    pub given_sha256: Option<String>,
    /// The configuration of the run.
    pub configuration: Configuration,
    /// [`Configuration::hash`] of the configuration.
    pub configuration_sha256: String,
    /// How the run ended, as `idpas solve` states it; `failed` if it did not.
    pub status: String,
    /// The best objective value; `None` without a solution.
    pub objective: Option<f64>,
    /// The bound on the objective; `None` if none is known.
    pub bound: Option<f64>,
    /// Time of the whole run in seconds, counted by the run itself from opening the file.
    pub time: f64,
    /// Time in seconds before the first call of the solver: reading, relaxation, prediction, model building.
    pub overhead: f64,
    /// Time in seconds from opening the file, and objective value, of each solution.
    pub trajectory: Vec<(f64, f64)>,
    /// Numbers of the processors it ran on; empty if it was not bound to any.
    pub cores: Vec<usize>,
    /// Whether no other work of this program used these processors at the same time: neither another run, of any study
    /// and process, nor work that is not bound to processors, such as collecting.
    pub exclusive: bool,
    /// Processor time in seconds; `None` if the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Time in seconds that it waited for a processor; `None` if the system does not tell.
    pub waited_seconds: Option<f64>,
    /// Name of the machine.
    pub host: String,
    /// Time at which it ended, in seconds since 1970.
    pub finished: u64,
    /// The settings of the search, as the run states them.
    pub settings: Option<Value>,
    /// The stages of the search, as the run states them.
    pub stages: Option<Value>,
    /// Warnings of the run.
    pub warnings: Vec<String>,
    /// Why the run failed; `None` if it did not. A failed run counts as one without a solution.
    pub failure: Option<String>,
}

impl Record {
    /// Whether this is the record of a run with this configuration, instance and given solution.
    pub fn answers(&self, configuration: &str, instance_sha256: &str, given: Option<&str>) -> bool {
        self.configuration_sha256 == configuration
            && self.instance_sha256 == instance_sha256
            && self.given_sha256.as_deref() == given
    }

    /// The better one of two runs on the same instance with the same limit: by the solution at the end, and where these are
    /// the same, by the primal integral.
    pub fn better_of(self, other: Record, sense: Sense) -> Record {
        let (Some(own), Some(others)) = (self.objective, other.objective) else {
            return match other.objective {
                Some(_) => other,
                None => self,
            };
        };
        let horizon = self.configuration.time_limit;
        let sum = |record: &Record| integral(record.trajectory.iter().copied(), horizon, own);
        let is_other_better = match are_same(own, others) {
            true => sum(&other) < sum(&self),
            false => sense.is_better(others, own),
        };
        if is_other_better { other } else { self }
    }
}

/// The best solution known of an instance, and its origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its objective value.
    pub objective: f64,
    /// Hash of the instance's content.
    pub instance_sha256: String,
    /// Hash of the solution file.
    pub solution_sha256: String,
    /// Label of the method that found it.
    pub label: String,
    /// Seed of the run that found it.
    pub seed: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(objective: Option<f64>, trajectory: &[(f64, f64)]) -> Record {
        Record {
            benchmark: String::new(),
            label: "oracle".into(),
            instance: String::new(),
            instance_sha256: String::new(),
            seed: 0,
            given_sha256: None,
            configuration: Configuration {
                method: Method::Oracle,
                program: String::new(),
                solver: String::new(),
                time_limit: 10.0,
                threads: 1,
                gap: 1e-4,
                model_sha256: None,
                settings_sha256: None,
                options: Vec::new(),
            },
            configuration_sha256: String::new(),
            status: "time limit".into(),
            objective,
            bound: None,
            time: 10.0,
            overhead: 0.0,
            trajectory: trajectory.to_vec(),
            cores: Vec::new(),
            exclusive: true,
            cpu_seconds: None,
            waited_seconds: None,
            host: String::new(),
            finished: 0,
            settings: None,
            stages: None,
            warnings: Vec::new(),
            failure: None,
        }
    }

    #[test]
    fn of_two_runs_the_better_one_is_kept() {
        let nothing = record(None, &[]);
        let late = record(Some(90.0), &[(1.0, 100.0), (9.0, 90.0)]);
        let soon = record(Some(100.0), &[(0.1, 100.0)]);
        let sooner = record(Some(90.0), &[(3.0, 91.0), (4.0, 90.0)]);
        let of = |a: &Record, b: &Record, sense| a.clone().better_of(b.clone(), sense);
        for (a, b, sense, best) in [
            (&nothing, &soon, Sense::Minimize, &soon),
            (&soon, &nothing, Sense::Minimize, &soon),
            (&late, &soon, Sense::Minimize, &late),
            (&late, &soon, Sense::Maximize, &soon),
            // The same at the end; integrals of 1.89 and 3.01.
            (&late, &sooner, Sense::Minimize, &late),
        ] {
            assert_eq!(&of(a, b, sense), best);
            assert_eq!(&of(b, a, sense), best);
        }
    }
}

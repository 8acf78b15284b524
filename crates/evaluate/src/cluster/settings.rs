//! What is asked of a cluster, from a study's table `[cluster]` and from flags.

use serde::{Deserialize, Serialize};

use crate::EvaluateError;

/// Seconds of work that a task is given by default: long beside starting a process, short beside the patience of a
/// scheduler that has to find a place for it.
const CHUNK: f64 = 20.0 * 60.0;

/// What is asked of a cluster for each task, where it differs from the defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ClusterSettings {
    /// Partition of the cluster
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", help_heading = HEADING, display_order = 310))]
    pub partition: Option<String>,
    /// Account that pays
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", help_heading = HEADING, display_order = 311))]
    pub account: Option<String>,
    /// Memory of a task, such as `8G`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", help_heading = HEADING, display_order = 312))]
    pub memory: Option<String>,
    /// Work that a task is given, about, such as `20m`, which is the default; in a study, in seconds
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = idpas_base::words::parse_duration, help_heading = HEADING, display_order = 313))]
    pub chunk: Option<f64>,
    /// Longest time of a task that the cluster allows; in a study, in seconds
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = idpas_base::words::parse_duration, help_heading = HEADING, display_order = 314))]
    pub longest: Option<f64>,
    /// Tasks of an array at a time, at most
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", help_heading = HEADING, display_order = 315))]
    pub tasks: Option<usize>,
    /// Processors of a task that trains
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", help_heading = HEADING, display_order = 316))]
    pub train_cpus: Option<usize>,
    /// Memory of a task that trains
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", help_heading = HEADING, display_order = 317))]
    pub train_memory: Option<String>,
    /// Time of a task that trains; by default that of the training, and some more
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = idpas_base::words::parse_duration, help_heading = HEADING, display_order = 318))]
    pub train_time: Option<f64>,
    /// One more option of sbatch for every job, such as `--constraint=icelake`; several if given several times
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "OPTION", allow_hyphen_values = true, help_heading = HEADING, display_order = 319))]
    pub sbatch: Option<Vec<String>>,
    /// A line of shell before the program is started, such as `module load gcc`; several if given several times
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LINE", help_heading = HEADING, display_order = 320))]
    pub setup: Option<Vec<String>>,
}

#[cfg(feature = "clap")]
const HEADING: &str = "Cluster";

impl ClusterSettings {
    /// These, with what they leave unsaid from `other`.
    pub fn or(&self, other: &Self) -> Self {
        let one = self.clone();
        ClusterSettings {
            partition: one.partition.or_else(|| other.partition.clone()),
            account: one.account.or_else(|| other.account.clone()),
            memory: one.memory.or_else(|| other.memory.clone()),
            chunk: one.chunk.or(other.chunk),
            longest: one.longest.or(other.longest),
            tasks: one.tasks.or(other.tasks),
            train_cpus: one.train_cpus.or(other.train_cpus),
            train_memory: one.train_memory.or_else(|| other.train_memory.clone()),
            train_time: one.train_time.or(other.train_time),
            sbatch: one.sbatch.or_else(|| other.sbatch.clone()),
            setup: one.setup.or_else(|| other.setup.clone()),
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == ClusterSettings::default()
    }

    /// Seconds of work that a task is given.
    pub(super) fn chunk(&self) -> f64 {
        self.chunk.unwrap_or(CHUNK)
    }

    /// Refuses what no scheduler would understand.
    pub fn validate(&self) -> Result<(), EvaluateError> {
        let wrong = |name: &str, why: String| Err(EvaluateError::Input(format!("{name}: {why}")));
        for (name, seconds) in [
            ("chunk", self.chunk),
            ("longest", self.longest),
            ("train_time", self.train_time),
        ] {
            if let Some(seconds) =
                seconds.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite()))
            {
                return wrong(name, format!("{seconds}; expected seconds above 0"));
            }
        }
        for (name, count) in [("tasks", self.tasks), ("train_cpus", self.train_cpus)] {
            if count == Some(0) {
                return wrong(name, "0; expected at least 1".into());
            }
        }
        let texts = [
            ("partition", &self.partition),
            ("account", &self.account),
            ("memory", &self.memory),
            ("train_memory", &self.train_memory),
        ];
        let texts = texts.map(|(name, text)| (name, text.iter().collect::<Vec<_>>()));
        let lists = [("sbatch", &self.sbatch), ("setup", &self.setup)];
        let lists = lists.map(|(name, list)| (name, list.iter().flatten().collect::<Vec<_>>()));
        for (name, texts) in texts.into_iter().chain(lists) {
            if let Some(text) = texts.iter().find(|text| text.chars().any(char::is_control)) {
                return wrong(name, format!("{text:?}; expected a text in one line"));
            }
        }
        Ok(())
    }
}

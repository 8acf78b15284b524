//! How pools, models and settings are made. What is not said is left to the commands' own defaults.

use serde::{Deserialize, Serialize};

/// Fields of the left one, or else of the right one.
macro_rules! either {
    ($a:expr, $b:expr, $name:ident { $($field:ident),* $(,)? }) => {
        $name { $($field: $a.$field.clone().or_else(|| $b.$field.clone())),* }
    };
}

/// How pools are collected: the options of `idpas collect`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectSettings {
    /// Seconds for each instance; the time of a run by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Solutions to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<usize>,
    /// Share of the time for the first solve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_share: Option<f64>,
    /// Drop solutions further from the best than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_gap: Option<f64>,
    /// Nodes after which a solve stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Re-solves, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// Memory of each worker in GB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<f64>,
}

impl CollectSettings {
    /// These, and what they do not say from `other`.
    pub fn or(&self, other: &Self) -> Self {
        either!(
            self,
            other,
            CollectSettings {
                time_limit,
                pool,
                first_share,
                keep_gap,
                nodes,
                rounds,
                memory_limit,
            }
        )
    }

    /// Options of the command.
    pub fn arguments(&self) -> Vec<String> {
        let mut options = Options::default();
        options
            .add("--pool", &self.pool)
            .add("--first-share", &self.first_share)
            .add("--keep-gap", &self.keep_gap)
            .add("--nodes", &self.nodes)
            .add("--rounds", &self.rounds)
            .add("--memory-limit", &self.memory_limit);
        options.0
    }
}

/// How networks are trained: the options of `idpas train`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainSettings {
    /// Passes over the training set, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<usize>,
    /// Epochs without improvement before it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<usize>,
    /// Seconds, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Graphs in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// Learning rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// `cosine` or `constant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// `paper`, `full` or `light`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
    /// `uniform` or `energy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Width of embeddings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Attention heads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<usize>,
    /// Rounds of attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// `on` or `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual_norm: Option<String>,
    /// Seed of weights, order and dropout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl TrainSettings {
    /// These, and what they do not say from `other`.
    pub fn or(&self, other: &Self) -> Self {
        either!(
            self,
            other,
            TrainSettings {
                epochs,
                patience,
                time_limit,
                batch,
                rate,
                schedule,
                features,
                weights,
                embedding,
                heads,
                rounds,
                residual_norm,
                seed,
            }
        )
    }

    /// Options of the command.
    pub fn arguments(&self) -> Vec<String> {
        let mut options = Options::default();
        options
            .add("--epochs", &self.epochs)
            .add("--patience", &self.patience)
            .add("--time-limit", &self.time_limit)
            .add("--batch", &self.batch)
            .add("--rate", &self.rate)
            .add("--schedule", &self.schedule)
            .add("--features", &self.features)
            .add("--weights", &self.weights)
            .add("--embedding", &self.embedding)
            .add("--heads", &self.heads)
            .add("--rounds", &self.rounds)
            .add("--residual-norm", &self.residual_norm)
            .add("--seed", &self.seed);
        options.0
    }
}

/// How settings are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grid {
    /// A race between many.
    #[default]
    Race,
    /// Every point of the paper's grid: one region each, without completion.
    Paper,
    /// Not at all: the defaults.
    Off,
}

/// How settings of the search are chosen: the options of `idpas tune`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuneSettings {
    /// How to choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
    /// Seconds for each instance; the time of a run by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Validation instances to use, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Seconds of solving that a race may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

impl TuneSettings {
    /// These, and what they do not say from `other`.
    pub fn or(&self, other: &Self) -> Self {
        either!(
            self,
            other,
            TuneSettings {
                grid,
                time_limit,
                count,
                budget
            }
        )
    }

    /// Options of the command.
    pub fn arguments(&self) -> Vec<String> {
        let mut options = Options::default();
        if self.grid == Some(Grid::Paper) {
            options.add("--grid", &Some("paper"));
        } else {
            options.add("--budget", &self.budget);
        }
        options.add("--count", &self.count);
        options.0
    }
}

#[derive(Default)]
struct Options(Vec<String>);

impl Options {
    fn add(&mut self, name: &str, value: &Option<impl ToString>) -> &mut Self {
        if let Some(value) = value {
            self.0.extend([name.to_owned(), value.to_string()]);
        }
        self
    }
}
